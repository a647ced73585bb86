"""The files that steer git for a whole repository, its user's own checkout included: configuration, hooks, attributes.

An agent can write them, and what it changes there outlives its task. Nothing of ours rests on them (the fence judges trees
and switches hooks off), so a change is told and not undone: it may as well have been the user.
"""

from __future__ import annotations

from pathlib import Path

from git_waves.adapters.seal import SealedFile, TamperingKind, look_at

_NAMES = ("config", "config.worktree", "info/attributes", "info/exclude", "objects/info/alternates")


def steering_files(common_dir: Path) -> dict[Path, SealedFile | TamperingKind]:
    """Each of these files as it is now; hooks as far as there are any."""
    hooks = common_dir / "hooks"
    found = [path for path in sorted(hooks.iterdir()) if path.suffix != ".sample"] if hooks.is_dir() else []
    return {path: look_at(path) for path in (*(common_dir / name for name in _NAMES), *found)}


def changed(
    before: dict[Path, SealedFile | TamperingKind], after: dict[Path, SealedFile | TamperingKind]
) -> tuple[Path, ...]:
    """The files that are not what they were, came, or went."""
    gone = TamperingKind.MISSING
    return tuple(
        path for path in sorted({*before, *after}) if before.get(path, gone) != after.get(path, gone)
    )
