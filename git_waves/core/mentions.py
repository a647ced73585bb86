"""Things outside the repository that a text makes use of: databases, ports, services, the user's own settings.

A text that merely talks about such a thing is not meant. So most rules look for a command, or for a verb in the
imperative, and were chosen by reading what they find in plans of other people (docs/findings.md has the figures).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core.mention_rules import Rule, Thing
from git_waves.core.mention_table import RULES
from git_waves.core.passages import Passage, PassageKind, passages, spans

__all__ = ["Mention", "Thing", "mentions_in_commands", "mentions_in_prompt"]

_LONGEST = 100_000  # characters of one text that are looked at
_LONGEST_SHOWN = 60
_WORD = re.compile(r"[a-z0-9]+")
_WORDS = frozenset(word for rule in RULES for word in rule.words)
_REST_OF_WORD = re.compile(r"(?<=\S)[^\s`'\"|;&)]{0,60}")
_SEPARATORS = " \t\n;&|({`>"  # what stands before a command


@dataclass(frozen=True, slots=True)
class Mention:
    """`thing` is what kind of thing, `key` which one (`port 5432`); `words` are the text's own, `line` counts from 0."""

    thing: Thing
    key: str
    words: str
    line: int


def mentions_in_commands(text: str) -> Iterator[Mention]:
    """What a text for the shell makes use of, each thing once."""
    text = text[:_LONGEST]
    rules = _possible(text)
    if rules:
        yield from _once(_in_passage(Passage(PassageKind.COMMANDS, text, 0), rules))


def mentions_in_prompt(text: str) -> Iterator[Mention]:
    """What a prompt asks for, each thing once."""
    text = text[:_LONGEST]
    rules = _possible(text)
    if rules:
        yield from _once(
            mention
            for passage in passages(text)
            for part in ([passage, *spans(passage)] if passage.kind is PassageKind.PROSE else [passage])
            for mention in _in_passage(part, rules)
        )


def _possible(text: str) -> list[Rule]:
    """The rules that can find anything at all: most texts hold none of their words."""
    lowered = text.lower()
    words = set(_WORD.findall(lowered))
    if "~/" in lowered:
        words.add("~/")
    return [] if _WORDS.isdisjoint(words) else [rule for rule in RULES if not rule.words.isdisjoint(words)]


def _in_passage(passage: Passage, rules: list[Rule]) -> Iterator[Mention]:
    for rule in rules:
        if passage.kind in rule.where:
            for found in rule.pattern.finditer(passage.text):
                key = rule.key(found)
                if key is not None:
                    words = found.group().lstrip(_SEPARATORS)
                    line = passage.line + passage.text.count("\n", 0, found.end() - len(words))
                    rest = _REST_OF_WORD.match(passage.text, found.end())
                    yield Mention(
                        rule.thing, key, _shown((words + (rest.group() if rest else "")).rstrip(".,:;")), line
                    )


def _once(mentions: Iterator[Mention]) -> Iterator[Mention]:
    seen: set[tuple[Thing, str]] = set()
    for mention in mentions:
        if (mention.thing, mention.key) not in seen:
            seen.add((mention.thing, mention.key))
            yield mention


def _shown(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}..."
