"""Colours, advice and pagers, as people set them for git."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from git_waves.adapters.preferences import Preferences
from git_waves.views.paint import ADVICE
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.plans import phase3, plan, task
from tests.support.repo import ROOT, RepoBuilder
from tests.support.terminals import at_a_terminal

PLAN = ".waves/plan.yaml"
installed = pytest.mark.skipif(
    not Path(sys.executable).with_name("git-waves").exists(),
    reason="'git waves' is no command here: make sets it up",
)


# ---------------------------------------------------------------------- colour


@pytest.mark.parametrize(
    ("settings", "no_color", "always", "never"),
    [
        ({}, False, False, False),
        ({"color.waves": "always"}, False, True, False),
        ({"color.waves": "always"}, True, True, False),
        ({"color.ui": "always"}, False, True, False),
        ({"color.ui": "always"}, True, False, False),
        ({"color.ui": "always", "color.waves": "auto"}, False, False, False),
        ({"color.ui": "never", "color.waves": "true"}, False, False, False),
        ({"color.ui": "never"}, False, False, True),
        ({"color.waves": "false"}, False, False, True),
        ({"color.waves": "off", "color.ui": "always"}, False, False, True),
    ],
)
def test_colour_is_what_git_would_make_of_the_settings(
    settings: dict[str, str], no_color: bool, always: bool, never: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    found = Preferences(settings)
    assert (found.is_always_coloured, found.is_never_coloured) == (always, never)


@pytest.mark.parametrize("words", [("status",), ("plan",)])
def test_what_is_set_is_obeyed_on_the_quick_path_too(
    repo: RepoBuilder, waves: Waves, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({PLAN: phase3()})
    scenes.morning(repo.folder / ".git")
    assert "\x1b[" not in waves(*words).out
    repo.git("config", "--global", "color.waves", "always")
    assert "\x1b[" in waves(*words).out
    repo.git("config", "--global", "--unset", "color.waves")
    (tmp_path / "more").write_text("[color]\n\twaves = always\n", encoding="utf-8")
    repo.git("config", "include.path", str(tmp_path / "more"))
    assert "\x1b[" in waves(*words).out
    repo.git("config", "--unset", "include.path")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'color.waves'='always'")  # git -c color.waves=always waves
    assert "\x1b[" in waves(*words).out


# ---------------------------------------------------------------------- advice


def test_advice_is_left_out_one_kind_at_a_time(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("a", files="[x]"), task("b", files="[x]"))})
    assert {"hint: ", "next: "} <= set(
        re.findall(r"^(?:hint|next): ", waves("plan", exit=1).out, re.MULTILINE)
    )
    repo.git("config", "advice.wavesNext", "false")
    out = waves("plan", exit=1).out
    assert "\nhint: " in out
    assert "\nnext: " not in out
    repo.git("config", "advice.wavesFinding", "false")
    assert "hint: " not in waves("plan", exit=1).out
    assert "\nhint: " in waves("show", "x", exit=2).err
    repo.git("config", "advice.wavesError", "false")
    assert waves("show", "x", exit=2).err == "fatal: nothing has run here yet\n"


def test_advice_of_a_status(repo: RepoBuilder, waves: Waves) -> None:
    scenes.morning(repo.folder / ".git")
    assert "\nnext: " in waves("status").out
    repo.git("config", "advice.waves", "false")
    assert "\nnext: " not in waves("status").out
    assert "hint: " not in waves("status").out


def test_the_manual_names_every_advice_and_no_other() -> None:
    manual = (ROOT / "man/git-waves.1").read_text(encoding="utf-8")
    assert set(re.findall(r"advice\.waves([A-Z]\w+)", manual)) == {name.capitalize() for name in ADVICE}
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "git_waves").rglob("*.py"))
    asked = set(re.findall(r'advises\("(\w+)"\)', source)) | {"error"}
    assert asked == set(ADVICE), "error's is asked for in entry.py"


# ---------------------------------------------------------------------- pager


@pytest.fixture
def read(repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A repository with a plan; its people read with a pager that marks what goes through it."""
    pager = tmp_path / "bin/pager"
    pager.parent.mkdir()
    pager.write_text("#!/bin/sh\nsed 's/^/| /'\n", encoding="utf-8")
    pager.chmod(0o755)
    repo.environment["GIT_PAGER"] = str(pager)
    repo.environment["TERM"] = "xterm"
    repo.environment.pop("NO_COLOR")
    repo.environment.pop("COLUMNS")
    repo.commit({PLAN: phase3()})
    return repo


def typed(repo: RepoBuilder, *words: str, **environment: str) -> tuple[int, str]:
    """`git` with these words at a terminal."""
    return at_a_terminal(["git", *words], cwd=repo.folder, environment={**repo.environment, **environment})


@installed
def test_long_answers_are_read_in_gits_pager(read: RepoBuilder) -> None:
    code, shown = typed(read, "waves", "plan")
    assert code == 0
    assert shown.startswith("| \x1b[1mplan 'p'\x1b[m"), "coloured, because a pager is a person's"
    assert all(line.startswith("| ") for line in shown.splitlines())
    assert "| " not in typed(read, "--no-pager", "waves", "plan")[1]


@pytest.mark.long
@installed
def test_who_decides_on_the_pager(read: RepoBuilder, tmp_path: Path) -> None:
    def is_paged(*words: str, **environment: str) -> bool:
        return "\n| " in typed(read, *words, **environment)[1]

    assert not is_paged("waves", "status"), "it is one screen, as git's"
    assert not is_paged("-c", "pager.waves=false", "waves", "plan")
    assert not is_paged("-c", "pager.waves.plan=false", "waves", "plan")
    assert not is_paged("waves", "plan", GIT_PAGER="cat")
    own = "sed 's/^/own /'"
    assert "\nown " in typed(read, "-c", f"pager.waves.plan={own}", "waves", "plan")[1]
    trap = f"touch {tmp_path}/sprung; cat"
    read.git("config", "core.pager", trap)
    read.git("config", "pager.waves.plan", trap)
    read.environment.pop("GIT_PAGER")
    read.environment["PAGER"] = "sed 's/^/| /'"
    assert is_paged("waves", "plan")
    assert not (tmp_path / "sprung").exists(), (
        "the repository's own configuration names no program to read a plan with"
    )
    # An error is told behind the pager, a closed pager is no error.
    code, shown = typed(read, "waves", "plan", "nowhere.yaml")
    assert (code, "\nfatal: " in f"\n{shown}") == (2, True)
    assert typed(read, "waves", "plan", PAGER="true")[0] in (0, 141)
