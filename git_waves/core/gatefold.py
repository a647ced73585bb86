"""What the events of a run tell of its gates. A part of `fold`, and as cheap to import: nothing is imported here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Why a gate was run (see core.model.Purpose).
BARRIER = "barrier"
BASELINE = "baseline"
CONTROL = "control"
MUTATION = "mutation"
CULPRIT = "culprit"


class GateRule:
    """What the plan asks of a gate beside passing; `control` and `guards` say whether it has any."""

    __slots__ = ("baseline", "claim", "control", "guards", "name")

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.name: str = record["name"]
        self.baseline: str = record["baseline"]
        self.control: bool = record["control"]
        self.guards: bool = record["guards"]
        self.claim: bool = record["claim"]


class Culprit:
    """Who turned a gate red on a tree. `tasks` is one task, a pair, or nobody; `suspect` the task with whose merge green
    turned to red, empty when there is none; `evidence` says it in words. `round` is the gate round that was red."""

    __slots__ = ("evidence", "gate", "group", "round", "suspect", "tasks", "tree")

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.group: str = event["group"]
        self.gate: str = event["gate"]
        self.tree: str = event["tree"]
        self.round: int = event["round"]
        self.tasks: list[str] = event["tasks"]
        self.suspect: str = event["suspect"]
        self.evidence: str = event["evidence"]


class GateResult:
    """How a gate ended on one tree; of a control or a mutation that is the tree before it was made wrong.

    `verdict` is empty but for those two. `failures` and `tolerated` are names that the gate's output gave, `reused` is the
    earlier run that it comes from.
    """

    __slots__ = (
        "at",
        "code",
        "failures",
        "gate",
        "greens",
        "group",
        "log",
        "passed",
        "paths",
        "purpose",
        "reason",
        "reused",
        "runs",
        "seconds",
        "tolerated",
        "tree",
        "verdict",
    )

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.purpose: str = event.get("purpose", BARRIER)
        self.runs: int = event.get("runs", 1)
        self.greens: int = event.get("greens", 0)
        self.failures: list[str] = event.get("failures", [])
        self.tolerated: list[str] = event.get("tolerated", [])
        self.verdict: str = event.get("verdict") or ""
        self.paths: list[str] = event.get("paths", [])
        self.reused: str = event.get("reused", "")
        self.gate: str = event["gate"]
        self.group: str = event["group"]
        self.tree: str = event["tree"]
        self.passed: bool = event["passed"]
        self.code: int | None = event["code"]
        self.reason: str = event["reason"]
        self.seconds: float = event["seconds"]
        self.log: str = event["log"]
        self.at: str = event["at"]

    @property
    def is_flaky(self) -> bool:
        """Whether it was red and green on the same tree."""
        return 0 < self.greens < self.runs
