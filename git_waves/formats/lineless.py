"""Whether two plans, or parts of them, say the same: compared without the lines that they stand on."""

from __future__ import annotations

from dataclasses import fields, is_dataclass


def without_lines(value: object) -> object:
    """The value with every line number taken out, and numbers as the notation of plans keeps them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: without_lines(getattr(value, field.name))
            for field in fields(value)
            if not field.name.endswith("line")  # `line`, `prompt_line`
        }
    if isinstance(value, tuple):
        return [without_lines(entry) for entry in value]
    return round(value, 6) if isinstance(value, float) else value


def says_the_same(one: object, other: object) -> bool:
    """Whether two values differ in nothing but where they were written."""
    return without_lines(one) == without_lines(other)
