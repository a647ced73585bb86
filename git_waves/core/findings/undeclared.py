"""Things that are no files and that the text of tasks makes use of without declaring them: W701 databases, W702 what
belongs to the user, W703 ports and sockets, W704 containers, W705 services of others. W706: declared, and held by nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, joined, listed, quoted
from git_waves.core.mentions import Mention, Thing, mentions_in_commands, mentions_in_prompt
from git_waves.core.model import Finding, Level, Plan, Resource, Task, TaskId

_CODES = {
    Thing.DATABASE: "W701",
    Thing.USER: "W702",
    Thing.PORT: "W703",
    Thing.SOCKET: "W703",
    Thing.CONTAINER: "W704",
    Thing.SERVICE: "W705",
}
# What a resource is called that stands for such a thing; parts of words, as `ledger-db` and `postgresql` have them.
_CALLED = {
    Thing.DATABASE: "db database sql postgres maria mongo redis migrat schema store ledger",
    Thing.USER: "home user config global git npm cron systemd toolchain cache",
    Thing.PORT: "port server http service dev localhost",
    Thing.SOCKET: "sock daemon",
    Thing.CONTAINER: "docker container compose kube k8s podman cluster",
    Thing.SERVICE: "api cloud aws azure github gitlab registry key account quota service stripe openai",
}
_DATABASE_PORTS = frozenset({"port 5432", "port 3306", "port 27017", "port 6379", "port 1433"})
_ONE_OF_A_KIND = frozenset({Thing.DATABASE, Thing.CONTAINER})  # told together, whatever program speaks to it


@dataclass(slots=True)
class _Use:
    """Who uses things of one kind without saying so, with what words, and where the plan has the first of them."""

    thing: Thing
    keys: list[str]
    tasks: list[TaskId] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    line: int = 0


def check_undeclared(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each thing, and for all of a kind that the same tasks use: a warning when two of these may run
    together, else a note."""
    uses: dict[tuple[Thing, str], _Use] = {}
    resources = {resource.name: resource for resource in facts.plan.resources}
    for task in facts.plan.tasks:
        if not task.is_done:
            for mention, where, line in _undeclared(task, resources):
                key = mention.thing, "" if mention.thing in _ONE_OF_A_KIND else mention.key
                use = uses.setdefault(key, _Use(mention.thing, [mention.key]))
                use.line = use.line or line
                if task.id not in use.tasks[-1:]:
                    use.tasks.append(task.id)
                    at = f" (line {line})" if line else ""
                    use.evidence.append(f"{where} of task '{task.id}' says '{mention.words}'{at}")
    return (*(_finding(facts, use) for use in _together(uses.values())), *_held_by_nobody(facts.plan))


def _together(uses: Iterable[_Use]) -> Iterable[_Use]:
    """What the same tasks use of one kind is one matter, which one resource mends."""
    found: dict[tuple[Thing, tuple[TaskId, ...]], _Use] = {}
    for use in uses:
        known = found.setdefault((use.thing, tuple(use.tasks)), use)
        if known is not use:
            known.keys += use.keys
            known.evidence += use.evidence
            known.line = min(filter(None, (known.line, use.line)), default=0)
    return found.values()


def _undeclared(task: Task, resources: dict[str, Resource]) -> Iterator[tuple[Mention, str, int]]:
    found = [
        (mention, where, line)
        for mention, where, line in _mentions(task)
        if not any(
            _stands_for(resources.get(name) or Resource(name=name), mention) for name in task.resources
        )
    ]
    uses_database = any(mention.thing is Thing.DATABASE for mention, _, _ in found)
    for mention, where, line in found:
        if not (uses_database and _is_of_database(mention)):  # told with the database
            yield mention, where, line


def _mentions(task: Task) -> Iterator[tuple[Mention, str, int]]:
    """What the task's texts use: the mention, whose text it is, and its line in the plan."""
    if task.prompt is not None:
        for mention in mentions_in_prompt(task.prompt):
            yield mention, "prompt", task.prompt_line + mention.line if task.prompt_line else task.line
    named = [("run", task.run), *(("verify", command) for command in task.verify)]
    for where, command in named:
        if command is not None:
            for mention in mentions_in_commands(str(command)):
                yield mention, where, command.line + mention.line if command.line else task.line


def _stands_for(resource: Resource, mention: Mention) -> bool:
    """Whether holding the resource declares what is mentioned. One whose name says nothing may stand for anything."""
    things = _things(resource)
    return not things or mention.thing in things or (_is_of_database(mention) and Thing.DATABASE in things)


def _is_of_database(mention: Mention) -> bool:
    return mention.thing is Thing.PORT and mention.key in _DATABASE_PORTS


def _things(resource: Resource) -> set[Thing]:
    called = f"{resource.name} {resource.kind}".casefold()
    return {thing for thing, words in _CALLED.items() if any(word in called for word in words.split())}


def _finding(facts: Facts, use: _Use) -> Finding:
    what = _shown(use)
    declared = [resource.name for resource in facts.plan.resources if use.thing in _things(resource)]
    holders = [task.id for task in facts.plan.tasks if set(task.resources) & set(declared)]
    may_meet = bool(facts.order.unordered(use.tasks, [*use.tasks, *holders]))
    who = f"task '{use.tasks[0]}' uses" if len(use.tasks) == 1 else f"{count(len(use.tasks), 'task')} use"
    message = f"{who} {what}, and no resource says so"
    if may_meet and len(use.tasks) > 1:
        message = f"{who} {what} and may run together, and no resource says so"
    elif may_meet:
        message = f"{who} {what}, as others do that hold {quoted(declared)}, and does not say so"
    name = declared[0] if declared else use.thing.name.lower()
    return Finding(
        code=_CODES[use.thing],
        level=Level.WARNING if may_meet else Level.NOTE,
        message=message,
        line=use.line,
        tasks=tuple(use.tasks),
        evidence=listed(use.evidence),
        hint=_hint(name, use.tasks, is_new=not declared),
    )


def _shown(use: _Use) -> str:
    match use.thing:
        case Thing.DATABASE:
            return "a database"
        case Thing.CONTAINER:
            return "containers"
        case Thing.USER:
            return f"what belongs to the user ({', '.join(use.keys)})"
        case Thing.SERVICE:
            return f"a service outside ({', '.join(use.keys)})"
        case Thing.PORT:
            return joined(use.keys)
        case Thing.SOCKET:
            return f"socket {quoted(use.keys)}"


def _hint(name: str, tasks: Iterable[TaskId], *, is_new: bool) -> str:
    adding = f"give {quoted(tasks)} 'resources: [{name}]'"
    return f"declare '{name}' under 'resources', and {adding}" if is_new else adding


def _held_by_nobody(plan: Plan) -> Iterator[Finding]:
    held = {name for task in plan.tasks for name in task.resources}
    for resource in plan.resources:
        if resource.name not in held:
            yield Finding(
                code="W706",
                level=Level.NOTE,
                message=f"resource '{resource.name}' is declared, and no task holds it",
                line=resource.line,
                hint=f"give the tasks that use it 'resources: [{resource.name}]', or take it out",
            )
