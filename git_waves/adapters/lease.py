"""What a task worktree's lease file says, and the rule files beside it that git and grep can read without us.

The lease lies in the worktree's administrative folder, so `git waves owned` and the guard find it from inside; the rules
in it are the frozen ones of the run. The guard decides from the lease; the rule files only let an allowed commit
pass without starting an interpreter, so whatever grep could read differently from `core` is left out of them.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_waves.core.model import Oid, Rules, TaskId
from git_waves.core.ownership import rules_from_json, rules_to_json
from git_waves.errors import SurroundingsError

LEASE_NAME = "waves-lease.json"
FILES_NAME = "waves-owned-files"
PATTERNS_NAME = "waves-owned-patterns"
STRANGER = b"//stranger"  # what dispatch.sh sends through grep; no pattern may swallow it

# A line of `git diff --raw --line-prefix=//` whose new mode is anything but 160000 (a repository inside the repository).
_ORDINARY_MODES = rb"//:[0-7]+ (0|10|12)[0-7]+ [0-9a-f]+ [0-9a-f]+ [A-Z][0-9]*"

# The words of core/globs.glob_regex. `once` is a run that is matched at the first place it fits; that is only a guard
# against slow matching and changes nothing about what is matched, nor does a lazy star.
_WORDS = re.compile(
    r"(?P<once>\(\?=\(\?P<g\d+>)|(?P<end_once>\)\)\(\?P=g\d+\))|(?P<group>\(\?:)|(?P<end_group>\)\*)\??"
    r"|(?P<many>\[\^/\][*+])\??|(?P<letter>\\?[^\n])",
    re.DOTALL,
)
_SPECIAL = frozenset(".[](){}*+?^$|\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseFile:
    """Which task a worktree belongs to: `branch` and `integration` are full ref names, `base` the commit the attempt was
    cut from, `manifest` the run's frozen manifest, `hints` lines the guard adds to what it says about foreign paths."""

    run: str
    plan: str
    task: TaskId
    attempt: int
    branch: str
    base: Oid
    integration: str
    rules: Rules
    manifest: Path
    hints: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The attempt's name in files and folders."""
        return f"{self.task}.{self.attempt}"

    def to_bytes(self) -> bytes:
        """The file's content. Bytes of paths that are no UTF-8 stand as lone surrogates, escaped."""
        written = {
            "version": 1,
            "run": self.run,
            "plan": self.plan,
            "task": self.task,
            "attempt": self.attempt,
            "branch": self.branch,
            "base": self.base,
            "integration": self.integration,
            "rules": rules_to_json(self.rules),
            "manifest": str(self.manifest),
            "hints": list(self.hints),
        }
        return json.dumps(written, indent=1).encode() + b"\n"


def read_lease(admin: Path) -> LeaseFile | None:
    """The lease in a worktree's administrative folder; None when there is none.

    An agent can write there: good for telling people what they own, never for deciding what is merged.
    Raises SurroundingsError for a file that is no lease.
    """
    path = admin / LEASE_NAME
    try:
        return _lease(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as damage:
        raise SurroundingsError(
            f"the lease '{path}' cannot be read: {damage}",
            hint="a new worktree is made by: git waves retry TASK",
        ) from damage


def _lease(written: dict[str, Any]) -> LeaseFile:
    if written["version"] != 1:
        raise ValueError(f"version {written['version']} is not 1")
    return LeaseFile(
        run=str(written["run"]),
        plan=str(written["plan"]),
        task=TaskId(str(written["task"])),
        attempt=int(written["attempt"]),
        branch=str(written["branch"]),
        base=Oid(str(written["base"])),
        integration=str(written["integration"]),
        rules=rules_from_json(written["rules"]),
        manifest=Path(str(written["manifest"])),
        hints=tuple(str(line) for line in written["hints"]),
    )


def files_content(rules: Rules) -> bytes:
    """The exact paths, one a line, for `grep -F`. A path that holds a line break is left to the guard."""
    paths = sorted(os.fsencode(path) for path in rules.files if "\n" not in path)
    return b"".join(path + b"\n" for path in paths)


def patterns_content(rules: Rules) -> bytes | None:
    """Folders and globs as extended regular expressions of bytes, one a line; None when there are neither."""
    if not rules.dirs and not rules.globs:
        return None
    folders = [_literal(folder) + b".*" for folder in rules.dirs if "\n" not in folder]
    globs = [pattern for glob in rules.globs if (pattern := ere_of(glob)) is not None]
    return b"".join(pattern + b"\n" for pattern in (_ORDINARY_MODES, *folders, *globs))


def ere_of(glob: str) -> bytes | None:
    """The regular expression of a glob as one that `grep -E` reads in the same way under `LC_ALL=C`.

    None when there is none: `?` is one letter to us and one byte to grep, and syntax we do not know is not guessed at.
    """
    pattern = b""
    position = 0
    while position < len(glob):
        word = _WORDS.match(glob, position)
        if word is None:
            return None
        position = word.end()
        if word["once"] or word["group"]:
            pattern += b"("
        elif word["end_once"]:
            pattern += b")"
        elif word["end_group"]:
            pattern += b")*"
        elif word["many"]:
            pattern += os.fsencode(word["many"])
        elif word["letter"] in _SPECIAL or (len(word["letter"]) == 2 and word["letter"][1].isalnum()):
            return None
        else:
            pattern += _literal(word["letter"][-1])
    return None if re.fullmatch(glob, os.fsdecode(STRANGER)) else pattern


def _literal(text: str) -> bytes:
    # Brackets quote everything but these two, and no grep complains about them.
    quoted = (
        "\\" + letter if letter in "\\^" else f"[{letter}]" if letter in _SPECIAL else letter
        for letter in text
    )
    return os.fsencode("".join(quoted))
