"""The refs of a run: which there are, how each moves, and what to make of them after a crash or a stranger's hand.

refs/waves/integration/<plan>           proven work; moves by compare-and-swap, after green gates only
refs/heads/waves/<plan>/integration     the branch people see; follows while nobody else moved or checked it out
refs/heads/waves/<plan>/<task>/<n>      one branch per attempt
refs/waves/<plan>/<run>/candidate       merged, not yet proven
refs/waves/<plan>/<run>/base, plan, …   pins, so that no garbage collection takes them
refs/waves/<plan>/<run>/handoff/…      trees of the files that attempts handed on
refs/waves/archive/<run>/…              what was saved before a removal
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from git_waves.adapters import eventlog
from git_waves.adapters.git import Git
from git_waves.adapters.worktrees import branch_of
from git_waves.core import gatesdue
from git_waves.core.fold import IN_TREE, LIVE, MERGED, RunState, TaskState
from git_waves.core.model import Oid, RepoPath
from git_waves.errors import HaltError, SurroundingsError

RESERVED_TASKS = ("integration", "gate")


def integration_ref(plan: str) -> str:
    """The ref that only ever holds proven work."""
    return f"refs/waves/integration/{plan}"


def integration_branch(plan: str) -> str:
    """The branch of the same content, for people."""
    return f"refs/heads/waves/{plan}/integration"


def shown_branch(plan: str) -> str:
    """The short name of that branch."""
    return integration_branch(plan).removeprefix("refs/heads/")


def candidate_ref(plan: str, run: str) -> str:
    """Where merges go before they are proven."""
    return f"refs/waves/{plan}/{run}/candidate"


def passed_ref(plan: str, run: str, task: str, attempt: int) -> str:
    """Where a tip hangs from the moment it has passed until it is merged: its branch is in the hands of others."""
    return f"refs/waves/{plan}/{run}/passed/{task}/{attempt}"


def handoff_ref(plan: str, run: str, task: str, attempt: int) -> str:
    """The tree of the files that an attempt handed on."""
    return f"refs/waves/{plan}/{run}/handoff/{task}/{attempt}"


def handed_on_before(git: Git, plan: str, task: str) -> Oid | None:
    """The newest tree of files that the task handed on in any run of the plan."""
    found = []
    for name, tree in git.refs(f"refs/waves/{plan}/").items():
        parts = name.split("/")
        if len(parts) == 7 and parts[4] == "handoff" and parts[5] == task and parts[6].isdigit():
            found.append((parts[3], int(parts[6]), tree))
    return max(found)[2] if found else None


def reset_candidate_ref(run: str) -> str:
    """Where a candidate hangs from which a task was taken out again."""
    return f"refs/waves/archive/{run}/reset-candidate"


def free_attempt(
    git: Git, plan: str, task: str, wanted: int, *, is_used: Callable[[int], bool] = lambda _: False
) -> int:
    """The first attempt number from `wanted` on that has no branch and is not `is_used` otherwise: numbers, branches
    and folders are never reused."""
    prefix = branch_of(plan, task, 0).rpartition("/")[0] + "/"
    taken = {name.removeprefix(prefix) for name in git.refs(prefix)}
    while str(wanted) in taken or is_used(wanted):
        wanted += 1
    return wanted


# ---------------------------------------------------------------------- moving


def begin(git: Git, state: RunState, *, previous: str) -> None:
    """Create the refs of a run that are not there yet. `previous` is the integration ref's value when the run was
    started, empty when there was none. Safe to repeat; HaltError when a ref is at a value nobody of us gave it."""
    ref, branch = integration_ref(state.plan), integration_branch(state.plan)
    commands = []
    for name, wanted in (
        (f"refs/waves/{state.plan}/{state.run}/base", state.base),
        (f"refs/waves/{state.plan}/{state.run}/plan", state.plan_blob),
        (f"refs/waves/{state.plan}/{state.run}/manifest", state.manifest_blob),
        (candidate_ref(state.plan, state.run), state.candidate),
    ):
        if wanted and git.ref(name) is None:
            commands.append(f"create {name} {wanted}")
    if (
        state.accepted_from
        and git.ref(candidate := candidate_ref(state.plan, state.run)) == state.accepted_from
    ):
        commands.append(f"update {candidate} {state.candidate} {state.accepted_from}")
    now = git.ref(ref)
    if now is None and any(task.attempt for task in state.tasks.values()):
        pass  # it was there, and somebody deleted it: a person says what is to become of it
    elif now is None:
        commands.append(f"create {ref} {state.integration}")
    elif now == previous != state.integration and state.integration == state.base:
        commands.append(f"update {ref} {state.integration} {previous}")
        keep = f"refs/waves/archive/{state.run}/previous-integration"
        if git.ref(keep) is None:
            commands.append(f"create {keep} {previous}")
    shown = git.ref(branch)
    if shown is None:
        commands.append(f"create {branch} {state.integration}")
    elif shown == previous != state.integration and not _is_checked_out(git, branch):
        commands.append(f"update {branch} {state.integration} {previous}")
    if commands and not git.update_refs(commands, message=f"waves: run {state.run}"):
        raise HaltError(
            f"cannot create the refs of run '{state.run}'",
            hint=f"look at what is in the way: git for-each-ref 'refs/waves/{state.plan}' 'refs/heads/waves/{state.plan}'",
        )


def merge_message(state: RunState, task: TaskState) -> str:
    """The message of a merge commit. Its trailers alone settle a doubt after a crash."""
    title = f": {task.title}" if task.title else ""
    return (
        f"Merge task '{task.id}'{title}\n\n"
        f"Waves-Plan: {state.plan}\n"
        f"Waves-Run: {state.run}\n"
        f"Waves-Task: {task.id}\n"
        f"Waves-Attempt: {task.attempt}\n"
        f"Waves-Tip: {task.tip}\n"
    )


def move_candidate(git: Git, state: RunState, task: TaskState, commit: Oid) -> bool:
    """Move the candidate from the value we know; False when it is not there any more. The tip hangs on it from now on."""
    move = f"update {candidate_ref(state.plan, state.run)} {commit} {state.candidate}"
    pin = passed_ref(state.plan, state.run, task.id, task.attempt)
    held = git.ref(pin)
    commands = [move, f"delete {pin} {held}"] if held is not None else [move]
    return git.update_refs(commands, message=f"waves: merge {task.id}")


def publish(git: Git, state: RunState) -> str | None:
    """Move the integration ref from the value we know to the candidate, and the branch with it.

    Returns None when the integration ref is not what we know (nothing moved), else a warning about the branch or "".
    """
    ref, branch = integration_ref(state.plan), integration_branch(state.plan)
    commands = [f"update {ref} {state.candidate} {state.integration}"]
    shown = git.ref(branch)
    warning = ""
    if shown != state.integration:
        warning = (
            f"branch '{branch.removeprefix('refs/heads/')}' was moved by somebody else and is left alone"
        )
    elif _is_checked_out(git, branch):
        warning = (
            f"branch '{branch.removeprefix('refs/heads/')}' is checked out and is left alone;"
            f" bring it up there with: git merge --ff-only {ref}"
        )
    else:
        commands.append(f"update {branch} {state.candidate} {state.integration}")
    try:
        if git.update_refs(commands, message=f"waves: publish {state.run}"):
            return warning
    except SurroundingsError:
        if len(commands) == 1:
            raise  # else it may be the branch alone
    if len(commands) == 2 and git.update_refs(commands[:1], message=f"waves: publish {state.run}"):
        return f"branch '{branch.removeprefix('refs/heads/')}' could not be moved and is left alone"
    return None


def _is_checked_out(git: Git, branch: str) -> bool:
    """Moving a branch under a checkout would leave a staged reversal of the merge there (git-facts D11)."""
    return any(entry.get("branch") == branch for entry in git.worktrees())


# ---------------------------------------------------------------------- checking


def integration_is_ours(git: Git, state: RunState) -> bool:
    """Whether the integration ref is where the log says it is."""
    return git.ref(integration_ref(state.plan)) == state.integration


def moved_elsewhere(git: Git, state: RunState) -> str:
    """Words for an integration ref that somebody else moved: both values, and who ran meanwhile."""
    ref = integration_ref(state.plan)
    live = [f"'{task.id}'" for task in state.tasks.values() if task.status in LIVE]
    while_ran = f" while {', '.join(live)} ran" if live else ""
    return (
        f"'{ref}' was moved by somebody else{while_ran}: it is {git.ref(ref) or 'gone'},"
        f" and should be {state.integration}"
    )


def misleading_name(git: Git, state: RunState) -> str:
    """Words when the name people are told to merge does not lead to what is proven; empty when it does.

    An agent without a sandbox can write any ref, and a tag goes before a branch of the same name.
    """
    short = shown_branch(state.plan)
    takes_it_in = f"take in what is proven by its id: git merge {state.integration}"
    now = git.ref(integration_branch(state.plan))
    if now != state.integration:
        where = f"is at {now[:10]}" if now is not None else "is gone"
        return f"branch '{short}' {where}, and not at {state.integration[:10]}; {takes_it_in}"
    read = git.resolve(short)
    if read != state.integration:
        what = f"{read[:10]}" if read is not None else "nothing that can be merged"
        return (
            f"a tag or another ref is called '{short}' too, and git takes that name for {what}; {takes_it_in}"
        )
    return ""


def base_moved(git: Git, state: RunState) -> Iterator[str]:
    """How far the branch that the run began from has moved meanwhile, and how to bring both together."""
    tip = git.ref(f"refs/heads/{state.base_name}")
    if tip is None or git.is_ancestor(tip, Oid(state.integration)):
        return
    into = f"on it, 'git merge {shown_branch(state.plan)}' brings both together"
    if git.is_ancestor(Oid(state.base), tip):
        number = git.count_commits(Oid(state.base), tip)
        yield f"'{state.base_name}' has {number} commit{'s' if number > 1 else ''} that the run began without; {into}"
    else:
        yield f"'{state.base_name}' was rewritten since the run began from {state.base[:10]}; {into}"


def last_to_change(state: RunState, paths: tuple[RepoPath, ...]) -> str:
    """The task merged last whose changes touch one of the paths; empty when none did."""
    wanted = set(paths)
    for task in reversed(state.tasks.values()):
        if task.status in IN_TREE and wanted & set(task.paths):
            return task.id
    return ""


# ---------------------------------------------------------------------- after a crash


def reconcile(git: Git, state: RunState) -> tuple[eventlog.AnyEvent, ...]:
    """The events that a dead coordinator could not write any more, as refs and trailers tell them.

    Call again until nothing is returned. Raises HaltError when refs and log cannot be brought together.
    """
    candidate = git.ref(candidate_ref(state.plan, state.run))
    if candidate is not None and candidate != state.candidate:
        return (_lost_merge(git, state, candidate),)
    now = git.ref(integration_ref(state.plan))
    if now is not None and now != state.integration and now == state.candidate and _is_proven(state):
        return (eventlog.Published(group=_merged_group(state), old=state.integration, new=now),)
    return ()


def _merged_group(state: RunState) -> str:
    return next((task.group for task in reversed(state.tasks.values()) if task.status == MERGED), "")


def _is_proven(state: RunState) -> bool:
    """Whether the barrier's gates are all green on the candidate: we move the ref only then, a stranger whenever."""
    tree = state.candidate_tree
    name = _merged_group(state)
    due = next((group.gates for group in state.groups if group.name == name), [])
    if state.scheduler == "ready-set":  # there a group's own gates wait for the whole group
        due = [gate for gate in due if all(gate in group.gates for group in state.groups)]
    results = [result for (_, proven), result in state.gates.items() if proven == tree]
    is_green = all(result.passed for result in results) and {result.gate for result in results} >= set(due)
    return is_green and gatesdue.at_barrier(state, name, tuple(due)) is None


def _lost_merge(git: Git, state: RunState, commit: Oid) -> eventlog.TaskMerged:
    parents = git.parents(commit)
    trailers = dict(
        line.split(": ", 1)
        for line in git.message(commit).splitlines()
        if line.startswith("Waves-") and ": " in line
    )
    task = state.tasks.get(trailers.get("Waves-Task", ""))
    if (
        task is None
        or parents[:1] != (state.candidate,)
        or trailers.get("Waves-Run") != state.run
        or trailers.get("Waves-Tip") != task.tip
        or task.status != "passed"
    ):
        raise HaltError(
            f"'{candidate_ref(state.plan, state.run)}' was moved by somebody else to {commit}",
            hint=f"put it back: git update-ref {candidate_ref(state.plan, state.run)} {state.candidate}",
        )
    return eventlog.TaskMerged(
        task=task.id, attempt=task.attempt, tip=task.tip, commit=commit, tree=git.tree_of(commit)
    )
