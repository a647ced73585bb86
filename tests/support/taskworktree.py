"""A task worktree with its hooks installed, the way a run makes one, in few words."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping

from git_waves.adapters.git import Git
from git_waves.adapters.hooks import (
    CanaryMissed,
    CanaryRefused,
    Seal,
    canary,
    enable_worktree_config,
    install,
)
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.rundir import RunDir
from git_waves.adapters.worktrees import Lease, branch_of, ensure, fill
from git_waves.core.model import Oid, Rules, TaskId
from git_waves.core.ownership import compile_rules, rules_to_json
from git_waves.core.paths import parse_pattern
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"


def rules_for(*texts: str) -> Rules:
    """Rules as a plan would write them: `a.txt`, `src/`, `*.md`."""
    return compile_rules(map(parse_pattern, texts))


class TaskWorktree:
    """One task's worktree at the integration ref; `git` runs as its agent would."""

    def __init__(self, repo: RepoBuilder, task: str, rules: Rules, *, owners: Mapping[str, Rules]) -> None:
        self.repo = repo
        self.common = repo.folder / ".git"
        self.door = Git(self.common)
        self.base = repo.git("rev-parse", INTEGRATION)
        self.run_dir = RunDir(self.common / "waves" / "runs" / "r1")
        if not self.run_dir.path.exists():
            self.run_dir.make()
        tasks = {name: {"rules": rules_to_json(owned)} for name, owned in owners.items()}
        self.run_dir.manifest.write_text(json.dumps({"version": 1, "plan": "p", "tasks": tasks}))
        placed = Lease(
            run="r1",
            plan="p",
            task=task,
            attempt=1,
            branch=branch_of("p", task, 1),
            base=Oid(self.base),
            folder=repo.folder.parent / "repo.waves" / task,
            index=self.run_dir.index(task, 1),
        )
        self.folder = placed.folder
        self.branch = placed.branch.removeprefix("refs/heads/")
        enable_worktree_config(self.door, self.common)
        self.admin = ensure(self.door, placed)
        fill(placed, self.admin)
        self.lease = LeaseFile(
            run=placed.run,
            plan=placed.plan,
            task=TaskId(task),
            attempt=1,
            branch=placed.branch,
            base=placed.base,
            integration=INTEGRATION,
            rules=rules,
            manifest=self.run_dir.manifest,
        )
        self.hooks = self.run_dir.hooks / self.lease.name
        self.seal = self.install()

    def install(self) -> Seal:
        """Install the hooks, again if need be."""
        return install(
            self.door,
            run_dir=self.run_dir,
            common_dir=self.common,
            worktree=self.folder,
            admin=self.admin,
            lease=self.lease,
        )

    def canary(self, environment: Mapping[str, str] | None = None) -> CanaryRefused | CanaryMissed:
        """Let the canary try the hooks as they are now."""
        return canary(
            worktree=self.folder,
            admin=self.admin,
            lease=self.lease,
            scratch=self.run_dir.path,
            environment=environment,
        )

    def run(
        self, *argv: str, stdin: str = "", environment: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Run a program in the worktree: exit code and standard error."""
        done = subprocess.run(
            argv,
            cwd=self.folder,
            env={**self.repo.environment, **(environment or {})},
            input=stdin.encode(errors="surrogateescape"),
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stderr.decode(errors="backslashreplace")

    def git(self, *arguments: str) -> str:
        """Run git in the worktree; it must work."""
        return self.repo.git(*arguments, cwd=self.folder)

    def refused(self, *arguments: str, stdin: str = "") -> str:
        """Run git in the worktree; our hooks must refuse, and no ref may have moved. The refusal's own lines."""
        before = self.repo.git("for-each-ref")
        code, message = self.run("git", *arguments, stdin=stdin)
        assert code != 0, f"git {' '.join(arguments)} was not refused"
        assert self.repo.git("for-each-ref") == before, "refused, and yet a ref moved"
        assert "refused by git-waves: " in message, message
        return "".join(
            line + "\n"
            for line in message.splitlines()
            if line.startswith(("error: ", "hint: ")) and _is_ours(line)
        )

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files in the worktree."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def tip(self) -> str:
        """Where the task's branch is now."""
        return self.repo.git("rev-parse", f"refs/heads/{self.branch}")


def _is_ours(line: str) -> bool:
    return "ref updates aborted by hook" not in line


def start_run(repo: RepoBuilder, files: Mapping[str, str | bytes]) -> None:
    """A first commit, and the integration ref at it."""
    base = repo.commit(files, message="base")
    repo.git("update-ref", INTEGRATION, base)
