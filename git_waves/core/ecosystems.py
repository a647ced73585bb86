"""What a new worktree will lack: from the names of tracked and ignored files to what a plan could say about it.

Suggestions only, each with its reason; nobody acts on them silently. A folder of packages that was never installed here is
nobody's need, so only what lies in the checkout counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from git_waves.core.model import RepoPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """`missing` is what a worktree lacks, `key` where in the plan `value` would go (`setup`: a command, `include`: a pattern),
    `why` the reason, and what to look out for."""

    missing: RepoPath
    key: str
    value: str
    why: str


# A lock file, the folder that its tool fills (the first of these that is there), and how it is filled again.
_PACKAGES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("package-lock.json", ("node_modules",), "npm ci"),
    ("npm-shrinkwrap.json", ("node_modules",), "npm ci"),
    ("pnpm-lock.yaml", ("node_modules",), "pnpm install --frozen-lockfile"),
    ("yarn.lock", ("node_modules",), "yarn install --immutable"),
    ("bun.lock", ("node_modules",), "bun install --frozen-lockfile"),
    ("bun.lockb", ("node_modules",), "bun install --frozen-lockfile"),
    ("uv.lock", (".venv",), "uv sync --frozen"),
    ("poetry.lock", (".venv",), "poetry install --no-interaction"),
    ("pdm.lock", (".venv",), "pdm sync"),
    ("Pipfile.lock", (".venv",), "pipenv sync"),
    ("requirements.txt", (".venv", "venv"), "python3 -m venv {0} && {0}/bin/pip install -r requirements.txt"),
    ("go.mod", ("vendor",), "go mod vendor"),
    ("composer.lock", ("vendor",), "composer install --no-interaction"),
    ("Gemfile.lock", ("vendor/bundle",), "bundle install"),
    ("mix.lock", ("deps",), "mix deps.get"),
)
# A tracked file, the folder of what was built, and what a copy of it saves.
_BUILT: tuple[tuple[str, str, str], ...] = (
    ("Cargo.toml", "target", "cargo builds every dependency again in a worktree that has none"),
    ("build.gradle", ".gradle", "gradle's cache of this project"),
    ("build.gradle.kts", ".gradle", "gradle's cache of this project"),
)
_KEYS = (".env", ".env.local", ".env.development", ".env.development.local", ".env.test", ".env.test.local", ".envrc.local",
         "local.properties", "config/master.key")  # fmt: skip


def suggest(
    tracked: Iterable[RepoPath], ignored: Collection[RepoPath], *, said: str = ""
) -> tuple[Suggestion, ...]:
    """What a plan could say so that worktrees have what this checkout has.

    `ignored` are the ignored files that lie there, a folder of which everything is ignored as one name ending with `/`. `said` is
    the text of what the plan and `.worktreeinclude` say already: what is named in it is not suggested again.
    """
    files = sorted(set(tracked), key=lambda path: (path.count("/"), path))
    there = frozenset(path.rstrip("/") for path in ignored)
    found: dict[tuple[str, str], Suggestion] = {}
    for one in (*_packages(files, there), *_built(files, there), *_keys(there), *_submodules(files)):
        if not _is_said(one, said):
            found.setdefault((one.missing, one.key), one)
    return tuple(found.values())


def _packages(files: Iterable[RepoPath], there: Collection[str]) -> Iterator[Suggestion]:
    known = {name: (folders, command) for name, folders, command in _PACKAGES}
    for path in files:
        place, _, name = path.rpartition("/")
        if name not in known:
            continue
        folders, command = known[name]
        folder = next((one for one in folders if _below(place, one) in there), None)
        if folder is not None:
            command = command.format(folder)
            yield Suggestion(
                missing=RepoPath(_below(place, folder) + "/"),
                key="setup",
                value=f"cd {place} && {command}" if place else command,
                why=f"'{path}' is tracked, and what it names is installed in your checkout only",
            )


def _built(files: Iterable[RepoPath], there: Collection[str]) -> Iterator[Suggestion]:
    known = {name: (folder, why) for name, folder, why in _BUILT}
    for path in files:
        place, _, name = path.rpartition("/")
        if name in known and _below(place, known[name][0]) in there:
            folder, why = known[name]
            missing = RepoPath(_below(place, folder) + "/")
            yield Suggestion(missing=missing, key="include", value=f"/{missing}", why=why)


def _keys(there: Collection[str]) -> Iterator[Suggestion]:
    for path in sorted(there):
        name = PurePosixPath(path).name
        if name in _KEYS or path in _KEYS:
            yield Suggestion(
                missing=RepoPath(path),
                key="include",
                value=f"/{path}",
                why="programs that read it find nothing in a worktree; agents will be able to read it",
            )


def _submodules(files: Collection[RepoPath]) -> Iterator[Suggestion]:
    if ".gitmodules" in files:
        yield Suggestion(
            missing=RepoPath(".gitmodules"),
            key="setup",
            value="git submodule update --init --recursive",
            why="submodules are empty in a new worktree",
        )


def _below(place: str, name: str) -> str:
    return f"{place}/{name}" if place else name


def _is_said(one: Suggestion, said: str) -> bool:
    """Whether the plan speaks of it: of the folder or file, or of the program that would be run."""
    words = [one.missing.rstrip("/").rpartition("/")[2]]
    if one.key == "setup":
        words.append(" ".join(one.value.rpartition("&& ")[2].split()[:2]))
    return any(word in said for word in words)
