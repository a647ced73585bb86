"""What a repository's own schedulers write while nobody looks: crontabs, timers, scheduled workflows, dependency bots.

Only what a file says plainly is told: a redirection, `git add`, `tee`, an output option. A script that a job starts may
write anything, and nothing is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath

from git_waves.core.model import RepoPath


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledWrite:
    """A job of the scheduler file `source` writes `path` (as the file spells it: a file, a folder, a glob), `when` in the
    file's own words. `is_proposal` is a bot that opens pull requests instead of writing itself."""

    source: RepoPath
    line: int
    path: str
    when: str
    is_proposal: bool = False


_WORKFLOW = re.compile(
    r"\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml|\.circleci/config\.ya?ml|\.?azure-pipelines[^/]*\.ya?ml"
)
_GITLAB = re.compile(r"(?:.*/)?[^/]*\.?gitlab-ci\.ya?ml")
_CLUSTER = re.compile(
    r"(?:.*/)?[^/]*cron[^/]*\.ya?ml|(?:.*/)?(?:k8s|kubernetes|manifests|helm|charts|deploy|deployment)/.*\.ya?ml",
    re.IGNORECASE,
)
_CRONTAB = re.compile(r"(?:.*/)?(?:crontab|[^/]+\.(?:cron|crontab)|cron\.d/[^/]+)")
_UNIT = re.compile(r"(?:.*/)?[^/]+\.(?:timer|service)")
_DEPENDABOT = re.compile(r"\.github/dependabot\.ya?ml")
_RENOVATE = re.compile(r"(?:\.github/|\.gitlab/)?renovate\.json5?|\.renovaterc(?:\.json5?)?")
_KINDS = (_WORKFLOW, _GITLAB, _CLUSTER, _CRONTAB, _UNIT, _DEPENDABOT, _RENOVATE)
_ENDINGS = (".yml", ".yaml", "crontab", ".cron", ".timer", ".service", ".json", ".json5", ".renovaterc")


def is_scheduler_file(path: str) -> bool:
    """Whether a file of that name can hold something that is started by a clock."""
    # Most paths of a tree end otherwise, and there may be many.
    is_possible = path.endswith(_ENDINGS) or "cron.d/" in path
    return is_possible and any(kind.fullmatch(path) for kind in _KINDS)


def scheduled_writes(files: Mapping[RepoPath, str]) -> Iterator[ScheduledWrite]:
    """What the scheduler files (path to text) plainly write; timers are read together with their services."""
    for source, text in sorted(files.items()):
        if _WORKFLOW.fullmatch(source):
            yield from _workflow(source, text)
        elif _GITLAB.fullmatch(source):
            yield from _gitlab(source, text)
        elif _CRONTAB.fullmatch(source):
            yield from _crontab(source, text)
        elif source.endswith(".timer"):
            yield from _timer(source, text, files)
        elif _DEPENDABOT.fullmatch(source):
            yield from _dependabot(source, text)
        elif _RENOVATE.fullmatch(source):
            yield from _renovate(source)
        elif _CLUSTER.fullmatch(source):
            yield from _cluster(source, text)


# ---------------------------------------------------------------------- shell text

_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'|&;<>()]+)"""
_TO_ONE = re.compile(
    rf"(?:(?<![0-9&>=-])(?:1|&)?>>?\|?|\btee(?:\s+-a|\s+--append)?\s|\s-o\s|\s--out(?:put)?(?:-file)?[=\s])\s*({_WORD})"
)
_TO_ALL = re.compile(
    rf"\b(?:git\s+(?:add|rm|mv)|(?<!git\s)mv|sed\s+-i\S*|git\s+commit\b[^;&|\n]*?\s--)((?:\s+{_WORD})+)"
)
_TO_LAST = re.compile(rf"\b(?:cp|install|rsync)((?:\s+{_WORD}){{2,}})")
_UNSURE = re.compile(r"[$`{}\\]|^-|^/dev/")


def _written(line: str) -> Iterator[str]:
    """The paths a line of shell writes for certain; what has variables in it is not certain."""
    words = [found[1] for found in _TO_ONE.finditer(line)]
    for found in _TO_ALL.finditer(line):
        words += re.findall(_WORD, found[1])
    for found in _TO_LAST.finditer(line):
        words.append(re.findall(_WORD, found[1])[-1])
    for word in words:
        plain = word.strip("\"'")
        if plain and not _UNSURE.search(plain) and normpath(plain) not in (".", ".."):
            yield normpath(plain) + ("/" if plain.endswith("/") else "")


