"""Whether a plan came from elsewhere, and whether this user has allowed exactly its content to run (P7).

A plan is one's own when it was committed in this clone, or only lies in the work tree, or is piped in. Names and
addresses prove nothing, anybody can write them into a commit; what a clone does not bring along is its reflog, where git
notes what was committed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from git_waves import planning
from git_waves.adapters import trust
from git_waves.adapters.git import Git
from git_waves.adapters.repo import Repository
from git_waves.core.findings.commands import agents_of, commands_of
from git_waves.core.model import Plan
from git_waves.core.trusted import Stranger
from git_waves.errors import HaltError, UsageError
from git_waves.formats.source import PlanText

_SHORTEST_ID = 7  # letters of a content's id that are taken for it, as git takes them for a commit's
_MADE_HERE = ("commit", "rebase", "cherry-pick", "revert")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known about a plan's content: `stranger` is the plan as somebody would have to see it."""

    stranger: Stranger
    is_own: bool
    is_trusted: bool

    @property
    def may_run(self) -> bool:
        """Whether a run may begin without a question."""
        return self.is_own or self.is_trusted


def look(repository: Repository, spec: str | None) -> Standing:
    """Where the plan that `spec` names comes from; raises as `planning.read_text` and `read` do. Executes nothing."""
    text = planning.read_text(repository, spec)
    return standing(repository, text, planning.read(text, repository))


def standing(repository: Repository, text: PlanText, plan: Plan) -> Standing:
    """The same for a plan that was read already."""
    blob = repository.git.blob_id(text.data)
    is_trusted = trust.is_trusted(repository.common_dir, blob)
    origin = _origin(repository, text)
    return Standing(
        stranger=Stranger(
            source=text.source,
            blob=blob,
            origin=origin or "",
            commands=tuple(
                (f"{where} of task '{task}'" if task else where, str(command))
                for where, task, command in commands_of(plan)
            )
            + tuple(_options_of_agents(plan)),
        ),
        is_own=origin is None,
        is_trusted=is_trusted,
    )


def _options_of_agents(plan: Plan) -> Iterator[tuple[str, str]]:
    """What the plan gives to agents that are named: arguments and variables can change what is executed."""
    for task, agent in agents_of(plan):
        words = (*agent.args, *(f"{name}={value}" for name, value in agent.env))
        if words:
            yield f"options of agent{f' of task {task!r}' if task else ''}", " ".join(words)


def check_trusted(repository: Repository, text: PlanText, plan: Plan) -> Stranger | None:
    """Before a run begins: None when it may, else what somebody must look at first."""
    found = standing(repository, text, plan)
    return None if found.may_run else found.stranger


def refuse(stranger: Stranger) -> HaltError:
    """The error for a run that nobody has allowed."""
    number = len(stranger.commands)
    return HaltError(
        f"'{stranger.source}' {stranger.origin}, and running it would execute {number} command{'s' * (number != 1)} of it",
        hint="'git waves trust' shows them, and how to allow exactly this content",
    )


def allow(repository: Repository, stranger: Stranger, content: str | None = None) -> None:
    """Write down that this content may run here. `content` is the id, or its beginning, that was looked at; UsageError
    when the plan is another by now."""
    if content is not None and len(content) < _SHORTEST_ID:
        raise UsageError(
            f"'{content}' is too short for the id of a content", hint=f"--content {stranger.blob[:12]}"
        )
    if content is not None and not stranger.blob.startswith(content.lower()):
        raise UsageError(
            f"'{stranger.source}' is not what was looked at: its content is {stranger.blob[:12]}, not {content}",
            hint="look at it again: git waves trust",
        )
    trust.trust(repository.common_dir, stranger.blob)


# ---------------------------------------------------------------------- where it comes from


def _origin(repository: Repository, text: PlanText) -> str | None:
    """How the plan came here, in words that follow its name; None when it is one's own."""
    if not text.name_hint:
        return None  # piped in by whoever types
    if Path(text.name_hint).is_absolute():
        return "lies outside the repository"
    revision = text.source.partition(":")[0] if text.source != text.name_hint else "HEAD"
    git = Git(repository.git_dir)
    if git.resolve(revision or "HEAD") is None:
        return None  # no commit at all: it was written here
    found = git.last_change(revision or "HEAD", text.name_hint)
    if found is None:
        return None  # not committed: it was written here
    commit, author = found
    if git.was_made_here(commit, _MADE_HERE):
        return None
    committed = git.blob(f"{commit}:{text.name_hint}")
    if committed is not None and trust.is_trusted(repository.common_dir, git.blob_id(committed)):
        return None  # what was allowed before, edited here
    return f"came with commit {commit[:12]} by '{author}'"
