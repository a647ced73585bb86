"""Finds tasks by what a sentence calls them: `task 7`, `t7`, `tasks 1-3`, `` `cart` ``, `the schema task`.

A plain word is no name by itself: who asks for `called` has to know from the rest of the sentence that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from git_waves.core.model import Task, TaskId

MOST_IN_A_RANGE = 200

_MARK = re.compile(r"(?:(?:the|all|both|of)\s+){0,3}\**((?:tasks?|plans?)\b[ \t]*#?\s*|#)?", re.IGNORECASE)
_ITEM = re.compile(
    r"\**(?:(?P<quote>[`'\"])(?P<quoted>[A-Za-z0-9][A-Za-z0-9._-]{0,63})(?P=quote)|(?P<plain>[A-Za-z0-9][A-Za-z0-9._-]{0,63}))\**"
)
_SEPARATOR = re.compile(
    r"\s*(?:,\s*(?:and|or)\b|,|/|&|\+|\b(?:and|or)\b)\s*(?:(?:the\s+)?(?:tasks?|plans?)\b\s*#?|#)?\s*",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\s*(?:-|\u2013|\u2014|\.{2,3}|\b(?:to|through)\b)\s*(?:(?:tasks?|plans?)\b\s*#?|#)?\s*", re.IGNORECASE
)
_TOKEN = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*")
_WORD = re.compile(r"[A-Za-z0-9]+")
_THE = re.compile(r"[\s*]{0,4}(?:the\s+)?[*`'\"]{0,3}", re.IGNORECASE)
_WORD_GAP = re.compile(r"[ \t]*[-_./ \t][ \t]*|[ \t]*\n[ \t]*")
_TASK_BEHIND = re.compile(r"[*`'\"]{0,3}[- \t](?:task|plan)\b\**", re.IGNORECASE)
_MOST_WORDS = 5  # of what a task is called
_MERGING = ("merg", "land", "integrat")  # what is said of tasks that are only called by their words
_NUMBERS_JOINED = re.compile(r"\b([a-z]{0,20}[-_.]?\d{1,9})-[a-z]{0,20}[-_.]?\d")
_NUMBERED = re.compile(r"(?P<prefix>[A-Za-z]*[-_.]?)0*(?P<number>\d{1,9}(?:\.\d{1,9})*)")
_IS_CERTAIN = re.compile(r"(?=.*\d)(?=.*[A-Za-z_.-])|.*[A-Za-z0-9][-_][A-Za-z0-9]")
# A number alone names a task only where the sentence or the clause ends, or where it says what becomes of it.
_BOUNDARY = re.compile(
    r"\s*(?:$|[,;:)\]\n]|\.(?!\d))|\s+(?:is|are|has|have|was|were|lands?|merges?|completes?|finish(?:es)?)\b"
)


@dataclass(frozen=True, slots=True)
class Named:
    """Tasks that a text names one after the other, and where the text goes on. `is_plain` when only numbers, or words
    that may mean something else, stand there."""

    tasks: tuple[TaskId, ...]
    end: int
    is_plain: bool


class TaskNames:
    """The names of a plan's tasks. A number stands for the one task whose id is that number behind some prefix."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._ids: dict[str, TaskId] = {}
        numbers: dict[str, list[TaskId]] = {}
        called: dict[tuple[str, ...], set[TaskId]] = {}
        self._order: dict[str, dict[int, TaskId]] = {}
        for each in tasks:
            task = each.id
            self._ids[task.casefold()] = task
            for name in (task, each.title):
                words = tuple(_WORD.findall(name.lower()))
                if len(words) <= _MOST_WORDS and any(map(str.isalpha, words)):
                    called.setdefault(words, set()).add(task)
            found = _NUMBERED.fullmatch(task)
            if found:
                numbers.setdefault(found["number"], []).append(task)
                if "." not in found["number"]:
                    self._order.setdefault(found["prefix"].casefold(), {})[int(found["number"])] = task
        self._known = frozenset(self._ids)
        self._called = {words: next(iter(tasks)) for words, tasks in called.items() if len(tasks) == 1}
        self._beginnings = frozenset(
            words[:count] for words in self._called for count in range(1, len(words) + 1)
        )
        self._first_words = frozenset(words[0] for words in self._called)
        self._numbers = {number: tasks[0] for number, tasks in numbers.items() if len(tasks) == 1}

    def may_name(self, lowered: str) -> bool:
        """Whether a text in lower case can name a task at all: most do not, and need not be read."""
        words = set(_TOKEN.findall(lowered))
        if not self._known.isdisjoint(words):
            return True
        is_marked = "task" in lowered or "plan" in lowered or "#" in lowered
        if is_marked and any(word.lstrip("0") in self._numbers for word in words if word[0].isdecimal()):
            return True
        is_called = is_marked or any(word in lowered for word in _MERGING)
        if is_called and not self._first_words.isdisjoint(_WORD.findall(lowered)):
            return True
        return "-" in lowered and any(
            found[1] in self._known or (is_marked and found[1].lstrip("0") in self._numbers)
            for found in _NUMBERS_JOINED.finditer(lowered)
        )

    def read(self, text: str, at: int) -> Named | None:
        """The tasks named from `at` on; None when no task is."""
        mark = _MARK.match(text, at)
        at = mark.end() if mark else at
        is_marked = bool(mark and mark[1])
        first = self._item(text, at, is_marked=is_marked)
        if first is None:
            return None
        tasks, at, is_plain = first
        found = list(tasks)
        while (separator := _SEPARATOR.match(text, at)) is not None:
            following = self._item(
                text, separator.end(), is_marked=is_marked or separator.group().rstrip() != ""
            )
            if following is None:
                break
            found += following[0]
            at = following[1]
        if is_plain and not is_marked and not _BOUNDARY.match(text, at):
            return None
        return Named(tuple(dict.fromkeys(found)), at, is_plain and not is_marked)

    def called(self, text: str, at: int) -> Named | None:
        """The task whose id or title stands at `at` in plain words, the longest first; `is_plain` without `task` behind it."""
        start = _THE.match(text, at)
        place = at if start is None else start.end()
        words: tuple[str, ...] = ()
        found = None
        while len(words) < _MOST_WORDS and (word := _WORD.match(text, place)) is not None:
            words += (word.group().lower(),)
            if words not in self._beginnings:  # as a rule with the first word
                break
            task = self._called.get(words)
            if task is not None:
                behind = _TASK_BEHIND.match(text, word.end())
                end = word.end() if behind is None else behind.end()
                found = Named((task,), end, is_plain=behind is None)
            gap = _WORD_GAP.match(text, word.end())
            if gap is None:
                break
            place = gap.end()
        return found

    def number_of(self, task: TaskId) -> tuple[str, tuple[int, ...]] | None:
        """What comes before the number in a task's id, and the number; None when it has none."""
        found = _NUMBERED.fullmatch(task)
        if found is None:
            return None
        return found["prefix"].casefold(), tuple(map(int, found["number"].split(".")))

    def _item(self, text: str, at: int, *, is_marked: bool) -> tuple[list[TaskId], int, bool] | None:
        """One name or range from `at` on, where it ends, and whether it is a number alone."""
        found = _ITEM.match(text, at)
        if found is None:
            return None
        if found["quoted"] is not None:
            task = self._ids.get(found["quoted"].casefold()) or (
                self._numbers.get(found["quoted"]) if is_marked else None
            )
            return None if task is None else ([task], found.end(), False)
        word = found["plain"].rstrip("._-")
        end = found.start("plain") + len(word)
        is_number = word.isdecimal()
        task = self._find(word, is_marked=is_marked)
        if task is not None:
            last = self._range_end(text, end, is_marked=is_marked)
            if last is not None and (spanned := self._between(task, last[0])):
                return spanned, last[1], is_number
            return [task], end + len(found.group()) - len(found.group().rstrip("*")), is_number
        start, dash, last_word = word.partition("-")
        if not dash:
            return None
        first, final = (self._find(each, is_marked=is_marked) for each in (start, last_word))
        if first is not None and final is not None and (spanned := self._between(first, final)):
            return spanned, end, start.isdecimal()
        return None

    def _range_end(self, text: str, at: int, *, is_marked: bool) -> tuple[TaskId, int] | None:
        dash = _TO.match(text, at)
        item = _ITEM.match(text, dash.end()) if dash else None
        if item is None or item["plain"] is None:
            return None
        word = item["plain"].rstrip("._-")
        task = self._find(word, is_marked=is_marked)
        return None if task is None else (task, item.start("plain") + len(word))

    def _find(self, word: str, *, is_marked: bool) -> TaskId | None:
        task = self._ids.get(word.casefold())
        if task is not None and (is_marked or word.isdecimal() or _IS_CERTAIN.match(word)):
            return task
        if not word[:1].isdecimal():
            return None
        number = ".".join(part.lstrip("0") or "0" for part in word.split("."))
        return self._numbers.get(number) if is_marked or word.isdecimal() else None

    def _between(self, first: TaskId, last: TaskId) -> list[TaskId]:
        """The tasks from `first` to `last` by their numbers; empty when that is no range."""
        ends = self.number_of(first), self.number_of(last)
        if ends[0] is None or ends[1] is None or ends[0][0] != ends[1][0]:
            return []
        low, high = ends[0][1], ends[1][1]
        if len(low) != 1 or len(high) != 1 or not 0 < high[0] - low[0] < MOST_IN_A_RANGE:
            return []
        known = self._order.get(ends[0][0], {})
        return [known[number] for number in range(low[0], high[0] + 1) if number in known]
