"""What plans may write as a path, what it matches, and when two of them collide; checked against plain enumeration."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.model import PathPattern, PatternKind, RepoPath
from git_waves.core.paths import (
    PathProblem,
    fold,
    folders_of,
    glob_regex,
    matches,
    overlap,
    parse_pattern,
)
from tests.support.properties import examples

FILE, DIR, GLOB = PatternKind.FILE, PatternKind.DIR, PatternKind.GLOB


@pytest.mark.parametrize(
    ("text", "kind", "meant"),
    [
        ("README", FILE, "README"),
        ("src/core/io.c", FILE, "src/core/io.c"),
        ("./src/a.c", FILE, "src/a.c"),
        ("src//a.c", FILE, "src/a.c"),
        ("src/./a.c", FILE, "src/a.c"),
        (".github/workflows/ci.yml", FILE, ".github/workflows/ci.yml"),
        (".gitignore", FILE, ".gitignore"),
        ("app/(shop)/[id]/page.tsx", FILE, "app/(shop)/[id]/page.tsx"),
        ("a/-b", FILE, "a/-b"),
        ("with space.txt", FILE, "with space.txt"),
        ("{a}.txt", FILE, "{a}.txt"),
        ("{1..3}", FILE, "{1..3}"),
        ("caf\u00e9", FILE, "caf\u00e9"),
        ("src/", DIR, "src"),
        ("src//", DIR, "src"),
        ("src/.", DIR, "src"),
        ("src/**", DIR, "src"),
        ("src/**/", DIR, "src"),
        ("src/**/*", DIR, "src"),
        ("src/**/**", DIR, "src"),
        ("[id]/", DIR, "[id]"),
        ("src/*.c", GLOB, "src/*.c"),
        ("src/*/", GLOB, "src/*/**"),
        ("**/", GLOB, "**"),
        ("**", GLOB, "**"),
        ("*", GLOB, "*"),
        ("a**b", GLOB, "a*b"),
        ("x/**/**/y?", GLOB, "x/**/y?"),
        ("[id]/*.ts", GLOB, "[id]/*.ts"),
    ],
)
def test_a_path_is_a_file_a_folder_or_a_glob(text: str, kind: PatternKind, meant: str) -> None:
    assert parse_pattern(text) == PathPattern(kind=kind, text=RepoPath(meant))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "path is empty"),
        ("  ", "path is empty"),
        ("/etc/passwd", "path '/etc/passwd' is absolute"),
        ("/", "path '/' is absolute"),
        ("~/.gitconfig", "path '~/.gitconfig' starts with '~'"),
        ("C:/x", "path 'C:/x' starts with a drive letter"),
        ("./c:x", "path './c:x' starts with a drive letter"),
        ("src\\a.c", "path 'src\\a.c' holds a backslash"),
        ("../x", "path '../x' goes up with '..'"),
        ("a/../b", "path 'a/../b' goes up with '..'"),
        (".", "path '.' is the whole repository"),
        ("./", "path './' is the whole repository"),
        ("-rf", "path '-rf' starts with '-'"),
        ("./-rf", "path './-rf' starts with '-'"),
        ("a\nb", "path 'a\\nb' holds a control character"),
        ("a\x1b[2J", "path 'a\\x1b[2J' holds a control character"),
        ("a\u2028b", "path 'a\\u2028b' holds a control character"),
        ("caf\udce9", "path 'caf\\udce9' is not valid UTF-8"),
        ("cafe\u0301", "path 'cafe\u0301' is not in composed form (NFC)"),
        ("src/{a,b}.c", "braces in path 'src/{a,b}.c' are not expanded"),
        ("a" * 5000, "path '" + "a" * 40 + "\u2026' is longer than 4096 bytes"),
        (".git/config", "path '.git/config' names git's own folder"),
        ("sub/.GIT/hooks/", "path 'sub/.GIT/hooks/' names git's own folder"),
        ("git~1/x", "path 'git~1/x' names git's own folder"),
        (".git /x", "path '.git /x' names git's own folder"),
        (".git./x", "path '.git./x' names git's own folder"),
        (".git::$INDEX_ALLOCATION/x", "path '.git::$INDEX_ALLOCATION/x' names git's own folder"),
        (".g\u200cit/x", "path '.g\u200cit/x' names git's own folder"),
        (".git/**", "path '.git/**' names git's own folder"),
    ],
)
def test_a_path_that_others_would_read_differently_is_refused(text: str, message: str) -> None:
    with pytest.raises(PathProblem) as caught:
        parse_pattern(text)
    assert caught.value.message == message
    assert caught.value.hint


@given(st.text(max_size=12))
def test_any_text_is_either_a_pattern_that_reads_back_as_itself_or_a_problem(text: str) -> None:
    try:
        pattern = parse_pattern(text)
    except PathProblem as problem:
        assert problem.message and problem.hint
    else:
        assert parse_pattern(str(pattern)) == pattern


@pytest.mark.parametrize(
    ("pattern", "owned", "foreign"),
    [
        ("a", ["a"], ["A", "a/b", "ab"]),
        ("b/", ["b/c", "b/c/d"], ["b", "bc", "bc/d", "B/c"]),
        ("src/*.c", ["src/a.c", "src/.c", "src/a\nb.c"], ["src/x/a.c", "src/a.h", "a.c"]),
        ("*", ["a", ".x"], ["a/b"]),
        ("src/*/", ["src/a/b", "src/a/b/c"], ["src/a", "src"]),
        ("**/x", ["x", "a/x", "a/b/x"], ["xx", "a/xx", "x/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "b"]),
        ("**/t/**/*.c", ["t/a.c", "s/t/u/a.c"], ["a.c", "st/a.c"]),
        ("?", ["a", "\udce9"], ["", "ab", "/"]),
        ("[id].ts", ["[id].ts"], ["i.ts"]),
        ("[id]/*.ts", ["[id]/a.ts"], ["i/a.ts"]),
        ("a*b*c*d", ["abcd", "axbxcxd", "abcbcd"], ["abc", "acbd"]),
        ("**", ["a", "a/b/c"], []),
    ],
)
def test_a_pattern_owns_paths_letter_for_letter(pattern: str, owned: list[str], foreign: list[str]) -> None:
    parsed = parse_pattern(pattern)
    assert [path for path in [*owned, *foreign] if matches(parsed, path)] == owned


def test_a_long_hostile_name_is_refused_without_trying_every_split() -> None:
    # A plain translation would need longer than the universe here; the suite's time limit is the assertion.
    stars = re.compile(glob_regex("*a" * 12 + "*b"))
    spans = re.compile(glob_regex("**/a/" * 12 + "b"))
    assert not stars.fullmatch("a" * 250 + "c")
    assert not spans.fullmatch("a/" * 2000 + "c")


def test_folders_of_a_path_come_outermost_first() -> None:
    assert list(folders_of("a/b/c")) == ["a", "a/b"]
    assert list(folders_of("a")) == []


def test_names_that_one_file_system_cannot_tell_apart_fold_to_one() -> None:
    assert fold("README") == fold("Readme")
    assert fold("cafe\u0301") == fold("CAF\u00c9")
    assert fold("Stra\u00dfe") == fold("STRASSE")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("a", "a/b", True),
        ("a", "a/", True),
        ("a/b", "a/", True),
        ("a/", "a/b/", True),
        ("ab/", "a/", False),
        ("README", "readme", True),
        ("Src/", "src/a.c", True),
        ("src/*", "src/sub/x", False),
        ("src/*", "src/sub/", False),
        ("src/*/x", "src/sub/", True),
        ("src", "src/*.c", True),
        ("src/a.c", "src/*.c", True),
        ("src/a.c/", "src/*.c", False),
        ("**/*.c", "src/", True),
        ("**/*.c", "src/*.h", False),
        ("src/**/test_*.py", "src/core/*_x.py", True),
        ("*.c", "*.C", True),
        ("?", "\u00df", True),
        ("[id]/*.ts", "i/*.ts", False),
        ("[id]/*.ts", "[ID]/a.ts", True),
    ],
)
def test_patterns_collide_when_a_path_matches_both_or_no_tree_holds_both(
    a: str, b: str, expected: bool
) -> None:
    assert overlap(parse_pattern(a), parse_pattern(b)) is expected
    assert overlap(parse_pattern(b), parse_pattern(a)) is expected


# --- against enumeration: every path up to a length that a witness of two such patterns cannot exceed

LETTERS = ("a", "b")


@lru_cache(maxsize=4)
def all_paths(longest_segment: int, deepest: int) -> tuple[str, ...]:
    names = ["".join(p) for n in range(1, longest_segment + 1) for p in product(LETTERS, repeat=n)]
    return tuple("/".join(p) for n in range(1, deepest + 1) for p in product(names, repeat=n))


def is_match(segments: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """The meaning of a glob, written as directly as possible."""
    if not segments:
        return not path
    head, rest = segments[0], segments[1:]
    if head == "**":
        if not rest:
            return len(path) > 0
        return any(is_match(rest, path[skipped:]) for skipped in range(len(path) + 1))
    return bool(path) and is_segment(head, path[0]) and is_match(rest, path[1:])


def is_segment(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(is_segment(pattern[1:], name[skipped:]) for skipped in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and is_segment(pattern[1:], name[1:])


def is_claimed(pattern: PathPattern, path: str) -> bool:
    if pattern.kind is FILE:
        return path == pattern.text
    if pattern.kind is DIR:
        return path.startswith(pattern.text + "/")
    return is_match(tuple(pattern.text.split("/")), tuple(path.split("/")))


def is_collision(a: PathPattern, b: PathPattern, paths: tuple[str, ...]) -> bool:
    if any(is_claimed(a, path) and is_claimed(b, path) for path in paths):
        return True
    for file, other in ((a, b), (b, a)):
        if file.kind is FILE:
            claimed = [path for path in paths if is_claimed(other, path)]
            if claimed and all(path.startswith(file.text + "/") for path in claimed):
                return True
    return False


SEGMENTS = st.sampled_from(["a", "b", "ab", "*", "?", "a*", "*b", "?b", "**"])
PATTERNS = st.builds(
    lambda parts, slash: parse_pattern("/".join(parts) + ("/" if slash else "")),
    st.lists(SEGMENTS, min_size=1, max_size=2),
    st.booleans(),
)
DEEP_PATTERNS = st.builds(
    lambda parts, slash: parse_pattern("/".join(parts) + ("/" if slash else "")),
    st.lists(st.sampled_from(["a", "b", "?", "**"]), min_size=1, max_size=3),
    st.booleans(),
)


@examples(150)
@given(PATTERNS)
def test_the_regular_expression_matches_what_the_glob_means(pattern: PathPattern) -> None:
    paths = all_paths(2, 3)
    assert [p for p in paths if matches(pattern, p)] == [p for p in paths if is_claimed(pattern, p)]


@examples(150)
@given(
    st.lists(st.sampled_from(["a", "b", "*", "?"]), min_size=1, max_size=7).map("".join),
    st.text("ab", min_size=1, max_size=9),
)
def test_many_stars_in_a_segment_match_what_the_glob_means(glob: str, name: str) -> None:
    assert matches(parse_pattern(glob), name) is is_segment(glob, name)


@examples(150)
@given(
    st.lists(st.sampled_from(["a", "b", "?", "*", "**"]), min_size=1, max_size=7).map("/".join),
    st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=8).map("/".join),
)
def test_many_spans_match_what_the_glob_means(glob: str, path: str) -> None:
    pattern = parse_pattern(glob)
    assert matches(pattern, path) is is_claimed(pattern, path)


@examples(200)
@given(PATTERNS, PATTERNS)
def test_overlap_is_exact_inside_segments(a: PathPattern, b: PathPattern) -> None:
    assert overlap(a, b) is overlap(b, a) is is_collision(a, b, all_paths(2, 4))


@examples(300)
@given(DEEP_PATTERNS, DEEP_PATTERNS)
def test_overlap_is_exact_across_segments(a: PathPattern, b: PathPattern) -> None:
    assert overlap(a, b) is overlap(b, a) is is_collision(a, b, all_paths(1, 7))


@given(st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join))
def test_the_expression_needs_no_flags_and_no_name_of_its_own(glob: str) -> None:
    assert re.compile(glob_regex(str(parse_pattern(glob).text))).flags == re.compile("").flags
