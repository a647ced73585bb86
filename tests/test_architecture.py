"""The rules of the house that a reader could break without noticing: who imports whom, what is pure, who touches what.

docs/architecture.md says why; a rule that has to change is changed in both places.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator

from tests.support.source import PACKAGE, ROOT, Import, Module, modules

# ---------------------------------------------------------------------- who imports whom

_FRONT = ("entry", "quick", "__main__")
_ROOMS = ("adapters", "agents", "core", "formats", "views", "cli", "errors", *_FRONT)
RUN = "run"  # every module or package at the top that is none of these: the rooms that connect deciding with touching

MAY_IMPORT = {
    "errors": (),
    "core": ("errors",),
    "formats": ("core", "errors"),
    "agents": ("core", "errors"),
    "views": ("core", "errors"),
    "adapters": ("core", "errors"),
    RUN: ("adapters", "agents", "formats", "core", "errors"),
    "quick": ("adapters", "views", "core", "errors"),
    "cli": (RUN, "quick", "views", "adapters", "agents", "formats", "core", "errors"),
    "entry": ("cli", "quick", "views", "adapters", "errors"),
    "__main__": ("entry",),
}


def _room(module: str) -> str:
    parts = module.split(".")
    if len(parts) == 1:
        return ""  # the package itself: its version
    return parts[1] if parts[1] in _ROOMS else RUN


def _ours(module: Module) -> Iterator[Import]:
    return (found for found in module.imports() if found.target.split(".")[0] == PACKAGE)


def test_imports_point_down_the_table() -> None:
    wrong = [
        module.at(found.line, f"'{_room(module.name)}' may not import '{found.target}'")
        for module in modules()
        if _room(module.name)
        for found in _ours(module)
        if _room(found.target) not in ("", _room(module.name), *MAY_IMPORT[_room(module.name)])
    ]
    _none(wrong, "imports point down the table in docs/architecture.md")


def test_imports_name_their_module_in_full() -> None:
    wrong = [
        module.at(found.line, found.target)
        for module in modules(PACKAGE, "hooks", "tests")
        for found in module.imports()
        if found.target.startswith("a relative import")
    ]
    _none(wrong, "imports are absolute, so that a reader and grep find them")


def test_no_two_modules_need_each_other_to_load() -> None:
    graph = {
        module.name: {
            found.target
            for found in _ours(module)
            if not (found.is_lazy or found.is_typing) and found.target != module.name
        }
        for module in modules()
    }
    while True:  # take away what needs nothing any more; what is left is a circle, or needs one
        loaded = {name for name, needs in graph.items() if not needs & graph.keys()}
        if not loaded:
            break
        graph = {name: needs for name, needs in graph.items() if name not in loaded}
    left = [
        f"{name} needs {', '.join(sorted(needs & graph.keys()))}" for name, needs in sorted(graph.items())
    ]
    _none(left, "modules load without going in a circle")


# ---------------------------------------------------------------------- what core may not know

# Clocks, chance, disk, processes, network, threads, terminals: whatever makes a decision depend on more than its values.
_IMPURE = """
asyncio concurrent ctypes curses datetime fcntl fileinput ftplib getpass glob http io locale logging mmap multiprocessing
pathlib platform pty pwd random resource sched secrets select selectors shutil signal smtplib socket socketserver sqlite3
ssl subprocess tempfile termios threading time tty urllib uuid webbrowser
"""
IMPURE = frozenset(_IMPURE.split())
PURE_PATHS = {"PurePath", "PurePosixPath", "PureWindowsPath"}  # pathlib's other half
IMPURE_CALLS = frozenset({"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"})
PURE_OF_OS = frozenset({"fsencode", "fsdecode"})  # bytes of paths to text and back; nothing is looked up


def test_core_imports_the_standard_library_core_and_errors_and_nothing_impure() -> None:
    wrong = [
        module.at(found.line, f"'{found.target}'")
        for module in modules(f"{PACKAGE}/core")
        for found in module.imports()
        if not found.is_typing
        and found.target.split(".")[0] != PACKAGE
        and (found.target.split(".")[0] in IMPURE or not _is_standard(found.target))
        and not (found.target == "pathlib" and found.names and PURE_PATHS.issuperset(found.names))
    ]
    _none(
        wrong, "core decides from values alone: no clock, no disk, no processes, no chance, no other library"
    )


def test_core_calls_nothing_that_touches_the_world() -> None:
    wrong = [
        module.at(call.line, f"{call.dotted}(...)")
        for module in modules(f"{PACKAGE}/core")
        for call in module.calls()
        if call.dotted in IMPURE_CALLS
    ]
    wrong += [
        module.at(node.lineno, ast.unparse(node))
        for module in modules(f"{PACKAGE}/core")
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr not in PURE_OF_OS
    ]
    _none(wrong, "core never reads, writes, prints or asks the system")


# `status` pays for every import of theirs (docs/decisions, quick path).
BARE: dict[str, tuple[str, ...]] = {
    "git_waves": (),
    "git_waves.errors": (),
    "git_waves.core.states": (),
    "git_waves.core.fold": ("git_waves.core.states", "git_waves.core.gatefold", "git_waves.core.chain"),
    "git_waves.core.chain": (),
    "git_waves.core.gatefold": (),
    "git_waves.adapters.glance": ("fcntl", "os", "git_waves.core.fold", "git_waves.errors"),
}


def test_modules_of_the_quick_path_load_next_to_nothing() -> None:
    wrong = [
        module.at(found.line, f"'{found.target}'")
        for module in modules()
        if module.name in BARE
        for found in module.imports()
        if not (found.is_typing or found.is_lazy) and found.target not in ("__future__", *BARE[module.name])
    ]
    _none(wrong, "what 'git waves status' loads imports next to nothing at run time")


# ---------------------------------------------------------------------- libraries

LIBRARIES = {
    "filelock": ("git_waves.adapters.locks",),
    "jinja2": ("git_waves.views.report.page",),
    "platformdirs": ("git_waves.adapters.machine_locks", "git_waves.adapters.trust"),
    "pydantic": ("git_waves.formats.native", "git_waves.adapters.eventlog"),
    "pydantic_core": ("git_waves.formats.native", "git_waves.adapters.eventlog"),
    "pygit2": ("git_waves.adapters.repo", "git_waves.adapters.planfile"),
    "rich": ("git_waves.views",),
    "typer": ("git_waves.cli",),
    "click": ("git_waves.cli",),
    "yaml": ("git_waves.formats",),
}
LAZY = (
    "jinja2",
    "platformdirs",
    "pygit2",
    "rich",
)  # the last two take 90 and 60 ms; most commands have no use for them


def test_libraries_stay_in_their_rooms() -> None:
    wrong = []
    for module in modules():
        for found in module.imports():
            library = found.target.split(".")[0]
            is_beside = (module.name, found.target) in _BESIDE
            if library in (PACKAGE, "__future__") or _is_standard(found.target) or is_beside:
                continue
            homes = LIBRARIES.get(library, ())
            if not any(module.name == home or module.name.startswith(f"{home}.") for home in homes):
                at_home = f"it lives in {', '.join(homes)}" if homes else "it is not in the list of this test"
                wrong.append(module.at(found.line, f"'{library}': {at_home}"))
            elif library in LAZY and not (found.is_lazy or found.is_typing):
                wrong.append(
                    module.at(found.line, f"'{library}' is imported where it is used, not at the top")
                )
    _none(wrong, "each library is known in one place")


_BARE_PROGRAMS = ("git_waves.adapters.supervisor", "git_waves.adapters.fence")
_BESIDE = {("git_waves.adapters.supervisor", "fence")}  # the file beside it, by its bare name


def test_what_runs_beside_us_imports_the_standard_library_and_nothing_of_ours() -> None:
    wrong = [
        module.at(found.line, f"'{found.target}'")
        for module in modules("hooks", f"{PACKAGE}/adapters")
        if module.room == "guard" or module.name in _BARE_PROGRAMS
        for found in module.imports()
        if not _is_standard(found.target) and (module.name, found.target) not in _BESIDE
    ]
    _none(wrong, "the guard and the supervisor run with -I -S: no package is there, ours included")


def _is_standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names


# ---------------------------------------------------------------------- processes and git

STARTS_PROCESSES = {
    "git_waves.adapters.git": "git",
    "git_waves.adapters.process": "supervisors",
    "git_waves.adapters.supervisor": "the supervised command, and ps where there is no /proc",
    "git_waves.adapters.detached": "itself: the half that goes on without a terminal",
    "git_waves.adapters.manuals": "`man`, with a page of ours",
    "git_waves.adapters.pager": "the reader's pager, and git to ask for it outside of the repository",
    "git_waves.adapters.preferences": "git, without `subprocess`: it is on the quick path",
    "git_waves.adapters.machine": "programs of this machine, asked for their version or page",
    "git_waves.adapters.shell": "the shell of a person who asked for it",
    "git_waves.adapters.sandbox": "bubblewrap, around nothing, to see whether it can",
    "git_waves.adapters.failures": "itself as a program: a regular expression that takes forever must be stoppable",
    "git_waves.entry": "itself again, once, in UTF-8 mode, where the locale has another encoding",
    "hooks.guard": "git, from inside a hook",
}
_STARTERS = ("system", "popen", "fork", "forkpty", "startfile")
_STARTER_FAMILIES = ("exec", "spawn", "posix_spawn")


def test_processes_are_started_in_few_places() -> None:
    wrong = [
        module.at(found.line, f"'{found.target}'")
        for module in modules(PACKAGE, "hooks")
        if module.name not in STARTS_PROCESSES
        for found in module.imports()
        if found.target.split(".")[0] in ("subprocess", "multiprocessing", "pty") and not found.is_typing
    ]
    wrong += [
        module.at(call.line, f"{call.dotted}(...)")
        for module in modules(PACKAGE, "hooks")
        if module.name not in STARTS_PROCESSES
        for call in module.calls()
        if call.dotted.startswith("os.")
        and (call.name in _STARTERS or call.name.startswith(_STARTER_FAMILIES))
    ]
    _none(wrong, f"only these start processes: {', '.join(STARTS_PROCESSES)}")


DOORS_TO_GIT = {
    "git_waves.adapters.git": "the door",
    "git_waves.adapters.preferences": "the quick path may not load it",
    "git_waves.adapters.pager": "asks outside of any repository",
    "hooks.guard": "may import nothing of ours",
}


def test_git_is_started_through_one_door() -> None:
    wrong = [
        module.at(node.lineno, ast.unparse(node)[:60])
        for module in modules(PACKAGE, "hooks")
        if module.name not in DOORS_TO_GIT
        for node in ast.walk(module.tree())
        if isinstance(node, (ast.List, ast.Tuple))
        and isinstance(getattr(node, "ctx", None), ast.Load)
        and node.elts
        and isinstance(node.elts[0], ast.Constant)
        and node.elts[0].value == "git"
    ]
    _none(wrong, "git is started by adapters/git.py, and by the guard, which may import nothing of ours")


# Words that delete, move somebody's checkout, or take a branch by force (P3, P5).
_NEVER_SAID_TO_GIT = """
am bisect checkout cherry-pick clean fetch filter-branch gc pack-refs prune pull rebase reflog repack replace restore
revert stash switch -B -D
"""
NEVER_SAID_TO_GIT = frozenset(_NEVER_SAID_TO_GIT.split())


def test_a_push_is_asked_for_in_one_place_and_never_by_force() -> None:
    (door,) = (module for module in modules() if module.name == "git_waves.adapters.git")
    (push,) = (
        node for node in ast.walk(door.tree()) if isinstance(node, ast.FunctionDef) and node.name == "push"
    )
    said = [node.value for node in ast.walk(push) if isinstance(node, ast.Constant)]
    assert "push" in said
    assert not [word for word in said if str(word).startswith(("--force", "-f", "+", "--mirror", "--delete"))]
    callers = [
        f"{module.name}.{call.function}"
        for module in modules(PACKAGE, "hooks")
        for call in module.calls()
        if call.texts[:1] == ("push",) or call.dotted.endswith("git.push")
    ]
    assert callers == ["git_waves.converging._make"], "only for a pull request that a person asked for"


def test_git_is_never_asked_to_do_what_a_promise_forbids() -> None:
    (door,) = (module for module in modules() if module.name == "git_waves.adapters.git")
    wrong = [
        door.at(node.lineno, f"'{node.value}'")
        for node in ast.walk(door.tree())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NEVER_SAID_TO_GIT
    ]
    _none(wrong, "these words are never said to git (promises P3 and P5)")


# ---------------------------------------------------------------------- deleting

DELETES = {
    "git_waves.adapters.git.Git.remove_worktree": "the verb itself",
    "git_waves.adapters.worktrees.remove": "the one deletion of work: archived and proved before",
    "git_waves.adapters.throwaway.make": "a gate's worktree that was left behind",
    "git_waves.adapters.throwaway.drop": "a gate's worktree, made by us for that gate",
    "git_waves.adapters.admins.drop": "git's own folder for a worktree whose files are gone",
    "git_waves.adapters.admins.repair": "what a killed `git worktree add` left, never filled",
    "git_waves.adapters.rundir.unborn": "the folder of a run that never became one: no event, so no work",
    "git_waves.adapters.merge.attributes_of": "a temporary folder made three lines above",
    "git_waves.adapters.private.discard": "a fenced attempt's own repository: before its agent began, or all taken over",
    "git_waves.adapters.fence.remove_temporary": "the temporary folder of one fenced command",
    "git_waves.foresight.foresee": "a quarantine of objects made three lines above",
    "git_waves.inheriting.drop_scratch": "these same temporary folders, where the process that made them was killed",
}
_DELETERS = frozenset({"rmtree", "remove_worktree", "removedirs"})


def test_folders_are_deleted_in_few_places_each_with_a_reason() -> None:
    seen = {
        f"{module.name}.{call.function}": module.at(call.line, f"{call.dotted}(...) in '{call.function}'")
        for module in modules(PACKAGE, "hooks")
        for call in module.calls()
        if call.name in _DELETERS or call.texts[:2] == ("worktree", "remove")
    }
    _none(
        [where for function, where in seen.items() if function not in DELETES],
        "archive, prove, then remove (R10)",
    )
    _none(
        sorted(DELETES.keys() - seen.keys()),
        "a name in DELETES that deletes nothing any more is taken off it",
    )


# ---------------------------------------------------------------------- files

FORBIDDEN_NAMES = frozenset(
    {"utils.py", "util.py", "helpers.py", "helper.py", "common.py", "manager.py", "misc.py"}
)
SEAM = 350
LONGER = {
    "git_waves/adapters/eventlog.py": "one class an event; the list is the format",
    "git_waves/adapters/git.py": "one door: a verb is a few lines, and there are many verbs",
    "git_waves/core/fold.py": "each event has its few lines",
    "git_waves/core/model.py": "one class a thing that plans speak of",
    "git_waves/adapters/supervisor.py": "one program that may import nothing of ours",
    "hooks/guard.py": "one program that may import nothing of ours",
    "git_waves/starting.py": "every check before a run, and the way into it",
}


def test_no_module_is_named_after_nothing() -> None:
    wrong = [
        module.place for module in modules(PACKAGE, "hooks", "tests") if module.path.name in FORBIDDEN_NAMES
    ]
    _none(wrong, "a module is named after what it knows")


def test_modules_are_short_or_have_a_reason() -> None:
    long = {
        module.place: f"{module.place} has {module.lines()} lines"
        for module in modules(PACKAGE, "hooks")
        if module.lines() > SEAM
    }
    _none(
        [words for place, words in long.items() if place not in LONGER], f"over {SEAM} lines there is a seam"
    )
    _none(
        sorted(LONGER.keys() - long.keys()), f"a module under {SEAM} lines is taken off the list of long ones"
    )


def test_every_module_says_what_it_knows() -> None:
    wrong = [
        module.place
        for module in modules(PACKAGE, "hooks", "tests")
        if module.lines() and not ast.get_docstring(module.tree())
    ]
    _none(wrong, "a module opens with a sentence or two: what it knows, why it exists")


def test_this_test_sees_the_source_it_judges() -> None:
    names = {module.name for module in modules(PACKAGE, "hooks")}
    assert {"git_waves.core.fold", "git_waves.adapters.git", "git_waves.run", "hooks.guard"} <= names
    (fold,) = (module for module in modules() if module.name == "git_waves.core.fold")
    assert {found.target for found in fold.imports() if found.is_typing} == {"collections.abc", "typing"}
    assert (ROOT / "docs" / "architecture.md").is_file()


def _none(wrong: Iterable[str], rule: str) -> None:
    found = list(wrong)
    assert not found, "\n".join([rule + ", but:", *(f"  {line}" for line in found)])
