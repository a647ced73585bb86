"""Checks that prove nothing: gates (W901), verify commands and stages (W902) that cannot fail, failures inside them that are
lost (W903), tests that an empty variable passes (W904), checks that run backwards (W905), and what could not be read (W906).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from git_waves.core.findings.wording import count, listed, quoted
from git_waves.core.model import Command, Finding, Level, Plan, TaskId
from git_waves.core.shell.flow import Ending, LossKind
from git_waves.core.shell.habit import Strength
from git_waves.core.shell.judge import SOUND, ending_of, ending_of_words, plain_ending_of

_MOST_TEXT = 400_000  # characters of different commands that are more than one program and its words
_LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """Whose command it is: `gate 'unit'`, `stage 'risk'`, or `verify of task 'api'`, or of several."""

    name: str
    is_gate: bool
    tasks: tuple[TaskId, ...] = ()
    has_other: bool = False  # another verify of the same tasks can fail


def check_proof(plan: Plan) -> tuple[Finding, ...]:
    """What the gates, the stages and the verify commands of tasks to do cannot prove."""
    reader = _Reader()
    found: list[Finding] = []
    unjudged: list[tuple[_Owner, int]] = []
    for command, line, owner in (*_gates_and_stages(plan), *_verifies(plan, reader)):
        ending = reader.ending(command)
        if ending is None:
            unjudged.append((owner, line))
        else:
            found += _judge(command, line, ending, owner)
    return (*found, *_left_out(unjudged))


def _left_out(unjudged: list[tuple[_Owner, int]]) -> Iterator[Finding]:
    if unjudged:
        yield Finding(
            code="W906",
            level=Level.NOTE,
            message=f"{count(len(unjudged), 'command')} could not be judged",
            line=unjudged[0][1],
            tasks=tuple(dict.fromkeys(task for owner, _ in unjudged for task in owner.tasks)),
            evidence=listed(
                f"{owner.name} (line {line})" if line else owner.name for owner, line in unjudged
            ),
            hint="put a long check into a script of the repository; 'sh -n' says what a shell thinks of it",
        )


def _gates_and_stages(plan: Plan) -> Iterator[tuple[Command, int, _Owner]]:
    for gate in plan.gates:
        yield gate.command, gate.command.line or gate.line, _Owner(name=f"gate '{gate.name}'", is_gate=True)
    for stage in plan.stages:
        owner = _Owner(name=f"stage '{stage.name}'", is_gate=False, tasks=stage.tasks)
        yield stage.command, stage.command.line or stage.line, owner


@dataclass(slots=True)
class _Reader:
    """Judges each different command once, up to a bound."""

    _endings: dict[tuple[str | None, tuple[str, ...]], Ending | None] = field(default_factory=dict)
    _text: int = 0

    def ending(self, command: Command) -> Ending | None:
        """How the command may end; None when that is not known."""
        key = command.shell, command.argv
        if key not in self._endings:
            self._endings[key] = self._judge(command)
        return self._endings[key]

    def _judge(self, command: Command) -> Ending | None:
        text = command.shell
        if text is None:
            return ending_of_words(command.argv)
        plain = plain_ending_of(text)
        if plain is not None:
            return plain
        if self._text + len(text) > _MOST_TEXT:
            return None
        self._text += len(text)
        return ending_of(text)


def _verifies(plan: Plan, reader: _Reader) -> Iterator[tuple[Command, int, _Owner]]:
    """Each different verify command that is not sound, with its tasks: the same words in many are one finding."""
    tasks: dict[tuple[str | None, tuple[str, ...], bool], list[TaskId]] = {}
    first: dict[tuple[str | None, tuple[str, ...], bool], tuple[Command, int]] = {}
    for task in plan.tasks:
        if task.is_done:
            continue
        endings = [(command, reader.ending(command)) for command in task.verify]
        if all(ending == SOUND for _, ending in endings):
            continue
        strong = [command for command, ending in endings if _can_fail(ending)]
        for command, ending in endings:
            if ending != SOUND:
                key = command.shell, command.argv, any(other is not command for other in strong)
                first.setdefault(key, (command, command.line or task.line))
                tasks.setdefault(key, []).append(task.id)
    for key, (command, line) in first.items():
        who = tuple(dict.fromkeys(tasks[key]))
        of = f"task '{who[0]}'" if len(who) == 1 else count(len(who), "task")
        yield command, line, _Owner(name=f"verify of {of}", is_gate=False, tasks=who, has_other=key[2])


def _can_fail(ending: Ending | None) -> bool:
    return ending is None or ending.strength is Strength.STRONG


def _judge(command: Command, line: int, ending: Ending, owner: _Owner) -> Iterator[Finding]:
    def finding(code: str, level: Level, message: str, hint: str, *more: str) -> Finding:
        written = " ".join(str(command)[: 2 * _LONGEST_SHOWN].split())
        written = written if len(written) <= _LONGEST_SHOWN else f"{written[:_LONGEST_SHOWN]}..."
        whose = (quoted(owner.tasks),) if len(owner.tasks) > 1 else ()
        evidence = listed((*([written] if written else []), *more, *whose))
        return Finding(
            code=code,
            level=level,
            message=message,
            line=line,
            tasks=owner.tasks,
            evidence=evidence,
            hint=hint,
        )

    bad = Level.VIOLATION if owner.is_gate else Level.WARNING
    if ending.cause is not None:
        word = "cannot fail" if ending.strength is Strength.NONE else "proves little"
        level = Level.NOTE if owner.has_other else bad
        code = "W901" if owner.is_gate else "W902"
        yield finding(code, level, f"{owner.name} {word}: {ending.cause.why}", ending.cause.hint)
        return
    if ending.backwards is not None:
        yield finding(
            "W905", bad, f"{owner.name} runs backwards: {ending.backwards.why}", ending.backwards.hint
        )
    lost = [loss for loss in ending.losses if loss.kind is LossKind.PASSED_OVER]
    if lost:
        message = f"{owner.name} loses a failure: {lost[0].cause.why}"
        yield finding("W903", bad, message, lost[0].cause.hint, *(loss.cause.why for loss in lost[1:]))
    for loss in ending.losses:
        if loss.kind is LossKind.EMPTY_VARIABLE:
            yield finding(
                "W904", Level.WARNING, f"{owner.name} may pass for nothing: {loss.cause.why}", loss.cause.hint
            )
        elif loss.kind is LossKind.WRONG_PLACE and not lost:
            level = Level.WARNING if owner.is_gate else Level.NOTE
            yield finding("W903", level, f"{owner.name} loses a failure: {loss.cause.why}", loss.cause.hint)
