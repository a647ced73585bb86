"""All commands as one program, and usage errors in the words and exit code of ours."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from git_waves.cli import (
    clean,
    completion,
    explain,
    guide,
    hooks,
    import_plan,
    init,
    log,
    owned,
    plan,
    pull_request,
    report,
    request,
    retry,
    review,
    schema,
    show,
    skip,
    status,
    stop,
    trust,
    version,
)
from git_waves.cli import run as run_command
from git_waves.cli.command import Command
from git_waves.errors import INTERRUPTED, OK, UsageError

# `-h` everywhere: git takes `git waves --help` for itself and opens the man page. No rich markup, no rich tracebacks:
# text comes out as it was written.
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings=_SETTINGS,
    help="Run several coding agents at once in one repository, without collisions.",
)

_COMMANDS: dict[str, Callable[..., int]] = {
    "init": init.init,
    "plan": plan.plan,
    "import": import_plan.import_plan,
    "review": review.review,
    "trust": trust.trust,
    "explain": explain.explain,
    "guide": guide.guide,
    "schema": schema.schema,
    "run": run_command.run,
    "stop": stop.stop,
    "retry": retry.retry,
    "skip": skip.skip,
    "status": status.status,
    "log": log.log,
    "show": show.show,
    "pull-request": pull_request.pull_request,
    "report": report.report,
    "owned": owned.owned,
    "request": request.request,
    "clean": clean.clean,
    "completion": completion.completion,
    "version": version.version,
}
for _name, _function in _COMMANDS.items():
    app.command(_name, cls=Command, context_settings=_SETTINGS)(_function)
app.add_typer(hooks.app, name="hooks", context_settings=_SETTINGS)

# typer.BadParameter is the one usage error typer shows to the outside, whichever click is behind it.
_CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


@app.callback()
def folder(
    path: Annotated[
        str | None, typer.Option("-C", metavar="PATH", help="Work as if started in PATH.")
    ] = None,
) -> None:
    """Take `-C` where `entry` has not taken it already."""
    if path is not None:
        os.chdir(path)


def run(words: Sequence[str]) -> int:
    """Run the command that `words` say and return its exit code; UsageError when they make no sense."""
    arguments = [*words[1:], "-h"] if words[:1] == ["help"] else list(words)
    try:
        code = app(args=arguments, prog_name="git waves", standalone_mode=False)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.Abort:
        return INTERRUPTED
    except _CLICK_ERROR as error:
        raise _usage_error(error) from error
    return code if isinstance(code, int) else OK


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
