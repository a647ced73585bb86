"""Background writers of a run: stopped by their `quiesce` command, owed their `resume` command from then on.

The debt is in the event log before anything is stopped, so whoever comes next pays it: this coordinator at the end of the
run, at a halt or a stop; the next one after a crash; or `git waves stop` when nobody runs the plan (docs/decisions/0019).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from git_waves import agents, news
from git_waves.adapters import eventlog, process, throwaway
from git_waves.adapters.git import Git
from git_waves.adapters.process import Job, JobResult, JobSpec
from git_waves.adapters.rundir import RunDir
from git_waves.core.fold import RunState
from git_waves.core.model import Background as Writer
from git_waves.core.model import Command, Oid, Plan
from git_waves.core.writers import Writers
from git_waves.errors import WavesError
from git_waves.ladder.jobs import how_it_ended
from git_waves.setting import Setting

LIMIT = 600.0  # seconds that a quiesce or resume command may take
QUIESCES, RESUMES = "quiesce:", "resume:"
"""How the names of their jobs begin; no task's can, for no task may have a colon in its id."""
_FOLDER = "gate.writers"  # beside the worktrees of gates, and swept up with them; no task is called 'gate'


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where the commands run: a throwaway worktree of the run's `base`, never the user's checkout, which they find in
    `$WAVES_REPOSITORY`. `folder` is where the plan's worktrees are."""

    git: Git
    run_dir: RunDir
    plan: Plan
    base: Oid
    folder: Path
    main_work_tree: Path


class Background:
    """The writers of a running coordinator. `record` writes an event; workers hand the end of a command to `tell`."""

    def __init__(
        self,
        setting: Setting,
        state: RunState,
        record: Callable[[eventlog.AnyEvent], None],
        *,
        submit: Callable[[Callable[[], None]], None],
        tell: Callable[[news.News], None],
    ) -> None:
        self._scene = Scene(
            git=setting.git,
            run_dir=setting.run_dir,
            plan=setting.plan,
            base=Oid(state.base),
            folder=setting.worktree_folder,
            main_work_tree=setting.main_work_tree,
        )
        self._state = state
        self._record = record
        self._submit = submit
        self._tell = tell
        self._writers = {one.name: one for one in setting.plan.background if one.quiesce is not None}
        self._due = list(self._writers)  # also what a dead coordinator noted: nobody knows how far it got
        self._is_busy = False
        self._failed, self._hint = "", ""
        self._given_up: set[str] = set()

    def standing(self) -> Writers:
        """What core.writers asks."""
        return Writers(
            due=tuple(self._due),
            is_busy=self._is_busy,
            failed=self._failed,
            hint=self._hint,
            given_up=frozenset(self._given_up),
        )

    def quiesce(self, name: str) -> None:
        """Stop the writer; the debt is written down before."""
        command = self._writers[name].quiesce
        assert command is not None, "only writers with a quiesce command are due"
        self._record(eventlog.BackgroundQuiesced(name=name, resume=_words(self._writers[name].resume)))
        self._begin(name, command, is_resume=False)

    def restore(self, name: str) -> None:
        """Let the writer go on."""
        writer = self._writers.get(name)
        if writer is None or writer.resume is None:
            self._record(eventlog.BackgroundRestored(name=name))
        else:
            self._begin(name, writer.resume, is_resume=True)

    def _begin(self, name: str, command: Command, *, is_resume: bool) -> None:
        self._is_busy = True
        self._submit(
            lambda: self._tell(news.WriterDone(name, is_resume, _run(self._scene, name, command, is_resume)))
        )

    def note(self, item: news.WriterDone) -> None:
        """Write down how a command of a writer ended."""
        self._is_busy = False
        if item.is_resume:
            event = _restored(self._writers[item.name], item.problem)
            if isinstance(event, eventlog.Warned):
                self._given_up.add(item.name)
            self._record(event)
        elif not item.problem:
            self._due.remove(item.name)
        elif not self._state.stopping:
            self._failed = f"background writer '{item.name}' could not be quiesced: {item.problem}"
            self._hint = f"git waves log background:{item.name}"


def settle(scene: Scene, state: RunState, record: Callable[[eventlog.AnyEvent], None]) -> None:
    """Let all writers go on that are owed it, here and now; for who is no running coordinator. Those that cannot be
    started again stay owed, and a warning says so."""
    writers = {one.name: one for one in scene.plan.background}
    for name in reversed(tuple(state.quiesced)):
        writer = writers.get(name)
        if writer is None or writer.resume is None:
            record(eventlog.BackgroundRestored(name=name))
        else:
            record(_restored(writer, _run(scene, name, writer.resume, is_resume=True)))


def _restored(writer: Writer, problem: str) -> eventlog.BackgroundRestored | eventlog.Warned:
    command = _words(writer.resume)
    if not problem:
        return eventlog.BackgroundRestored(name=writer.name, command=command)
    return eventlog.Warned(
        message=f"background writer '{writer.name}' is still stopped, {problem}; "
        f"'git waves stop' tries again, or type it yourself: {command}"
    )


def wait_for_strays(run_dir: RunDir) -> None:
    """Wait for commands that a dead coordinator began: stopped and started at once, nobody would know what is so."""
    for folder in run_dir.job_folders():
        if folder.name.startswith((QUIESCES, RESUMES)) and process.is_alive(Job(folder)):
            process.wait(Job(folder))


def log_of(run_dir: RunDir, name: str) -> Path:
    """What the commands of a writer printed, both of them."""
    return run_dir.path / "logs" / f"background:{name}.log"


def _words(command: Command | None) -> str:
    return str(command).strip() if command is not None else ""


def _run(scene: Scene, name: str, command: Command, is_resume: bool) -> str:
    """Run a command to its end; what went wrong in words, or nothing."""
    what = "resume" if is_resume else "quiesce"
    folder = scene.folder / _FOLDER
    try:
        try:
            throwaway.make(scene.git, folder, scene.base, scene.run_dir.run)
        except (WavesError, OSError):
            if not is_resume:
                raise
            folder = scene.run_dir.empty  # on a full disk, say: the command may well do without files
        result = _supervised(scene, name, command, folder, is_resume=is_resume)
    except (
        WavesError,
        OSError,
    ) as error:  # the other writers, and the end of the run, do not wait for a full disk
        return f"its {what} command '{command}' could not be run: {error}"
    finally:
        throwaway.drop(scene.git, scene.folder / _FOLDER)
    return "" if result.code == 0 else f"its {what} command '{command}' {how_it_ended(result)}"


def _supervised(scene: Scene, name: str, command: Command, folder: Path, *, is_resume: bool) -> JobResult:
    # A result is only believed in a folder whose name nobody could know before: agents can write there.
    begins = RESUMES if is_resume else QUIESCES
    job = Job(scene.run_dir.job(f"{begins}{name}.{secrets.token_hex(8)}"))
    job.folder.mkdir(mode=0o700)
    given = {
        "WAVES_PLAN": scene.plan.name,
        "WAVES_RUN": scene.run_dir.run,
        "WAVES_BACKGROUND": name,
        "WAVES_REPOSITORY": str(scene.main_work_tree),
    }
    spec = JobSpec(
        argv=agents.argv_of(command),
        cwd=folder,
        env=process.environment(given),
        log=log_of(scene.run_dir, name),
        wall_clock=LIMIT,
        leaves=is_resume,  # `./watcher &` is what it is for
    )
    process.start(job, spec)
    return process.wait(job)
