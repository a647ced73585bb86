"""What waits for a person: each stuck task and what halted the run, with the reason, the commands to type and the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core import fold
from git_waves.core.report.model import Excerpt, Report, TaskReport
from git_waves.views.culprit_text import culprits_now
from git_waves.views.report.words import gate_trouble, word
from git_waves.views.safe import shell_word
from git_waves.views.standing import HALTED, go_on, is_told_by_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command to type, and what for."""

    command: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that waits for a person. `task` is empty when it is about the whole run; `folder` and `branch` are where
    its work lies, empty when it lies nowhere any more or never did."""

    task: str
    title: str
    happened: str
    reason: str
    paths: tuple[str, ...]
    hint: str
    steps: tuple[Step, ...]
    excerpt: Excerpt | None
    folder: str = ""
    branch: str = ""


def decisions(report: Report) -> Iterator[Decision]:
    """Everything a person has to decide: what is about the whole run and its surroundings, then the tasks."""
    if word(report) == HALTED and not is_told_by_tasks(report.state):
        yield _about_run(report)
    if not report.is_running:
        for name, command in report.state.quiesced.items():
            yield _about_writer(report, name, command)
    for task in report.tasks:
        if task.status in fold.STUCK:
            yield _about_task(report, task)
        elif task.status == fold.AWAITING:
            yield _about_awaiting(report, task)


def _about_task(report: Report, task: TaskReport) -> Decision:
    state = report.state.tasks[task.id]
    name = shell_word(task.id)
    steps = [Step(command=f"git waves show {name}", purpose="everything about it")]
    granted = list(dict.fromkeys(one["path"] for one in state.requests))
    if granted:
        grants = " ".join(f"--grant {shell_word(path)}" for path in granted)
        steps.append(
            Step(command=f"git waves retry {name} {grants}", purpose="let it change what it asks for")
        )
    if state.hint.startswith("git "):
        is_log = state.hint.startswith("git waves log ")
        steps.append(Step(command=state.hint, purpose="what it printed" if is_log else "as the run suggests"))
    steps += [
        Step(command=f"git waves retry {name}", purpose="another attempt"),
        Step(command=f"git waves skip {name} --reason WHY", purpose="go on without it"),
    ]
    return Decision(
        task=task.id,
        title=task.title,
        happened=f"{task.status} at {state.rung or 'its start'}",
        reason=state.reason,
        paths=tuple(path for path in state.paths if path not in state.reason),
        hint="" if state.hint.startswith("git ") else state.hint,
        steps=_once(steps),
        excerpt=task.excerpt,
        folder=state.worktree,
        branch=state.branch.removeprefix("refs/heads/") if state.worktree else "",
    )


def _about_awaiting(report: Report, task: TaskReport) -> Decision:
    state = report.state.tasks[task.id]
    name = shell_word(task.id)
    again = f" again: it fell at {state.rung}" if state.rung else ""
    return Decision(
        task=task.id,
        title=task.title,
        happened=f"waits for a person{again}",
        reason=state.reason or "the plan says that a person does it",
        paths=tuple(path for path in state.paths if path not in state.reason),
        hint="",
        steps=(
            Step(command=f"git waves show {name} --prompt", purpose="what is to be done"),
            Step(command=f"git waves open {name}", purpose="go into its worktree, and do it"),
            Step(command=f"git waves done {name}", purpose="hand it in"),
            Step(command=f"git waves skip {name} --reason WHY", purpose="go on without it"),
        ),
        excerpt=task.excerpt,
        folder=state.worktree,
        branch=state.branch.removeprefix("refs/heads/") if state.worktree else "",
    )


def _about_writer(report: Report, name: str, command: str) -> Decision:
    stop = f"git waves stop --plan {shell_word(report.state.plan)}"
    steps = [Step(command=stop, purpose="let it go on, when no agent is at work any more")]
    if command:
        steps.append(Step(command=command, purpose="the same by hand"))
    return Decision(
        task="",
        title="",
        happened=f"background writer '{name}' is still stopped",
        reason="it was stopped for this run, and nobody has let it go on",
        paths=(),
        hint="",
        steps=tuple(steps),
        excerpt=None,
    )


def _changed_by_culprits(state: fold.RunState) -> Iterator[str]:
    """What those who broke a gate changed."""
    for task in dict.fromkeys(task for culprit in culprits_now(state) for task in culprit.tasks):
        yield from state.tasks[task].paths


def _once(steps: list[Step]) -> tuple[Step, ...]:
    """Every command once, with the first purpose it is given."""
    found: dict[str, Step] = {}
    for step in steps:
        found.setdefault(step.command, step)
    return tuple(found.values())


_HAPPENED = {
    "refs": "the integration ref was moved",
    "stuck": "nothing can start",
    "budget": "a limit of the run is reached",
    "background": "a background writer is in the way",
}
_PURPOSES = {"gate": "look at it", "budget": "go on, with another limit"}  # of the command that a halt names


def _about_run(report: Report) -> Decision:
    state = report.state
    red = [run for gate in report.gates for run in gate.of("barrier") if run.tree == state.candidate_tree]
    is_command = state.halt_hint.startswith("git ")
    return Decision(
        task="",
        title="",
        happened=gate_trouble(state)
        if state.halt_kind == "gate"
        else _HAPPENED.get(state.halt_kind, "the run halted"),
        reason=state.halted,
        paths=tuple(_changed_by_culprits(state)) if state.halt_kind == "gate" else (),
        hint="" if is_command or state.halt_kind == "refs" else state.halt_hint,
        steps=tuple(_ways_out(report)),
        excerpt=next((run.excerpt for run in red if not run.passed), None),
    )


def _ways_out(report: Report) -> Iterator[Step]:
    """What a person can type about what halted the whole run."""
    state = report.state
    if state.halt_kind == "refs":
        yield Step(command="git waves run --restore", purpose="put the ref back")
        yield Step(command="git waves run --accept", purpose="go on from where it is now")
        return
    if state.halt_hint.startswith("git "):
        purpose = _PURPOSES.get(state.halt_kind, "as the run suggests")
        yield Step(command=state.halt_hint, purpose=purpose)
        if state.halt_kind == "budget":
            return
    broke = [one for one in report.culprits if one.tree == state.candidate_tree]
    for task in dict.fromkeys(task for one in broke for task in (*one.tasks, one.suspect) if task):
        name = shell_word(task)
        yield Step(command=f"git waves show {name}", purpose="what it changed")
        yield Step(command=f"git waves retry {name}", purpose="take its work out, and try again")
        yield Step(command=f"git waves skip {name} --reason WHY", purpose="take its work out, and go on")
    mended = "run it again, when what is wrong is mended" if state.halt_kind == "gate" else "go on"
    yield Step(command=go_on(state.source), purpose=mended)
