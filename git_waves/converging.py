"""Pull requests at convergence: the branch is pushed, and a forge's own program (`gh`, `glab`) opens the request.

Where that program or a remote is missing, nothing is pushed: the body lies in a file, and the commands are there to be
typed. Nothing here moves a ref of this repository, but for what git itself notes of a push.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from git_waves.adapters import process
from git_waves.adapters.git import Git
from git_waves.adapters.process import Job, JobSpec
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid
from git_waves.core.proposal import Made, Proposal, Proposed
from git_waves.errors import SurroundingsError, UsageError

LIMIT = 120.0  # seconds a forge's program may take
_ADDRESS = re.compile(rb"https?://[^\s\"'<>]+")
_IS_THERE = re.compile(rb"already exists", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for. `base` and `remote` empty mean the usual ones."""

    is_per_task: bool = False
    is_draft: bool = True
    base: str = ""
    remote: str = ""
    is_dry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Who writes titles and bodies (views/pull_request_text)."""

    title: Callable[[RunState], str]
    body: Callable[[RunState], str]
    task_title: Callable[[TaskState], str]
    task_body: Callable[[RunState, TaskState], str]


def propose(
    repository: Repository, run_dir: RunDir, state: RunState, wanted: Wanted, words: Words
) -> Proposed:
    """Open or bring up to date what is wanted. UsageError when nothing is integrated yet; SurroundingsError when the push
    or the forge's program fails."""
    if state.integration == state.base:
        raise UsageError(
            f"nothing of plan '{state.plan}' is integrated yet",
            hint="'git waves status' says where it stands",
        )
    git = repository.git
    remote = wanted.remote or _usual_remote(git, state)
    base = wanted.base or state.base_name
    if git.ref(f"refs/heads/{base}") is None and not wanted.base:
        raise UsageError(
            f"'{base}', where the run began, is no branch",
            hint="say what to merge into: git waves pull-request --base BRANCH",
        )
    program = _program_for(git.remote_address(remote)) if remote else ""
    proposals = [
        _proposal(
            run_dir, wanted, words, state, task, remote=remote or "REMOTE", base=base, program=program or "gh"
        )
        for task in (_integrated(state) if wanted.is_per_task else [None])
    ]
    if not remote:
        return Proposed(left=tuple(proposals), why_not="this repository has no remote")
    if not program:
        return Proposed(left=tuple(proposals), why_not="neither 'gh' nor 'glab' is here")
    if wanted.is_dry:
        return Proposed(left=tuple(proposals), why_not="nothing was done (--dry-run)")
    return Proposed(made=tuple(_make(repository, run_dir, remote, program, one) for one in proposals))


def _integrated(state: RunState) -> list[TaskState]:
    return [
        task for task in state.tasks.values() if task.status == fold.INTEGRATED and task.tip and task.paths
    ]


def _usual_remote(git: Git, state: RunState) -> str:
    """The remote of the branch the run began from, else `origin`, else the only one there is; empty when none."""
    configured = git.config_values(f"branch.{state.base_name}.remote")
    remotes = git.remotes()
    usual = (*configured[-1:], "origin", *(remotes if len(remotes) == 1 else ()))
    return next((name for name in usual if name in remotes), "")


def _program_for(address: str) -> str:
    """`gh` or `glab` by the remote's host, where it tells, else the one that is here; empty when none is."""
    host = str(urlsplit(address).hostname or address.partition(":")[0].rpartition("@")[2]).lower()
    order = ("glab", "gh") if "gitlab" in host else ("gh",) if "github" in host else ("gh", "glab")
    return next((name for name in order if shutil.which(name) is not None), "")


def _proposal(
    run_dir: RunDir,
    wanted: Wanted,
    words: Words,
    state: RunState,
    task: TaskState | None,
    *,
    remote: str,
    base: str,
    program: str,
) -> Proposal:
    if task is None:
        head, commit = f"waves/{state.plan}/integration", Oid(state.integration)
        title, body, file = words.title(state), words.body(state), "pull-request.md"
    else:
        head, commit = task.branch.removeprefix("refs/heads/"), Oid(task.tip)
        title, body = words.task_title(task), words.task_body(state, task)
        file = f"pull-request.{task.id}.md"
    body_file = run_dir.path / file
    write_durably(body_file, body.encode(errors="backslashreplace"))
    return Proposal(
        head=head,
        commit=commit,
        base=base,
        title=title,
        body_file=str(body_file),
        push_words=("push", remote, f"{commit}:refs/heads/{head}"),
        create_words=_create(program, wanted, head=head, base=base, title=title, body_file=body_file),
    )


def _create(
    program: str, wanted: Wanted, *, head: str, base: str, title: str, body_file: Path
) -> tuple[str, ...]:
    """The words of `gh pr create` (its manual, 2.60) or `glab mr create` (its manual, 1.49: a description is an argument)."""
    draft = ("--draft",) if wanted.is_draft else ()
    if program == "glab":
        text = body_file.read_text(encoding="utf-8")
        return (
            "glab", "mr", "create", "--yes", *draft, f"--source-branch={head}", f"--target-branch={base}",
            f"--title={title}", f"--description={text}",
        )  # fmt: skip
    return (
        "gh",
        "pr",
        "create",
        *draft,
        f"--head={head}",
        f"--base={base}",
        f"--title={title}",
        f"--body-file={body_file}",
    )


def _update(program: str, proposal: Proposal) -> tuple[str, ...]:
    if program == "glab":
        text = Path(proposal.body_file).read_text(encoding="utf-8")
        return ("glab", "mr", "update", proposal.head, f"--title={proposal.title}", f"--description={text}")
    body = f"--body-file={proposal.body_file}"
    return ("gh", "pr", "edit", proposal.head, f"--title={proposal.title}", body)


def _make(repository: Repository, run_dir: RunDir, remote: str, program: str, proposal: Proposal) -> Made:
    refspec = f"{proposal.commit}:refs/heads/{proposal.head}"
    repository.git.push(remote, refspec, folder=repository.main_work_tree)
    code, output = _call(repository, run_dir, proposal.create_words)
    was_there = code != 0 and _IS_THERE.search(output) is not None
    if was_there:
        code, updated = _call(repository, run_dir, _update(program, proposal))
        output += updated
    if code != 0:
        said = output.decode(errors="backslashreplace").strip()[-500:] or "nothing"
        raise SurroundingsError(
            f"branch '{proposal.head}' is pushed, but '{program}' could not open a pull request; it said: {said}",
            hint=f"mend that ('{program} auth status'), then 'git waves pull-request'; the body is in '{proposal.body_file}'",
        )
    addresses = _ADDRESS.findall(output)
    address = addresses[-1].decode(errors="backslashreplace") if addresses else ""
    return Made(proposal=proposal, address=address, was_there=was_there)


def _call(repository: Repository, run_dir: RunDir, words: tuple[str, ...]) -> tuple[int, bytes]:
    """Run a forge's program where its repository is; its exit code and what it printed."""
    name = f"forge:{secrets.token_hex(8)}"
    job = Job(run_dir.job(name))
    job.folder.mkdir(mode=0o700)
    log = run_dir.path / "logs" / f"{name}.log"
    spec = JobSpec(
        argv=words,
        cwd=repository.main_work_tree,
        env=process.environment({"GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "NO_PROMPT": "1"}),
        log=log,
        wall_clock=LIMIT,
    )
    process.start(job, spec)
    result = process.wait(job)
    return (1 if result.code is None else result.code), log.read_bytes() if log.exists() else b""
