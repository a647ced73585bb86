"""What is said about exit codes is held against a real shell that runs every way through the same text."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess

import pytest

from git_waves.core.shell.habit import Strength
from git_waves.core.shell.judge import ending_of

_MOST_CHECKS = 4


class _Writer:
    """Writes texts from `c1`, `c2`, ... which may each pass or fail; no check stands in a text twice."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.checks = 0
        self.functions = 0

    def text(self, depth: int) -> str:
        if depth == 0:
            return self.leaf()
        kind = self.random.randrange(13)
        a, b, c = (self.text(depth - 1) if number < _PARTS[kind] else "" for number in range(3))
        if kind == 12:
            self.functions += 1
            return f"{{ f{self.functions}() {{ {a}; }}; f{self.functions}; }}"
        if kind == 11:
            return f"case $C{self.new_check()} in 1) {a};; *) {b};; esac"
        return _SHAPES[kind].format(a=a, b=b, c=c)

    def leaf(self) -> str:
        if self.checks < _MOST_CHECKS and self.random.random() < 0.8:
            return f"c{self.new_check()}"
        return self.random.choice(
            ["true", "false", "exit 0", "exit 1", "exit 3", "set -e", "set +e", ":", "x=1"]
        )

    def new_check(self) -> int:
        self.checks += 1
        return self.checks


_SHAPES = [
    "{a}; {b}",
    "{a}\n{b}",
    "{a} && {b}",
    "{a} || {b}",
    "( {a} )",
    "{{ {a}; }}",
    "! {{ {a}; }}",
    "if {a}; then {b}; fi",
    "if {a}; then {b}; else {c}; fi",
    "( {a} ) | ( {b} )",
    "for i in 1 2; do {a}; done",
]
_PARTS = [2, 2, 2, 2, 1, 1, 1, 2, 3, 2, 1, 2, 1]


def _codes(shell: str, texts: list[tuple[str, int]]) -> list[list[int]]:
    """For each text its exit codes, one for each way its checks may end. One process runs them all."""
    program = []
    for text, checks in texts:
        for bits in itertools.product((0, 1), repeat=checks):
            named = enumerate(bits, 1)
            given = "".join(f"C{number}={bit}; c{number}() {{ return {bit}; }}\n" for number, bit in named)
            program.append(f"( {given}{text}\n) > /dev/null 2>&1 < /dev/null\necho $?\n")
    run = subprocess.run([shell], input="".join(program), capture_output=True, text=True, check=True)
    codes = iter(map(int, run.stdout.split()))
    return [[next(codes) for _ in range(2**checks)] for _, checks in texts]


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_text_is_said_to_fail_just_when_it_can(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    texts = []
    for seed in range(400):
        writer = _Writer(seed)
        text = writer.text(writer.random.randrange(1, 4))
        texts.append((text, writer.checks))
    missed = []
    for (text, _), codes in zip(texts, _codes(shell, texts), strict=True):
        ending = ending_of(text)
        assert ending is not None, text
        if ending.strength is Strength.NONE:
            assert not any(codes), f"it is said that this cannot fail, and it can:\n{text}"
        elif not any(codes):
            missed.append(text)
    assert len(missed) <= 4, "what depends on two things at once may be missed, but seldom"
