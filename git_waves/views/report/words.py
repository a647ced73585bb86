"""What the report says in words, once for both of its forms. Texts of others are in here as they are: not yet inert."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core import fold
from git_waves.core.report.model import Attempt, GateReport, GateRun, Report, Reset, Session, TaskReport
from git_waves.views import age, amounts
from git_waves.views.speedup_text import because
from git_waves.views.standing import (
    DIED,
    FINISHED,
    HALTED,
    ORDER,
    RUNNING,
    STOPPED,
    STOPPING,
    is_told_by_tasks,
    next_step,
    standing,
)

SHORT = 10  # letters of an object id: enough to type, and to tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number worth a glance, and what it says."""

    value: str
    label: str
    note: str


# ---------------------------------------------------------------------- the outcome


def word(report: Report) -> str:
    """How the run stands, in one word."""
    return standing(report.state, is_running=report.is_running)


def headline(report: Report) -> str:
    """How it ended, in one sentence."""
    state = report.state
    how = word(report)
    stuck = state.count(*fold.STUCK, fold.AWAITING)
    left = state.count(fold.SKIPPED, fold.BLOCKED)
    if how == FINISHED:
        return f"Finished, without {left} of its tasks." if left else "Finished: everything is integrated."
    if how == HALTED and is_told_by_tasks(state):
        return f"Halted: {_tasks(stuck)} wait{'s' if stuck == 1 else ''} for you."
    if how == HALTED:
        what = {
            "gate": gate_trouble(state),
            "refs": "somebody else moved its refs",
            "budget": "its limit is reached",
            "background": "a background writer is in the way",
        }
        also = f", and {_tasks(stuck)} wait{'s' if stuck == 1 else ''} for you" if stuck else ""
        return f"Halted: {what.get(state.halt_kind, 'a person must decide')}{also}."
    return {
        STOPPED: "Stopped; it can go on.",
        DIED: "Interrupted: its coordinator is gone.",
        RUNNING: "Still running.",
        STOPPING: "Stopping.",
    }[how]


def gate_trouble(state: fold.RunState) -> str:
    """What is wrong with the gate that halted a run: red, or shown to prove nothing."""
    reds = {
        gate for (gate, tree), run in state.gates.items() if tree == state.candidate_tree and not run.passed
    }
    told_before = {gate for gate, run in state.baseline.items() if not run.passed}
    is_proving = all(proof.verdict in ("proved", "inapplicable") for proof in state.proofs.values())
    return "a gate is red" if is_proving or reds - told_before else "a gate proves nothing"


def counts(report: Report) -> list[tuple[str, int]]:
    """How many tasks stand where, in the order people count them."""
    return [(status, number) for status in ORDER if (number := report.state.count(status))]


def summary(report: Report) -> Iterator[str]:
    """What became of the work, in sentences."""
    state = report.state
    through = state.count(fold.INTEGRATED, fold.DONE)
    rest = ", ".join(
        f"{number} {status}"
        for status, number in counts(report)
        if status not in (fold.INTEGRATED, fold.DONE)
    )
    yield (
        f"{through} of {_tasks(len(state.tasks))} {'is' if 1 in (through, len(state.tasks)) else 'are'} integrated"
        + (f"; {rest}." if rest else ".")
    )
    if state.integration == state.base:
        yield "The integration branch is where the run began."
    elif report.change is not None:
        commits, files = report.change.commits, report.change.files
        proof = (
            "every gate that was due is green on it" if report.gates else "the plan has no gate to prove it"
        )
        yield (
            f"The integration branch has {commits} commit{'s' * (commits != 1)} more than the base, "
            f"in {files} file{'s' * (files != 1)}; {proof}."
        )


def _tasks(number: int) -> str:
    return f"{number} task{'s' * (number != 1)}"


def branch(report: Report) -> str:
    """The integration branch that people see."""
    return f"waves/{report.state.plan}/integration"


def next_words(report: Report) -> tuple[tuple[str, bool], ...]:
    """What to type next, in pieces: words, and commands (True)."""
    return pieces(next_step(report.state, is_running=report.is_running))


