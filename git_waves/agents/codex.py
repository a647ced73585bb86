"""Codex (`codex`), by the facts of 0.171.0, run on 2026-11-30.

`codex exec ... -` reads the prompt from its standard input. Without `-s` its sandbox is read-only. `workspace-write` lets it
write its working folder and temporary ones; a commit in a linked worktree also writes the worktree's administrative folder,
the objects, and the folders of its branch and of that branch's log, so exactly these are named (the whole `.git` is never
granted, however it is named: openai/codex #19786). `--disable plugins` keeps it from every network but the model's.
Exit code 1 is a turn that failed, 2 a wrong option, 143 SIGTERM. It writes `$CODEX_HOME`, else `~/.codex`, which must not lie
below the temporary folder: its sandbox then fails.
"""

from __future__ import annotations

import json

from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_codex import CodexReader

_QUIET = (
    *("--disable", "plugins", "-c", "check_for_update_on_startup=false"),
    *("-c", "analytics.enabled=false", "-c", "feedback.enabled=false"),
)


class Codex:
    """Codex."""

    name = "codex"
    program = "codex"
    login = "codex login"

    def start(self, briefing: Briefing) -> Invocation:
        """A thread of its own; its id is told in the first line."""
        return Invocation(argv=(*_command(briefing), "-"), stdin=briefing.prompt)

    def resume(self, briefing: Briefing) -> Invocation | None:
        """In the same thread; its usage goes on from where it was."""
        return Invocation(argv=(*_command(briefing), "resume", briefing.session, "-"), stdin=briefing.prompt)

    def reader(self) -> Reader:
        """Of `--json`."""
        return CodexReader()


def _command(briefing: Briefing) -> tuple[str, ...]:
    roots = json.dumps([str(folder) for folder in briefing.writable])  # as TOML writes it, too
    model = ("-m", briefing.model) if briefing.model else ()
    return (
        *("codex", "exec", "--json", "--color", "never", "-s", "workspace-write"),
        *("-c", f"sandbox_workspace_write.writable_roots={roots}", *_QUIET, *model, *briefing.args),
    )
