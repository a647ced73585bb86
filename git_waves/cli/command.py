"""A command's help in the words people know from git: `usage: git waves log [OPTIONS] TASK`."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

_BRACES = re.compile(r"\{([A-Z]+)\}")
_TYPE = re.compile(r"^(  \[?[A-Z]+\]?) <str>", re.MULTILINE)


class Command(TyperCommand):
    """A command whose help and usage are tidied; what typer writes around names differs from version to version."""

    def get_help(self, ctx: Any) -> str:
        """The whole help text."""
        return _tidied(super().get_help(ctx))

    def get_usage(self, ctx: Any) -> str:
        """The usage line."""
        return _tidied(super().get_usage(ctx))


class Group(TyperGroup):
    """The same for a command that has commands of its own."""

    def get_help(self, ctx: Any) -> str:
        """The whole help text."""
        return _tidied(super().get_help(ctx))

    def get_usage(self, ctx: Any) -> str:
        """The usage line."""
        return _tidied(super().get_usage(ctx))


def _tidied(text: str) -> str:
    text = _TYPE.sub(lambda found: found[1] + " " * 6, _BRACES.sub(r"\1", text))
    return text.replace("Usage: ", "usage: ", 1)
