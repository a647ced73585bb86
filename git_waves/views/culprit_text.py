"""Who broke a red gate, with what each of them changed. Imports nothing that is not free: `status` uses it."""

from __future__ import annotations

from git_waves.views.safe import clean, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_waves.core.fold import Culprit, RunState

_MOST = 5  # paths shown of one task; `git waves show` has all


def culprits_now(state: RunState) -> list[Culprit]:
    """What was found about the gates that are red on the candidate as it is."""
    return [culprit for (_, tree), culprit in state.culprits.items() if tree == state.candidate_tree]


def suspects_now(state: RunState) -> list[str]:
    """The tasks with whose merges the gates turned red: taking them out is the way to green."""
    return list(dict.fromkeys(culprit.suspect for culprit in culprits_now(state) if culprit.suspect))


def changed_lines(state: RunState) -> list[str]:
    """A line for each task that broke a gate on the candidate: what it changed."""
    named = dict.fromkeys(
        task for culprit in culprits_now(state) for task in culprit.tasks or [culprit.suspect] if task
    )
    return [f"{clean(task)} changed {_paths(state.tasks[task].paths)}" for task in named]


def _paths(paths: list[str]) -> str:
    shown = ", ".join(quoted(path) for path in paths[:_MOST])
    more = len(paths) - _MOST
    return f"{shown} and {more} more" if more > 0 else shown or "nothing"
