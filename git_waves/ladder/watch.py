"""An agent that runs is watched over: what it uses is told, and it is ended when a limit of its task is used up.

Time is the supervisor's business, which outlives us; tokens and money are read here, so nobody counts them while no
coordinator runs. The next one reads what was written meanwhile, and judges it the same way.
"""

from __future__ import annotations

import time

from git_waves import agents
from git_waves.adapters import process
from git_waves.adapters.jobs import Job, JobResult, Reason, read_identity
from git_waves.core import spending
from git_waves.core.spending import Spent
from git_waves.ladder.attempt import Climb, Noticed, Used
from git_waves.ladder.meter import Meter

_LOOK = 0.5  # seconds between two looks


class Watch:
    """Over one attempt's agent. `reached` are words for the limit that is used up, empty while none is."""

    def __init__(self, state: Climb) -> None:
        attempt = state.lease.attempt
        self._state = state
        self._limits = spending.limits_of(state.budget)
        self._who = f"attempt {attempt} of task '{state.task.id}'"
        self._spent = state.spent
        self._warn_at: float | None = None  # monotonic
        self.meter = Meter(
            state.run_dir.log(state.task.id, attempt),
            state.run_dir.usage(state.task.id, attempt),
            agents.reader_of(state.plan, state.task, state.agents),
        )
        self.reached = ""

    def wait(self, job: Job) -> JobResult:
        """The job's result. Ended by us or not, everything it wrote has been read by then."""
        self._mind_the_clock(job)
        result = process.wait(job, poll=_LOOK, until=self._is_used_up)
        if result is None:
            process.stop(job)
            result = process.wait(job)
        self._look(is_last=True)
        if result.reason is Reason.EXITED:
            for name in spending.untold(self._counted(), self._spent):
                self._state.tell(Noticed(f"{self._who} has a limit of {name}, and its agent told none"))
        return result

    def _counted(self) -> dict[str, float | None]:
        """The limits that need the agent's word: its task's, and those of the run unless the task is a mere command."""
        return (
            self._limits if self._state.task.run is not None else {**self._state.run_limits, **self._limits}
        )

    def _is_used_up(self) -> bool:
        self._look(is_last=False)
        if self._warn_at is not None and time.monotonic() >= self._warn_at:
            self._warn_at = None
            limit = spending.amount("wall_clock", self._limits["wall_clock"] or 0)
            self._warn(f"more than {spending.NEAR:.0%} of its limit of {limit}")
        return bool(self.reached)

    def _look(self, *, is_last: bool) -> None:
        self.meter.look(is_last=is_last)
        before, now = self._spent, self._spent.or_more(self.meter.spent)
        self._spent = now
        self.reached = spending.reached(self._limits, now)[1]
        neared = spending.neared(self._limits, before, now)
        for words in neared:
            self._warn(words)
        if now != before or (is_last and now != Spent()):
            is_due = is_last or bool(neared) or bool(self.reached)
            self._state.tell(Used(now, self.meter.source, is_due))

    def _warn(self, words: str) -> None:
        self._state.tell(Noticed(f"{self._who} has used {words}"))

    def _mind_the_clock(self, job: Job) -> None:
        """Its supervisor ends it in time; here people are warned before. A clock that was set gives a wrong moment."""
        limit, identity = self._state.budget.wall_clock, read_identity(job)
        if limit is not None and identity is not None:
            ran = min(max(time.time() - identity.started, 0), limit)
            self._warn_at = time.monotonic() + spending.NEAR * limit - ran