_COMMAND = re.compile(r"'(git [^']+)'")


def pieces(sentence: str) -> tuple[tuple[str, bool], ...]:
    """A sentence of ours cut where it quotes commands to type."""
    found: list[tuple[str, bool]] = []
    start = 0
    for quote in _COMMAND.finditer(sentence):
        found += [(sentence[start : quote.start()], False), (quote[1], True)]
        start = quote.end()
    found.append((sentence[start:], False))
    return tuple(piece for piece in found if piece[0])


# ---------------------------------------------------------------------- tasks


def ended(attempt: Attempt) -> str:
    """How one attempt ended."""
    if attempt.ended in (fold.FAILED, fold.PARKED):
        return f"{attempt.ended} at {attempt.rung or 'its start'}"
    return attempt.ended or "goes on"


def took(task: TaskReport) -> str:
    """How long a task's attempts took; empty when it had none."""
    return age.words(task.seconds) if task.attempts else ""


def rungs(attempt: Attempt) -> str:
    """The rungs that took time, each with how long."""
    return ", ".join(f"{rung.name} {age.words(rung.span.seconds)}" for rung in attempt.rungs)


def task_words(task: TaskReport) -> str:
    """How a task stands, where it fell, and how long its attempts took."""
    where = f" at {task.rung or 'its start'}" if task.status in fold.STUCK else ""
    return f"{task.status}{where}" + (f", {took(task)}" if task.attempts else "")


def fine(seconds: float) -> str:
    """A length of time that may be short: `0.4s`, `4m 12s`."""
    return f"{seconds:.1f}s" if seconds < 10 else age.words(seconds)


# ---------------------------------------------------------------------- gates


def gate_word(gate: GateReport, state: fold.RunState) -> str:
    """How a gate stands: by its last run at a barrier, or that it never ran."""
    if gate.last is None:
        return "did not run" if state.finished else "has not run yet"
    return run_word(gate.last)


def run_word(run: GateRun) -> str:
    """How one run of a gate ended."""
    if run.verdict:
        return run.verdict
    if run.is_flaky:
        return "flaky, accepted" if run.passed else "flaky"
    if run.passed and run.tolerated:
        return "tolerated"
    return "green" if run.passed else "red"


def run_look(run: GateRun) -> str:
    """How that looks: good, bad, or odd for what a person should know of."""
    how = run_word(run)
    looks = {"green": "good", "proved": "good", "red": "bad", "flaky": "bad", "blind": "bad"}
    return looks.get(how, "odd")


def run_note(run: GateRun) -> str:
    """What else is to be said of it."""
    parts = [run.reason.removeprefix(f"{run_word(run).partition(',')[0]}: ")] if run.reason else []
    if run.is_flaky and not run.reason:
        parts.append(f"{run.greens} of {run.runs} runs passed")
    elif run.runs > 1 and not run.is_flaky:
        parts.append(f"run {run.runs} times")
    if run.reused:
        parts.append(f"as run {run.reused} found it")
    return "; ".join(parts)


def run_place(run: GateRun) -> str:
    """Where it was run, in a word or two."""
    if run.purpose == "baseline":
        return "before the run"
    group = f"group {run.group}" if run.group else "before the run"
    return group if run.purpose == "barrier" else f"{run.purpose}, {group}"


def gate_facts(gate: GateReport, state: fold.RunState) -> Iterator[str]:
    """What is to be known of a gate beside its runs, in sentences."""
    names = [group.name for group in state.groups]
    if set(gate.groups) != set(names):
        many = "s" * (len(gate.groups) != 1)
        yield f"After group{many} {', '.join(gate.groups)} only." if gate.groups else "After no group."
    if gate.is_red_all_along:
        yield "Red before the run, and never green since: no task broke it."
    for proof in gate.asks:
        if not gate.of(proof):
            yield f"The plan asks for a {proof}, and none was made yet."


