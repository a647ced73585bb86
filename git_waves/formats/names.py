"""What plans, tasks and other things of a plan may be called: names that are safe as a branch, a folder and an option."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from pathlib import PurePosixPath

TASK_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
PLAN_NAME = r"[a-z0-9][a-z0-9-]{0,39}"
_is_task_id = re.compile(TASK_ID).fullmatch
_is_plan_name = re.compile(PLAN_NAME).fullmatch

# `refs/waves/archive/<run>/<task>/<attempt>` lives beside what else of a run is kept there.
_KEPT = ("previous-integration", "moved-integration", "reset-candidate")
# `waves/<plan>/<task>/<attempt>` lives beside `waves/<plan>/integration`, and a gate gets a worktree as a task does.
RESERVED_IDS = frozenset({"integration", "gate", *_KEPT})
# The integration review is a gate of that name.
RESERVED_GATES = frozenset({"review"})
# Rungs every task has, and what their jobs and logs are called.
RESERVED_STAGES = frozenset(
    {"environment", "canary", "agent", "commit", "ownership", "handoff", "setup", "verify", "merge", "gate"}
)
_NUMBERED = re.compile(r"(?:setup|verify)-\d+").fullmatch
# `refs/waves/archive/...` lives beside `refs/waves/<plan>/...`.
RESERVED_PLAN_NAMES = frozenset({"archive", "integration"})

_SAME_EVERYWHERE = frozenset(
    {
        "plan.index.json",
        ".plan-fragments.json",
        "tasks.md",
        "tasks.json",
        "PLAN.md",
        "run-plan.yaml",
        "issues.jsonl",
    }
)
_NO_NAMES = frozenset({"tasks", ".", "..", "/"})

_TOO_MANY_TO_COMPARE = 500
_TOO_MANY_TO_SHOW = 40

Complaint = tuple[str, str]
"""A message and a hint, without a place."""


def name_complaint(name: str, what: str) -> Complaint | None:
    """What is wrong with the name of a task, group, gate, stage, resource or background writer (`what`); None when fine.

    The rules of `git check-ref-format` for one path part, narrowed to letters that no file system, shell or option
    parser reads in its own way.
    """
    if what == "task" and name.lower() in RESERVED_IDS:
        return f"the id '{name}' is taken by git-waves itself", "choose another id"
    if what == "gate" and name.lower() in RESERVED_GATES:
        return (
            f"the gate name '{name}' is taken by git-waves itself",
            "choose another name; the integration review stands under 'review:'",
        )
    if what == "stage" and (name.lower() in RESERVED_STAGES or _NUMBERED(name.lower())):
        return f"the stage name '{name}' is taken by git-waves itself", "choose another name"
    if what == "stage" and "." in name:  # what stands before a rung in the name of a job ends with a dot
        return f"stage '{shorten(name)}' has a '.' in its name", "write '-' instead"
    if not _is_task_id(name):
        return (
            f"{what} '{shorten(name)}' has a name that cannot be used",
            "letters, digits, '.', '_' and '-', at most 64, a letter or digit first",
        )
    if name.endswith(".") or name.lower().endswith(".lock") or ".." in name:
        return (
            f"{what} '{name}' cannot be part of a branch name",
            "no '..' in it, no '.' or '.lock' at its end",
        )
    return None


def plan_name_complaint(name: str) -> Complaint | None:
    """What is wrong with a plan's name; None when it is fine."""
    if not _is_plan_name(name):
        return (
            f"plan name '{shorten(name)}' is not usable",
            "lower-case letters, digits and '-', at most 40, and a letter or digit first",
        )
    if name in RESERVED_PLAN_NAMES:
        return f"plan name '{name}' is taken by git-waves itself", "choose another name"
    return None


def plan_name_from(hint: str) -> str:
    """A plan's name from the path it was read from: `.waves/api.yaml` is `api`, `docs/x/plan.index.json` is `x`.

    Files that have the same name in every folder are named by the folder: `.kiro/specs/login/tasks.md` is `login`.
    """
    path = PurePosixPath(hint.replace("\\", "/"))
    stem = path.name.lstrip(".").split(".", 1)[0]
    if path.name in _SAME_EVERYWHERE:
        folders = [part for part in path.parts[:-1] if part not in _NO_NAMES]
        stem = folders[-1] if folders else stem
    elif path.suffix == ".md" and stem.endswith("-PLAN"):
        stem = stem.removesuffix("-PLAN")
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:40].strip("-")
    return "plan" if slug == "" or slug in RESERVED_PLAN_NAMES else slug


@lru_cache(maxsize=1024)
def did_you_mean(text: str, known: tuple[str, ...], *, label: str = "known") -> str:
    """A hint for a name that is not known: the nearest known one, else all of them in their order if they are few.

    Remembered, and without the nearest one when there are very many, because a plan can repeat one slip 10,000 times.
    """
    if len(known) <= _TOO_MANY_TO_COMPARE:
        near = difflib.get_close_matches(text, known, n=1, cutoff=0.7)
        if near:
            return f"did you mean '{shorten(near[0])}'?"
    return f"{label}: {', '.join(map(shorten, known))}" if 0 < len(known) <= _TOO_MANY_TO_SHOW else ""


def shorten(text: str, limit: int = 60) -> str:
    """`text` as it may stand inside a message: one line, at most `limit` letters, nothing a terminal would obey."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 3] + "..."
