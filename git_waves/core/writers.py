"""Background writers and the run: stopped before anything of the plan is started, going again before the run ends.

A run that ends for whatever reason, a halt included, leaves nobody's writers stopped: a person may come in the morning.
The next `git waves run` stops them again.
"""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core import decide
from git_waves.core.decide import Block, Climb, Finish, Halt, Merge, Publish, Stop
from git_waves.core.fold import RunState


@dataclass(frozen=True, slots=True)
class Quiesce:
    """Stop a background writer before anything of the plan is started."""

    name: str


@dataclass(frozen=True, slots=True)
class Restore:
    """Let a background writer go on, before the run ends."""

    name: str


Action = decide.Action | Quiesce | Restore


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    """What one coordinator knows of the plan's writers: those that are `due` to be quiesced, whether a command of theirs
    `is_busy`, why one could not be stopped (`failed`, with its `hint`), and those that could not be started again."""

    due: tuple[str, ...] = ()
    is_busy: bool = False
    failed: str = ""
    hint: str = ""
    given_up: frozenset[str] = frozenset()


def around(
    actions: tuple[decide.Action, ...], state: RunState, writers: Writers, *, in_flight: frozenset[str]
) -> tuple[Action, ...]:
    """The actions with what the writers need in front of them; empty means wait."""
    if writers.is_busy:
        return ()
    is_over = any(isinstance(action, Halt | Stop | Finish) for action in actions)
    if is_over or (writers.failed and not in_flight):
        owed = [name for name in state.quiesced if name not in writers.given_up]
        if owed:  # the last one stopped comes back first
            return (Restore(owed[-1]),)
        return actions if is_over else (Halt("background", writers.failed, writers.hint),)
    if writers.failed:
        return ()
    due = [name for name in writers.due if any(_must_wait(action, name, state) for action in actions)]
    return (Quiesce(due[0]),) if due else actions


def _must_wait(action: decide.Action, name: str, state: RunState) -> bool:
    """Whether the action starts a command that must not run beside the writer. An attempt that is taken over was started
    behind a quiesce; it goes on unless the writer is known to be going again."""
    if isinstance(action, Climb):
        return name not in state.quiesced
    return not isinstance(action, Block | Merge | Publish)
