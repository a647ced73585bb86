"""How a run begins, and how it is taken up again: everything that is checked before anything is changed."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from git_waves import (
    __version__,
    control,
    fencing,
    including,
    planning,
    preflight,
    refs,
    resetting,
    reviewing,
    trusting,
)
from git_waves.adapters import archive, eventlog, rundir
from git_waves.adapters.filesystem import file_system
from git_waves.adapters.git import Git
from git_waves.adapters.locks import coordinator_lock, worktree_lock
from git_waves.adapters.repo import Repository, open_repository
from git_waves.adapters.rundir import (
    RunDir,
    latest_run,
    new_run_id,
    write_durably,
)
from git_waves.adapters.worktree_config import enable_worktree_config
from git_waves.background import wait_for_strays
from git_waves.core import sandboxing, spending
from git_waves.core.filesystems import is_shared
from git_waves.core.fold import RunState
from git_waves.core.include import FILE_NAME
from git_waves.core.model import Oid, OnFailure, OnRed, Plan, Sandbox, SchedulerName, Task
from git_waves.core.trusted import Stranger
from git_waves.core.trying import label_of, tries_of
from git_waves.errors import OK, HaltError, PlanError, SurroundingsError, UsageError, machine_error
from git_waves.formats.source import PlanText
from git_waves.inheriting import (
    drop_scratch,
    end_jobs,
    end_stray_gates,
    mend_half_made,
    pinned_plan,
    remove_dead_locks,
    restore_pinned,
    settle_background,
    settle_debts,
)
from git_waves.notifying import Notifier
from git_waves.run import Coordinator
from git_waves.setting import Setting
from git_waves.settings import Settings, read_settings

ROOM = (
    64 * 1024 * 1024
)  # bytes that must be free before a run starts: logs, objects and one more event always fit

Tell = Callable[[Mapping[str, Any], RunState], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What `git waves run` was asked for. `plan` is a path, `REV:PATH`, `-` or None for the usual place."""

    directory: Path
    plan: str | None = None
    max_parallel: int | None = None
    scheduler: SchedulerName | None = None
    on_failure: OnFailure | None = None
    budget: Mapping[str, float | None] = field(default_factory=dict)
    base: str | None = None
    only: tuple[str, ...] = ()
    start_from: str | None = None
    until_group: str | None = None
    is_new: bool = False
    accept: bool = False
    restore: bool = False
    sandbox: Sandbox | None = None
    may_run: Callable[[Stranger], bool] = lambda _: (
        False
    )  # asks a person about a plan that came from elsewhere
    begins: Callable[[RunDir], None] = lambda _: (
        None
    )  # told when nothing can keep the run from its work any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """A run that could start, all checks passed: what `--dry-run` explains and `run_plan` writes down."""

    analysis: planning.Analysis
    text: PlanText
    base: Oid
    base_name: str
    previous: Oid | None
    done: dict[str, str]  # task -> why it is not run
    worktree_folder: Path
    sandboxes: dict[str, Sandbox]  # task -> the fence around its commands
    gate_sandbox: Sandbox
    notice: str = ""  # what to say about the plan's review, in one line
    notes: tuple[str, ...] = ()  # what is not what it was when an earlier run integrated it


def run_plan(options: RunOptions, tell: Tell, say: Callable[[str], None]) -> int:
    """Start the plan's run, or go on with the one that is there; returns the exit code.

    `tell` gets every event, `say` a line for people. Raises WavesError (see errors) before anything is changed.
    """
    repository = open_repository(options.directory)
    settings = read_settings(repository.git)
    text = planning.read_text(repository, options.plan)
    plan = planning.read(text, repository)
    with ExitStack() as stack:
        stack.enter_context(coordinator_lock(repository.common_dir, plan.name))
        earlier = latest_run(repository.common_dir, plan.name)
        state = control.load(earlier)[0] if earlier is not None and not options.is_new else None
        if earlier is not None and state is not None:
            if not state.finished:
                return _resume(repository, options, settings, earlier, text, tell, say)
            if state.plan_blob == repository.git.blob_id(text.data) and not options.only:
                say(
                    f"run '{state.run}' of plan '{plan.name}' is finished; every task is in '{refs.shown_branch(plan.name)}'"
                )
                if words := refs.misleading_name(repository.git, state):
                    say(f"warning: {words}")
                else:
                    say(f"hint: merge it with: git merge {refs.shown_branch(plan.name)}")
                _settle_debts(repository, earlier, plan.name, say)
                return OK
        beginning = prepare(repository, options, text, plan, earlier if not options.is_new else None)
        _ask_once(repository, options, text, plan)
        if earlier is not None and end_jobs(earlier):
            say(f"note: ended what still ran of run '{earlier.run}'; its worktrees are kept")
        if earlier is not None:
            _settle_debts(repository, earlier, plan.name, say)
        return _begin(repository, options, settings, beginning, tell, say)


