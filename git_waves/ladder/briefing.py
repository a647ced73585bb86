"""What an agent program is told of one attempt beside its prompt, and what must lie there before it starts."""

from __future__ import annotations

import uuid
from pathlib import Path

from git_waves.adapters.hooks import edit_hook
from git_waves.adapters.rundir import write_durably
from git_waves.agents import Briefing, Invocation
from git_waves.core.model import Intent, Origin, PatternKind, RepoPath
from git_waves.ladder.attempt import Climb


def briefing(state: Climb, prompt: Path, words: str) -> Briefing:
    """The attempt as its agent program is told of it; `prompt` is the file that holds `words`."""
    return Briefing(
        prompt=prompt,
        words=words,
        session=state.session if state.turn else _first_session(state),
        state=state.run_dir.agent_state(state.task.id, state.lease.attempt),
        writable=_writable(state),
        owned=_owned(state),
        is_fenced=state.fence is not None,
        edit_hook=edit_hook(state.run_dir, state.lease_file(), state.admin),
    )


def lay_out(state: Climb, invocation: Invocation) -> None:
    """Make the folders that the program is promised, and write its files."""
    folder = state.run_dir.agent_state(state.task.id, state.lease.attempt)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in _writable(state):
        place.mkdir(parents=True, exist_ok=True)
    for path, content in invocation.files:
        write_durably(path, content.encode("utf-8", "surrogateescape"))
    for home, targets in invocation.homes:
        try:
            home.mkdir(mode=0o700)
        except FileExistsError:
            continue  # of the attempt that goes on: an agent may have put anything there, and nothing in it is followed
        for target in targets:
            (home / target.name).symlink_to(target)


def _first_session(state: Climb) -> str:
    """A UUID that is the attempt's own: the same if it is asked again, and another for every attempt of every repository."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{state.run_dir.path}#{state.lease.name}"))


def _writable(state: Climb) -> tuple[Path, ...]:
    """The folders that a commit in the worktree, and a request, write to."""
    if state.fence is not None:  # its repository is its own
        return (state.lease.private, state.run_dir.inbox)
    common = state.git.git_dir
    branch = Path(state.lease.branch).parent
    return (
        state.admin,
        common / "objects",
        common / branch,
        common / "logs" / branch,
        state.run_dir.inbox,
    )


def _owned(state: Climb) -> tuple[RepoPath, ...]:
    """The files that the task owns by name, without those that it is to delete."""
    explicit = [claim for claim in state.task.claims if claim.origin is Origin.EXPLICIT]
    named = [
        claim.pattern.text
        for claim in explicit or state.task.claims
        if claim.pattern.kind is PatternKind.FILE and claim.intent is not Intent.DELETE
    ]
    return tuple(dict.fromkeys((*named, *state.granted)))
