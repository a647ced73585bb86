"""Text that others wrote (titles, paths, reasons, output), made inert before it reaches a terminal or a page.

Control characters, escape sequences, marks that turn the direction of writing and invisible characters are shown as
escapes, so that nothing a plan or an agent wrote can move the cursor, hide a word or pretend to be ours (faults 37).
Imports nothing: `status` uses it.
"""

from __future__ import annotations

_LONGEST_SENTENCE = 1_000  # letters


def clean(text: str) -> str:
    """`text` on one line with everything that is not plainly printable written as an escape (`\\n`, `\\x1b`, `\\u202e`).

    Bytes that were not UTF-8 (surrogate escapes) show as `\\xNN`, the way git shows them.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def clean_lines(text: str) -> str:
    """The same for text of several lines: line ends and tabs stay."""
    return "\n".join("\t".join(clean(cell) for cell in line.split("\t")) for line in text.split("\n"))


def brief(text: str) -> str:
    """A sentence that quotes a plan, cleaned; of a very long one the beginning and the end, which say what it is about."""
    if len(text) > _LONGEST_SENTENCE:
        text = f"{text[: _LONGEST_SENTENCE - 200]} ... {text[-195:]}"
    return clean(text)


def _escape(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # os.fsdecode's way to carry a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def quoted(text: str) -> str:
    """A name in single quotes, cleaned."""
    return f"'{clean(text)}'"


def cut(text: str, width: int) -> str:
    """`text`, or its beginning and `...` when it is longer than `width` columns."""
    if len(text) <= width:
        return text
    return text[: max(width - 3, 0)].rstrip() + "..." if width > 3 else text[: max(width, 0)]


def as_command(text: str) -> str:
    """A command to type, in quotes unless it has quotes of its own."""
    return text if "'" in text else f"'{text}'"


def shell_word(text: str) -> str:
    """`text` as one word of a shell command to be typed; escapes for what cannot be typed stay visible."""
    safe = clean(text)
    if safe and all(letter.isalnum() or letter in "-_./:+,@%=" for letter in safe):
        return safe
    return "'" + safe.replace("'", "'\\''") + "'"
