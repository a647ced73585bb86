"""Claims with something the matter: gathered by path, told one by one, or as one when they are many of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import listed
from git_waves.core.model import Claim, Finding, Level, Origin, RepoPath, TaskId

MANY = 5
"""More paths of one kind than this are told as one finding: then it is one mistake, not many."""
_LEVELS = tuple(Level)


@dataclass(slots=True)
class Case:
    """One claimed path (as plans write it) and what is the matter with it, for all the tasks that claim it."""

    code: str
    path: RepoPath
    words: str
    level: Level = Level.WARNING
    hint: str = ""
    evidence: list[str] = field(default_factory=list)
    tasks: list[TaskId] = field(default_factory=list)
    line: int = 0


class Cases:
    """Cases of several codes. `in_one` says many of a code in one sentence; those of `never_alone` always are."""

    def __init__(
        self,
        facts: Facts,
        *,
        in_one: Mapping[str, Callable[[int], str]],
        never_alone: Set[str] = frozenset(),
    ) -> None:
        self._facts = facts
        self._in_one = in_one
        self._never_alone = never_alone
        self._cases: dict[str, dict[RepoPath, Case]] = {}

    def add(self, task: TaskId, claim: Claim, case: Case) -> None:
        """`task` has this case through `claim`; the worst level and the first line of a path count."""
        known = self._cases.setdefault(case.code, {}).setdefault(case.path, case)
        known.level = min(known.level, case.level, key=_LEVELS.index)
        if task not in known.tasks:
            known.tasks.append(task)
        known.line = min(filter(None, (known.line, claim.line)), default=0)

    def findings(self) -> Iterator[Finding]:
        """For each code a finding for each path, or one for all of them."""
        for code, by_path in self._cases.items():
            cases = list(by_path.values())
            in_one = self._in_one.get(code)
            if in_one is not None and (code in self._never_alone or len(cases) > MANY):
                yield self._all_in_one(cases, in_one(len(cases)))
            else:
                yield from map(self._alone, cases)

    def _alone(self, case: Case) -> Finding:
        return Finding(
            code=case.code,
            level=case.level,
            message=case.words,
            line=case.line,
            tasks=self._facts.in_plan_order(case.tasks),
            paths=(case.path,),
            evidence=listed((*self._claimed(case), *case.evidence)),
            hint=case.hint,
        )

    def _all_in_one(self, cases: list[Case], message: str) -> Finding:
        code = cases[0].code
        claimed = (line for case in cases for line in self._claimed(case))
        return Finding(
            code=code,
            level=min((case.level for case in cases), key=_LEVELS.index),
            message=message,
            line=min(filter(None, (case.line for case in cases)), default=0),
            tasks=self._facts.in_plan_order({task for case in cases for task in case.tasks}),
            paths=tuple(case.path for case in cases),
            evidence=listed((case.words for case in cases) if code in self._never_alone else claimed),
            hint=cases[0].hint,
        )

    def _claimed(self, case: Case) -> Iterator[str]:
        return (self._facts.with_line(task, case.path) for task in self._facts.in_plan_order(case.tasks))


def sure(claim: Claim) -> Level:
    """The level of what cannot work; a guess of the plan's reader never stops a run."""
    return Level.VIOLATION if claim.origin is Origin.EXPLICIT else Level.WARNING