# ---------------------------------------------------------------------- workflows

_CRON_KEY = re.compile(
    r"""^(?:[^#]*[\s{,-])?(['"]?)(?:cron|schedule)\1\s*:\s*(?:(['"])(?P<quoted>.+?)\2|(?P<plain>[^\s#'"{\[|>][^#}\]]*))"""
)
"""In a line of its own, or in `on: {schedule: [{cron: '0 3 * * *'}]}`; a CronJob says `schedule`."""
_PUBLISHES = re.compile(
    r"\bgit\b[^;&|\n]*\s(?:commit|push)\b|git-auto-commit|create-pull-request|add-and-commit"
)
_ACTION_PATHS = re.compile(r"^\s*(?:file_pattern|add-paths|add)\s*:\s*([^|>#]+?)\s*$")


def _workflow(source: RepoPath, text: str) -> Iterator[ScheduledWrite]:
    """A workflow writes nothing of the repository unless it commits or opens a pull request."""
    lines = text.splitlines()
    yield from _clocked(source, lines, range(len(lines)))


def _clocked(
    source: RepoPath, lines: list[str], part: range, *, when: str | None = None
) -> Iterator[ScheduledWrite]:
    """What the `part` of the lines writes `when` (else by its own `cron`), when it publishes anything."""
    if when is None:
        when = next((f"cron '{cron}'" for at in part if (cron := _cron_of(lines[at]))), None)
    if when is None or not any(_PUBLISHES.search(lines[at]) for at in part):
        return
    for number, line in ((at + 1, lines[at]) for at in part):
        if line.lstrip().startswith("#"):
            continue
        named = _ACTION_PATHS.match(line)
        paths = [*_written(line), *(word.strip("\"'") for word in (named[1].split() if named else ()))]
        for path in dict.fromkeys(paths):
            yield ScheduledWrite(source=source, line=number, path=path, when=when)


def _cron_of(line: str) -> str | None:
    found = _CRON_KEY.match(line)
    return found and (found["quoted"] or found["plain"].strip())


_SCHEDULED_JOB = re.compile(
    r"\bCI_PIPELINE_SOURCE\b.*==.*\bschedule\b|^\s*(?:-|only:.*)\s*\[?\s*['\"]?schedules\b"
)
_TOP_KEY = re.compile(r"[^\s#].*:")
_EXCEPT = re.compile(r"\s+except\s*:|.*\bnever\b")
_DOCUMENT = re.compile(r"---(?:\s|$)")
_CRON_JOB = re.compile(r"\s*kind\s*:\s*['\"]?CronJob\b")


def _gitlab(source: RepoPath, text: str) -> Iterator[ScheduledWrite]:
    """The clock of a pipeline is set outside the repository; a job that says it is for schedules is for them."""
    lines = text.splitlines()
    for part in _parts(lines, _TOP_KEY):
        inner = [lines[at] for at in part]
        if any(map(_SCHEDULED_JOB.search, inner)) and not any(map(_EXCEPT.match, inner)):
            yield from _clocked(source, lines, part, when="in a scheduled pipeline")


def _cluster(source: RepoPath, text: str) -> Iterator[ScheduledWrite]:
    """The CronJobs among the objects of a Kubernetes manifest; they can only change the repository by a push."""
    lines = text.splitlines()
    for part in _parts(lines, _DOCUMENT):
        if any(_CRON_JOB.match(lines[at]) for at in part):
            yield from _clocked(source, lines, part)


def _parts(lines: list[str], start: re.Pattern[str]) -> Iterator[range]:
    """The lines from one that matches to before the next."""
    starts = [at for at, line in enumerate(lines) if start.match(line)]
    for at, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        yield range(at, end)


# ---------------------------------------------------------------------- crontabs and timers

_CRON_LINE = re.compile(
    r"^\s*((?:[\d*,/A-Za-z-]+\s+){5}|@(?:hourly|daily|weekly|monthly|yearly|annually|midnight)\s+)(\S.*)$"
)


