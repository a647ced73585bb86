"""The notification command (`waves.notify`): called when a run halts, parks or fails a task, stops, or ends.

The night is long, and nobody looks at a terminal. What the command does never changes the run: it runs beside it, in
order, under a time limit, and one that fails is told at the end.
"""

from __future__ import annotations

import queue
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_waves import agents
from git_waves.adapters import process
from git_waves.adapters.process import Job, JobSpec, Reason
from git_waves.adapters.rundir import RunDir
from git_waves.core.fold import RunState
from git_waves.core.model import Command

Event = Mapping[str, Any]

LIMIT = 30.0  # seconds one call may take
JOBS = "notify:"
"""How the names of these jobs begin; no task's can, for no task may have a colon in its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What there is to tell: `kind` is halted, stopped, finished, parked, failed or awaiting; `task` is empty for the run itself."""

    kind: str
    text: str
    task: str = ""
    hint: str = ""


def messages_of(event: Event, state: RunState) -> Iterator[Message]:
    """What of an event is worth telling somebody who is away: nothing of most."""
    match event["event"]:
        case "task_parked" | "task_failed":
            kind = "parked" if event["event"] == "task_parked" else "failed"
            text = f"task '{event['task']}' {kind} at {event['rung'] or 'its start'}: {event['reason']}"
            yield Message(kind=kind, text=text, task=event["task"], hint=event["hint"])
        case "candidate_reset":
            for task in event["culprits"]:
                text = f"task '{task}' parked at gate: {event['reason']}"
                yield Message(kind="parked", text=text, task=task, hint=event["hint"])
        case "task_awaited":
            why = f": {event['reason']}" if event["reason"] else ""
            text = f"task '{event['task']}' waits for a person{why}"
            yield Message(
                kind="awaiting", text=text, task=event["task"], hint=f"git waves open {event['task']}"
            )
        case "run_halted":
            yield Message(kind="halted", text=event["reason"], hint=event["hint"])
        case "run_stopped":
            yield Message(kind="stopped", text=f"plan '{state.plan}' stopped", hint="git waves run")
        case "run_finished":
            branch = f"waves/{state.plan}/integration"
            text = f"plan '{state.plan}' is finished: the work is in branch '{branch}'"
            yield Message(kind="finished", text=text, hint=f"git merge {branch}")
        case _:
            pass


class Notifier:
    """Calls the command for what a run tells it, one call after the other, in a thread of its own."""

    def __init__(self, command: Command, run_dir: RunDir, plan: str, folder: Path) -> None:
        self._command = command
        self._run_dir = run_dir
        self._plan = plan
        self._folder = folder
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._trouble: list[str] = []

    def tell(self, event: Event, state: RunState) -> None:
        """Take in an event; returns at once."""
        for message in messages_of(event, state):
            if self._thread is None:
                self._thread = threading.Thread(target=self._toil, name="waves-notify", daemon=True)
                self._thread.start()
            self._messages.put(message)

    def settle(self, say: Callable[[str], None]) -> None:
        """Wait for the calls that are due, and say which did not work."""
        if self._thread is None:
            return
        self._messages.put(None)
        self._thread.join()
        for words in self._trouble:
            say(words)

    def _toil(self) -> None:
        while (message := self._messages.get()) is not None:
            try:
                self._call(message)
            except Exception as error:  # the run must not fall over what it only tells
                self._trouble.append(f"warning: the notification command could not be run: {error}")

    def _call(self, message: Message) -> None:
        name = f"{JOBS}{secrets.token_hex(8)}"
        job = Job(self._run_dir.job(name))
        job.folder.mkdir(mode=0o700)
        log = self._run_dir.path / "logs" / "notify.log"
        variables = {
            "WAVES_EVENT": message.kind,
            "WAVES_MESSAGE": message.text,
            "WAVES_NEXT": message.hint,
            "WAVES_PLAN": self._plan,
            "WAVES_RUN": self._run_dir.run,
            "WAVES_TASK": message.task,
        }
        spec = JobSpec(
            argv=agents.argv_of(self._command),
            cwd=self._folder,
            env=process.environment({key: value.replace("\0", " ") for key, value in variables.items()}),
            log=log,
            wall_clock=LIMIT,
            grace=2.0,
        )
        process.start(job, spec)
        result = process.wait(job)
        if result.code != 0:
            how = (
                f"took longer than {LIMIT:g} s"
                if result.reason is Reason.WALL_CLOCK
                else f"ended with exit code {result.code}"
            )
            self._trouble.append(f"warning: the notification command {how} ({message.kind}); see '{log}'")