def reset_words(reset: Reset) -> str:
    """What was taken out of the merged work, and what that meant for others."""
    words = f"the work of {', '.join(reset.culprits)} was taken out of what was merged: {reset.reason}"
    for tasks, what in ((reset.again, "merged again"), (reset.restart, "had to start over")):
        if tasks:
            words += f"; {what}: {', '.join(tasks)}"
    return words


# ---------------------------------------------------------------------- overlap


def figures(report: Report) -> Iterator[Figure]:
    """The numbers at the top."""
    overlap, state = report.overlap, report.state
    through = state.count(fold.INTEGRATED, fold.DONE)
    yield Figure(value=f"{through}/{len(state.tasks)}", label="tasks integrated", note="")
    rest = f"and {age.words(overlap.rest)} at rest" if overlap.rest >= 1 else ""
    yield Figure(value=age.words(overlap.wall), label="at work", note=rest)
    yield Figure(
        value=f"{overlap.average:.1f}",
        label="at once on average",
        note=f"{overlap.peak} at most, {state.max_parallel} may",
    )
    tries = sum(task.tries for task in report.tasks)
    fell = sum(
        attempt.ended in (fold.FAILED, fold.PARKED) for task in report.tasks for attempt in task.attempts
    )
    yield Figure(value=str(tries), label=f"attempt{'s' * (tries != 1)}", note=f"{fell} fell" if fell else "")
    tokens, cost = state.spent()
    if tokens:
        yield Figure(value=amounts.tokens(tokens), label="tokens", note=_limit(state, "tokens"))
    if cost:
        yield Figure(
            value=amounts.money(cost), label="by the agents' own account", note=_limit(state, "cost")
        )


def _limit(state: fold.RunState, name: str) -> str:
    limit = state.budget.get(name)
    return f"of {amounts.limits({name: limit})}" if limit is not None else ""


def spent(task: TaskReport) -> str:
    """What a task's attempts used, by their own account; empty when nothing was told."""
    return amounts.both(task.tokens, task.cost)


def has_spending(report: Report) -> bool:
    """Whether any agent told what it used."""
    return any(task.tokens or task.cost for task in report.tasks)


def found_words(session: Session) -> str:
    """What became of tasks that an earlier coordinator had left at work; empty when there were none."""
    return "; ".join(f"{what}: {', '.join(tasks)}" for what, tasks in session.found)


def overlap_lines(report: Report) -> Iterator[str]:
    """What ran at once, against what could have."""
    overlap = report.overlap
    if not overlap.busy:
        yield "No attempt has run yet."
        return
    yield (
        f"Attempts took {age.words(overlap.busy)} in all, in {age.words(overlap.wall)} at work: "
        f"{overlap.average:.1f} at once on average, {overlap.peak} at most, of {report.state.max_parallel} that may."
    )
    if overlap.idle >= 1:
        gates = f"; gates took {age.words(overlap.gates)}" if overlap.gates >= 1 else ""
        yield f"For {age.words(overlap.idle)} of it no attempt ran{gates}."
    for resource in dict.fromkeys(wait.resource for wait in report.waits):
        waits = [wait for wait in report.waits if wait.resource == resource]
        tasks = ", ".join(dict.fromkeys(wait.task for wait in waits))
        seconds = sum(wait.span.seconds for wait in waits)
        yield f"For '{resource}', which all runs on this machine share, {tasks} waited {age.words(seconds)}."
    if overlap.rest >= 1:
        yield f"The run rested {age.words(overlap.rest)} while no coordinator was at work; that is not counted."
    found = overlap.ideal
    if found is None:
        yield f"What could have been cannot be said: {overlap.unknown}."
        return
    scheduled, best = _time(found.total_work, found.factor), _time(found.total_work, found.best)
    yield f"Without any waiting, these attempts take {scheduled} in this schedule."
    yield f"With up to {found.at_once} at once, no schedule takes less than {best}, because {because(found)}."


def _time(work: float, factor: float) -> str:
    return f"{age.words(work / factor)} ({factor:.1f} at once)"
