"""What our hooks cost a commit: against none, against a bare shell check, against peers (G3, G4, G5).

All commits are made in one worktree, which a run would have made in the same way; only `core.hooksPath` differs.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import peers
from bench.family import Family, Options
from bench.figures import Figure, compared
from bench.scene import file_name, git, make_repository
from bench.timing import Case, Sample, interleave, run_process
from git_waves.adapters import hooks, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.rundir import RunDir
from git_waves.core.model import Oid, TaskId
from git_waves.core.ownership import compile_rules, rules_to_json
from git_waves.core.paths import parse_pattern
from git_waves.refs import integration_ref

SMALL, LARGE, HUGE = 100, 10_000, 50_000
AGAINST_NONE = {SMALL: 2.0, HUGE: 1.35}
"""What an allowed commit may cost against one without hooks, at the two sizes for which that is known to be possible."""
OWNED = 50
INTEGRATION = integration_ref("bench")

_BARE = "bare sh hook"
_NONE = "no hook"
_ALLOWED = "allowed commit"
_FOLDERS = "allowed commit, folders and globs"
_ONLY = "allowed commit, our pre-commit alone"
_REFUSED = "refused commit, message included"

CHECK = """\
#!/bin/sh
foreign=$(git diff --cached --no-renames --name-only -z | grep -zavxFf '{owned}' | tr '\\0' '\\n')
[ -z "$foreign" ] || {{ echo "not yours: $foreign" >&2; exit 1; }}
"""


def measure(options: Options) -> list[Figure]:
    """All figures of this family: a small repository and a large one."""
    large = HUGE if options.is_full else LARGE
    figures = []
    for files in (SMALL, large):
        figures += _measure(Scene(options.folder / str(files), files), options)
    return [*figures, *peers.absent(options)]


def _measure(scene: Scene, options: Options) -> list[Figure]:
    ours, folders = scene.install("files", _exact()), scene.install("folders", ["docs/", "src/**/f0004*.txt"])
    alone = scene.only(ours, "pre-commit")
    bare, none = scene.bare(), scene.none()
    cases = [
        scene.commit(_NONE, none),
        scene.commit(_BARE, bare),
        scene.commit(_ALLOWED, ours),
        scene.commit(_FOLDERS, folders),
        scene.commit(_ONLY, alone),
        scene.commit(_REFUSED, ours, is_owned=False),
    ]
    others = peers.hooks(scene.repository, bare / "pre-commit") if options.has_peers else {}
    cases += [scene.commit(name, folder) for name, folder in others.items()]
    scene.check(refusing=(ours, folders, bare, *others.values()), allowing=none)
    measured = interleave(cases, rounds=max(options.rounds, 15))
    where, limit = f", {scene.files:,} files", AGAINST_NONE.get(scene.files)
    return [
        compared(measured, _BARE, _NONE, what=_BARE + where),
        compared(measured, _ALLOWED, _BARE, aim="G3", limit=1.15, what=_ALLOWED + where),
        compared(measured, _ALLOWED, _NONE, aim="G3" if limit else "", limit=limit, what=_ALLOWED + where),
        compared(measured, _FOLDERS, _BARE, what=_FOLDERS + where),
        compared(measured, _ONLY, _BARE, what=_ONLY + where),
        compared(measured, _REFUSED, _NONE, aim="G4", limit=5.0, what=_REFUSED + where),
        *(
            compared(measured, _ALLOWED, name, aim="G5", limit=peers.LIMITS[name], what=_ALLOWED + where)
            for name in others
        ),
    ]


def _exact() -> list[str]:
    return [file_name(number) for number in range(OWNED)]


class Scene:
    """A repository, one worktree of it made as a run makes them, and several folders of hooks for it."""

    def __init__(self, folder: Path, files: int) -> None:
        self.files = files
        self.folder = folder
        self.repository = folder / "repository"
        self.common_dir = make_repository(self.repository, files, checkout=False, extra=peers.FILES)
        self._git = Git(self.common_dir)
        self._base = Oid(git("rev-parse", "main", cwd=self.repository))
        git("update-ref", INTEGRATION, self._base, cwd=self.repository)
        self._run_dir = RunDir(self.common_dir / "waves" / "runs" / "r1")
        self._run_dir.make()
        lease = worktrees.Lease(
            plan="bench",
            run="r1",
            task="t1",
            attempt=1,
            branch=worktrees.branch_of("bench", "t1", 1),
            base=self._base,
            folder=folder / "worktree",
            index=self._run_dir.index("t1", 1),
        )
        hooks.enable_worktree_config(self._git, self.common_dir)
        self._admin = worktrees.ensure(self._git, lease)
        worktrees.fill(lease, self._admin)
        self.worktree, self._branch = lease.folder, lease.branch
        self._content = itertools.count()

    def install(self, name: str, patterns: list[str]) -> Path:
        """Our hooks with these rules; the folder that `core.hooksPath` names. What they read is kept apart, because
        the next installation writes the same files again."""
        rules = compile_rules(map(parse_pattern, patterns))
        self._run_dir.manifest.write_text(
            json.dumps({"version": 1, "plan": "bench", "tasks": {"t1": {"rules": rules_to_json(rules)}}})
        )
        lease = LeaseFile(
            run="r1",
            plan="bench",
            task=TaskId("t1"),
            attempt=1,
            branch=self._branch,
            base=self._base,
            integration=INTEGRATION,
            rules=rules,
            manifest=self._run_dir.manifest,
        )
        hooks.install(
            self._git,
            run_dir=self._run_dir,
            common_dir=self.common_dir,
            worktree=self.worktree,
            admin=self._admin,
            lease=lease,
        )
        kept, read = self._new_folder(name), self._new_folder(f"{name}-lease")
        for written in self._admin.glob("waves-*"):
            shutil.copy2(written, read)
        shutil.copytree(self._run_dir.hooks / lease.name, kept, dirs_exist_ok=True)
        settings = (kept / "settings.sh").read_text()
        (kept / "settings.sh").write_text(settings.replace(f"'{self._admin}/waves-", f"'{read}/waves-"))
        return kept

    def only(self, source: Path, hook: str) -> Path:
        """Our hooks without all but one of them."""
        folder = self._new_folder(f"only-{hook}")
        for name in (hook, "settings.sh", "guard.py"):
            shutil.copy2(source / name, folder)
        return folder

    def bare(self) -> Path:
        """The check as one would write it in a minute: git, grep and a list of owned files."""
        folder = self._new_folder("bare")
        owned = folder / "owned"
        owned.write_text("".join(f"{name}\n" for name in _exact()))
        (folder / "pre-commit").write_text(CHECK.format(owned=owned))
        (folder / "pre-commit").chmod(0o755)
        return folder

    def none(self) -> Path:
        """No hook at all."""
        return self._new_folder("none")

    def _new_folder(self, name: str) -> Path:
        folder = self.folder / "hooks" / name
        folder.mkdir(parents=True)
        return folder

    def commit(self, name: str, hooks_folder: Path, *, is_owned: bool = True) -> Case:
        """A commit of one changed file with these hooks; one that is not owned must be refused."""
        changed = file_name(OWNED - 1 if is_owned else self.files - 1)

        def stage() -> None:
            (self.worktree / changed).write_text(f"changed {next(self._content)}\n")
            git("add", changed, cwd=self.worktree)

        def put_back() -> None:
            if not is_owned:
                git("restore", "--source=HEAD", "--staged", "--worktree", "--", changed, cwd=self.worktree)

        return Case(
            name=name, run=self._committing(hooks_folder, 0 if is_owned else 1), before=stage, after=put_back
        )

    def _committing(self, hooks_folder: Path, expect: int) -> Callable[[], Sample]:
        argv = _commit_command(hooks_folder)
        return lambda: run_process(argv, cwd=self.worktree, expect=expect)

    def check(self, *, refusing: tuple[Path, ...], allowing: Path) -> None:
        """Every check that is compared must really refuse a file that is not owned."""
        for hooks_folder in (*refusing, allowing):
            for _ in self._staged_foreign():
                done = subprocess.run(
                    _commit_command(hooks_folder), cwd=self.worktree, capture_output=True, check=False
                )
                if (done.returncode == 0) != (hooks_folder == allowing):
                    raise RuntimeError(f"{hooks_folder}: exit code {done.returncode}: {done.stderr.decode()}")

    def _staged_foreign(self) -> Iterator[None]:
        changed = file_name(self.files - 1)
        (self.worktree / changed).write_text(f"foreign {next(self._content)}\n")
        git("add", changed, cwd=self.worktree)
        head = git("rev-parse", "HEAD", cwd=self.worktree)
        yield
        git("-c", "core.hooksPath=/dev/null", "reset", "--quiet", "--hard", head, cwd=self.worktree)


def _commit_command(hooks_folder: Path) -> list[str]:
    return ["git", "-c", f"core.hooksPath={hooks_folder}", "commit", "--quiet", "-m", "work"]


FAMILY = Family(
    name="hooks", aims="G3, G4, G5", title="a commit of one file in a task's worktree", measure=measure
)
