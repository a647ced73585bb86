"""The manual page of each command, cut out of the one manual: written once, read as `man git-waves-run` too.

Of the manual, a command's page takes its synopsis, what stands below its name in COMMANDS, and nothing else. Needs no
library: `hatch_build.py` makes the pages of a wheel with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_waves.core.usage import commands
from git_waves.views.usage_text import GROUPS

MAIN = ("git-waves.1", "git-waves-plan.5")
"""The pages that are written by hand."""

_HEAD = r"\fBgit waves {name}\fR"
_PLAN_OPTION = """\
.TP
\\fB\\-\\-plan\\fR \\fINAME\\fR
The plan whose newest run is meant; else the newest of all.
"""
_SEE_ALSO = """\
.SH EXIT STATUS
As of all commands: see
.BR git\\-waves (1).
.SH SEE ALSO
.BR git\\-waves (1),
.BR git\\-waves\\-plan (5)
"""


def command_pages(manual: str) -> dict[str, str]:
    """The pages of all commands by file name (`git-waves-run.1`), from the text of `git-waves.1`."""
    lines = manual.splitlines()
    (title,) = (line for line in lines if line.startswith(".TH "))
    return {
        page_name(name): _page(name, about, title, lines)
        for _heading, commands in GROUPS
        for name, about in commands
    }


def page_name(command: str) -> str:
    """The file of a command's page."""
    return f"git-waves-{command}.1"


def _page(name: str, about: str, title: str, lines: Sequence[str]) -> str:
    words = "hooks uninstall" if name == "hooks" else name
    head = _HEAD.format(name=words.replace("-", r"\-"))
    entry = _entry(head, lines)
    synopsis = [line for line in _section("SYNOPSIS", lines) if line.startswith(head)] or entry[:1]
    described, options = _parted(entry[1:])
    if "--plan" in commands()[words].options and not any(r"\-plan\fR" in line for line in options):
        options += _PLAN_OPTION.splitlines()  # explained once in the manual, where all commands are together
    upper = f"git-waves-{name}".upper()
    parts = [
        '.\\" Made from git-waves.1.',
        title.replace(r"GIT\-WAVES", _roff(upper), 1),
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{_roff(f'git-waves-{name}')} \\- {_roff(about)}",
        ".SH SYNOPSIS",
        ".nf",
        *synopsis,
        ".fi",
        ".SH DESCRIPTION",
        *described,
        *([".SH OPTIONS", *options] if options else []),
    ]
    return "\n".join(parts) + "\n" + _SEE_ALSO


def _section(name: str, lines: Sequence[str]) -> Sequence[str]:
    start = lines.index(f".SH {name}") + 1
    end = next((at for at in range(start, len(lines)) if lines[at].startswith(".SH ")), len(lines))
    return lines[start:end]


def _entry(head: str, lines: Sequence[str]) -> list[str]:
    """What the section COMMANDS says below a command's name, that line first."""
    commands = _section("COMMANDS", lines)
    start = next(
        at for at, line in enumerate(commands) if line.startswith(head) and commands[at - 1].startswith(".TP")
    )
    entry: list[str] = []
    depth = 0
    for line in commands[start:]:
        if not depth and line.startswith((".TP", ".SS")):
            break
        depth += line.startswith(".RS") - line.startswith(".RE")
        entry.append(line)
    return entry


def _parted(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """The description, and the options, which stand further to the right; a paragraph behind them belongs to the first."""
    described: list[str] = []
    options: list[str] = []
    depth = 0
    for line in body:
        depth += line.startswith(".RS") - line.startswith(".RE")
        if re.match(r"\.R[SE]", line):
            continue
        if depth and line.startswith(".PP"):  # still to the right, and no option any more
            depth = 0
        (options if depth else described).append(re.sub(r"^\.IP$", ".PP", line))
    return described, options


def _roff(text: str) -> str:
    return text.replace("-", r"\-").replace("'", r"\(aq")
