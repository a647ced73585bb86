"""What worktrees are given of files that git ignores: names and texts only, nothing is read here."""

from __future__ import annotations

import re
from collections.abc import Mapping

FILE_NAME = ".worktreeinclude"
"""The file of a repository that lists, as a `.gitignore` does, which ignored files worktrees are given."""

_VARIABLE = re.compile(r"\$\{(WAVES_[A-Z_]*)\}")


def fill_template(text: str, variables: Mapping[str, str]) -> str:
    """The text with every `${WAVES_NAME}` replaced; whatever else has a `$` stays. KeyError names one that is unknown."""
    return _VARIABLE.sub(lambda found: variables[found[1]], text)


def moved_target(target: str, *, out_of: str, into: str) -> str:
    """Where a copied link points: one into the checkout it was copied from (`out_of`, an absolute folder) leads to the same place
    of the worktree (`into`) instead, so that nobody writes through it; any other stays as it is."""
    below = target.removeprefix(out_of.rstrip("/") + "/")
    return f"{into}/{below}" if below != target else target
