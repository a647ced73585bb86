"""Plans in few words, for the tests of the pure analysis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from git_waves.core.model import (
    Claim,
    Command,
    Gate,
    GroupDef,
    Intent,
    Origin,
    Plan,
    Resource,
    SharedPaths,
    Task,
    TaskId,
)
from git_waves.core.paths import parse_pattern


def sh(text: str) -> Command:
    """A shell command as a plan holds it."""
    return Command(shell=text)


def claims_of(
    paths: Iterable[str], *, intent: Intent = Intent.EDIT, origin: Origin = Origin.EXPLICIT, line: int = 0
) -> tuple[Claim, ...]:
    """Claims on the given paths, all for the same purpose."""
    return tuple(
        Claim(pattern=parse_pattern(path), intent=intent, origin=origin, line=line) for path in paths
    )


def task(
    name: str,
    *paths: str,
    create: Iterable[str] = (),
    modify: Iterable[str] = (),
    delete: Iterable[str] = (),
    inferred: Iterable[str] = (),
    needs: Iterable[str] = (),
    line: int = 0,
    **fields: Any,
) -> Task:
    """A task that edits `paths`; it runs `true` and is verified by `make check`, unless `fields` say otherwise."""
    return Task(
        id=TaskId(name),
        needs=tuple(map(TaskId, needs)),
        claims=(
            *claims_of(paths, line=line),
            *claims_of(create, intent=Intent.CREATE, line=line),
            *claims_of(modify, intent=Intent.MODIFY, line=line),
            *claims_of(delete, intent=Intent.DELETE, line=line),
            *claims_of(inferred, origin=Origin.INFERRED, line=line),
        ),
        line=line,
        **{"run": sh("true"), "verify": (sh("make check"),), **fields},
    )


def plan(
    *tasks: Task,
    groups: Iterable[str] = (),
    gates: Mapping[str, Iterable[str]] | None = None,
    resources: Mapping[str, int] | None = None,
    shared: Iterable[str] = (),
    shared_count: int | None = None,
    **fields: Any,
) -> Plan:
    """A plan named `demo`; `gates` maps a name to its groups, `resources` a name to its capacity."""
    result = Plan(
        name="demo",
        source="plan.yaml",
        tasks=tasks,
        groups=tuple(GroupDef(name=name) for name in groups),
        gates=tuple(
            Gate(name=name, command=sh("make test"), groups=tuple(where))
            for name, where in (gates or {}).items()
        ),
        resources=tuple(Resource(name=name, capacity=many) for name, many in (resources or {}).items()),
        **fields,
    )
    patterns = tuple(map(parse_pattern, shared))
    if patterns or shared_count is not None:
        return replace(result, shared_paths=SharedPaths(patterns=patterns, count=shared_count, line=3))
    return result


def kbuild_plan(tasks: int = 12, **fields: Any) -> Plan:
    """The plan that lost its parallelism: each task has files of its own, and all register in one Kbuild file."""
    return plan(
        *(
            task(
                f"t{number}",
                create=[f"tests/kunit/test_{number}.c", f"core/part_{number}.c"],
                modify=["tests/kunit/Kbuild"],
                line=10 * number,
            )
            for number in range(1, tasks + 1)
        ),
        **fields,
    )


def phase3_plan(**fields: Any) -> Plan:
    """`t1 -> {t2, t3} -> t4 -> {t5, t6} -> t7`, each with one file of its own."""
    needs = {
        "t1": (),
        "t2": ("t1",),
        "t3": ("t1",),
        "t4": ("t2", "t3"),
        "t5": ("t4",),
        "t6": ("t4",),
        "t7": ("t5", "t6"),
    }
    return plan(*(task(name, f"src/{name}.c", needs=on) for name, on in needs.items()), **fields)
