"""The last words of `git waves run --detach` in its terminal."""

from __future__ import annotations

from git_waves.views.safe import clean, quoted, shell_word


def detached_text(run: str, *, pid: int, plan: str | None, log: str) -> str:
    """How to look on, how to read along, how to end it."""
    named = f" --plan {shell_word(plan)}" if plan else ""
    return (
        f"run {quoted(run)} goes on without this terminal, as process {pid}\n"
        f"  look on:     git waves status --watch{named}\n"
        f"  read along:  tail -f {clean(shell_word(log))}\n"
        f"  end it:      git waves stop{named}\n"
    )
