"""Reads in a text which task it puts before which: `after task 7`, `the before-picture for task 9`, `once t3 is merged`.

Only sentences that name a task are read, and only what surely speaks of an order: negations (`independent of task 2`),
conditions (`if task 3 lands first`) and comparisons (`unlike task 4`) say nothing. Every pattern is bounded, so the time
is in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core.model import TaskId
from git_waves.core.passages import Passage, PassageKind, passages
from git_waves.core.task_names import Named, TaskNames

_LONGEST = 100_000  # characters of one text that are read
_LONGEST_CLAUSE = 160
_LONGEST_SENTENCE = 80  # to either side of the words
_MOST_STATEMENTS = 100  # of one text


@dataclass(frozen=True, slots=True)
class Statement:
    """`tasks` come before `subjects` when `is_after`, else the other way round; no subjects means the task whose text
    this is. `is_explicit` when it is said outright (`depends on`, `wait for`) and not told by the way.

    `words` are the text's own, `sentence` is where they stand, `line` counts the text's lines from 0.
    """

    subjects: tuple[TaskId, ...]
    tasks: tuple[TaskId, ...]
    is_after: bool
    is_explicit: bool
    words: str
    sentence: str
    line: int


_MADE = (
    "created|added|defined|introduced|built|produced|generated|written|implemented|exported|established|registered"
    "|provided|extracted|delivered|landed|merged|scaffolded|shipped|updated"
)
# In the order they are tried: a longer one that begins with the same words comes first.
_PHRASES = (
    (
        "PICTURE",
        r"before[- ](?:picture|image|snapshot|shot|screenshot|state|baseline|number|measurement|figure)s?\s+(?:for|of)|baseline\s+(?:for|of)",
    ),
    (
        "WAIT",
        r"wait(?:s|ing)?\s+(?:for|on|until)|(?:not|n['\u2019]t|cannot|never)\b[^.;\n]{0,40}?\buntil|(?:no|not)\s+earlier\s+than",
    ),
    (
        "NOT_BEFORE",
        r"(?:not|n['\u2019]t|cannot|never)\s+(?:be\s+)?(?:start|begin|run|merge|land|go|started|begun|run|merged|landed)(?:ed)?\b[^.;\n]{0,30}?\bbefore",
    ),
    ("AFTER", r"after"),
    ("BEFORE", r"before|prior\s+to|ahead\s+of|precedes"),
    ("ONCE", r"once|when|as\s+soon\s+as"),
    (
        "ON_THIS",
        r"(?:depends?|relies|rely|builds?)\s+(?:up)?on\s+(?:this|these|it)\b|(?:needs?|requires?|consumes?|waits?\s+for)\s+(?:this|these|it)\b",
    ),
    (
        "ON",
        r"(?:depends?|dependent|relies|rely|builds?|based)\s+(?:up)?on\**:?|blocked\s+(?:by|on)\**:?|(?:dependenc(?:y|ies)(?:\s+on)?|deps|prerequisites?|requires|needs)\**:",
    ),
    ("NEEDS", r"requires?|needs?|follows|following"),
    ("MADE", rf"(?:{_MADE})\s+(?:in|by|from|during)"),
    ("FROM", r"from"),
    ("FIRST", r"(?:do|run|finish|complete|land|merge)"),
    (
        "BLOCKS",
        r"(?:un)?blocks|prerequisite\s+(?:for|of|to)|(?:required|needed|consumed)\s+(?:by|for)|(?:preparation|groundwork|prepares)\s+for|feeds(?:\s+into)?",
    ),
)
_TRIGGER = re.compile(
    r"\b(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PHRASES) + r")(?=[\s*:.,;)]|$)",
    re.IGNORECASE,
)
# How the phrases begin, in lower case: letters alone are found several times as quickly as phrases.
_STARTS = re.compile(
    "after|before|once|when|as soon|wait|not|n't|n\u2019t|cannot|never|no earlier|depend|rel(?:y|ies)|buil[dt]|base"
    "|block|dep|prereq|requir|need|follow|from|do|run|finish|complete|unblo|prepar|groundw|feed|consum|prior|ahead|preced"
    f"|{_MADE}"
)
_AFTER = frozenset({"WAIT", "NOT_BEFORE", "AFTER", "ONCE", "ON", "NEEDS", "MADE", "FROM", "FIRST"})
_EXPLICIT = frozenset({"WAIT", "NOT_BEFORE", "ON", "ON_THIS"})
_WITH_NUMBERS = frozenset(
    {"AFTER", "BEFORE", "NOT_BEFORE", "WAIT", "ON", "PICTURE"}
)  # may be followed by a bare `7`
_UNTIL_MERGED = frozenset({"ONCE", "AFTER", "WAIT"})
_FILLER = re.compile(
    r"[\s:*]{1,12}(?:(?:the\s+)?(?:completion|merge|merging|end|output|outputs|results?|work|changes?|landing|finishing"
    r"|completing)\s+(?:of|from|in)\s+)?(?:(?:completing|finishing|merging|landing)\s+)?",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\s+(?:is|are|has|have|was|were|lands?|merges?|completes?|finish(?:es)?|passes|been|fully|be){0,3}[ \t]*"
    r"(?:been\s+)?(?:done|merged|landed|completed?|finished|in\s+place|ready|green|integrated|in\b|lands?\b|merges?\b|completes?\b"
    r"|finish(?:es)?\b)",
    re.IGNORECASE,
)
_MERGED = re.compile(
    r"[*`'\"]{0,3}\s+(?:(?:is|are|has|have|was|were|been|fully|be)\s+){0,3}(?:merged|landed|integrated|lands?|merges?)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(r"(?!)")
_EXAMPLE = re.compile(
    r"(?:'s)?\s+(?:\w+\s+){0,2}(?:style|pattern|approach|convention|format|structure|example)s?\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\s+first\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;!?](?=\s)|\n\s*\n|\n\s*[-*\d]|[(\u2014]|\bbut\b|\bwhile\b")
_NEGATED = re.compile(
    r"\b(?:not|no|never|without|nor|neither|none|independent(?:ly)?|regardless|instead|unlike|rather|nothing|cannot"
    r"|unrelated|avoid|if|whether|unless|might|optional(?:ly)?|either|even|except)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:will|later|to\s+be|going\s+to|future|yet|eventually|deferred|was\s+previously)\b", re.IGNORECASE
)
_NO_AFTER = re.compile(
    r"\b(?:before\s+(?:and|or|/)|named|look(?:s|ing)?|model(?:l?ed)?|patterned)\s+$", re.IGNORECASE
)
_NO_BEFORE = re.compile(r"\b(?:as|than|like|from|the|was|were|same)\s+$", re.IGNORECASE)
_NO_FROM = re.compile(
    r"\b(?:differ(?:s|ent)?|separate(?:d|ly)?|apart|distinct|independent(?:ly)?|away|aside|pattern|style|approach)\s+$",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"[\s>*+-]*(?:\d{1,3}[.)]\s+)?(?:\[.?\]\s+)?\**")


class OrderReader:
    """Reads texts of one plan."""

    def __init__(self, names: TaskNames) -> None:
        self._names = names

    def statements(self, text: str) -> Iterator[Statement]:
        """What the text says about the order of tasks, in its order."""
        text = text[:_LONGEST]
        if not self._names.may_name(text.lower()):
            return
        count = 0
        for passage in passages(text):
            if passage.kind is not PassageKind.PROSE:
                continue
            for found in _phrases(passage.text):
                statement = self._read(passage, found)
                if statement is not None:
                    yield statement
                    count += 1
                    if count == _MOST_STATEMENTS:
                        return

    def _read(self, passage: Passage, found: re.Match[str]) -> Statement | None:
        text, kind = passage.text, found.lastgroup or ""
        if kind == "ON_THIS":
            clause = _clause(text, found.start())
            subject = None if _says_nothing(kind, clause) else self._subject(clause)
            return None if subject is None else _statement(passage, found, (), subject, found.end())
        filler = _FILLER.match(text, found.end())
        start = filler.end() if filler else found.end()
        named = self._names.read(text, start)
        follows = {"ONCE": _DONE, "FIRST": _FIRST}.get(kind)
        if named is None or (named.is_plain and kind not in _WITH_NUMBERS):
            named = self._names.called(text, start)
            if named is not None and named.is_plain:  # nothing else is merged than tasks
                follows = _MERGED if kind in _UNTIL_MERGED else _NEVER
        if named is None or _EXAMPLE.match(text, named.end):
            return None
        end = named.end
        if follows is not None:
            rest = follows.match(text, end)
            if rest is None:
                return None
            end = rest.end()
        clause = _clause(text, found.start())
        if _says_nothing(kind, clause):
            return None
        subject = self._subject(clause)
        return _statement(passage, found, subject.tasks if subject is not None else (), named, end)

    def _subject(self, clause: str) -> Named | None:
        """The tasks a clause begins with: it speaks of them, not of the task whose text it is."""
        mark = _LIST_MARK.match(clause)
        start = mark.end() if mark else 0
        named = self._names.read(clause, start)
        if named is None or named.is_plain:
            named = self._names.called(clause, start)
        return None if named is None or named.is_plain else named


def _phrases(text: str) -> Iterator[re.Match[str]]:
    """Where a phrase stands that may speak of an order."""
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters of other scripts have two in lower case
        yield from _TRIGGER.finditer(text)
        return
    end = 0
    for start in _STARTS.finditer(lowered):
        if start.start() >= end and (found := _TRIGGER.match(text, start.start())) is not None:
            end = found.end()
            yield found


def _says_nothing(kind: str, clause: str) -> bool:
    """Whether what comes before the words takes their meaning away."""
    unless = {"MADE": _LATER, "AFTER": _NO_AFTER, "BEFORE": _NO_BEFORE, "FROM": _NO_FROM}.get(kind)
    return bool(_NEGATED.search(clause) or (unless is not None and unless.search(clause)))


def _statement(
    passage: Passage, found: re.Match[str], subjects: tuple[TaskId, ...], named: Named, end: int
) -> Statement:
    text, kind = passage.text, found.lastgroup or ""
    start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _LONGEST_SENTENCE)
    stop = text.find("\n", end)
    stop = min(len(text) if stop < 0 else stop, end + _LONGEST_SENTENCE)
    return Statement(
        subjects=subjects,
        tasks=named.tasks,
        is_after=kind in _AFTER,
        is_explicit=kind in _EXPLICIT,
        words=" ".join(text[found.start() : end].replace("*", "").split()),
        sentence=" ".join(text[start:stop].split()),
        line=passage.line + text.count("\n", 0, found.start()),
    )


def _clause(text: str, end: int) -> str:
    """What comes before `end` in the same clause."""
    start = max(0, end - _LONGEST_CLAUSE)
    before = text[start:end]
    ends = [found.end() for found in _CLAUSE_END.finditer(before)]
    return before[ends[-1] :] if ends else before