def _ask_once(repository: Repository, options: RunOptions, text: PlanText, plan: Plan) -> None:
    """P7: what came from elsewhere runs only after somebody has allowed exactly that content."""
    stranger = trusting.check_trusted(repository, text, plan)
    if stranger is None:
        return
    if not options.may_run(stranger):
        raise trusting.refuse(stranger)
    trusting.allow(repository, stranger)


def _settle_debts(repository: Repository, earlier: RunDir, plan: str, say: Callable[[str], None]) -> None:
    """Let the background writers go on that an earlier run left stopped."""
    try:
        _state, told = settle_debts(repository, earlier, folder=preflight.worktree_folder(repository) / plan)
    except SurroundingsError as error:  # a damaged log, say, which is why somebody starts anew
        told = (f"warning: run '{earlier.run}' may have left background writers stopped: {error.message}",)
    for words in told:
        say(words)


# ---------------------------------------------------------------------- a new run


def prepare(
    repository: Repository, options: RunOptions, text: PlanText, plan: Plan, earlier: RunDir | None
) -> Beginning:
    """Check everything a new run needs and change nothing. WavesError names what is missing and the way out."""
    git = repository.git
    plan = replace(
        plan,
        scheduler=options.scheduler or plan.scheduler,
        on_failure=options.on_failure or plan.on_failure,
        budget=spending.changed(plan.budget, options.budget),
    )
    analysis = planning.analyse(
        plan, repository=repository, max_parallel=options.max_parallel, base=options.base
    )
    preflight.refuse_violations(analysis)
    notice = reviewing.check_reviewed(repository, plan, text)
    preflight.refuse_nothing_to_run(plan)
    base, base_name = preflight.find_base(Git(repository.git_dir), options.base or plan.base)
    previous = git.ref(refs.integration_ref(plan.name))
    done: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    if earlier is not None and previous is not None:
        state = control.load(earlier)[0]
        base, base_name, done = preflight.continue_from(git, state, previous, base, base_name)
        with contextlib.suppress(SurroundingsError, PlanError):  # of a run that is over, and damaged since
            notes = tuple(preflight.changed_since(state, pinned_plan(earlier), plan))
    done.update(preflight.left_out(analysis, only=options.only, start_from=options.start_from))
    preflight.refuse_taken_names(repository, plan, previous)
    folder = preflight.worktree_folder(repository) / plan.name
    preflight.refuse_foreign_folders(git, folder, analysis.schedule)
    preflight.refuse_no_identity(git)
    preflight.refuse_full_disk(repository.common_dir)
    sandboxes, gate_sandbox = _sandboxes(repository, options, plan, done)
    return Beginning(
        analysis=analysis,
        text=text,
        base=base,
        base_name=base_name,
        previous=previous,
        done=done,
        worktree_folder=folder,
        sandboxes=sandboxes,
        gate_sandbox=gate_sandbox,
        notice=notice,
        notes=notes,
    )


def _sandboxes(
    repository: Repository, options: RunOptions, plan: Plan, done: Mapping[str, str]
) -> tuple[dict[str, Sandbox], Sandbox]:
    """The fence around each task's commands, and around gates; raises when this machine cannot put one of them up."""
    setting, said = read_settings(repository.git).sandbox, options.sandbox
    tasks = [task for task in plan.tasks if not (task.is_done or task.id in done)]
    kinds = {str(task.id): sandboxing.of_task(plan, task, setting=setting, said=said) for task in tasks}
    gates = sandboxing.of_gates(plan, setting=setting, said=said)
    fencing.check((*kinds.values(), gates))
    worktrees = preflight.worktree_folder(repository)
    kept_out = (repository.common_dir, repository.main_work_tree, worktrees)
    if any(kind is not Sandbox.NONE for kind in (*kinds.values(), gates)):
        fencing.check_plan(plan, kept_out=kept_out)
    return kinds, gates


