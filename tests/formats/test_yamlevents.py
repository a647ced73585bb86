"""The YAML we accept, with the lines it stands on, and the YAML we do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from git_waves.formats.marks import MarkedList, MarkedMap, Quoted
from git_waves.formats.yamlevents import load_yaml


@pytest.fixture(params=["libyaml", "pure python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test runs on both parsers: libyaml is not there on every machine."""
    if request.param == "pure python":
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    yield


def problems_of(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in load_yaml(text).problems]


def test_scalars_stay_the_text_the_author_wrote() -> None:
    texts = ["01", "1e3", "no", "12:30:00", "2026-11-30", "0x1f", "1_000", "yes", "Null", ".5", "=", "1.10"]
    assert load_yaml("".join(f"- {text}\n" for text in texts)) == load_yaml(f"[{', '.join(texts)}]")
    assert load_yaml("".join(f"- {text}\n" for text in texts)).root == texts


def test_quoted_texts_can_be_told_from_plain_ones() -> None:
    root = load_yaml("""a: 'null'\nb: "~"\nc: plain\nd: |\n  block\ne: ''\n""").root
    assert root == {"a": "null", "b": "~", "c": "plain", "d": "block\n", "e": ""}
    assert isinstance(root, MarkedMap)
    assert [isinstance(value, Quoted) for value in root.values()] == [True, True, False, True, True]


def test_every_key_and_entry_knows_its_line() -> None:
    root = load_yaml("# a plan\na: 1\nlist:\n  - x\n  -\n    k: v\n  - [p,\n     q]\n").root
    assert isinstance(root, MarkedMap)
    assert (root.line, root.lines) == (2, {"a": 2, "list": 3})
    entries = root["list"]
    assert isinstance(entries, MarkedList)
    assert entries.lines == [4, 6, 7]
    assert isinstance(entries[1], MarkedMap) and entries[1].lines == {"k": 6}
    assert isinstance(entries[2], MarkedList) and entries[2].lines == [7, 8]


def test_line_ends_that_only_yaml_knows_do_not_shift_the_lines() -> None:
    root = load_yaml('a: "x\u2028y\x85z"\nb: 1\nc: "\u2029"\nd: 2\n').root
    assert isinstance(root, MarkedMap)
    assert root.lines == {"a": 1, "b": 2, "c": 3, "d": 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: &x 2\n", [(2, "anchors ('&x') are not used in a plan")]),
        ("a: *x\n", [(1, "aliases ('*x') are not used in a plan")]),
        ("- *x\n- b\n", [(1, "aliases ('*x') are not used in a plan")]),
        ("*x : 1\nb: 2\n", [(1, "aliases ('*x') are not used in a plan")]),
        ("a: !!int 1\n", [(1, "tags ('tag:yaml.org,2002:int') are not used in a plan")]),
        ("a: !run x\nb: !map {c: 1}\n", [(1, "tags ('!run') are not used in a plan"), (2, "tags ('!map') are not used in a plan")]),
        ("b: 1\n<<: *x\n", [(2, "merge keys ('<<') are not used in a plan")]),
        ("a: 1\nb: 2\na: 3\n", [(3, "'a' is given twice, first on line 1")]),
        ("a: 1\n\n'a': {b: 1, b: 2}\n", [(3, "'a' is given twice, first on line 1"), (3, "'b' is given twice, first on line 3")]),
        ("[a, b]: 1\n", [(1, "a key must be text, not a list")]),
        ("? {a: b}\n: 1\n", [(1, "a key must be text, not a mapping")]),
        ('"": 1\n', [(1, "a key is empty")]),
        ("a: 1\nb:\nc: ~\nd: null\n", [(2, "'b' has no value"), (3, "'c' has no value"), (4, "'d' has no value")]),
        ("- a\n-\n- null\n", [(2, "an entry of a list is empty"), (3, "an entry of a list is empty")]),
        ("a: 1\n---\nb: 2\n", [(2, "a second document starts here")]),
        ("a: 1\nb: \x07\x1b[0m\n", [(2, "control character U+0007"), (2, "control character U+001B")]),
        ("a: 1\nb: x\uffff\n", [(2, "control character U+FFFF")]),
        ('a: "x\\0y"\n', [(1, "a text holds a NUL character")]),
        ("a:\n\t- b\n", [(2, "a tab in the indentation")]),
    ],
)  # fmt: skip
def test_what_shares_executes_or_means_two_things_is_refused_with_its_line(
    text: str, expected: list[tuple[int, str]]
) -> None:
    assert problems_of(text) == expected


def test_what_is_refused_is_left_out_and_the_rest_is_kept() -> None:
    loaded = load_yaml("a: 1\na: [2]\nb: *x\n<<: {c: 1}\nd: [1, *y, 3]\ne: &z 5\n")
    assert loaded.root == {"a": "1", "d": ["1", "3"], "e": "5"}
    assert isinstance(loaded.root, MarkedMap)
    assert loaded.root.refused == {"b"}
    assert [problem.line for problem in loaded.problems] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("title: fix: this\n", 1, "a text with ': ' in it needs quotes"),
        ("a: 1\nfiles: [*.py]\n", 2, "a text that starts with '*' needs quotes"),
        ("title: @me\n", 1, "a text that starts with '@', '`' or '%' needs quotes"),
        ("files: [app/[id]/x.tsx]\n", 1, "inside [...] a text with brackets, braces or commas needs quotes"),
        ("a: {b: c\n", 2, "inside {...} a text with brackets, braces or commas needs quotes"),
        ("a: 'open\n", 2, "a quote is not closed"),
        ("a:\n  - b\n - c\n", 3, "look at the indentation of this line and the one before"),
    ],
)
def test_the_usual_slips_of_yaml_come_with_a_way_out(text: str, line: int, hint: str) -> None:
    (problem,) = load_yaml(text).problems
    assert (problem.line, problem.hint) == (line, hint)
    assert problem.message.startswith("not YAML: ") and ", column " in problem.message
    assert load_yaml(text).root is None


def test_problems_before_the_place_where_the_text_stops_being_yaml_are_told_too() -> None:
    first, second = load_yaml("a: *x\nb: [\n").problems
    assert (first.line, first.message) == (1, "aliases ('*x') are not used in a plan")
    assert second.message.startswith("not YAML: ")


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{a: " * 5_000, "a:\n" + "".join(" " * depth + "- b:\n" for depth in range(2, 40, 2))],
    ids=["lists", "mappings", "blocks"],
)
def test_deep_nesting_is_refused_without_reading_on(text: str) -> None:
    (problem,) = load_yaml(text).problems
    assert problem.message == "nested deeper than 16 levels"
    assert load_yaml(text).root is None


def test_sixteen_levels_are_read() -> None:
    assert load_yaml("[" * 16 + "]" * 16).problems == []
    assert problems_of("[" * 17 + "]" * 17) == [(1, "nested deeper than 16 levels")]


def test_a_bomb_of_aliases_costs_what_its_letters_cost() -> None:
    bomb = "a: &a [x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    loaded = load_yaml(bomb)
    assert loaded.root == {"a": ["x"], **{name: [] for name in "bcdefghi"}}
    assert len(loaded.problems) == 9 + 8 * 9


def test_an_empty_document_is_nothing() -> None:
    assert [load_yaml(text).root for text in ("", "# only a remark\n", "---\n", "---\n...\n")] == [None] * 4


def test_a_huge_scalar_is_only_a_text() -> None:
    root = load_yaml(f"a: {'x' * 1_000_000}\n").root
    assert isinstance(root, dict) and len(root["a"]) == 1_000_000
