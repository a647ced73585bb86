"""What others wrote comes out inert: no escape, no control character, nothing that turns or hides text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_waves.views.output_text import Inert
from git_waves.views.safe import as_command, clean, clean_lines, cut, quoted, shell_word

ANY_TEXT = st.text(st.characters())  # surrogates included: that is how bytes of paths arrive


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain title", "plain title"),
        ("Überraschung 日本", "Überraschung 日本"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("rlo \u202e cod.exe", "rlo \\u202e cod.exe"),
        ("isolate \u2066 x \u2069", "isolate \\u2066 x \\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("byte \udcff of a path", "byte \\xff of a path"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("bell\x07 nul\x00 del\x7f", "bell\\x07 nul\\x00 del\\x7f"),
        ("next line \x85", "next line \\x85"),
    ],
)
def test_tricks_are_shown_as_escapes(written: str, shown: str) -> None:
    assert clean(written) == shown


@given(ANY_TEXT)
def test_cleaned_text_is_one_printable_line_that_any_terminal_can_take(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.isprintable()
    assert "\n" not in cleaned
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned, "cleaning twice changes nothing"


@given(ANY_TEXT)
def test_cleaned_lines_keep_line_ends_and_tabs_and_nothing_else(text: str) -> None:
    cleaned = clean_lines(text)
    assert cleaned.replace("\n", "").replace("\t", "").isprintable()
    assert cleaned.count("\n") == text.count("\n")


def test_a_name_is_quoted_after_it_was_cleaned() -> None:
    assert quoted("a\x1bb") == "'a\\x1bb'"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("rather too long", 10, "rather..."),
        ("abc", 2, "ab"),
        ("abc", -1, ""),
    ],
)
def test_text_is_cut_to_a_width(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.parametrize(
    ("text", "word"),
    [("t1", "t1"), ("two words", "'two words'"), ("it's", "'it'\\''s'"), ("", "''"), ("$(rm)", "'$(rm)'")],
)
def test_a_name_becomes_one_word_of_a_shell_command(text: str, word: str) -> None:
    assert shell_word(text) == word


def test_a_command_is_quoted_unless_it_has_quotes_of_its_own() -> None:
    assert as_command("git waves run") == "'git waves run'"
    assert as_command("git waves run 'my plan'") == "git waves run 'my plan'"


# ---------------------------------------------------------------------- the output of agents


def inert(*pieces: bytes) -> str:
    """The pieces as they come out together."""
    one = Inert()
    return "".join([*(one.feed(piece) for piece in pieces), one.end()])


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[1;32mgreen\x1b[m\n", "green\n"),
        (b"\x1b]0;a new title\x07text\n", "text\n"),
        (b"\x1b]52;c;cGFzdGU=\x1b\\clipboard\n", "clipboard\n"),
        (b"\x1b[2J\x1b[Hcleared\n", "cleared\n"),
        (b"10%\r20%\r30%\r\n", "10%\n20%\n30%\n"),
        (b"a\tb\n", "a\tb\n"),
        (b"\xff\xfe no text\n", "\\xff\\xfe no text\n"),
        (b"half an escape \x1b[3", "half an escape \\x1b[3"),
        (b"back\x08space\n", "back\\x08space\n"),
        ("umlaut ü\n".encode(), "umlaut ü\n"),
    ],
)
def test_output_loses_its_dress_and_shows_its_tricks(printed: bytes, shown: str) -> None:
    assert inert(printed) == shown


@given(
    st.lists(
        st.sampled_from(
            [b"\x1b[32m", b"\x1b]0;t\x07", b"\x1b\\", b"\r", b"\n", b"\xc3\xbc", b"x", b"\x1b", b"["]
        ),
        max_size=12,
    ).map(b"".join),
    st.integers(0, 40),
)
@example(b"\r\x1b[32m\n", 2)  # a carriage return, dress, and only then its line feed
def test_output_reads_the_same_wherever_it_was_cut(output: bytes, at: int) -> None:
    assert inert(output[:at], output[at:]) == inert(output)


@given(st.binary())
def test_no_output_gets_an_escape_through(output: bytes) -> None:
    assert "\x1b" not in inert(output)
    assert inert(output).replace("\n", "").replace("\t", "").isprintable()
