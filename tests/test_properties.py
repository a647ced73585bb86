"""Properties are tried with the same examples every time, as often as the occasion asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
PROPERTY = """\
import sys
from hypothesis import given, settings, strategies as st
from tests.support.properties import examples, forget_our_constants, register_profiles

register_profiles()
forget_our_constants()
if len(sys.argv) > 1:
    settings.load_profile(sys.argv[1])
try:
    import noise
except ImportError:
    pass

@examples(200)
@given(st.tuples(st.integers(), st.integers()))
def whatever(drawn):
    print(ascii(drawn))

whatever()
"""


def drawn(folder: Path, *profile: str) -> list[str]:
    """The examples that the property is tried with, in a process of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "it.py").write_text(PROPERTY)
    done = subprocess.run(
        [sys.executable, "it.py", *profile],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


def test_the_same_examples_come_whatever_else_is_loaded(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "noise.py").write_text("\n".join(f"N{n} = {7**5 * n}" for n in range(99)))
    full = drawn(tmp_path / "quiet", "full")
    assert drawn(noisy, "full") == full
    assert len(full) == 200


@pytest.mark.long
def test_a_fifth_of_the_examples_is_tried_quickly_and_many_others_in_fuzz(tmp_path: Path) -> None:
    assert len(drawn(tmp_path)) == 40
    found = [drawn(tmp_path, "fuzz") for _ in range(2)]
    assert [len(each) >= 4000 for each in found] == [True, True]
    assert found[0] != found[1]


def test_luck_decides_only_where_it_is_asked_for() -> None:
    assert settings.get_current_profile_name() in ("quick", "full", "fuzz")
    assert settings().derandomize == (settings.get_current_profile_name() != "fuzz")


def test_properties_take_their_number_of_examples_from_the_occasion() -> None:
    """`settings(max_examples=...)` in a test would be the same number in every profile."""
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
    wrong = [
        str(path.relative_to(ROOT)) for path in files if "max_examples" in path.read_text(encoding="utf-8")
    ]
    assert not wrong, f"use examples() of tests/support/properties.py in {', '.join(wrong)}"
