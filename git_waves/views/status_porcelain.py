"""`git waves status --porcelain`: one record a line for scripts, a format that only ever grows.

Version 1: a first record `git-waves status v1`, then `key value` records (`plan`, `run`, `scheduler`, `state`,
`integration`, `halted`), then one record for each task in merge order with its fields between tabs:

    task <id> <state> <attempt> <rung> <group> <started> <ended> <reason>

and behind them, with tabs too, what is known of some tasks only:

    spent <id> <tokens> <cost>
    taken-up <id> adopted|finished|resumed

Times are UTC or empty, cost is in US dollars. With `-z` records end in NUL and texts stand as they are; else every text is made printable.
Imports nothing.
"""

from __future__ import annotations

from git_waves.views.safe import clean
from git_waves.views.standing import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_waves.core.fold import RunState

FIRST = "git-waves status v1"


def status_porcelain(state: RunState | None, *, is_running: bool, nul: bool) -> str:
    """All records; only the first when nothing has run."""
    records = [FIRST]
    if state is not None:
        records += [
            f"plan {state.plan}",
            f"run {state.run}",
            f"scheduler {state.scheduler}",
            f"state {standing(state, is_running=is_running)}",
            f"integration {state.integration}",
        ]
        if state.halted:
            records.append(f"halted {state.halted}" if nul else f"halted {clean(state.halted)}")
        for group in state.groups:
            for one_round in group.rounds:
                for task_id in one_round:
                    task = state.tasks[task_id]
                    fields = (task.id, task.status, str(task.attempt), task.rung, task.group)
                    records.append(
                        "\t".join(("task", *fields, task.started, task.ended, _text(task.reason, nul)))
                    )
        for task in state.tasks.values():
            if task.spent:
                tokens, cost = task.total()
                records.append(f"spent\t{task.id}\t{tokens}\t{cost:.6f}")
            if task.taken_up:
                records.append(f"taken-up\t{task.id}\t{task.taken_up}")
    end = "\0" if nul else "\n"
    return end.join(records) + end


def _text(text: str, nul: bool) -> str:
    return text.replace("\0", "") if nul else clean(text)
