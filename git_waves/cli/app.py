"""All commands as one program, and usage errors in the words and exit code of ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Annotated

import typer

from git_waves.adapters.pager import paged
from git_waves.cli.command import Command
from git_waves.errors import INTERRUPTED, OK, UsageError

# `-h` everywhere: git takes `git waves --help` for itself and opens the man page. No rich markup, no rich tracebacks:
# text comes out as it was written.
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# In the order of the help. Each stands in a module and a function of its name; `hooks` has commands of its own.
# fmt: off
COMMANDS = (
    "init", "plan", "import", "review", "trust", "explain", "guide", "schema",
    "run", "stop", "retry", "skip", "open", "done", "status", "log", "show", "pull-request",
    "gate", "report", "owned", "request", "agent-hook", "restore", "clean", "doctor", "man", "completion", "version", "hooks",
)
# fmt: on

PAGED = frozenset({"plan", "show", "log", "report", "review", "explain", "guide", "schema"})
FOLLOWING = frozenset({"-f", "--follow"})

# typer.BadParameter is the one usage error typer shows to the outside, whichever click is behind it.
_READING = frozenset({"plan", "import", "review"})
_CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def program(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands only: loading one takes half the time that loading all takes."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=_SETTINGS,
        help="Run several coding agents at once in one repository, without collisions.",
    )
    app.callback()(_folder)
    for name in names:
        word = "import_plan" if name == "import" else name.replace("-", "_")
        module = import_module(f"git_waves.cli.{word}")
        if name == "hooks":
            app.add_typer(module.app, name=name, context_settings=_SETTINGS)
        else:
            app.command(name, cls=Command, context_settings=_SETTINGS)(getattr(module, word))
    return app


def _folder(
    path: Annotated[
        str | None, typer.Option("-C", metavar="PATH", help="Work as if started in PATH.")
    ] = None,
) -> None:
    """Take `-C` where `entry` has not taken it already."""
    if path is not None:
        os.chdir(path)


def run(words: Sequence[str]) -> int:
    """Run the command that `words` say and return its exit code; UsageError when they make no sense."""
    asked = _manual_of(words)
    if asked is not None and sys.stdout.isatty():
        from git_waves.cli.man import show

        if show(asked):
            return OK
    arguments = [*words[1:], "-h"] if words[:1] == ["help"] else list(words)
    # What begins otherwise gets all of them: for the help, and to say what may have been meant.
    typed = [name for name in COMMANDS if name in arguments]
    app = program(typed if typed and arguments[0] in typed else COMMANDS)
    try:
        with paged(arguments[0]) if _is_long(arguments) else nullcontext(), _at_rest(arguments[0]):
            code = app(args=arguments, prog_name="git waves", standalone_mode=False)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.Abort:
        return INTERRUPTED
    except _CLICK_ERROR as error:
        raise _usage_error(error) from error
    return code if isinstance(code, int) else OK


def _at_rest(command: str) -> AbstractContextManager[None]:
    """The cyclic collector pauses through a whole command that reads a plan, answers and ends: a large plan would be looked
    through again and again while its answer is made, a fifth of the time."""
    if command not in _READING:
        return nullcontext()
    from git_waves.formats.collector import paused_collector  # loads what only these commands need

    return paused_collector()


def _is_long(arguments: Sequence[str]) -> bool:
    """Whether the answer may be more than a screen, and is not looked on at as it grows."""
    return arguments[:1] != [] and arguments[0] in PAGED and FOLLOWING.isdisjoint(arguments)


def _manual_of(words: Sequence[str]) -> str | None:
    """The command whose manual is asked for: `help run`, or `run --help`, as git does; `-h` is answered with the options."""
    if words[:1] == ["help"] and list(words[1:2]) and words[1] in COMMANDS:
        return words[1]
    if words[:1] and words[0] in COMMANDS and "--help" in words:
        return words[0]
    return None


def _usage_error(error: Exception) -> UsageError:
    """typer's words in our style: lower case, no full stop, and how the command is to be typed."""
    message = str(error.format_message()) if hasattr(error, "format_message") else str(error)
    message = (
        message.strip()
        .rstrip(".")
        .replace("Value error, ", "")
        .replace(": Input", ": input")
        .replace(". Did you", "; did you")
    )
    context = getattr(error, "ctx", None)
    hint = "git waves -h"
    if context is not None and context.parent is not None:
        hint = " ".join(context.get_usage().split()).removeprefix("usage: ")
    return UsageError(message[:1].lower() + message[1:], hint=hint)
