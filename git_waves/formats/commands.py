"""How a plan writes commands: a text goes to a shell, a list is executed as it is; and which spellings could be misread.

`run` and a gate take one command. `verify` and `setup` take one or several, so there a list is always several: each
entry is a text (shell) or a list (executed as it is). `[pytest, -q]` meant as one command is refused, not run as two.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.model import Command
from git_waves.errors import PlanProblem
from git_waves.formats.names import shorten

Written = str | list[str]
"""One command as it stands in a plan."""


def one_command(written: Written, *, line: int, what: str, problems: list[PlanProblem]) -> Command | None:
    """The command of `written`; None when it is refused. `what` names its place: `'run' of task 'api'`."""
    if isinstance(written, str):
        if written.strip():
            return Command(shell=written, line=line)
    elif written and written[0].strip():
        return Command(argv=tuple(written), line=line)
    problems.append(PlanProblem(line, f"{what} is an empty command", "write the command, or take it out"))
    return None


def several_commands(
    written: str | Sequence[Written],
    *,
    line: int,
    lines: Sequence[int],
    what: str,
    problems: list[PlanProblem],
) -> tuple[Command, ...]:
    """The commands of `written`; `lines` are the lines of its entries. Refused entries are left out."""
    if isinstance(written, str):
        command = one_command(written, line=line, what=what, problems=problems)
        return (command,) if command else ()
    if (misread := _misread(written)) is not None:
        at, message = misread
        words = ", ".join(str(word) for word in written)
        problems.append(
            PlanProblem(
                lines[at],
                f"{what} is a list of commands, and {message}",
                f"one command is [[{shorten(words)}]] or a text; several are one text each",
            )
        )
        return ()
    commands = (
        one_command(entry, line=entry_line, what=f"an entry of {what}", problems=problems)
        for entry, entry_line in zip(written, lines, strict=False)
    )
    return tuple(command for command in commands if command is not None)


def _misread(written: Sequence[Written]) -> tuple[int, str] | None:
    """Which entry gives away that one command was meant, and why; None when several commands are plain to see."""
    for at, entry in enumerate(written):
        if isinstance(entry, str) and entry.startswith("-"):
            return at, f"'{shorten(entry)}' is no command"
    texts = [entry for entry in written if isinstance(entry, str)]
    if len(texts) > 1 and len(texts) == len(written) and not any(" " in text.strip() for text in texts):
        return 0, "this one reads like the words of a single command"
    return None
