"""What the repository says about a plan: its base, its tree, how git keeps a path, and who else writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from git_waves.core.basetree import SUBMODULE
from git_waves.core.findings.cases import Case, Cases
from git_waves.core.findings.claimed import check_claimed
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.habits import check_habits
from git_waves.core.findings.schedulers import check_schedulers
from git_waves.core.findings.scripts import check_scripts
from git_waves.core.findings.wording import count
from git_waves.core.model import Finding, Intent, Level, RepoPath
from git_waves.core.repository import RepositoryFacts


def check_repository(facts: Facts, repository: RepositoryFacts) -> tuple[Finding, ...]:
    """Every finding that rests on the repository; tasks that are done are not looked at."""
    return (
        *_base(repository),
        *check_claimed(facts, repository),
        *_kept(facts, repository),
        *check_scripts(facts, repository),
        *check_schedulers(facts, repository),
        *check_habits(facts, repository),
    )


def _base(repository: RepositoryFacts) -> Iterator[Finding]:
    if repository.missing_base is not None:
        yield Finding(
            code="W801",
            level=Level.WARNING,
            message=f"the base '{repository.missing_base}' is no commit of this repository; "
            f"the plan was held against '{repository.base_name}'",
            hint="'git branch --all' lists what there is",
        )
    for what, why in repository.gaps:
        yield Finding(code="W812", level=Level.NOTE, message=f"{what} could not be looked at: {why}")


def _kept(facts: Facts, repository: RepositoryFacts) -> Iterator[Finding]:
    """How git keeps a path: not at all (W807), made by a program (W808), elsewhere (W809)."""
    in_one: dict[str, Callable[[int], str]] = {
        "W807": lambda n: f"{count(n, 'claimed path')} are ignored by git and not committed",
        "W808": lambda n: (
            f"{_are(n)} marked as generated; the generator may write over {'it' if n == 1 else 'them'}"
        ),
        "W809": lambda n: f"{_are(n)} {'no plain file' if n == 1 else 'no plain files'}",
    }
    cases = Cases(facts, in_one=in_one, never_alone={"W808", "W809"})
    for task in facts.plan.tasks:
        for claim in () if task.is_done else task.claims:
            path = RepoPath(str(claim.pattern))
            if path in repository.ignored and claim.intent is not Intent.DELETE:
                cases.add(task.id, claim, _ignored(path, repository))
            if path in repository.generated:
                words = f"'{path}' has the attribute '{repository.generated[path]}'"
                cases.add(task.id, claim, Case(code="W808", path=path, words=words, level=Level.NOTE))
            case = _elsewhere(path, repository)
            if case is not None:
                cases.add(task.id, claim, case)
    yield from cases.findings()


def _are(many: int) -> str:
    return f"{count(many, 'claimed path')} {'is' if many == 1 else 'are'}"


def _ignored(path: RepoPath, repository: RepositoryFacts) -> Case:
    rule = repository.ignored[path]
    return Case(
        code="W807",
        path=path,
        words=f"'{path}' is ignored by git, so what a task writes there is not committed",
        evidence=[f"'{rule.source}' line {rule.line} says '{rule.pattern}'"] if rule.source else [],
        hint="claim a path that git keeps, or take the rule away before the run",
    )


def _elsewhere(path: RepoPath, repository: RepositoryFacts) -> Case | None:
    if repository.tree.modes.get(path) == SUBMODULE:
        words = f"'{path}' is a submodule, which is empty in a new worktree"
        return Case(code="W809", path=path, words=words, level=Level.NOTE)
    if path not in repository.lfs:
        return None
    words = f"'{path}' is kept in LFS, replaced as a whole and never merged"
    if repository.has_lfs:
        return Case(code="W809", path=path, words=words, level=Level.NOTE)
    return Case(
        code="W809",
        path=path,
        words=f"{words}; git-lfs is not set up here, so its content itself would be committed",
        hint="git lfs install",
    )
