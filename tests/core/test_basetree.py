"""What a tree answers about paths, held against the slow way to ask it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.basetree import SUBMODULE, BaseTree
from git_waves.core.model import RepoPath
from git_waves.core.paths import fold, matches, parse_pattern


def tree(*paths: str) -> BaseTree:
    return BaseTree(modes=dict.fromkeys(map(RepoPath, paths), "100644"))


NAMES = st.sampled_from(["a", "B", "b", "c.x", "d0", "a-", "a.b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def _is_possible(paths: set[str]) -> bool:
    return not any(other.startswith(f"{path}/") for path in paths for other in paths)


@given(
    st.sets(PATHS, max_size=12).filter(_is_possible),
    st.sampled_from(["a", "a/", "a/b", "a/*", "*/b", "**/c.x", "a/**", "?", "B/b/", "**", "a*/b"]),
)
def test_a_match_is_found_exactly_when_some_path_matches(paths: set[str], pattern: str) -> None:
    parsed = parse_pattern(pattern)
    assert tree(*paths).has_match(parsed) is any(matches(parsed, path) for path in paths)


@given(st.sets(PATHS, max_size=12).filter(_is_possible), PATHS)
def test_a_twin_is_a_name_that_folds_to_the_same_and_is_another(paths: set[str], path: str) -> None:
    found = tree(*paths).twin(path)
    there = {other[: end if end != -1 else None] for other in paths for end in _ends(other)}
    if found is None:
        parts = [path[: end if end != -1 else None] for end in _ends(path)]
        first_new = next((part for part in parts if part not in there), None)
        assert first_new is None or fold(first_new) not in set(map(fold, there))
    else:
        part, twin = found
        assert part not in there and twin in there and fold(part) == fold(twin)
        assert path == part or path.startswith(f"{part}/")


def _ends(path: str) -> list[int]:
    return [index for index, letter in enumerate(path) if letter == "/"] + [-1]


def test_folders_are_where_paths_lie_in() -> None:
    some = tree("a/b/c", "a-b", "d")
    assert [name for name in ("a", "a/b", "a/b/c", "d", "a-") if some.has_folder(name)] == ["a", "a/b"]


def test_what_stands_where_a_folder_is_needed() -> None:
    some = BaseTree(modes={RepoPath("sub"): SUBMODULE, RepoPath("dir/file"): "100644"})
    assert some.barrier("sub/x/y") == "sub"
    assert some.barrier("dir/file/x") == "dir/file"
    assert some.barrier("sub") is None
    assert some.barrier("sub", is_folder=True) == "sub"
    assert some.barrier("dir/other") is None


def test_namesakes_are_sorted_by_what_they_have_in_common() -> None:
    some = tree("x/io.c", "lib/core/io.c", "io.c", "core/other.c")
    assert some.namesakes("src/core/io.c") == ("lib/core/io.c", "io.c", "x/io.c")
    assert some.namesakes("src/none.c") == ()


def test_an_empty_tree_has_nothing() -> None:
    some = tree()
    assert not some.has_match(parse_pattern("**"))
    assert some.twin("a/b") is None and some.barrier("a/b") is None
