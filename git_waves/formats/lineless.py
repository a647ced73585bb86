"""Whether two plans, or parts of them, say the same: compared without the lines that they stand on."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

_known: dict[type, tuple[str, ...] | None] = {}


def says_the_same(one: object, other: object) -> bool:
    """Whether two values differ in nothing but where they were written, and by less than the notation of plans keeps."""
    if one is other:
        return True
    kind = type(one)
    if kind is str:  # nearly all are
        return one == other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(says_the_same, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return round(one, 6) == round(other, 6)
    names = _known[kind] if kind in _known else _compared(kind)
    if names is None:
        return one == other
    return kind is type(other) and all(
        says_the_same(getattr(one, name), getattr(other, name)) for name in names
    )


def _compared(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass that are no line (`line`, `prompt_line`), None for any other type; kept for the next time."""
    names = None
    if is_dataclass(kind):
        names = tuple(field.name for field in fields(kind) if not field.name.endswith("line"))
    _known[kind] = names
    return names
