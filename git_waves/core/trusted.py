"""A plan that came from elsewhere, as somebody must see it before it runs."""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.model import Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """A plan's content: `source` names it, `origin` says how it came here, in words that follow its name (empty for one's
    own), `commands` are (where in the plan, text), every command that a run would execute."""

    source: str
    blob: Oid
    origin: str
    commands: tuple[tuple[str, str], ...]
