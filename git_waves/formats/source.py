"""The text of a plan as it came from a file, a revision or a pipe: bytes, and how they become text with line numbers."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.names import shorten

MAX_BYTES = 16 * 1024 * 1024
"""Twice what a plan with as many tasks and paths as are worked out takes; more is an accident or an attack."""

MAX_FOREIGN_BYTES = 8 * 1024 * 1024
"""A plan of another tool; the largest one seen has a third of a megabyte. What is not ours gets less room to be odd in."""

_WRITE_ONE = "write a starting plan with: git waves init"
_CONFLICT_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_MARKER_STARTS = ("<" * 7, ">" * 7, "|" * 7)
_OTHER_ENCODINGS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanText:
    """A plan's bytes, already read by the caller.

    `source` names them in messages (`.waves/plan.yaml`, `main:.waves/plan.yaml`, `standard input`); `name_hint` is
    the path they were read from, without a revision, from which a plan without a `name` gets one (empty for a pipe).
    With `is_fragment` its tasks may need tasks that other texts hold: whoever puts them together looks for them.
    """

    name_hint: str
    source: str
    data: bytes
    is_fragment: bool = False

    def decode(self) -> str:
        """The text with `\\n` line ends and without a byte order mark.

        Raises PlanError (could not measure) when the bytes are empty, blank, too many, not UTF-8, hold a NUL byte, or
        hold the markers of an unfinished merge.
        """
        problems = self._byte_problems()
        if not problems:
            text = self.data.removeprefix(codecs.BOM_UTF8).decode()
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            problems = _text_problems(text)
            if not problems:
                return text
        raise PlanError(self.source, problems, measured=False)

    def _byte_problems(self) -> tuple[PlanProblem, ...]:
        data = self.data
        if not data:
            return (PlanProblem(0, "the plan is empty", _WRITE_ONE),)
        if len(data) > MAX_BYTES:
            # One byte too many is what a careful caller stops reading at, so then nobody knows the size.
            size = f"{len(data) / 1024 / 1024:.1f} MiB" if len(data) > MAX_BYTES + 1 else "more"
            message = f"the plan has {size}, and at most {MAX_BYTES // 1024 // 1024} MiB are read"
            return (PlanProblem(0, message, "split the plan"),)
        if data.startswith(_OTHER_ENCODINGS):
            return (PlanProblem(1, "the plan is UTF-16 or UTF-32, not UTF-8", "save it as UTF-8"),)
        nul = data.find(b"\0")
        if nul >= 0:
            return (
                PlanProblem(_line(data, nul), f"NUL byte at offset {nul}", "a plan is a UTF-8 text file"),
            )
        try:
            data.decode()
        except UnicodeDecodeError as error:
            at = error.start
            return (
                PlanProblem(
                    _line(data, at), f"byte 0x{data[at]:02x} at offset {at} is not UTF-8", "save it as UTF-8"
                ),
            )
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSource:
    """What a person names as one source: a single text, or a folder with the plans found in it.

    `others` are the paths of files in the folder that were seen and not read; that a file is there can mean something.
    """

    source: str
    name_hint: str
    texts: tuple[PlanText, ...]
    is_folder: bool = False
    others: frozenset[str] = frozenset()


def _text_problems(text: str) -> tuple[PlanProblem, ...]:
    if not text.strip():
        return (PlanProblem(0, "the plan holds only white space", _WRITE_ONE),)
    if not any(marker in text for marker in _MARKER_STARTS):
        return ()
    # Such a line is no YAML at column one and no JSON anywhere, so a prompt that talks about markers is never hit.
    return tuple(
        PlanProblem(
            text.count("\n", 0, marker.start()) + 1,
            f"merge conflict marker '{shorten(marker.group(), 40)}'",
            "finish the merge of this file first",
        )
        for marker in _CONFLICT_MARKER.finditer(text)
    )


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
