"""`git waves man`, and the manual for who asks a command for `--help` at a terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves.adapters import machine, manuals, terminal
from git_waves.errors import OK, SurroundingsError, UsageError
from git_waves.views.manual import MAIN, command_pages, page_name
from git_waves.views.safe import quoted


def man(
    command: Annotated[
        str | None, typer.Argument(metavar="COMMAND", help="A command; the whole manual when left out.")
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Put the pages where 'man' and 'git help waves' find them.")
    ] = False,
) -> int:
    """Show the manual, or install it for this user."""
    if install and command is not None:
        raise UsageError("--install installs all pages", hint="git waves man --install")
    if install:
        return _install()
    if not show(command):
        raise SurroundingsError("there is no 'man' here that shows it", hint="git waves COMMAND -h")
    return OK


def show(command: str | None) -> bool:
    """Open the page of a command, or the whole manual; False when it cannot be shown. UsageError for no command."""
    name = MAIN[0] if command is None else page_name(command)
    pages = _pages()
    if name not in pages:
        raise UsageError(f"there is no command '{command}'", hint="'git waves -h' lists them")
    return manuals.show(name, pages[name])


def _pages() -> dict[str, str]:
    return {**{name: manuals.page(name) for name in MAIN}, **command_pages(manuals.page(MAIN[0]))}


def _install() -> int:
    folder, pages = manuals.home(), _pages()
    manuals.install(pages, folder)
    terminal.write(f"wrote {len(pages)} pages below {quoted(str(folder))}\n")
    has_man, found = machine.manual_page("git-waves", repositories=[])
    if found is not None:
        terminal.write("next: 'git help waves', 'man git-waves-run', 'man 5 git-waves-plan'\n")
    elif has_man:
        # The empty place behind the last colon stands for where 'man' looks by itself.
        terminal.write(
            "'man' does not look there yet; in your shell's start-up file:\n"
            f'next: export MANPATH="{folder}:$MANPATH"\n'
        )
    else:
        terminal.write("there is no 'man' here; 'git waves COMMAND -h' answers without it\n")
    return OK
