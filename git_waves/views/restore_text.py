"""`git waves restore`: what there is to bring back, and what came back."""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.answers import Archived, Restored
from git_waves.views.safe import clean, quoted, shell_word

_MOST = 10  # paths told of one archive
_SHORT = 3  # paths told in a list


def archived_text(found: Sequence[Archived]) -> str:
    """The archives, each with what a person needs to choose: whose it is, when it was saved, what it changes."""
    if not found:
        return "nothing is archived\n"
    lines = []
    for one in found:
        lines += [
            f"{_whose(one)} (run {clean(one.run)}), saved {one.at[:16].replace('T', ' ')}: {_paths(one.paths, _SHORT)}",
            f"    git waves restore {shell_word(one.ref)}",
        ]
    return "\n".join(lines) + "\n"


def restored_text(done: Restored) -> str:
    """What lies on which branch now, and how to look at it."""
    what, branch = done.archived, shell_word(done.branch)
    how = "holds" if done.is_new else "holds already"
    lines = [
        f"branch {quoted(done.branch)} {how} {_whose(what)} of run {clean(what.run)} at {what.commit[:10]}"
    ]
    lines += [f"    {clean(path)}" for path in what.paths[:_MOST]]
    if len(what.paths) > _MOST:
        lines.append(f"    and {len(what.paths) - _MOST} more")
    if done.worktree is not None:
        lines.append(f"it is checked out in {quoted(done.worktree)}")
    since = f"waves/{what.plan}/integration" if what.plan else "HEAD"
    lines.append(f"next: 'git log -p {shell_word(since)}..{branch}' to look at it")
    return "\n".join(lines) + "\n"


def _whose(one: Archived) -> str:
    if not one.task:
        return f"{one.name.replace('-', ' ')} of plan {quoted(one.plan)}"
    rest = one.name.removeprefix(f"{one.task}.{one.attempt}").lstrip(".")
    part = f" ({clean(rest)})" if rest else ""
    return f"task {quoted(one.task)} attempt {one.attempt}{part}"


def _paths(paths: Sequence[str], most: int) -> str:
    if not paths:
        return "no path differs from what is integrated"
    shown = ", ".join(clean(path) for path in paths[:most])
    return shown + (f" and {len(paths) - most} more" if len(paths) > most else "")
