"""Claude Code's pre-tool hook in a whole run, with a program of that name that asks it as the real one does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.run.test_whole_runs import merged
from tests.support.repo import RepoBuilder

CLAUDE = """#!/usr/bin/env python3
import json, os, subprocess, sys
with open(sys.argv[sys.argv.index("--settings") + 1]) as file:
    (rule,) = json.load(file)["hooks"]["PreToolUse"]
assert rule["matcher"].split("|")[0] == "Write"

def may_write(path):
    asked = {"tool_name": "Write", "tool_input": {"file_path": os.path.abspath(path)}, "cwd": os.getcwd()}
    done = subprocess.run(rule["hooks"][0]["command"], shell=True, input=json.dumps(asked), capture_output=True, text=True)
    print(json.dumps({"type": "assistant", "path": path, "code": done.returncode, "said": done.stderr}))
    return done.returncode == 0

assert not may_write("theirs.txt")
assert may_write("mine.txt")
with open("mine.txt", "w") as file:
    file.write("mine")
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "s"}))
"""


@pytest.mark.long
def test_an_edit_of_a_foreign_path_is_refused_and_the_settings_are_no_change_of_the_task(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/claude"
    program.write_text(CLAUDE)
    program.chmod(0o755)
    text = (
        "version: 1\nname: p\nagent: claude\ntasks:\n"
        "  - {id: mine, files: [mine.txt], prompt: Write mine.txt.}\n"
        "  - {id: theirs, files: [theirs.txt], needs: [mine], run: echo theirs > theirs.txt}\n"
    )
    repo.commit({".waves/plan.yaml": text})
    path = f"{tmp_path / 'bin'}{os.pathsep}{repo.environment['PATH']}"
    done = repo.run_waves("run", environment={"PATH": path})
    log = repo.waves("log", "mine")
    assert done.returncode == 0, done.stdout + done.stderr + log
    assert "'theirs.txt' belongs to task 'theirs', not to task 'mine'" in log
    assert merged(repo) == ["mine", "theirs"]
