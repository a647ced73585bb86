"""`git waves guide`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves.adapters import guides, terminal
from git_waves.errors import OK, UsageError


def guide(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="Such as planner; all topics when left out.")
    ] = None,
) -> int:
    """Teach how to write a plan that runs in parallel, for people and agents."""
    if topic is None:
        terminal.write("".join(f"{name}\n" for name in guides.topics()))
        return OK
    text = guides.guide(topic)
    if text is None:
        raise UsageError(f"there is no guide '{topic}'", hint=f"the guides are: {', '.join(guides.topics())}")
    terminal.write(text)
    return OK
