"""What `git waves` answers at once, before the command line library is loaded: status, version, the short help,
and what agent programs ask before each edit.

Loading that library takes fifteen times as long as starting Python (docs/performance.md), and `status` is typed all day.
Whatever is unusual is left to the whole program, which calls the same functions with what git says.
"""

from __future__ import annotations

import os

from git_waves import __version__
from git_waves.adapters import glance, terminal
from git_waves.adapters.preferences import read
from git_waves.errors import OK, UsageError
from git_waves.views import usage_text
from git_waves.views.paint import Paint
from git_waves.views.status_text import status_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class StatusOptions:
    """What `status` is asked for: `form` is `text`, `json` or `porcelain`; `nul` ends porcelain records with NUL."""

    __slots__ = ("form", "nul", "plan")

    def __init__(self, *, form: str = "text", nul: bool = False, plan: str | None = None) -> None:
        self.form = form
        self.nul = nul
        self.plan = plan


def answer(words: Sequence[str]) -> int | None:
    """Answer what can be answered at once and return the exit code; None for everything else."""
    if not words or list(words) in (["-h"], ["--help"], ["help"]):
        terminal.write(usage_text.short_help())
        return OK
    if list(words) in (["--version"], ["-v"], ["version"]):
        terminal.write(f"git-waves {__version__}\n")
        return OK
    if list(words[:2]) == ["complete", "--"]:
        return _complete(words[2:])
    if list(words) == ["agent-hook"]:
        return agent_hook()
    options = _status_options(words[1:]) if words[0] == "status" else None
    common_dir = glance.find_common_dir(os.getcwd()) if options is not None else None
    if options is None or common_dir is None:
        return None
    import gc

    was_enabled = gc.isenabled()
    gc.disable()  # a log makes many objects and no garbage; looking for some costs a third of the answer
    try:
        return show_status(common_dir, options)
    finally:
        if was_enabled:
            gc.enable()


def terminal_paint() -> Paint:
    """How who looks at standard output likes to read."""
    preferences = read()
    return Paint(terminal.wants_colour(preferences), preferences.silenced)


def agent_hook() -> int:
    """Answer an agent program that asks before an edit (JSON on standard input), as the guard of the worktree around us
    does: 2 refuses. Outside of a task's worktree nothing is refused."""
    lease = glance.find_lease(os.getcwd())
    if lease is None:
        return OK
    from importlib.util import module_from_spec, spec_from_file_location

    package = os.path.dirname(os.path.abspath(__file__))
    places = (os.path.join(package, "hooks"), os.path.join(os.path.dirname(package), "hooks"))
    found = next(path for place in places if os.path.isfile(path := os.path.join(place, "guard.py")))
    spec = spec_from_file_location("guard", found)
    assert spec is not None and spec.loader is not None
    guard = module_from_spec(spec)
    spec.loader.exec_module(guard)
    return int(guard.main(["guard.py", lease, "agent-hook"]))


def _complete(words: Sequence[str]) -> int:
    """Print what the last word may become: the scripts of `git waves completion` ask at every press of the tab key."""
    from git_waves.core.completing import candidates

    common_dir = glance.find_common_dir(os.getcwd())
    run = glance.newest_run(common_dir, None) if common_dir is not None else None
    found = candidates(words, run.state if run is not None else None)
    terminal.write("".join(f"{word}\n" for word in found))
    return OK


def _status_options(words: Sequence[str]) -> StatusOptions | None:
    """The options of `status` when all of them are known here; None leaves them to the whole program."""
    options = StatusOptions()
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--json" or (word == "--porcelain" and options.form != "json"):
            options.form = word[2:]
        elif word == "-z":
            options.nul = True
        elif word == "--plan" and left:
            options.plan = left.pop(0)
        elif word.startswith("--plan="):
            options.plan = word[len("--plan=") :]
        else:
            return None
    return options


def show_status(common_dir: str, options: StatusOptions) -> int:
    """Print how the newest run stands; UsageError when the plan that is asked for never ran."""
    import time

    run = glance.newest_run(common_dir, options.plan)
    if run is None and options.plan is not None:
        raise UsageError(
            f"plan '{options.plan}' has no run here", hint="'git waves status' shows the newest run"
        )
    state = run.state if run is not None else None
    is_running = run is not None and run.is_running
    if options.form == "json":
        from json import dumps

        from git_waves.views.status_json import status_json

        terminal.write(dumps(status_json(state, is_running=is_running), indent=2) + "\n")
    elif options.form == "porcelain" or options.nul:
        from git_waves.views.status_porcelain import status_porcelain

        terminal.write(status_porcelain(state, is_running=is_running, nul=options.nul))
    elif state is None:
        terminal.write(
            "nothing has run here yet\nnext: 'git waves plan' to see the plan, then 'git waves run'\n"
        )
    else:
        width, paint = terminal.width(), terminal_paint()
        terminal.write(status_text(state, is_running=is_running, now=time.time(), width=width, paint=paint))
    return OK
