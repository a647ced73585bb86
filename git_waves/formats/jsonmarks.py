"""JSON with lines: a document's outer object, and the entries of one of its lists with the place each stands at.

Python's own scanner reads every entry at its full speed; only the outermost brackets are walked here. The line of a
key or text inside an entry is searched for when somebody asks: inside JSON, `"files"` with its quotes cannot be part
of a longer text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from git_waves.formats.names import shorten

MOST_ENTRIES = 150_000
"""Of one list whose entries are looked at one by one, and of tasks in JSON lines."""

_LONGEST_ROW = 8 * 1024 * 1024

_skip_space = re.compile(r"[ \t\n\r]*").match
_SUSPICIOUS = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class JsonFault(ValueError):  # noqa: N818  # becomes a PlanProblem, and is named like it
    """The text is not the JSON it should be; `line` is 1-based within the text."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """One value of a list, and where its text starts and ends."""

    value: object
    start: int
    end: int


@dataclass(slots=True)
class JsonDocument:
    """An object: `head` holds its keys without the list, `entries` the list's values (None when there is no list)."""

    text: str
    head: dict[str, object] = field(default_factory=dict)
    entries: list[JsonEntry] | None = None
    _breaks: list[int] | None = None

    def line(self, offset: int) -> int:
        """The line of an offset."""
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self.text)]
        return bisect_left(self._breaks, offset) + 1

    def line_of_key(self, key: str, entry: JsonEntry | None = None) -> int:
        """The line of a key, of an entry or of the whole; where that starts when the key is not there."""
        start, end = (entry.start, entry.end) if entry else (0, len(self.text))
        return self.line(max(start, self.text.find(f'"{key}"', start, end)))

    def lines_of_texts(self, key: str, texts: Sequence[str], entry: JsonEntry) -> list[int]:
        """The lines of the texts in the list under `key` of an entry; the key's own for one that is written otherwise."""
        text, end = self.text, entry.end
        after = max(entry.start, text.find(f'"{key}"', entry.start, end))
        lines = []
        for one in texts:
            found = text.find(f'"{one}"', after, end)
            if found < 0:
                found = max(after, text.find(json.dumps(one), after, end))
            lines.append(self.line(found))
        return lines


def read_document(text: str, list_key: str) -> JsonDocument:
    """Read an object, and the entries of the list under `list_key` one by one. Raises JsonFault."""
    document = JsonDocument(text)
    cursor = _Cursor(document)
    _fill(document, cursor, list_key)
    if cursor.peek():
        raise JsonFault(document.line(cursor.at), "there is something after the end of the object")
    return document


def read_documents(text: str, list_key: str) -> dict[str, JsonDocument]:
    """Read an object of objects, each as `read_document` would; members that are no objects are left out.

    Raises JsonFault.
    """
    whole = JsonDocument(text)
    cursor = _Cursor(whole)
    found: dict[str, JsonDocument] = {}
    for key in cursor.members():
        if key in found:
            raise JsonFault(whole.line(cursor.at), f"'{shorten(key)}' is given twice")
        if cursor.peek() == "{":
            found[key] = JsonDocument(text)
            _fill(found[key], cursor, list_key)
        else:
            cursor.value()
    if cursor.peek():
        raise JsonFault(whole.line(cursor.at), "there is something after the end of the object")
    return found


def read_list(text: str) -> JsonDocument:
    """Read a list; its values are the document's entries. Raises JsonFault."""
    document = JsonDocument(text)
    cursor = _Cursor(document)
    document.entries = list(cursor.elements())
    if cursor.peek():
        raise JsonFault(document.line(cursor.at), "there is something after the end of the list")
    return document


def _fill(document: JsonDocument, cursor: _Cursor, list_key: str) -> None:
    """Take the object that starts at the cursor into `document`."""
    for key in cursor.members():
        if key in document.head or (key == list_key and document.entries is not None):
            raise JsonFault(document.line(cursor.at), f"'{shorten(key)}' is given twice")
        if key == list_key and cursor.peek() == "[":
            document.entries = list(cursor.elements())
        else:
            document.head[key] = cursor.value().value


