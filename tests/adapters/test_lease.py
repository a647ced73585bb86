"""The lease and its rule files: shell, guard and core must give one answer for every path and every rule."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_waves.adapters import hooks
from git_waves.adapters.lease import (
    LEASE_NAME,
    LeaseFile,
    ere_of,
    files_content,
    patterns_content,
    read_lease,
)
from git_waves.core.globs import glob_regex
from git_waves.core.model import Oid, PathPattern, PatternKind, RepoPath, Rules, TaskId
from git_waves.core.ownership import compile_rules, owns
from git_waves.errors import SurroundingsError
from hooks import guard
from tests.support.properties import examples

SEGMENT = st.text(alphabet="ab.\n\"'\\[](){}^$+|- é\udcff\udcc3", min_size=1, max_size=4)
PATHS = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
GLOB_SEGMENT = st.one_of(
    st.just("**"), st.just("*"), st.text(alphabet="ab*?.[](){}+^$\\é", min_size=1, max_size=4)
)
GLOBS = (
    st.lists(GLOB_SEGMENT, min_size=1, max_size=4)
    .map("/".join)
    .filter(lambda text: "*" in text or "?" in text)
)


def pattern(kind: PatternKind, text: str) -> PathPattern:
    return PathPattern(kind=kind, text=RepoPath(text))


RULES = st.builds(
    lambda files, folders, globs: compile_rules(
        (
            *(pattern(PatternKind.FILE, text) for text in files),
            *(pattern(PatternKind.DIR, text) for text in folders),
            *(pattern(PatternKind.GLOB, text) for text in globs),
        )
    ),
    st.lists(PATHS, max_size=3),
    st.lists(PATHS, max_size=2),
    st.lists(GLOBS, max_size=2),
)


@st.composite
def rules_and_paths(draw: st.DrawFn) -> tuple[Rules, list[str]]:
    """Rules, and paths of which some were made to lie near them."""
    rules = draw(RULES)
    near = [*rules.files, *(folder + "x" for folder in rules.dirs), *(folder[:-1] for folder in rules.dirs)]
    choices = st.one_of(PATHS, *([st.sampled_from(near)] if near else []))
    return rules, draw(st.lists(choices, min_size=1, max_size=6))


def lease_of(rules: Rules) -> LeaseFile:
    return LeaseFile(
        run="r1",
        plan="p",
        task=TaskId("t1"),
        attempt=2,
        branch="refs/heads/waves/p/t1/2",
        base=Oid("1" * 40),
        integration="refs/waves/integration/p",
        rules=rules,
        manifest=Path("/nowhere/manifest.json"),
        hints=("ask the lead",),
    )


class Shim:
    """The dispatcher as pre-commit, with a git that only lists given changes and a guard that only says it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tools").mkdir()
        self._script("pre-commit", (hooks.hooks_folder() / "dispatch.sh").read_text())
        self._script("asked", "#!/bin/sh\nexit 1\n")
        self._script(
            "tools/git",
            f'#!/bin/sh\ncase "$*" in *--raw*) cat {folder}/raw ;; *) cat {folder}/names ;; esac\nexit $code\n',
        )
        names = ("lease", "files", "patterns")
        lines = [f"_waves_{name}={folder}/{name}\n" for name in names]
        (folder / "settings.sh").write_text(
            "".join([*lines, "_waves_user=\n", f"_waves_python={folder}/asked\n"])
        )
        (folder / "lease").touch()

    def _script(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def obey(self, rules: Rules) -> None:
        (self.folder / "files").write_bytes(files_content(rules))
        patterns = patterns_content(rules)
        (self.folder / "patterns").unlink(missing_ok=True)
        if patterns is not None:
            (self.folder / "patterns").write_bytes(patterns)

    def is_sure(self, paths: list[str], *, mode: str = "100644", git_exit: int = 0) -> bool:
        """Whether a commit of these paths passes without asking the guard."""
        names = [os.fsencode(path) for path in paths]
        meta = f"//:100644 {mode} {'0' * 40} {'a' * 40} M\0".encode()
        (self.folder / "names").write_bytes(b"".join(name + b"\0" for name in names))
        (self.folder / "raw").write_bytes(b"".join(meta + name + b"\0" for name in names))
        path = f"{self.folder}/tools{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [self.folder / "pre-commit"],
            env={"PATH": path, "code": str(git_exit)},
            capture_output=True,
            check=False,
        )
        assert done.stderr == b""
        return done.returncode == 0


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Shim:
    return Shim(tmp_path_factory.mktemp("shim"))