def _crontab(source: RepoPath, text: str) -> Iterator[ScheduledWrite]:
    for number, line in enumerate(text.splitlines(), start=1):
        found = _CRON_LINE.match(line)
        if found:
            for path in dict.fromkeys(_written(found[2])):
                when = " ".join(found[1].split())
                yield ScheduledWrite(source=source, line=number, path=path, when=f"cron '{when}'")


_TIMES = re.compile(r"^\s*(On(?:Calendar|UnitActiveSec|BootSec|ActiveSec)\s*=.*?)\s*$", re.MULTILINE)
_UNIT_KEY = re.compile(r"^\s*Unit\s*=\s*(\S+)\s*$", re.MULTILINE)
_STARTS = re.compile(r"^\s*Exec\w+\s*=(.*)$")
_STREAM = re.compile(r"^\s*Standard(?:Output|Error)\s*=\s*(?:file|append|truncate):(\S+)\s*$")


def _timer(source: RepoPath, text: str, files: Mapping[RepoPath, str]) -> Iterator[ScheduledWrite]:
    times = _TIMES.search(text)
    folder, slash, name = source.rpartition("/")
    unit = _UNIT_KEY.search(text)
    service = RepoPath(f"{folder}{slash}{unit[1] if unit else name.removesuffix('.timer') + '.service'}")
    if times is None or service not in files:
        return
    for number, line in enumerate(files[service].splitlines(), start=1):
        starts, stream = _STARTS.match(line), _STREAM.match(line)
        paths = list(_written(starts[1])) if starts else [stream[1]] if stream else []
        for path in dict.fromkeys(paths):
            yield ScheduledWrite(source=service, line=number, path=path, when=f"'{times[1]}' of '{source}'")


# ---------------------------------------------------------------------- dependency bots

_MANIFESTS = {
    "bundler": ("Gemfile", "Gemfile.lock"),
    "bun": ("package.json", "bun.lock"),
    "cargo": ("Cargo.toml", "Cargo.lock"),
    "composer": ("composer.json", "composer.lock"),
    "docker": ("Dockerfile",),
    "github-actions": (".github/workflows/*.yml", ".github/workflows/*.yaml"),
    "gomod": ("go.mod", "go.sum"),
    "gradle": ("build.gradle", "build.gradle.kts"),
    "maven": ("pom.xml",),
    "mix": ("mix.exs", "mix.lock"),
    "npm": ("package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"),
    "nuget": ("packages.lock.json",),
    "pip": ("requirements.txt", "pyproject.toml", "poetry.lock", "Pipfile", "Pipfile.lock"),
    "pub": ("pubspec.yaml", "pubspec.lock"),
    "swift": ("Package.swift", "Package.resolved"),
    "terraform": (".terraform.lock.hcl",),
    "uv": ("pyproject.toml", "uv.lock"),
}
"""What a bot changes for each ecosystem, as dependabot names them."""
_BOT_KEY = re.compile(
    r"^\s*-?\s*(package-ecosystem|directory|interval)\s*:\s*(['\"]?)([^'\"#]+?)\2\s*(?:#.*)?$"
)


def _dependabot(source: RepoPath, text: str) -> Iterator[ScheduledWrite]:
    """Each entry names an ecosystem first; `directory` is where its manifests lie."""
    entries: list[tuple[int, dict[str, str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        found = _BOT_KEY.match(line)
        if found and found[1] == "package-ecosystem":
            entries.append((number, {}))
        if found and entries:
            entries[-1][1].setdefault(found[1], found[3])
    for number, entry in entries:
        folder = entry.get("directory", "").strip("/")
        for name in _MANIFESTS.get(entry["package-ecosystem"], ()):
            path = name if name.startswith(".github/") or not folder else f"{folder}/{name}"
            yield ScheduledWrite(
                source=source,
                line=number,
                path=path,
                when=entry.get("interval", "on a schedule"),
                is_proposal=True,
            )


def _renovate(source: RepoPath) -> Iterator[ScheduledWrite]:
    """Renovate looks for manifests everywhere, unless it is told otherwise."""
    for name in dict.fromkeys(name for names in _MANIFESTS.values() for name in names):
        path = name if "/" in name else f"**/{name}"
        yield ScheduledWrite(source=source, line=0, path=path, when="on a schedule", is_proposal=True)
