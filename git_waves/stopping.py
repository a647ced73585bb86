"""What ends a run before its work is through: signals, and limits of the run as a whole; and how what runs is ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from git_waves.adapters import eventlog, process
from git_waves.background import RESUMES
from git_waves.core import decide
from git_waves.core.fold import RunState
from git_waves.errors import SurroundingsError
from git_waves.limits import Room, RunLimits
from git_waves.setting import Setting


class Stopping:
    """Asked by the loop before it decides. `record` writes an event."""

    def __init__(
        self, setting: Setting, state: RunState, record: Callable[[eventlog.AnyEvent], None]
    ) -> None:
        self._setting = setting
        self._state = state
        self._record = record
        self._limits = RunLimits(state, now=time.monotonic())
        self._room = Room(setting.run_dir.path)
        self._signals = 0
        self._obeyed = 0
        self._asked_to_end: set[Path] = set()
        self._earlier: dict[int, signal._HANDLER] = {}

    def catch_signals(self) -> None:
        """Take over SIGINT and SIGTERM, and SIGHUP unless somebody wants it ignored (nohup)."""
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        self._earlier = {number: signal.signal(number, self._on_signal) for number in numbers}

    def give_signals_back(self) -> None:
        """What was there before handles them again."""
        for number, handler in self._earlier.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1  # obeyed by the loop; nothing is safe to do in here

    def stir(self) -> None:
        """Something has happened: the run is not quiet."""
        self._limits.stir(now=time.monotonic())

    def obey(self, in_flight: set[str], *, gates_running: bool) -> None:
        """Record what asks the run to stop, and end what is to be ended.

        First signal: start nothing new, agents go on to their end. Second: end the agents, still recorded. Money that is
        spent is spent, so of the run's tokens or money only the agents are ended: what they have finished is merged and
        proved still. Raises SurroundingsError when the disk stays full: agents go on, and the next run takes them up.
        """
        while self._obeyed < min(self._signals, 2):
            self._obeyed += 1
            self._record(eventlog.StopRequested(now=self._obeyed == 2, by="signal"))
        if not in_flight and not gates_running:  # it waits for somebody else's resource
            self.stir()
        elif self._room.is_gone(now=time.monotonic()):
            raise SurroundingsError(
                f"no room is left on the disk of '{self._setting.run_dir.path}', and something at work waits for it",
                hint="make room there, then 'git waves run' goes on",
            )
        busy = [self._state.tasks[task] for task in sorted(in_flight)]
        places = self._setting.places_of(busy, gate=self._state.gate_rounds if gates_running else None)
        for event in self._limits.due(places, now=time.monotonic()):
            self._record(event)
        run_dir = self._setting.run_dir
        if self._state.stopping_now:
            self._end_jobs(run_dir.job_folders())
        elif decide.is_used_up(self._state):
            self._end_jobs(folder for task in busy for folder in run_dir.agent_jobs(task.id, task.attempt))

    def _end_jobs(self, folders: Iterable[Path]) -> None:
        """Ask what runs there to end, and wait for nothing; again and again, for a worker may be between two jobs."""
        for folder in folders:
            is_kept = folder in self._asked_to_end or folder.name.startswith(RESUMES)
            if not is_kept and process.stop(process.Job(folder)):
                self._asked_to_end.add(folder)
