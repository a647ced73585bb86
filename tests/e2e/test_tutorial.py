"""docs/tutorial.md, followed to the letter by somebody with a repository of their own: what it shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.repo import ROOT, RepoBuilder

TUTORIAL = ROOT / "docs/tutorial.md"
_BLOCK = re.compile(r"^```(yaml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.yaml)\n")
_VARYING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b"), "RUN"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"), "COMMIT"),
    (re.compile(r"(?:^ *| )\d+s\b"), " TIME"),
    (re.compile(r"\bgit: \d[\d.]+"), "git: VERSION"),
)


def lines_of(text: str) -> Counter[str]:
    """The lines, each as often as it comes, with what differs from time to time taken out; tasks may end in any order."""
    for pattern, word in _VARYING:
        text = re.sub(pattern.pattern, word, text, flags=re.MULTILINE)
    return Counter(line.rstrip() for line in text.splitlines())


def steps(text: str) -> list[tuple[str, str]]:
    """Each command of a block with what is shown below it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not parts[0].strip(), "a block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.long
@pytest.mark.skipif(
    not Path(sys.executable).with_name("git-waves").exists(),
    reason="'git waves' is no command here: make sets it up",
)
def test_the_tutorial_shows_what_happens(repo: RepoBuilder) -> None:
    repo.commit({"README.md": "# Theirs\n", "src/app.py": "print('theirs')\n"})
    before = repo.git("rev-parse", "main")
    typed = 0
    for kind, text in _BLOCK.findall(TUTORIAL.read_text(encoding="utf-8")):
        if kind == "yaml":
            if file := _FILE.match(text):
                (repo.folder / file[1]).write_text(text, encoding="utf-8")
            continue
        for command, shown in steps(text):
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=repo.folder,
                env=repo.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            happened, expected = lines_of(done.stdout + done.stderr), lines_of(shown)
            has_gaps = expected.pop("...", 0)
            missing = expected - happened
            assert not missing, f"$ {command}\n{done.stdout}{done.stderr}\nlacks: {sorted(missing)}"
            more = Counter() if has_gaps else happened - expected
            assert not more, f"$ {command}\nalso shows: {sorted(more)}"
            typed += 1
    assert typed > 10
    assert repo.git("branch", "--format=%(refname:short)") == "main"
    assert repo.git("rev-parse", "HEAD") == before
    assert repo.git("status", "--porcelain") == ""
    assert not list(repo.folder.parent.glob("repo.waves/*")), "no worktree is left"
