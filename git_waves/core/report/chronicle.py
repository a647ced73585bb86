"""When what happened: attempts with their rungs, coordinators, gates and barriers, read from the event log.

The fold keeps how things stand and forgets how they came to stand so; this keeps the way. A clock that was put back does not
turn time round: no event counts as earlier than the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from git_waves.core.fold import Event
from git_waves.core.moments import seconds_of
from git_waves.core.report.model import (
    Attempt,
    Barrier,
    Culprit,
    Foreseen,
    GateRun,
    Grant,
    Request,
    Reset,
    Rung,
    Session,
    Span,
    Wait,
)

INTERRUPTED = "interrupted"
"""How an attempt ended that is to be made again through nobody's fault."""
_ENDS = {
    "task_passed": "passed",
    "task_failed": "failed",
    "task_parked": "parked",
    "task_interrupted": INTERRUPTED,
    "task_awaited": "awaiting",
    "agent_limited": "limited",
}
TAKEN_UP = "taken up"
"""How a part of an attempt ended that a later coordinator goes on with."""
_BY_HAND = frozenset({"task_retried", "task_skipped", "task_handed_in", "worktree_removed"})
"""Events that a person's command may write while no coordinator works."""


@dataclass(slots=True, kw_only=True)
class _Open:
    """An attempt while it is read: `session` is the number of the coordinator that told of it last."""

    number: int
    begin: float
    session: int
    taken_up: str = ""
    rungs: list[tuple[str, float]] = field(default_factory=list)

    def closed(self, end: float) -> Attempt:
        """The attempt as far as it got at `end`."""
        end = max(end, self.begin)
        starts = [*(min(begin, end) for _name, begin in self.rungs), end]
        return Attempt(
            number=self.number,
            taken_up=self.taken_up,
            span=Span(begin=self.begin, end=end),
            rungs=tuple(
                Rung(name=name, span=Span(begin=starts[place], end=starts[place + 1]))
                for place, (name, _begin) in enumerate(self.rungs)
            ),
        )


@dataclass(slots=True, kw_only=True)
class Chronicle:
    """All of it; `attempts` and `merged` (the time) are by task."""

    span: Span = field(default_factory=lambda: Span(begin=0.0, end=0.0))
    attempts: dict[str, list[Attempt]] = field(default_factory=dict)
    merged: dict[str, float] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    gates: list[GateRun] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    culprits: list[Culprit] = field(default_factory=list)
    resets: list[Reset] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    foreseen: dict[tuple[str, str], Foreseen] = field(default_factory=dict)


def read(events: Iterable[Event], *, now: float, is_running: bool) -> Chronicle:
    """The chronicle of a run up to `now`; `is_running` is whether a coordinator is at work this moment."""
    reader = _Reader()
    for event in events:
        reader.take(event)
    return reader.finished(now if is_running else None)