def rows_of(text: str) -> Iterator[str]:
    """The lines of a text, one after the other: all of them at once can be ten times the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def read_object(text: str) -> dict[str, object]:
    """Read one object that stands alone (a line of JSON lines). Raises JsonFault."""
    if len(text) > _LONGEST_ROW:
        raise JsonFault(1, f"it is longer than {_LONGEST_ROW // 1024 // 1024} MiB")
    if text.startswith("{") and "\\u" not in text:
        try:
            value, end = _decode(text)
        except (ValueError, RecursionError):
            pass  # what is wrong is said below
        else:
            if not text[end:].strip(" \t\r\n"):
                return dict(value)
    document = JsonDocument(text)
    cursor = _Cursor(document)
    if cursor.peek() != "{":
        raise JsonFault(1, "it is no JSON object")
    value = cursor.value().value
    if cursor.peek():
        raise JsonFault(document.line(cursor.at), "there is something after the end of the object")
    assert isinstance(value, dict)
    return value


class _Cursor:
    """A place in a document's text that moves forward."""

    def __init__(self, document: JsonDocument) -> None:
        self.document = document
        self.text = document.text
        self.at = 0
        self.is_suspicious = "\\u" in self.text and _SUSPICIOUS.search(self.text) is not None

    def peek(self) -> str:
        """The next letter that is no white space; empty at the end."""
        found = _skip_space(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def expect(self, *letters: str) -> str:
        """Step over one of `letters`."""
        letter = self.peek()
        if letter not in letters:
            wanted = " or ".join(f"'{letter}'" for letter in letters)
            self.fail(f"not JSON: expected {wanted}, column {self.column()}")
        self.at += 1
        return letter

    def members(self) -> Iterator[str]:
        """The keys of the object that starts here; the caller takes each value before it asks for the next key."""
        self.expect("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() != '"':
                self.fail(f"not JSON: expected a key in double quotes, column {self.column()}")
            key = str(self.value().value)
            self.expect(":")
            yield key
            if self.expect(",", "}") == "}":
                return

    def elements(self) -> Iterator[JsonEntry]:
        """The values of the list that starts here."""
        self.expect("[")
        if self.peek() == "]":
            self.at += 1
            return
        for _ in range(MOST_ENTRIES):
            yield self.value()
            if self.expect(",", "]") == "]":
                return
        self.fail(f"a list has more than {MOST_ENTRIES} entries")

    def value(self) -> JsonEntry:
        """The value that starts here."""
        self.peek()
        start = self.at
        try:
            value, self.at = _decode(self.text, start)
        except json.JSONDecodeError as error:
            raise JsonFault(error.lineno, f"not JSON: {error.msg.lower()}, column {error.colno}") from None
        except RecursionError:
            self.fail("nested too deep")
        except _HookError as error:
            self.fail(f"not JSON: {error}")
        except ValueError:  # Python's guard against numbers of over 4,300 digits
            self.fail("not JSON: a number has too many digits")
        if self.is_suspicious and (reason := _unsafe_text(value)):
            self.fail(reason)
        return JsonEntry(value=value, start=start, end=self.at)

    def column(self) -> int:
        """The column of this place, 1-based."""
        return self.at - self.text.rfind("\n", 0, self.at)

    def fail(self, message: str) -> NoReturn:
        """Raise a fault on this line."""
        raise JsonFault(self.document.line(self.at), message) from None


class _HookError(ValueError):
    """What Python's reader lets pass and we do not."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _HookError(f"'{shorten(twice)}' is given twice")
    return values


def _constant(name: str) -> object:
    raise _HookError(f"{name} is no JSON number")


def _unsafe_text(value: object) -> str:
    """Why a text of `value` can be neither stored nor handed to a program; empty when all can."""
    written = json.dumps(value, ensure_ascii=False)
    if re.search(r"(?<!\\)(?:\\\\)*\\u0000", written):
        return "a text holds a NUL character"
    try:
        written.encode()
    except UnicodeEncodeError:
        return "a text holds half of a character (a lone surrogate)"
    return ""


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant).raw_decode
