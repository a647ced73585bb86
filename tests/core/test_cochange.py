"""Which files change together, counted the obvious way and ours; what is kept stays small, and reading stops early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.cochange import BULK, LEAST, SHARE, WINDOW, Habit, find_habits
from git_waves.core.model import RepoPath

A, B, C = map(RepoPath, "abc")


def commits(*written: str) -> list[tuple[RepoPath, ...]]:
    """`ab` is a commit that touches `a` and `b`; newest first."""
    return [tuple(map(RepoPath, one)) for one in written]


def counted(history: Sequence[Sequence[RepoPath]], files: set[RepoPath]) -> list[Habit]:
    """The definition, word by word."""
    found = []
    for file in files:
        mine = [paths for paths in history if file in paths and len(paths) <= BULK][:WINDOW]
        for other in {path for paths in mine for path in paths if path != file}:
            together = sum(other in paths for paths in mine)
            if len(mine) >= LEAST and 100 * together >= SHARE * len(mine):
                found.append(Habit(file, other, together, len(mine)))
    return sorted(found)


# Commits in which a few files nearly always travel together, so that the thresholds are met and just missed.
ONE = st.sets(st.sampled_from("abcde"), min_size=1).map(lambda names: "".join(sorted(names | set("a"))))
FEW = st.sampled_from(["ab", "ab", "ab", "abc", "abc", "a", "bc", "abd"])


@given(st.lists(ONE | FEW, max_size=80))
def test_habits_are_what_counting_finds(written: list[str]) -> None:
    history = commits(*written)
    assert list(find_habits(history, {A, B, C})) == counted(history, {A, B, C})


def test_nine_of_ten_is_a_habit_and_eight_is_none() -> None:
    assert find_habits(commits(*["ab"] * 9, "a"), {A}) == (Habit(A, B, 9, 10),)
    assert find_habits(commits(*["ab"] * 8, "a", "a"), {A}) == ()


def test_nothing_is_said_about_a_file_that_few_commits_touch() -> None:
    assert find_habits(commits(*["ab"] * (LEAST - 1)), {A}) == ()


def test_only_the_newest_commits_of_a_file_count() -> None:
    assert find_habits(commits(*["ab"] * WINDOW, *["a"] * 500), {A}) == (Habit(A, B, WINDOW, WINDOW),)
    assert find_habits(commits(*["a"] * WINDOW, *["ab"] * 500), {A}) == ()


def test_a_commit_that_touches_everything_says_nothing() -> None:
    bulk = [(A, *(RepoPath(f"f{n}") for n in range(BULK)))] * 20
    assert find_habits(bulk, {A}) == ()


def test_reading_stops_when_every_file_has_its_window() -> None:
    read = 0

    def endless() -> Iterator[tuple[RepoPath, ...]]:
        nonlocal read
        while True:
            read += 1
            yield (A, B)

    assert find_habits(endless(), {A}) == (Habit(A, B, WINDOW, WINDOW),)
    assert read == WINDOW


def test_nothing_is_read_without_files() -> None:
    history = iter(commits("ab", "ab"))
    assert find_habits(history, set()) == ()
    assert next(history) == (A, B)
