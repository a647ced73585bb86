"""A plan that came from elsewhere, shown before it may run."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.trusted import Stranger
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import clean, quoted, shell_word

QUESTION = "run exactly this content here, now and later? [y/N] "


def stranger_text(stranger: Stranger, *, paint: Paint = PLAIN) -> str:
    """Where it comes from, and every command it would execute, as it stands in the plan."""
    return "\n".join(_lines(stranger, paint)) + "\n"


def _lines(stranger: Stranger, paint: Paint) -> Iterator[str]:
    origin = clean(stranger.origin) or "is your own"
    yield paint("bold", f"{quoted(stranger.source)} {origin}; its content is {stranger.blob[:12]}")
    if not stranger.commands:
        yield "it executes no command of its own"
        return
    yield f"a run of it executes, as you and without asking, {len(stranger.commands)} command{'s' * (len(stranger.commands) != 1)}:"
    for where, text in stranger.commands:
        first, *rest = text.rstrip("\n").split("\n")
        yield f"  {clean(where)}: {clean(first)}"
        yield from (f"    {clean(line)}" for line in rest)
    yield "and scripts of the repository that these call, with whatever agents make of its prompts"


def how_to_allow(stranger: Stranger, spec: str | None) -> str:
    """What to type where nobody can be asked."""
    plan = f" {shell_word(spec)}" if spec is not None else ""
    return f"to allow exactly this content: git waves trust --content {stranger.blob[:12]}{plan}\n"


def allowed_text(stranger: Stranger) -> str:
    """It is written down."""
    return f"{quoted(stranger.source)} may run as it is now ({stranger.blob[:12]})\n"


def revoked_text(stranger: Stranger, *, was_there: bool) -> str:
    """It is taken back, or there was nothing."""
    return f"{quoted(stranger.source)} " + (
        "may not run any more without a question\n" if was_there else "was not allowed before\n"
    )
