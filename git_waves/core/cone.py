"""Which folders of a repository a task's worktree holds, where the plan is sparse: what it owns and what it reads."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.model import PathPattern, PatternKind, Plan, RepoPath, Task


def cone_of(plan: Plan, task: Task, granted: Iterable[RepoPath] = ()) -> tuple[str, ...] | None:
    """The folders, as git's cone mode takes them (all below each, and the files beside the way there); None when the worktree
    holds everything. The files at the top of the repository are always there."""
    if plan.sparse is None:
        return None
    patterns = [*(claim.pattern for claim in task.claims), *task.reads, *plan.sparse]
    folders = {_folder_of(pattern) for pattern in patterns} | {_above(path) for path in granted}
    if any(pattern.kind is PatternKind.GLOB and _may_be_anywhere(pattern.text) for pattern in patterns):
        return None
    return tuple(sorted(folders - {""}))


def _may_be_anywhere(glob: str) -> bool:
    """`**/*.css` or `*/x`; not `*.md`, which lies at the top."""
    first, _, rest = glob.partition("/")
    return ("*" in first or "?" in first) and (bool(rest) or first == "**")


def _folder_of(pattern: PathPattern) -> str:
    if pattern.kind is PatternKind.DIR:
        return pattern.text
    if pattern.kind is PatternKind.FILE:
        return _above(pattern.text)
    literal = []
    for part in pattern.text.split("/")[:-1]:
        if "*" in part or "?" in part:
            break
        literal.append(part)
    return "/".join(literal)


def _above(path: str) -> str:
    return path.rpartition("/")[0]
