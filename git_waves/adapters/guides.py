"""The guides that are shipped with the program: texts in Markdown, each about one thing people do with it."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "guides"


def topics() -> tuple[str, ...]:
    """The names of the guides."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.md")))


def guide(topic: str) -> str | None:
    """The text of a guide; None when there is none of that name."""
    return (_FOLDER / f"{topic}.md").read_text(encoding="utf-8") if topic in topics() else None
