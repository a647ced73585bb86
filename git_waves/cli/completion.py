"""`git waves completion`; what its scripts ask for is answered by `quick`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from git_waves.adapters import terminal
from git_waves.errors import OK, UsageError

SHELLS = ("bash", "zsh", "fish")
FOLDER = Path(__file__).parent.parent / "completion"


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)],
) -> int:
    """Print a script that completes commands, options, tasks and groups.

    For bash: eval "$(git waves completion bash)"
    """
    if shell not in SHELLS:
        raise UsageError(f"no completion for '{shell}'", hint=f"there is one for {', '.join(SHELLS)}")
    terminal.write((FOLDER / f"git-waves.{shell}").read_text(encoding="utf-8"))
    return OK
