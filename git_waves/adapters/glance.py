"""A quick look at the newest run: the repository found, its log read and folded, with next to no imports.

`git waves status` is typed all day and put into prompts, so nothing here may import `json`, `re`, `pathlib`,
`subprocess` or `dataclasses`, each of which costs as much as starting Python (docs/performance.md). What it cannot make
sense of it leaves to the whole program, which asks git.
"""

from __future__ import annotations

import fcntl
import os

from git_waves.core.fold import RunState
from git_waves.errors import SurroundingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Glance:
    """One run, as its log tells it: `folder` is the run's folder, `is_running` whether a coordinator holds the plan."""

    __slots__ = ("folder", "is_running", "state")

    def __init__(self, folder: str, state: RunState, *, is_running: bool) -> None:
        self.folder = folder
        self.state = state
        self.is_running = is_running


def find_common_dir(folder: str) -> str | None:
    """The common git directory around `folder`, the way git finds it; None when only git itself can tell."""
    if os.environ.get("GIT_COMMON_DIR"):
        return os.path.join(folder, os.environ["GIT_COMMON_DIR"])
    given = os.environ.get("GIT_DIR")
    git_dir = os.path.join(folder, given) if given else _walk_up(folder)
    if git_dir is None or not os.path.exists(os.path.join(git_dir, "HEAD")):
        return None
    pointer = _first_line(os.path.join(git_dir, "commondir"))
    return os.path.normpath(os.path.join(git_dir, pointer)) if pointer else git_dir


def find_lease(folder: str) -> str | None:
    """The lease of the task whose worktree `folder` lies in; None when it lies in none."""
    git_dir = _walk_up(folder)
    lease = os.path.join(git_dir, "waves-lease.json") if git_dir is not None else ""
    return lease if os.path.isfile(lease) else None


def _walk_up(folder: str) -> str | None:
    ceilings = {path for path in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(":") if path}
    while True:
        candidate = os.path.join(folder, ".git")
        if os.path.isdir(candidate):
            return candidate
        line = _first_line(candidate)
        if line.startswith("gitdir: "):
            return os.path.join(folder, line[len("gitdir: ") :])
        parent = os.path.dirname(folder)
        if parent == folder or parent in ceilings:
            return None
        folder = parent


def _first_line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096)).split("\n", 1)[0].rstrip("\r")
    except OSError:
        return ""


def newest_run(common_dir: str, plan: str | None = None) -> Glance | None:
    """The newest run, or the newest of the plan of that name; None when there is none.

    Raises SurroundingsError when the log is damaged or was written by a newer git-waves.
    """
    runs = os.path.join(common_dir, "waves", "runs")
    try:
        names = sorted(os.listdir(runs), reverse=True)
    except OSError:
        return None
    for name in names:
        if name.startswith("."):  # a run being put together
            continue
        folder = os.path.join(runs, name)
        lines = _whole_lines(os.path.join(folder, "events.jsonl"))
        if not lines:
            continue
        if plan is not None and _plan_of(lines[0]) != plan:
            continue
        state = _fold(lines, os.path.join(folder, "events.jsonl"))
        return Glance(
            folder, state, is_running=is_held(os.path.join(common_dir, "waves", f"{state.plan}.lock"))
        )
    return None


def _whole_lines(path: str) -> list[str]:
    """The log's lines without a torn last one; the log is ASCII by construction."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return []
    return data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").split("\n")[:-1]


def _plan_of(line: str) -> str | None:
    try:
        plan = _loader()(line, 0)[0]["plan"]
    except (ValueError, StopIteration, KeyError, TypeError):
        return None
    return plan if isinstance(plan, str) else None


def _fold(lines: list[str], path: str) -> RunState:
    scan = _loader()
    state = RunState()
    number = 0
    why = ""
    try:
        for line in lines:
            number += 1
            event = scan(line, 0)[0]
            if event["n"] != number:
                why = f": event {number} expected, {event['n']} found"
                raise ValueError(why)
            if number == 1 and event.get("v", 1) > 1:
                raise SurroundingsError(
                    f"the event log '{path}' was written by a newer git-waves",
                    hint="update git-waves, then look again",
                )
            state.apply(event)
    except (ValueError, StopIteration, KeyError, TypeError, AttributeError) as error:
        raise SurroundingsError(
            f"the event log is damaged at '{path}:{number}'{why}",
            hint="keep that file for a look; 'git waves run --new' starts over, merged work stays in its refs",
        ) from error
    return state


def _loader() -> Callable[[str, int], tuple[Any, int]]:
    """CPython's own JSON scanner without the `json` package, whose import of `re` takes longer than reading the log.

    Falls back to the public module where that scanner is missing or wants more than we give it.
    """
    try:
        from _json import make_scanner

        settings: Any = _Settings()  # typeshed knows only JSONDecoder here; the scanner reads attributes
        scan: Callable[[str, int], tuple[Any, int]] = make_scanner(settings)
    except (ImportError, AttributeError):
        from json import JSONDecoder

        return JSONDecoder().raw_decode
    return scan


class _Settings:
    """What the scanner asks of its owner: JSON as it is, nothing converted on the way."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: ClassVar[dict[str, str]] = {}


def is_held(lock: str) -> bool:
    """Whether a coordinator holds this lock file right now. Asks the kernel for a moment's share of it, never a pid."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