@examples(80)
@given(rules_and_paths())
@example((compile_rules([pattern(PatternKind.GLOB, "*")]), ["a\nb", "a/b", "\udcff"]))
@example((compile_rules([pattern(PatternKind.GLOB, "??")]), ["é", "ab"]))
@example((compile_rules([pattern(PatternKind.GLOB, "**/a*b*")]), ["ab", "x/y\n/aabb", "a/b"]))
@example((compile_rules([pattern(PatternKind.DIR, "a.b")]), ["a.b/x\ny", "axb/x", "a.b"]))
def test_shell_guard_and_core_agree(shim: Shim, case: tuple[Rules, list[str]]) -> None:
    rules, paths = case
    shim.obey(rules)
    guarded = guard.Rules(
        {"files": sorted(rules.files), "dirs": list(rules.dirs), "globs": list(rules.globs)}
    )
    for path in paths:
        owned = owns(rules, path)
        assert guarded.own(os.fsencode(path)) == owned, "the guard disagrees"
        is_sure = shim.is_sure([path])
        assert owned or not is_sure, "the shell lets a foreign path through"
        beyond_grep = "\n" in path or any(ere_of(glob) is None for glob in rules.globs)
        assert is_sure or not owned or beyond_grep, "the shell starts an interpreter for an owned path"
    assert shim.is_sure(paths) <= all(owns(rules, path) for path in paths)


@examples(200)
@given(GLOBS)
def test_every_glob_but_those_with_a_question_mark_is_one_that_grep_can_read(glob: str) -> None:
    assert (ere_of(glob_regex(glob)) is None) == ("?" in glob)


@pytest.mark.parametrize("regex", [r"\d+", "a(b", "(?i)a", "a|b", ".*", r"a\Z", "a{2}", "[^/]", "a\\"])
def test_syntax_that_no_glob_gives_is_left_to_the_guard(regex: str) -> None:
    assert ere_of(regex) is None


def test_a_pattern_that_would_swallow_the_stranger_is_left_to_the_guard() -> None:
    assert ere_of("//[^/]+") is None


def test_the_shell_is_not_sure_of_a_repository_in_the_repository(shim: Shim) -> None:
    shim.obey(compile_rules([pattern(PatternKind.DIR, "docs")]))
    assert shim.is_sure(["docs/x"])
    assert shim.is_sure(["docs/x"], mode="000000")
    assert not shim.is_sure(["docs/x"], mode="160000")


def test_a_name_that_looks_like_a_change_of_mode_is_no_change_of_mode(shim: Shim) -> None:
    shim.obey(compile_rules([pattern(PatternKind.DIR, "docs")]))
    assert not shim.is_sure([f":000000 100644 {'0' * 40} {'a' * 40} A"])


def test_a_git_that_fails_half_way_is_not_sure(shim: Shim) -> None:
    shim.obey(compile_rules([pattern(PatternKind.FILE, "a")]))
    assert shim.is_sure(["a"])
    assert not shim.is_sure(["a"], git_exit=128)
    assert not shim.is_sure([], git_exit=128)


def test_a_lease_reads_back_as_it_was_written(tmp_path: Path) -> None:
    rules = compile_rules(
        [
            pattern(PatternKind.FILE, "by\udcfftes é"),
            pattern(PatternKind.DIR, "src"),
            pattern(PatternKind.GLOB, "*.md"),
        ]
    )
    (tmp_path / LEASE_NAME).write_bytes(lease_of(rules).to_bytes())
    assert read_lease(tmp_path) == lease_of(rules)
    assert lease_of(rules).to_bytes().isascii()


def test_no_lease_is_none(tmp_path: Path) -> None:
    assert read_lease(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 2}', "\xff", "null"])
def test_a_damaged_lease_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / LEASE_NAME).write_text(content, encoding="latin-1")
    with pytest.raises(SurroundingsError, match=f"^the lease '{tmp_path}/{LEASE_NAME}' cannot be read: "):
        read_lease(tmp_path)
