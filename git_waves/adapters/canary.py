"""Proves that a task worktree refuses what it must, before an agent starts in it (product 4.3).

Git says nothing when a hook is not executable, not there, or in a folder that another setting points away from. So the
hooks are asked about violations planted for that purpose. Nothing is moved: the index is a throw-away one and every ref
transaction is aborted, even where the hook would have let it through.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.git import Git, GitError, HookVerdict
from git_waves.adapters.lease import LeaseFile
from git_waves.core.model import Oid, RepoPath
from git_waves.core.ownership import owns

_MARK = "refused by git-waves: "
_FOREIGN_REF = "refs/waves/archive/canary"  # no plan and no run can be called so
# Names no repository has, at depths and of kinds that few rules cover all of.
_PLANTS = tuple(
    map(RepoPath, (".waves-canary", "waves-canary/planted.txt", "waves-canary/x/y/z/planted.canary"))
)
_IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "git-waves"), ("EMAIL", "git-waves@localhost"))
}


@dataclass(frozen=True, slots=True)
class CanaryRefused:
    """Every planted violation was refused, and what is allowed was not. The agent may start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryMissed:
    """The hooks do not hold here, and why. The agent must not start."""

    reason: str


def canary(
    *,
    worktree: Path,
    admin: Path,
    lease: LeaseFile,
    scratch: Path,
    environment: Mapping[str, str] | None = None,
) -> CanaryRefused | CanaryMissed:
    """Plant violations in this worktree and see whether they are refused.

    `admin` is the worktree's administrative folder, `scratch` a folder of ours outside the worktree; `environment` is
    added to git's, to be given what the agent will have (`PATH`, say). Check the seal first: this runs git in the
    worktree with its hooks on. Leaves nothing but a few unreachable objects. A task that owns every path is tried with
    a foreign ref only.
    """
    placed = Git(admin, work_tree=worktree)
    tip = placed.ref(lease.branch)
    if tip is None:
        return CanaryMissed(reason=f"branch '{lease.branch.removeprefix('refs/heads/')}' does not exist")
    trial = _Trial(placed, lease, tip, {**(environment or {}), "GIT_WAVES_CANARY": "1"})
    plant = next((path for path in _PLANTS if not owns(lease.rules, path)), None)
    try:
        reason = trial.foreign_ref() or trial.allowed_move()
        if reason is None and plant is not None:
            with tempfile.TemporaryDirectory(prefix="canary-", dir=scratch) as folder:
                reason = trial.foreign_path(plant, Path(folder) / "index")
    except GitError as error:
        reason = f"it could not be tried: {error.message}"
    return CanaryRefused() if reason is None else CanaryMissed(reason=reason)


class _Trial:
    """One worktree and what is asked of its hooks; each question answers None, or why the hooks do not hold."""

    def __init__(self, git: Git, lease: LeaseFile, tip: Oid, environment: Mapping[str, str]) -> None:
        self.git = git
        self.lease = lease
        self.tip = tip
        self.environment = environment

    def foreign_ref(self) -> str | None:
        verdict = self._refs(f"update {_FOREIGN_REF} {self.lease.base}")
        return _unless_refused(verdict, _FOREIGN_REF, f"a move of the foreign ref '{_FOREIGN_REF}'")

    def allowed_move(self) -> str | None:
        verdict = self._refs(f"update {self.lease.branch} {self.tip} {self.tip}")
        return None if verdict.accepts else f"what is allowed was refused: {_first_line(verdict)}"

    def foreign_path(self, plant: RepoPath, index: Path) -> str | None:
        self.git.read_tree(self.git.tree_of(self.tip), index=index)
        tree = self.git.put_into_index(plant, self.git.hash_blob(b"planted by git-waves\n"), index=index)
        verdict = self.git.try_hook("pre-commit", index=index, environment=self.environment)
        reason = _unless_refused(verdict, plant, f"a commit of the foreign path '{plant}'")
        if reason is not None:
            return reason
        commit = self.git.commit_tree(
            tree, (self.tip,), "planted by git-waves\n", environment=_IDENTITY, may_sign=False
        )
        verdict = self._refs(f"update {self.lease.branch} {commit} {self.tip}")
        return _unless_refused(verdict, plant, f"a branch with the foreign path '{plant}'")

    def _refs(self, command: str) -> HookVerdict:
        return self.git.try_refs([command], environment=self.environment)


def _unless_refused(verdict: HookVerdict, name: str, violation: str) -> str | None:
    """None when our guard refused, and for this very thing; any other failure proves nothing."""
    if verdict.accepts:
        return f"{violation} was not refused"
    if _MARK not in verdict.message or name not in verdict.message or "guard failed" in verdict.message:
        return f"{violation} was refused by something else: {_first_line(verdict)}"
    return None


def _first_line(verdict: HookVerdict) -> str:
    return next((line for line in verdict.message.splitlines() if line.strip()), "no message")
