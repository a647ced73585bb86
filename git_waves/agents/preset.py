"""What every agent program of ours answers: how it is started, how it goes on, how its output is read, what it needs.

Each program is a file of this room that knows nothing of the others. A prompt is given as a file or as standard input, and
never becomes part of a shell's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from git_waves.agents.usage import Reader
from git_waves.core.model import RepoPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What to execute in the worktree. `stdin` is a file, None is the end of file at once; `env` comes on top of the user's
    own; `files` are written before, with their content; `homes` are folders
    that are made before, each with links to these places."""

    argv: tuple[str, ...]
    stdin: Path | None
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[Path, str], ...] = ()
    homes: tuple[tuple[Path, tuple[Path, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What an agent program can be told of one attempt: the file of its prompt and the words in it, the id of the session
    to begin or to go on with (a UUID at first), a folder outside of the worktree for what it keeps, the folders that a
    commit and a request write to, and the files that the task owns by name. `edit_hook` is a line for a
    shell that answers before each edit, as `git waves agent-hook` does. `is_fenced` when the kernel lets it write little of
    the user's home. `model` and `args` are the plan's."""

    prompt: Path
    words: str
    session: str
    state: Path
    writable: tuple[Path, ...] = ()
    owned: tuple[RepoPath, ...] = ()
    edit_hook: str = ""
    is_fenced: bool = False
    model: str = ""
    args: tuple[str, ...] = ()


class Agent(Protocol):
    """One agent program. `program` is what is executed, `login` what a person does to log in; see `home` for what it
    writes below the user's home."""

    name: str
    program: str
    login: str

    def start(self, briefing: Briefing) -> Invocation:
        """How it begins."""
        ...

    def resume(self, briefing: Briefing) -> Invocation | None:
        """How it goes on with a session of its own; None when it cannot."""
        ...

    def reader(self) -> Reader:
        """A reader of what it prints."""
        ...