def _begin(
    repository: Repository,
    options: RunOptions,
    settings: Settings,
    beginning: Beginning,
    tell: Tell,
    say: Callable[[str], None],
) -> int:
    git, plan = repository.git, beginning.analysis.plan
    preflight.refuse_unusable_locks(plan)  # not for a rehearsal: it makes the lock files
    uncommitted = preflight.unseen(repository, beginning.base_name, beginning.text.name_hint)
    if uncommitted:
        say(uncommitted)
    if beginning.notice:
        say(beginning.notice)
    if fenced := fencing.words(beginning.sandboxes):
        say(f"note: {fenced}")
    for words in preflight.not_repeated(plan):
        say(f"note: {words}")
    if not including.is_as_in_base(git, beginning.base, checkout=repository.main_work_tree):
        say(
            f"note: '{FILE_NAME}' is not the one of '{beginning.base_name}', which counts; commit it to have it obeyed"
        )
    for words in beginning.notes:
        say(f"note: {words}")
    run_dir = rundir.unborn(repository.common_dir, plan.name)
    run_dir.make()
    write_durably(run_dir.plan, beginning.text.data)
    facts = {"source": beginning.text.source, "name": beginning.text.name_hint}
    write_durably(run_dir.path / "plan.json", json.dumps(facts).encode())
    manifest = json.dumps(beginning.analysis.manifest.to_json(), sort_keys=True).encode()
    write_durably(run_dir.manifest, manifest)
    run = new_run_id(repository.common_dir)
    log = eventlog.EventLog.create(run_dir.events)
    first = log.append(_run_started(git, run, beginning, manifest))
    log.close()
    run_dir = rundir.be_born(run_dir, run)
    state, size = control.load(run_dir)
    tell(first, state)
    log = eventlog.EventLog(run_dir.events, events=state.events, size=size)
    return _go(repository, options, settings, run_dir, plan, state, log, tell, say)


def _run_started(git: Git, run: str, beginning: Beginning, manifest: bytes) -> eventlog.RunStarted:
    plan, schedule = beginning.analysis.plan, beginning.analysis.schedule
    needs: dict[str, list[str]] = {task.id: [] for task in plan.tasks}
    for need in schedule.needs:
        needs[need.task].append(need.on)
    group_of = {task: group.name for group in schedule.groups for task in group.tasks}
    tasks = {task.id: task for task in plan.tasks}
    order = [task for group in schedule.groups for task in group.tasks]
    order += [task.id for task in plan.tasks if task.id not in group_of]
    return eventlog.RunStarted(
        run=run,
        plan=plan.name,
        source=beginning.text.source,
        plan_blob=git.hash_blob(beginning.text.data),
        manifest_blob=git.hash_blob(manifest),
        previous=beginning.previous or "",
        base=beginning.base,
        base_tree=git.tree_of(beginning.base),
        base_name=beginning.base_name,
        scheduler=schedule.scheduler,
        on_failure=schedule.on_failure,
        on_red=plan.on_red or OnRed.HALT,
        max_parallel=schedule.max_parallel,
        budget=spending.limits_of(plan.budget),
        groups=[
            eventlog.GroupRecord(
                name=group.name,
                rounds=[list(one_round) for one_round in group.rounds],
                gates=list(group.gates),
                holds=[
                    {"task": hold.task, "kind": hold.kind, "by": hold.by or "", "what": hold.what}
                    for hold in group.holds
                ],
            )
            for group in schedule.groups
        ],
        gates=[
            eventlog.GateRecord(
                name=gate.name,
                baseline=gate.baseline,
                control=gate.control is not None,
                guards=bool(gate.guards),
                claim=gate.is_claim,
            )
            for gate in plan.gates
        ],
        tasks=[
            _task_record(plan, tasks[task], group_of.get(task, ""), needs[task], beginning) for task in order
        ],
        coordinator=coordinator(),
        sandbox=beginning.gate_sandbox,
    )


