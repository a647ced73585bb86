"""A second reader's look at a plan: what there is to judge, and the verdict, bound to exactly the content that was read."""

from __future__ import annotations

from datetime import UTC, datetime

from git_waves import planning
from git_waves.adapters import reviews
from git_waves.adapters.repo import Repository
from git_waves.core.model import Plan
from git_waves.core.review import Recorded, Review, Verdict, Word, standing
from git_waves.errors import HaltError, UsageError
from git_waves.formats.source import PlanText

_SHORTEST_ID = 7  # letters of a content's id that are taken for it, as git takes them for a commit's


def look(repository: Repository, spec: str | None) -> Review:
    """What a reviewer of the plan that `spec` names should see; raises as `planning.read_text` and `read` do."""
    text = planning.read_text(repository, spec)
    plan = planning.read(text, repository)
    blob = repository.git.blob_id(text.data)
    return Review(
        analysis=planning.analyse(plan, repository=repository, with_history=True),
        blob=blob,
        verdicts=reviews.verdicts_on(repository.common_dir, plan.name, blob),
    )


def record(
    repository: Repository,
    spec: str | None,
    *,
    word: Word,
    by: str,
    note: str = "",
    content: str | None = None,
) -> Recorded:
    """Keep a verdict on the plan's content as it is now, durably.

    `content` is the id, or its beginning, that the reviewer has read; UsageError when the plan has changed since.
    """
    text = planning.read_text(repository, spec)
    plan = planning.read(text, repository)
    blob = repository.git.blob_id(text.data)
    if not by.strip():
        raise UsageError("a verdict needs the name of who gives it", hint="--by NAME")
    if content is not None and len(content) < _SHORTEST_ID:
        raise UsageError(f"'{content}' is too short for the id of a content", hint=f"--content {blob[:12]}")
    if content is not None and not blob.startswith(content.lower()):
        raise UsageError(
            f"'{text.source}' is not what was reviewed: its content is {blob[:12]}, not {content}",
            hint="read it again: git waves review",
        )
    verdict = Verdict(
        word=word, by=by.strip(), note=note.strip(), at=datetime.now(UTC).isoformat(timespec="seconds")
    )
    verdicts = reviews.add_verdict(repository.common_dir, plan.name, blob, verdict)
    return Recorded(plan=plan.name, blob=blob, verdict=verdict, standing=standing(verdicts))


def check_reviewed(repository: Repository, plan: Plan, text: PlanText) -> str:
    """Before a run: HaltError when the plan asks for an approval that this content has not; else what to say about it in
    one line, empty when it is approved."""
    verdicts = reviews.verdicts_on(repository.common_dir, plan.name, repository.git.blob_id(text.data))
    found = standing(verdicts)
    if found.is_approved:
        return ""
    if found.objection is not None:
        note = f": {found.objection.note}" if found.objection.note else ""
        problem = f"'{found.objection.by}' says that plan '{plan.name}' is to be revised{note}"
    else:
        problem = f"no review approves plan '{plan.name}' as it is now"
    if plan.require_review:
        raise HaltError(
            f"{problem}, and the plan asks for one ('require_review')"
            if found.objection is None
            else f"{problem}; the plan asks for an approval ('require_review')",
            hint="'git waves review' prints what to look at and how to record the verdict",
        )
    return f"note: {problem}; see 'git waves review'"
