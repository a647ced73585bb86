"""What `clean` and `hooks uninstall` did, and why they left the rest."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.answers import Tidied
from git_waves.views.safe import clean, quoted


def clean_text(found: Iterable[Tidied], *, is_rehearsal: bool) -> str:
    """One line for each worktree and branch that was looked at."""
    done, keep = ("would remove", "would keep") if is_rehearsal else ("removed", "kept")
    lines = [
        f"{done if item.is_removed else keep} {item.what} {quoted(item.name)}: {clean(item.reason)}"
        for item in found
    ]
    return "\n".join(lines or ["nothing of ours is left to remove"]) + "\n"


def uninstall_text(*, is_exact: bool | None) -> str:
    """What became of extensions.worktreeConfig: None when we never turned it on, else whether all is as it was."""
    if is_exact is None:
        return "nothing to take back: no run has changed this repository's configuration\n"
    how = (
        "as it was, byte for byte"
        if is_exact
        else "without our key; the rest has changed since and was left alone"
    )
    return f"took extensions.worktreeConfig back; the configuration is {how}\n"