def _task_record(
    plan: Plan, task: Task, group: str, needs: list[str], beginning: Beginning
) -> eventlog.TaskRecord:
    tries = tries_of(plan, task)
    status, reason = "pending", ""
    if task.is_done or task.id in beginning.done:
        status, reason = "done", beginning.done.get(task.id, "done in the plan")
    elif task.blocker is not None:
        status, reason = "parked", task.blocker
    return eventlog.TaskRecord.model_validate(
        {
            "id": task.id,
            "title": task.title,
            "group": group,
            "needs": list(dict.fromkeys(needs)),
            "status": status,
            "reason": reason,
            "sandbox": beginning.sandboxes.get(task.id, Sandbox.NONE),
            "attempts": tries.attempts,
            "agents": [label_of(agent) for agent in tries.agents],
            "repeatable": tries.is_repeatable,
        }
    )


def coordinator() -> eventlog.Coordinator:
    """This process, for people."""
    return eventlog.Coordinator(
        pid=os.getpid(),
        host=socket.gethostname(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


# ---------------------------------------------------------------------- taking a run up again


def _resume(
    repository: Repository,
    options: RunOptions,
    settings: Settings,
    run_dir: RunDir,
    text: PlanText,
    tell: Tell,
    say: Callable[[str], None],
) -> int:
    git = repository.git
    state, size = control.load(run_dir)
    if options.only or options.start_from or options.base:
        raise UsageError(
            f"run '{state.run}' of plan '{state.plan}' is not finished; --only, --from and --base begin a new one",
            hint="'git waves run' goes on with it, 'git waves run --new' starts over",
        )
    if state.plan_blob != git.blob_id(text.data):
        say(
            f"note: '{text.source}' has changed since run '{state.run}' began; the run goes on with the plan as it was, "
            "'git waves run --new' begins anew with this one"
        )
    if options.sandbox is not None:
        raise UsageError(
            f"run '{state.run}' of plan '{state.plan}' is not finished, and keeps the fence it began with",
            hint="'git waves run --new --sandbox KIND' starts over",
        )
    fencing.check((*(Sandbox(task.sandbox) for task in state.tasks.values()), Sandbox(state.sandbox)))
    log = eventlog.EventLog(run_dir.events, events=state.events, size=size)
    control.forget_stops(run_dir)
    changed = tuple(restore_pinned(git, run_dir, state))
    plan = pinned_plan(run_dir)
    resumed = log.append(
        eventlog.RunResumed(
            coordinator=coordinator(),
            max_parallel=options.max_parallel or state.max_parallel,
            budget=dict(options.budget),
        )
    )
    state.apply(resumed)
    tell(resumed, state)
    for words in changed:
        warned = log.append(eventlog.Warned(message=words))
        state.apply(warned)
        tell(warned, state)
    return _go(repository, options, settings, run_dir, plan, state, log, tell, say)


def _go(
    repository: Repository,
    options: RunOptions,
    settings: Settings,
    run_dir: RunDir,
    plan: Plan,
    state: RunState,
    log: eventlog.EventLog,
    tell: Tell,
    say: Callable[[str], None],
) -> int:
    """Bring refs and log together, then run the loop."""
    git = repository.git
    notifier = None
    if settings.notify is not None:
        notifier = Notifier(settings.notify, run_dir, plan.name, repository.main_work_tree)

    def tell_everybody(event: Mapping[str, Any], state: RunState) -> None:
        tell(event, state)
        if notifier is not None:
            notifier.tell(event, state)

    def record(event: eventlog.AnyEvent) -> None:
        stamped = log.append(event)
        state.apply(stamped)
        tell_everybody(stamped, state)

    kind = file_system(repository.common_dir)
    if is_shared(kind):
        say(
            f"warning: '{repository.common_dir}' lies on a network file system ({kind}): run a plan from one machine only"
        )
    folder = preflight.worktree_folder(repository) / plan.name
    try:
        for words in remove_dead_locks(repository, run_dir, plan.name, folder=folder):
            record(eventlog.Warned(message=words))
        with worktree_lock(repository.common_dir):  # two runs may begin at once
            was_enabled = enable_worktree_config(git, repository.common_dir)
        if was_enabled:
            say(
                "note: set extensions.worktreeConfig in this repository; 'git waves hooks uninstall' takes it back"
            )
        mend_half_made(git, state, folder)
        drop_scratch(run_dir)
        wait_for_strays(run_dir)
        for words in end_stray_gates(git, run_dir, folder):
            record(eventlog.Warned(message=words))
        for words in restore_pinned(git, run_dir, state):  # also writes the objects that are pinned next
            record(eventlog.Warned(message=words))
        refs.begin(git, state, previous=state.previous)
        resetting.follow(git, state)
        while events := refs.reconcile(git, state):
            for event in events:
                record(event)
        _answer_for_moved_refs(git, state, options, record)
        setting = _setting(repository, options, settings, run_dir, plan, state)
        options.begins(run_dir)
        code = Coordinator(setting, state, log, tell_everybody).go()
        if state.finished:
            for words in refs.base_moved(git, state):
                say(f"note: {words}")
        if words := refs.misleading_name(git, state):
            say(f"warning: {words}")
        return code
    except HaltError as halt:
        settle_background(repository, run_dir, state, record, folder=folder)
        record(eventlog.RunHalted(kind="refs", reason=halt.message, hint=halt.hint))
        return halt.exit_code
    except OSError as error:
        trouble = machine_error(error, str(run_dir.path))
        if trouble is None:
            raise
        raise trouble from error
    finally:
        log.close()
        if notifier is not None:
            notifier.settle(say)


def _setting(
    repository: Repository,
    options: RunOptions,
    settings: Settings,
    run_dir: RunDir,
    plan: Plan,
    state: RunState,
) -> Setting:
    git, manifest = repository.git, control.read_manifest(run_dir)
    if options.until_group is not None and options.until_group not in {group.name for group in state.groups}:
        known = ", ".join(f"'{group.name}'" for group in state.groups)
        raise UsageError(f"there is no group '{options.until_group}'", hint=f"the groups are {known}")
    capacity = {resource.name: resource.capacity for resource in plan.resources}
    return Setting(
        git=git,
        main_work_tree=repository.main_work_tree,
        worktree_folder=preflight.worktree_folder(repository) / plan.name,
        run_dir=run_dir,
        plan=plan,
        manifest=manifest,
        conflicts={task: frozenset(others) for task, others in manifest.rivals().items()},
        resources={
            task.id: tuple((name, capacity[name]) for name in task.resources)
            for task in plan.tasks
            if task.resources
        },
        until=options.until_group,
        early_warning=settings.early_warning,
        agents=settings.agents,
        include=including.wanted_by(git, plan, Oid(state.base), checkout=repository.main_work_tree),
    )


def _answer_for_moved_refs(
    git: Git, state: RunState, options: RunOptions, record: Callable[[eventlog.AnyEvent], None]
) -> None:
    """The integration ref is elsewhere: put it back, go on from there, or halt, as the person said."""
    ref = refs.integration_ref(state.plan)
    now = git.ref(ref)
    if now == state.integration:
        return
    words = refs.moved_elsewhere(git, state)
    if options.restore:
        if now is not None:  # somebody's commits may hang on nothing else
            archive.keep(git, f"refs/waves/archive/{state.run}/moved-integration", now)
        command = f"update {ref} {state.integration} {now}" if now else f"create {ref} {state.integration}"
        if not git.update_refs([command], message="waves: restore"):
            raise HaltError(words, hint="try again: it moved once more")
        record(eventlog.Warned(message=f"{words}; put back with --restore"))
        return
    if options.accept and now is not None and state.candidate == state.integration:
        record(eventlog.IntegrationAccepted(old=state.integration, new=now, tree=git.tree_of(now)))
        candidate = refs.candidate_ref(state.plan, state.run)
        old = git.ref(candidate)
        if not git.update_refs([f"update {candidate} {now} {old}"], message="waves: accept"):
            raise HaltError(f"cannot move '{candidate}'", hint="git waves run --restore")
        lacking = [
            f"'{task.id}'"
            for task in state.tasks.values()
            if task.commit and not git.is_ancestor(Oid(task.commit), now)
        ]
        if lacking:
            record(
                eventlog.Warned(
                    message=f"what was accepted lacks the work of {', '.join(lacking)}; it is in their branches"
                )
            )
        return
    if options.accept:
        raise HaltError(
            f"{words}; work that is merged and not yet proven hangs on the old one",
            hint="git waves run --restore",
        )
    raise HaltError(
        words, hint="'git waves run --restore' puts it back, 'git waves run --accept' goes on from there"
    )
