"""What is known about a run's parts: a task, a group, a gate on one tree. `fold` fills them; imports nothing, like `fold`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Event = Mapping[str, Any]
else:
    Event = dict  # for annotations that are looked at when the program runs


class Limited:
    """An agent that is left alone because it is limited: `until` is ISO 8601 UTC, empty until a person runs again; `count` is
    how often in a row."""

    __slots__ = ("count", "reason", "until")

    def __init__(self, until: str, count: int, reason: str) -> None:
        self.until = until
        self.count = count
        self.reason = reason


class TaskState:
    """What is known about one task."""

    __slots__ = (
        "agent",
        "agents",
        "attempt",
        "attempts",
        "base",
        "branch",
        "budget",
        "commit",
        "earlier",
        "ended",
        "fence",
        "foreseen",
        "granted",
        "group",
        "handed_in",
        "handed_on",
        "held",
        "held_at",
        "hint",
        "id",
        "is_final",
        "is_repeatable",
        "is_resumable",
        "kept",
        "needs",
        "paths",
        "reason",
        "requests",
        "resumes",
        "rung",
        "sandbox",
        "session",
        "since",
        "spent",
        "started",
        "status",
        "taken_up",
        "tip",
        "title",
        "tried",
        "worktree",
    )

    def __init__(self, task_id: str, title: str, group: str, needs: list[str], status: str) -> None:
        self.id = task_id
        self.title = title
        self.group = group
        self.needs = needs
        self.status = status
        self.attempt = 0
        self.attempts = 1  # that each of its agents may make by itself
        self.agents: list[str] = []  # what they are called; none for a command and a person
        self.agent = 0  # which of them makes the current attempt, or the next
        self.tried = 0  # how often it has failed with that agent, since a person decided about it last
        self.earlier: list[str] = []  # how the attempts before the current one ended, in words
        self.is_repeatable = False  # whether an attempt that could not be finished may start over by itself
        self.is_final = False  # failed, and trying again makes no sense
        self.branch = ""
        self.base = ""
        self.sandbox = "none"  # the fence around its commands that the run began with
        self.fence = ""  # what was in force for the live or last attempt, in words
        self.worktree = ""  # folder of the live or last attempt; empty once it was removed
        self.tip = ""  # the commit that passed every rung
        self.commit = ""  # the merge commit
        self.rung = ""
        self.reason = ""
        self.hint = ""
        self.paths: list[str] = []
        self.requests: list[dict[str, str]] = []  # of the current attempt: path, reason, owner
        self.granted: list[str] = []
        self.foreseen: dict[str, list[str]] = {}  # by the other task ("": what is merged)
        self.kept: list[str] = []  # archive refs of earlier attempts
        self.handed_on = ""  # the tree of the files that the attempt hands on
        self.held = ""  # why it waits for a machine-wide resource, in words; empty when it does not
        self.held_at = ""  # the name of that resource
        self.budget: dict[str, float | None] = {}  # limits a person set instead of the plan's
        self.spent: dict[int, tuple[int, float]] = {}  # attempt -> tokens and US dollars, by its own account
        self.taken_up = ""  # how a later coordinator found the current attempt: adopted, finished, resumed
        self.handed_in = 0  # how often a person said that the current attempt is done
        self.resumes = 0  # how often the current attempt's agent was started again in its worktree
        self.session = ""  # with which the attempt goes on, or went on last
        self.is_resumable = False  # pending, and to go on in the same attempt
        self.since = ""  # wall time of the last change of status, ISO 8601 UTC
        self.started = ""
        self.ended = ""

    def total(self) -> tuple[int, float]:
        """What all its attempts have used together: tokens and US dollars."""
        return sum(tokens for tokens, _ in self.spent.values()), sum(
            (cost for _, cost in self.spent.values()), 0.0
        )


class GroupState:
    """One group of the schedule: rounds of task ids, the gates at its barrier."""

    __slots__ = ("gates", "holds", "name", "rounds")

    def __init__(
        self, name: str, rounds: list[list[str]], gates: list[str], holds: list[dict[str, str]]
    ) -> None:
        self.name = name
        self.rounds = rounds
        self.gates = gates
        self.holds = holds
