"""Claims that collide: W101 nobody orders them, W102 twins, W103 declared and not there, W104 declared and there."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.collision import Collision, OverlapKind
from git_waves.core.findings.facts import Facts, names
from git_waves.core.findings.wording import count
from git_waves.core.model import Finding, Level, SharedPaths, TaskId

_CLAIMED = {
    OverlapKind.SAME: "'{path}' is claimed",
    OverlapKind.INSIDE: "'{path}' and paths inside it are claimed",
    OverlapKind.GLOB: "'{path}' and paths it matches are claimed",
}


def check_overlaps(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each path that tasks collide at, and those about `expect.shared_paths`."""
    expected = facts.plan.shared_paths
    found: list[Finding] = []
    if expected is not None and any(
        task.claims for task in facts.plan.tasks
    ):  # else nothing was measured (W602)
        found += _declared_and_missing(facts, expected)
        found += _wrong_count(facts, expected)
    for collision in facts.collisions:
        found += _judge(facts, collision, is_declared=facts.is_declared(collision))
    return tuple(found)


def _judge(facts: Facts, collision: Collision, *, is_declared: bool) -> Iterator[Finding]:
    involved = facts.order.unordered(collision.first, collision.second)
    if collision.kind is OverlapKind.CASE:
        is_safe = is_declared or not _is_certain(facts, collision)
        yield _twins(facts, collision, involved or frozenset(collision.tasks), is_safe=is_safe)
    elif involved:
        yield (_serialized if is_declared else _unordered)(facts, collision, involved)


def _is_certain(facts: Facts, collision: Collision) -> bool:
    """Whether two tasks collide that nothing orders and that both say themselves what they touch."""
    first, second = (
        [task for task in side if task not in collision.guessed]
        for side in (collision.first, collision.second)
    )
    return bool(facts.order.unordered(first, second))


def _unordered(facts: Facts, collision: Collision, involved: frozenset[TaskId]) -> Finding:
    line, evidence = facts.claim_evidence(collision, involved)
    claimed = _CLAIMED[collision.kind].format(path=collision.path)
    return Finding(
        code="W101",
        level=Level.VIOLATION if _is_certain(facts, collision) else Level.WARNING,
        message=f"{claimed} by {count(len(involved), 'task')} that nothing orders; "
        f"it forces them into {facts.spread(involved)}",
        line=line,
        tasks=facts.in_plan_order(involved),
        paths=(collision.path,),
        evidence=evidence,
        hint=f"order the tasks with 'needs', or declare '{collision.path}' under 'expect.shared_paths'",
    )


def _serialized(facts: Facts, collision: Collision, involved: frozenset[TaskId]) -> Finding:
    line, evidence = facts.claim_evidence(collision, involved)
    return Finding(
        code="W104",
        level=Level.NOTE,
        message=f"'{collision.path}' is declared shared and serializes {count(len(involved), 'task')} "
        f"into {facts.spread(involved)}",
        line=line,
        tasks=facts.in_plan_order(involved),
        paths=(collision.path,),
        evidence=evidence,
    )


def _twins(facts: Facts, collision: Collision, involved: frozenset[TaskId], *, is_safe: bool) -> Finding:
    line, evidence = facts.claim_evidence(collision, involved)
    other = collision.others[0]
    return Finding(
        code="W102",
        level=Level.WARNING if is_safe else Level.VIOLATION,
        message=f"'{collision.path}' and '{other}' collide where a file system ignores case or normalisation",
        line=line,
        tasks=facts.in_plan_order(involved),
        paths=(collision.path, other),
        evidence=evidence,
        hint="spell the path in one way, or rename one of the two",
    )


def _declared_and_missing(facts: Facts, expected: SharedPaths) -> Iterator[Finding]:
    """Finished tasks count: what they shared was shared."""
    claimed = [path for each in facts.manifest.collisions() for path in {each.path, *each.others}]
    for pattern in expected.patterns:
        if not any(names(pattern, path) for path in claimed):
            yield Finding(
                code="W103",
                level=Level.VIOLATION,
                message=f"'{pattern}' is declared under 'expect.shared_paths', but no two tasks claim it; "
                "the parser never saw those blocks",
                line=expected.line,
                paths=(pattern.text,),
                hint="look for the tasks that should claim it, or remove the declaration",
            )


def _wrong_count(facts: Facts, expected: SharedPaths) -> Iterator[Finding]:
    """A count may leave out paths whose tasks are in order anyway, as a list may."""
    if expected.count is None or facts.has_declared_count:
        return
    fewest, most = facts.shared_counts
    shared = most if expected.count > most else fewest
    unseen = "; the parser never saw those blocks" if shared == 0 else ""
    yield Finding(
        code="W103",
        level=Level.VIOLATION,
        message=f"'expect.shared_paths' declares {count(expected.count, 'shared path')}, "
        f"but the plan has {shared or 'none'}{unseen}",
        line=expected.line,
        hint="look for tasks that the parser never saw, or correct the number"
        if expected.count > shared
        else "take apart what the tasks share, order them with 'needs', or correct the number",
    )
