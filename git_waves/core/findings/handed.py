"""Files that are handed on: W713 from two tasks at once, W714 and claimed as well, W715 to nobody, W716 and in the base."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import listed, quoted
from git_waves.core.model import Finding, Level, Origin, PathPattern, PatternKind, RepoPath, TaskId
from git_waves.core.overlaps import find_collisions
from git_waves.core.repository import RepositoryFacts


def check_handoff(facts: Facts, repository: RepositoryFacts | None) -> Iterator[Finding]:
    """What would keep files that are handed on from reaching their dependents; tasks that are done are not looked at."""
    handed = {task.id: task.handoff for task in facts.plan.tasks if task.handoff and not task.is_done}
    if not handed:
        return
    dependents: dict[TaskId, list[TaskId]] = {}
    for need in facts.needs.needs:
        if need.on in handed:
            dependents.setdefault(need.task, []).append(need.on)
    yield from _twice(facts, handed, dependents)
    yield from _claimed(facts, handed)
    reached = {task for producers in dependents.values() for task in producers}
    for task, paths in handed.items():
        if task not in reached:
            yield Finding(
                code="W715",
                level=Level.WARNING,
                message=f"task '{task}' hands on {quoted(paths)}, and no task needs it",
                line=_line(facts, task),
                tasks=(task,),
                paths=paths,
                hint=f"give the tasks that read it 'needs: [{task}]', or take 'handoff' out",
            )
    if repository is not None:
        yield from _in_base(facts, repository, handed)


def _line(facts: Facts, task: TaskId) -> int:
    return facts.plan.task(task).line


def _twice(
    facts: Facts, handed: dict[TaskId, tuple[RepoPath, ...]], dependents: dict[TaskId, list[TaskId]]
) -> Iterator[Finding]:
    """Of two producers in an order the later one is right: it was given the earlier one's file itself."""
    found: dict[tuple[TaskId, TaskId, RepoPath], list[TaskId]] = {}
    for task, producers in dependents.items():
        seen: dict[RepoPath, list[TaskId]] = {}
        for producer in facts.in_plan_order(dict.fromkeys(producers)):
            for path in handed[producer]:
                for other in seen.get(path, ()):
                    if not facts.order.is_ordered(other, producer):
                        found.setdefault((other, producer, path), []).append(task)
                seen.setdefault(path, []).append(producer)
    for (one, other, path), tasks in found.items():
        yield Finding(
            code="W713",
            level=Level.VIOLATION,
            message=f"tasks '{one}' and '{other}' both hand on '{path}' to {quoted(tasks)}, and nothing orders the two",
            line=_line(facts, other),
            tasks=(one, other, *tasks),
            paths=(path,),
            hint="let each hand on a file of its own name",
        )


def _claimed(facts: Facts, handed: dict[TaskId, tuple[RepoPath, ...]]) -> Iterator[Finding]:
    # No task has such an id, so one search finds who claims what.
    ids = {TaskId(f"\0{task}"): task for task in handed}
    claims = [
        (task.id, claim.pattern, True)
        for task in facts.plan.tasks
        if not task.is_done
        for claim in task.claims
        if claim.origin is Origin.EXPLICIT
    ]
    claims += [
        (name, PathPattern(kind=PatternKind.FILE, text=path), True)
        for name, task in ids.items()
        for path in handed[task]
    ]
    found: dict[tuple[TaskId, str], set[TaskId]] = {}
    for collision in find_collisions(claims):
        second = dict(zip(collision.second, collision.others, strict=True))
        for one in collision.first:
            for other, path in second.items():
                if one in ids and other not in ids:
                    found.setdefault((ids[one], collision.path), set()).add(other)
                elif other in ids and one not in ids:
                    found.setdefault((ids[other], path), set()).add(one)
    for (task, claimed), owners in found.items():
        path, names = RepoPath(claimed), facts.in_plan_order(owners)
        yield Finding(
            code="W714",
            level=Level.VIOLATION,
            message=f"task '{task}' hands on '{path}', which {_owned_by(names)}",
            line=_line(facts, task),
            tasks=tuple(dict.fromkeys((task, *names))),
            paths=(path,),
            evidence=listed(f"task '{name}' claims it, or a folder or glob that holds it" for name in names),
            hint="what is merged reaches those who need it anyway; hand on a file that no task claims",
        )


def _owned_by(names: tuple[TaskId, ...]) -> str:
    return f"task '{names[0]}' owns" if len(names) == 1 else f"tasks {quoted(names)} own"


def _in_base(
    facts: Facts, repository: RepositoryFacts, handed: dict[TaskId, tuple[RepoPath, ...]]
) -> Iterator[Finding]:
    for task, paths in handed.items():
        for path in paths:
            barrier = repository.tree.barrier(path)
            if path in repository.tree.modes or repository.tree.has_folder(path):
                what = f"which is in '{repository.base_name}'"
            elif barrier is not None:
                what = f"and '{barrier}' stands in its way in '{repository.base_name}'"
            else:
                continue
            yield Finding(
                code="W716",
                level=Level.VIOLATION,
                message=f"task '{task}' hands on '{path}', {what}",
                line=_line(facts, task),
                tasks=(task,),
                paths=(path,),
                hint="hand on a file of another name, which git does not know",
            )