class _Reader:
    def __init__(self) -> None:
        self.found = Chronicle()
        self.at = 0.0  # of the event that is read
        self.session = (
            0  # the number of the coordinator at work; it is the length of `found.sessions` plus one
        )
        self.session_begin = self.session_last = 0.0
        self.process = ""
        self.is_open = False
        self.left: dict[str, list[str]] = {}  # what became of tasks that an earlier coordinator left at work
        self.open: dict[str, _Open] = {}
        self.held: dict[str, tuple[str, float]] = {}  # task -> the resource it waits for, since when

    def take(self, event: Event) -> None:
        """Take in one event; what tells nothing about time is passed over."""
        self.at = max(self.at, seconds_of(event["at"]))
        name = event["event"]
        if name in ("run_started", "run_resumed"):
            self._session_begins(event)
        elif name in ("run_halted", "run_stopped", "run_finished"):
            self._session_ends(name.removeprefix("run_"), event.get("reason", ""))
        elif name in _ENDS:
            self._attempt_ends(event)
        else:
            handler = getattr(self, f"_{name}", None)
            if handler is not None:
                handler(event)
        if name not in _BY_HAND:
            self.session_last = self.at

    def finished(self, now: float | None) -> Chronicle:
        """What was read; what still goes on goes on until `now`, or until the last word of a coordinator that died."""
        end = self.session_last if now is None else max(now, self.at)
        for task, attempt in self.open.items():
            self.found.attempts.setdefault(task, []).append(attempt.closed(end))
        self.open.clear()
        for task in list(self.held):
            self._is_free(task, end)
        if self.is_open:
            self.at = max(self.at, end)
            self._session_ends("died" if now is None else "", "", at=end)
        begin = self.found.sessions[0].span.begin if self.found.sessions else self.at
        self.found.span = Span(begin=begin, end=max(self.at, end))
        return self.found

    # ------------------------------------------------------------------ coordinators

    def _session_begins(self, event: Event) -> None:
        if self.is_open:
            self._session_ends("died", "", at=self.session_last)
        who = event["coordinator"]
        self.session += 1
        self.is_open = True
        self.session_begin = self.session_last = self.at
        self.process = f"process {who['pid']} on {who['host']}"

    def _session_ends(self, how: str, reason: str, *, at: float | None = None) -> None:
        span = Span(begin=self.session_begin, end=self.at if at is None else at)
        self.found.sessions.append(
            Session(
                span=span,
                process=self.process,
                ended=how,
                reason=reason,
                found=tuple((what, tuple(tasks)) for what, tasks in self.left.items()),
            )
        )
        self.left = {}
        self.is_open = False

    def _end_of(self, session: int) -> float:
        return self.found.sessions[session - 1].span.end if session <= len(self.found.sessions) else self.at

    # ------------------------------------------------------------------ attempts

    def _task_held(self, event: Event) -> None:
        task = event["task"]
        if task in self.held and self.held[task][0] == event["resource"] and event["reason"]:
            return  # another reason for the same wait
        self._is_free(task, self.at)
        if event["reason"]:
            self.held[task] = (event["resource"], self.at)

    def _is_free(self, task: str, at: float) -> None:
        if task in self.held:
            resource, begin = self.held.pop(task)
            span = Span(begin=begin, end=max(at, begin))
            self.found.waits.append(Wait(task=task, resource=resource, span=span))

    def _task_leased(self, event: Event) -> None:
        self._is_free(event["task"], self.at)
        self.open[event["task"]] = _Open(number=event["attempt"], begin=self.at, session=self.session)

    def _rung_reached(self, event: Event) -> None:
        attempt = self._current(event)
        if attempt is None:
            return
        attempt.session = self.session
        # An attempt that is taken up again climbs from the bottom: a rung it was at goes on.
        if event["rung"] not in (name for name, _begin in attempt.rungs):
            attempt.rungs.append((event["rung"], self.at))

    def _task_taken_up(self, event: Event) -> None:
        task, how = event["task"], event["how"]
        self.left.setdefault(how, []).append(task)
        attempt = self._current(event)
        if how == "adopted" and attempt is not None:
            attempt.taken_up, attempt.session = how, self.session
            return
        if (
            attempt is not None
        ):  # it ended while nobody looked, not long after its coordinator did, or was begun again
            part = attempt.closed(self._end_of(attempt.session))
            self.found.attempts.setdefault(task, []).append(replace(part, ended=TAKEN_UP))
        self.open[task] = _Open(number=event["attempt"], begin=self.at, session=self.session, taken_up=how)

    def _task_handed_in(self, event: Event) -> None:
        """From here on it is the run's time again; what a person took between is no time of the run."""
        self.open[event["task"]] = _Open(
            number=event["attempt"], begin=self.at, session=self.session, taken_up="handed in"
        )

    def _current(self, event: Event) -> _Open | None:
        attempt = self.open.get(event["task"])
        return attempt if attempt is not None and attempt.number == event["attempt"] else None

    def _attempt_ends(self, event: Event) -> None:
        ended = _ENDS[event["event"]]
        if ended == INTERRUPTED and not event.get("session"):
            self.left.setdefault("started over", []).append(event["task"])
        attempt = self._current(event)
        if attempt is None:
            self._fell_later(event, ended)
            return
        del self.open[event["task"]]
        # Nobody knows when in between it was interrupted; the coordinator that died saw it last.
        end = self._end_of(attempt.session) if ended == INTERRUPTED else self.at
        self.found.attempts.setdefault(event["task"], []).append(
            replace(
                attempt.closed(end),
                ended=ended,
                rung=event.get("rung", ""),
                reason=event.get("reason", ""),
                changed=tuple(event["paths"]) if ended == "passed" else (),
                paths=tuple(event.get("paths", ())) if ended != "passed" else (),
            )
        )

    def _fell_later(self, event: Event, ended: str) -> None:
        """An attempt that had passed and stumbled at its merge, or a task that never had one."""
        known = self.found.attempts.get(event["task"], [])
        for place, attempt in enumerate(known):
            if attempt.number == event["attempt"]:
                known[place] = replace(
                    attempt,
                    ended=ended,
                    rung=event.get("rung", ""),
                    reason=event.get("reason", ""),
                    paths=tuple(event.get("paths", ())),
                )

    def _worktree_removed(self, event: Event) -> None:
        known = self.found.attempts.get(event["task"], [])
        for place, attempt in enumerate(known):
            if attempt.number == event["attempt"] and event["archive"]:
                known[place] = replace(attempt, archive=event["archive"])

    # ------------------------------------------------------------------ barriers

    def _task_merged(self, event: Event) -> None:
        self.found.merged[event["task"]] = self.at

    def _gate_finished(self, event: Event) -> None:
        self.found.gates.append(
            GateRun(
                gate=event["gate"],
                group=event["group"],
                purpose=event.get("purpose", "barrier"),
                span=Span(begin=self.at - min(event["seconds"], self.at), end=self.at),
                tree=event["tree"],
                passed=event["passed"],
                reason=event["reason"],
                log=event["log"],
                runs=event.get("runs", 1),
                greens=event.get("greens", 0),
                failures=tuple(event.get("failures", ())),
                tolerated=tuple(event.get("tolerated", ())),
                verdict=event.get("verdict") or "",
                paths=tuple(event.get("paths", ())),
                reused=event.get("reused", ""),
            )
        )

    def _published(self, event: Event) -> None:
        self.found.barriers.append(Barrier(group=event["group"], at=self.at, commit=event["new"]))

    def _culprit_found(self, event: Event) -> None:
        self.found.culprits.append(
            Culprit(
                gate=event["gate"],
                group=event["group"],
                tree=event["tree"],
                at=self.at,
                tasks=tuple(event["tasks"]),
                suspect=event["suspect"],
                evidence=event["evidence"],
            )
        )

    def _candidate_reset(self, event: Event) -> None:
        out = {name: tuple(event[name]) for name in ("culprits", "again", "restart")}
        self.found.resets.append(Reset(at=self.at, reason=event["reason"], **out))
        for tasks in out.values():
            for task in tasks:
                self.found.merged.pop(task, None)

    # ------------------------------------------------------------------ paths

    def _request_made(self, event: Event) -> None:
        self.found.requests.append(
            Request(
                task=event["task"],
                attempt=event["attempt"],
                at=self.at,
                path=event["path"],
                reason=event["reason"],
                owner=event["owner"],
                is_granted=False,
            )
        )

    def _conflict_foreseen(self, event: Event) -> None:
        key = (event["task"], event["other"])
        if event["paths"]:
            self.found.foreseen[key] = Foreseen(
                task=event["task"],
                other=event["other"],
                at=self.at,
                paths=tuple(event["paths"]),
                is_gone=False,
            )
        elif key in self.found.foreseen:
            self.found.foreseen[key] = replace(self.found.foreseen[key], is_gone=True)

    def _task_retried(self, event: Event) -> None:
        if event["grant"]:
            self.found.grants.append(Grant(task=event["task"], at=self.at, paths=tuple(event["grant"])))
