"""The title and the body of a pull request, in Markdown; and what `git waves pull-request` says."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.proposal import Proposal, Proposed
from git_waves.views import age
from git_waves.views.markdown import code, codes, plain, table
from git_waves.views.safe import clean, cut, quoted, shell_word

LONGEST_TITLE = 100  # letters
MOST_LETTERS = 60_000  # of a body; forges take 65,536
_MOST_PATHS = 10  # of one task


def title_of(state: RunState) -> str:
    """The title for all of a run's work."""
    merged = _through(state)
    if len(merged) == 1:
        return task_title(merged[0])
    return f"{clean(state.plan)}: {len(merged)} tasks"


def task_title(task: TaskState) -> str:
    """The title for one task's work."""
    return cut(f"{clean(task.id)}: {clean(task.title)}" if task.title else clean(task.id), LONGEST_TITLE)


def body_of(state: RunState) -> str:
    """Tasks with what they changed, what is not in it, how it was proved, and trailers."""
    return _bounded("\n".join(_lines(state)), state)


def task_body(state: RunState, task: TaskState) -> str:
    """The same for one task."""
    lines = [f"Task {code(task.id)} of plan {code(state.plan)}, attempt {task.attempt}.", ""]
    if task.needs:
        lines += [f"It builds on {codes(task.needs)}, whose work is in its history.", ""]
    lines += ["Changed:", "", *(f"- {code(path)}" for path in task.paths[:200]), "", *_trailers(state)]
    lines.append(f"Waves-Task: {clean(task.id)}")
    return _bounded("\n".join(lines) + "\n", state)


def _lines(state: RunState) -> Iterator[str]:
    merged = _through(state)
    yield f"{len(merged)} of {len(state.tasks)} tasks of plan {code(state.plan)}, from {code(state.base_name)} at {code(state.base[:12])}."
    yield ""
    rows = [
        (
            code(task.id),
            plain(task.title),
            codes(task.paths, _MOST_PATHS) or "nothing",
            f"{code(task.commit[:10])}",
        )
        for task in merged
    ]
    yield from table(("task", "title", "changes", "merge"), rows)
    left = [task for task in state.tasks.values() if task not in merged and task.status != fold.DONE]
    if left:
        yield ""
        yield "Not in it:"
        yield ""
        for task in left:
            yield f"- {code(task.id)} is {task.status}" + (f": {plain(task.reason)}" if task.reason else "")
    proved = {result.gate: result for result in state.gates.values() if result.passed}
    yield ""
    if proved:
        yield "Gates that passed on merged trees:"
        yield ""
        for result in proved.values():
            yield f"- {code(result.gate)}, {age.words(result.seconds)}, last on tree {code(result.tree[:12])}"
    else:
        yield "No gate guards this plan."
    yield ""
    yield from _trailers(state)


def _trailers(state: RunState) -> Iterator[str]:
    yield f"Waves-Plan: {clean(state.plan)}"
    yield f"Waves-Run: {clean(state.run)}"
    yield f"Waves-Base: {state.base}"
    yield f"Waves-Integration: {state.integration}"


def _through(state: RunState) -> list[TaskState]:
    return [task for task in state.tasks.values() if task.status == fold.INTEGRATED]


def _bounded(text: str, state: RunState) -> str:
    if len(text) <= MOST_LETTERS:
        return text.rstrip("\n") + "\n"
    tail = "\n".join(["", "(cut: it is too long for a pull request)", "", *_trailers(state)])
    return text[: MOST_LETTERS - len(tail)].rpartition("\n")[0] + tail + "\n"


# ---------------------------------------------------------------------- what the command says


def proposed_text(proposed: Proposed) -> str:
    """How it went: the address, or what to type."""
    lines = []
    for one in proposed.made:
        what = "updated" if one.was_there else "opened"
        lines.append(
            f"{what} {clean(one.address) or 'a pull request'} for branch {quoted(one.proposal.head)}"
        )
    for proposal in proposed.left:
        lines += _by_hand(proposal, proposed)
    return "\n".join(lines) + "\n"


def _by_hand(proposal: Proposal, proposed: Proposed) -> Iterator[str]:
    yield f"{clean(proposed.why_not)}; the body is in '{clean(proposal.body_file)}'. To open it, type:"
    yield f"  git {_typed(proposal.push_words)}"
    yield f"  {_typed(proposal.create_words)}"


def _typed(words: tuple[str, ...]) -> str:
    return " ".join(map(shell_word, words))
