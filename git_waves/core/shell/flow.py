"""Values for how a part of a shell text may end, and how two parts together end. The rules of the shell are in `judge`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from git_waves.core.shell.habit import Cause, Kind, Strength
from git_waves.core.shell.syntax import Command

NONE, WEAK, STRONG = Strength.NONE, Strength.WEAK, Strength.STRONG
_LONGEST_SHOWN = 48
_MOST_SOURCES = 4


class LossKind(Enum):
    """How a failure goes nowhere, the worst first."""

    PASSED_OVER = "passed over"
    EMPTY_VARIABLE = "empty variable"  # the command itself passes when a variable is empty
    WRONG_PLACE = "wrong place"  # a `cd` that failed: what follows runs elsewhere, and may fail for it


@dataclass(frozen=True, slots=True)
class Loss:
    """A failure of `command` may change nothing, because of `cause`."""

    command: str
    cause: Cause
    kind: LossKind = LossKind.PASSED_OVER


@dataclass(frozen=True, slots=True)
class Ending:
    """How a text may end. `strength` is how much its failing would say, `cause` why it says less than it should.

    `losses` are failures inside that it does not pass on. `backwards` is why it passes when the work is bad.
    """

    strength: Strength
    cause: Cause | None = None
    losses: tuple[Loss, ...] = ()
    backwards: Cause | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A command that a failure may come from."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Flow:
    """How a part may end: `ok` with 0; `bad` with another code; `soft` likewise, where `set -e` does not look.

    `leaves_*` end the whole text, `returns_*` the function around it. `cause` belongs to what is not STRONG, and
    `bad_from` and `soft_from` are the commands behind `bad` and `soft`.
    """

    ok: bool = True
    bad: Strength = NONE
    soft: Strength = NONE
    leaves_ok: bool = False
    leaves_bad: Strength = NONE
    returns_ok: bool = False
    returns_bad: Strength = NONE
    cause: Cause | None = None
    bad_from: tuple[Source, ...] = ()
    soft_from: tuple[Source, ...] = ()

    @property
    def fails(self) -> Strength:
        """How much a failure here would say to what comes next."""
        return max(self.bad, self.soft)

    @property
    def goes_on(self) -> bool:
        """Whether anything can come next."""
        return self.ok or self.fails > NONE

    @property
    def whole(self) -> Strength:
        """How much a failure would say if nothing came next."""
        return max(self.bad, self.soft, self.leaves_bad, self.returns_bad)

    @property
    def passes(self) -> bool:
        """Whether it can end well, in any way."""
        return self.ok or self.leaves_ok or self.returns_ok

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where its failures come from."""
        return (*self.bad_from, *self.soft_from)


PASS = Flow()
FAIL = Flow(ok=False, bad=STRONG)
NEVER = Flow(ok=False)
"""Nothing comes out of it: it is not reached, or ends the text on every way."""


@dataclass(slots=True)
class State:
    """What a shell knows while it runs. `dialect` is `sh` where the shell may be dash. `guards` counts the places around in which `set -e` does not look."""

    dialect: str
    errexit: bool = False
    pipefail: bool = False
    guards: int = 0
    calls: int = 0  # functions around
    before: Flow = PASS  # what the command before may have ended with
    functions: dict[str, Command] = field(default_factory=dict)
    known: dict[str, str | None] = field(default_factory=dict)
    numbers: dict[str, bool] = field(default_factory=dict)
    """Variables that hold a number here on every way (see brackets.holds_number)."""

    def copy(self) -> State:
        """What a subshell starts with; functions and variables are shared, as we only ever learn more about them."""
        return replace(self)


def may_fail(text: str, kind: Kind) -> Flow:
    """A command that may pass or fail."""
    return Flow(bad=STRONG, bad_from=(Source(shown(text), kind),))


def softened(flow: Flow) -> Flow:
    """The same where `set -e` does not look."""
    return replace(flow, bad=NONE, soft=flow.fails, bad_from=(), soft_from=few(flow.sources))


def enclosed(flow: Flow) -> Flow:
    """The same in a subshell: whatever ends it is its exit code."""
    return Flow(ok=flow.passes, bad=flow.whole, cause=flow.cause, bad_from=few(flow.sources))


def either(flows: Iterable[Flow]) -> Flow:
    """One of these, nobody knows which."""
    every = tuple(flows)
    if not every:
        return NEVER
    one = Flow(
        ok=any(flow.ok for flow in every),
        bad=max(flow.bad for flow in every),
        soft=max(flow.soft for flow in every),
        cause=strongest_cause(every),
        bad_from=few(source for flow in every for source in flow.bad_from),
        soft_from=few(source for flow in every for source in flow.soft_from),
    )
    return after(one, *every)


def after(flow: Flow, *earlier: Flow) -> Flow:
    """`flow`, where the ways to leave of `earlier` are there too."""
    every = (flow, *earlier)
    return replace(
        flow,
        leaves_ok=any(each.leaves_ok for each in every),
        leaves_bad=max(each.leaves_bad for each in every),
        returns_ok=any(each.returns_ok for each in every),
        returns_bad=max(each.returns_bad for each in every),
    )


def strongest_cause(flows: Iterable[Flow]) -> Cause | None:
    """The cause that belongs to the flow that says most; of equals, the last. One that is no mistake comes last of all."""
    found, most = None, (False, NONE)
    for flow in flows:
        if flow.cause is not None and (not flow.cause.is_dull, flow.whole) >= most:
            found, most = flow.cause, (not flow.cause.is_dull, flow.whole)
    return found


def few(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Enough of them to tell about."""
    return tuple(dict.fromkeys(sources))[:_MOST_SOURCES]


def shown(text: str) -> str:
    """A command in one short line."""
    line = " ".join(text[: 4 * _LONGEST_SHOWN].split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 3] + "..."
