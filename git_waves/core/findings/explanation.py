"""What `git waves explain` has to say about one code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """`title` in a few words, `text` in a few sentences, `remedy` is what to do. Plain text, to be wrapped by views."""

    title: str
    text: str
    remedy: str
