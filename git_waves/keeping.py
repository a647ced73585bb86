"""What `git waves clean` finds beside worktrees and branches: archives, records of runs, and what gates left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from git_waves import preflight
from git_waves.adapters import throwaway
from git_waves.adapters.git import Git
from git_waves.adapters.repo import Repository
from git_waves.core.answers import Tidied
from git_waves.core.archived import PREFIX, ArchiveName, archive_name
from git_waves.core.model import Oid

MERGED = "its work is in the integration ref"


def clean_archives(
    git: Git, runs: list[str], integration: Oid | None, *, is_rehearsal: bool
) -> Iterator[Tidied]:
    """Archives of these runs go when all they hold is proved merged; else it is said how to bring them back."""
    for run in runs:
        for ref, commit in git.refs(f"{PREFIX}{run}/").items():
            name = archive_name(ref)
            if name is None:
                continue
            if integration is None or not git.is_ancestor(commit, integration):
                why = f"{_whose(name)}; 'git waves restore {ref}' brings it back"
            elif not is_rehearsal and not git.update_refs([f"delete {ref} {commit}"], message="waves: clean"):
                why = "git would not delete it"
            else:
                why = ""
            yield Tidied(what="archive", name=ref, is_removed=not why, reason=why or MERGED)


def _whose(name: ArchiveName) -> str:
    if name.task:
        return f"work of attempt {name.attempt} of task '{name.task}' that is not in the integration ref"
    return "where the integration ref was once, and is not part of it now"


def drop_stray_gates(repository: Repository, plan: str, *, is_rehearsal: bool) -> Iterator[Tidied]:
    """Worktrees of gates whose coordinator was killed: made by us, and nothing in them is worth keeping."""
    for folder in throwaway.gates_in(repository.git, preflight.worktree_folder(repository) / plan):
        left = "" if is_rehearsal else throwaway.drop(repository.git, folder)
        kept = left or ("it is not ours" if not is_rehearsal and folder.exists() else "")
        yield Tidied(
            what="worktree",
            name=str(folder),
            is_removed=not kept,
            reason=kept or "it was made for gates, and nothing in it is worth keeping",
        )


def kept_record(git: Git, plan: str, runs: list[Path]) -> Tidied:
    """What stays of all runs of a plan, in one line."""
    parts = [ref.split("/")[4:] for ref in git.refs(f"refs/waves/{plan}/")]
    handed_on = sum(part[:1] == ["handoff"] for part in parts)
    waiting = sum(part[:1] == ["passed"] for part in parts)
    words = [f"the logs of {_count(len(runs), 'run')} in '{runs[0].parent}'"]
    if handed_on:
        words.append(f"what {_count(handed_on, 'attempt')} handed on")
    if waiting:
        words.append(f"{_count(waiting, 'tip')} that passed and wait for their merge")
    return Tidied(what="record of plan", name=plan, is_removed=False, reason=f"it holds {_joined(words)}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _joined(words: list[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]
