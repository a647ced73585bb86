"""W813: a program of the repository itself that is not there where the work starts, or that git does not keep executable."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.basetree import LINK, SUBMODULE, BaseTree
from git_waves.core.findings.commands import ProgramUse, agents_of, place_words
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import listed
from git_waves.core.model import Command, Finding, Level, Plan, RepoPath, TaskId
from git_waves.core.paths import folders_of, matches
from git_waves.core.repository import RepositoryFacts
from git_waves.core.shellwords import first_script

_INCLUDE_FILE = RepoPath(".worktreeinclude")
_PLAIN = "100644"


def check_scripts(facts: Facts, repository: RepositoryFacts) -> Iterator[Finding]:
    """One finding for each path that would be started in a fresh worktree and cannot be. Nothing is said where a set-up, an
    included file or a task may bring it: then only a run can tell."""
    plan, tree = facts.plan, repository.tree
    if plan.include or _INCLUDE_FILE in tree.modes:
        return
    uses: dict[RepoPath, list[ProgramUse]] = {}
    for use in _started(plan):
        path = RepoPath(use.program.removeprefix("./"))
        if _is_trouble(path, plan, tree):
            uses.setdefault(path, []).append(use)
    for path, places in uses.items():
        is_there = path in tree.modes
        yield Finding(
            code="W813",
            level=Level.VIOLATION,
            message=f"'{path}' is "
            + ("not executable" if is_there else "no file")
            + f" in '{repository.base_name}', where the work starts from",
            line=min((use.line for use in places if use.line), default=0),
            tasks=tuple(dict.fromkeys(use.task for use in places if use.task is not None)),
            paths=(path,),
            evidence=listed(map(place_words, places)),
            hint=f"git update-index --chmod=+x {path}, and commit it"
            if is_there
            else f"commit '{path}', or name the program by its absolute path",
        )


def _is_trouble(path: RepoPath, plan: Plan, tree: BaseTree) -> bool:
    """A claim on it means that a task writes it; behind a link or in a submodule anything may lie."""
    if any(tree.modes.get(RepoPath(folder)) in (LINK, SUBMODULE) for folder in folders_of(path)):
        return False
    if any(matches(claim.pattern, path) for task in plan.tasks for claim in task.claims):
        return False
    return tree.modes.get(path, _PLAIN) == _PLAIN


def _started(plan: Plan) -> Iterator[ProgramUse]:
    """What is started where nothing but a commit can have brought it: a set-up's first command, and with no set-up agents, the
    tasks' own commands, and gates."""
    if plan.setup:
        yield from _use("setup", None, plan.setup[0])
        return
    for task, agent in agents_of(plan):
        if agent.command is not None:
            yield from _use("agent", task, agent.command)
    for one in plan.tasks:
        if one.run is not None and not one.is_done and not one.attended:
            yield from _use("run", one.id, one.run)
    for gate in plan.gates:
        yield from _use(f"gate '{gate.name}'", None, gate.command)


def _use(where: str, task: TaskId | None, command: Command) -> Iterator[ProgramUse]:
    script = first_script(command.shell if command.shell is not None else " ".join(command.argv[:1]))
    if script is not None:
        yield ProgramUse(script, where, command.line, task)
