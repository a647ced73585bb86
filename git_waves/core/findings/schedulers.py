"""W810: a scheduler of the repository writes what a task claims, and the plan does not say so."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, listed, quoted
from git_waves.core.model import Finding, Level, Origin, PathPattern, RepoPath, TaskId
from git_waves.core.paths import PathProblem, overlap, parse_pattern
from git_waves.core.repository import RepositoryFacts
from git_waves.core.scheduled import ScheduledWrite


def check_schedulers(facts: Facts, repository: RepositoryFacts) -> Iterator[Finding]:
    """One finding for each scheduler file that writes what tasks own, unless `background` names the path."""
    found: dict[RepoPath, list[tuple[ScheduledWrite, PathPattern, TaskId]]] = {}
    for write in repository.scheduled:
        pattern = _pattern(write.path)
        if pattern is None or any(
            overlap(pattern, known) for one in facts.plan.background for known in one.writes
        ):
            continue
        for claim, task in _claimed(facts, pattern):
            found.setdefault(write.source, []).append((write, claim, task))
    for source, cases in found.items():
        yield _scheduled(facts, source, cases)


def _pattern(path: str) -> PathPattern | None:
    try:
        return parse_pattern(path)
    except PathProblem:  # a place outside the repository, or one that cannot be told
        return None


def _claimed(facts: Facts, written: PathPattern) -> Iterator[tuple[PathPattern, TaskId]]:
    for task in facts.plan.tasks:
        for claim in () if task.is_done else task.claims:
            if claim.origin is Origin.EXPLICIT and overlap(written, claim.pattern):
                yield claim.pattern, task.id


def _scheduled(
    facts: Facts, source: RepoPath, cases: list[tuple[ScheduledWrite, PathPattern, TaskId]]
) -> Finding:
    paths = tuple(dict.fromkeys(RepoPath(str(claim)) for _, claim, _ in cases))
    is_proposal = all(write.is_proposal for write, _, _ in cases)
    what = quoted(paths[:1]) if len(paths) == 1 else count(len(paths), "claimed path")
    does = f"opens pull requests that change {what}" if is_proposal else f"writes {what} by the clock"
    lines = [line for _, claim, task in cases if (line := facts.claim_line(task, str(claim)))]
    return Finding(
        code="W810",
        level=Level.NOTE if is_proposal else Level.WARNING,
        message=f"'{source}' {does}, and the plan does not say so",
        line=min(lines, default=0),
        tasks=facts.in_plan_order({task for _, _, task in cases}),
        paths=paths,
        evidence=listed(dict.fromkeys(_write_words(facts, *case) for case in cases)),
        hint="stop it while the plan runs, or name it under 'background'",
    )


def _write_words(facts: Facts, write: ScheduledWrite, claim: PathPattern, task: TaskId) -> str:
    where = f" (line {write.line})" if write.line else ""
    return f"{facts.deed(task, str(claim))}; '{write.source}'{where} changes '{write.path}', {write.when}"
