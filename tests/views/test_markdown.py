"""Text of others inside Markdown: whatever it holds, it stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.views.markdown import code, codes, plain, table


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "plain words, (with) 'marks' - and snake_case, a + b",
            "plain words, (with) 'marks' - and snake_case, a + b",
        ),
        ("a *b* `c` ~~d~~ [x](y) <i> | _e_", "a \\*b\\* \\`c\\` \\~\\~d\\~\\~ \\[x](y) \\<i> \\| \\_e\\_"),
        ("AT&T &amp; &#65;", "AT&T \\&amp; \\&#65;"),
        ("# title", "\\# title"),
        ("- item", "\\- item"),
        ("12. item", "12\\. item"),
        ("> quote", "\\> quote"),
        ("\x1b[2J \u202e", "\\\\x1b\\[2J \\\\u202e"),
    ],
)
def test_marks_and_controls_of_words_are_shown_and_do_nothing(text: str, written: str) -> None:
    assert plain(text) == written


def test_code_takes_as_many_backquotes_as_it_needs() -> None:
    assert [code(text) for text in ("ls", "a `b` c", "`", "``x", "", "a\nb")] == [
        "`ls`",
        "``a `b` c``",
        "`` ` ``",
        "``` ``x ```",
        "",
        "`a\\nb`",
    ]


@given(st.text(alphabet="`a |\\\n", max_size=12))
def test_no_text_ends_its_own_code(text: str) -> None:
    written = code(text)
    fence = written[: len(written) - len(written.lstrip("`"))]
    inside = written[len(fence) : -len(fence)] if fence else ""
    assert not text or (written.endswith(fence) and fence not in inside.strip("` ") + " ")
    assert "\n" not in written


def test_many_codes_are_cut_with_a_count() -> None:
    assert codes("abc", 2) == "`a`, `b`, `c`"
    assert codes("abcd", 2) == "`a`, `b`, and 2 more"


def test_a_cell_cannot_end_its_column() -> None:
    assert list(table(("x", "y"), [(code("a|b"), plain("c|d"))])) == [
        "| x | y |",
        "|---|---|",
        "| `a\\|b` | c\\|d |",
    ]
