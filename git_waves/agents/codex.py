"""Codex (`codex`), by the facts of 0.171.0, run on 2026-11-30.

`codex exec ... -` reads the prompt from its standard input. Without `-s` its sandbox is read-only. `workspace-write` lets it
write its working folder and temporary ones; a commit in a linked worktree also writes the worktree's administrative folder,
the objects, and the folders of its branch and of that branch's log, so exactly these are named (the whole `.git` is never
granted, however it is named: openai/codex #19786). `--disable plugins` keeps it from every network but the model's.
Exit code 1 is a turn that failed, 2 a wrong option, 143 SIGTERM.

A pre-tool hook of ours on its command line refuses an edit of a foreign path (0.171.0, run on 2026-12-01). It runs only hooks
that somebody trusted; this one alone is, by the hash of what it is, so that no other hook runs unreviewed
(`--dangerously-bypass-hook-trust` would let all of them). A hash that a later version makes otherwise leaves the hook out, in
silence: the commit is still refused. Edits are asked about where the model has a tool for them (`apply_patch`), shells never.

It writes `$CODEX_HOME`, else `~/.codex`, which must not lie
below the temporary folder: its sandbox then fails. Behind the kernel's fence it has a home of the attempt's own, with links to
what it only reads, and no sandbox: bubblewrap inside of another fence ends with `setting up uid map: Permission denied`.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from git_waves.agents.home import links
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
        return _invocation(briefing, "-")

    def resume(self, briefing: Briefing) -> Invocation | None:
        """In the same thread; its usage goes on from where it was."""
        return _invocation(briefing, "resume", briefing.session, "-")

    def reader(self) -> Reader:
        """Of `--json`."""
        return CodexReader()


_EDITOR = "apply_patch"
_PATIENCE = 10  # seconds that an edit waits for the hook
_PLACE = "/<session-flags>/config.toml:pre_tool_use:0:0"  # how Codex calls the first hook of its command line


def _hook(briefing: Briefing) -> tuple[str, ...]:
    """Our hook, and that it is trusted; texts and numbers are written in TOML as in JSON."""
    if not briefing.edit_hook:
        return ()
    hook = {"type": "command", "command": briefing.edit_hook, "timeout": _PATIENCE}
    known = {"event_name": "pre_tool_use", "matcher": _EDITOR, "hooks": [{**hook, "async": False}]}
    canonical = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    trusted = "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogateescape")).hexdigest()
    listed = ", ".join(f"{key} = {json.dumps(value)}" for key, value in hook.items())
    return (
        *("-c", f'hooks.PreToolUse=[{{matcher = "{_EDITOR}", hooks = [{{{listed}}}]}}]'),
        *("-c", f'hooks.state={{"{_PLACE}" = {{trusted_hash = "{trusted}"}}}}'),
    )


_WRITTEN = frozenset({
    *("sessions", "log", "tmp", ".tmp", "history.jsonl", "installation_id", "shell_snapshots", "thread-writer-locks"),
    *("packages", "cache", "models_cache.json", "version.json", "session_index.jsonl"),
})  # fmt: skip


def _invocation(briefing: Briefing, *end: str) -> Invocation:
    argv = (*_command(briefing), *end)
    if not briefing.is_fenced:
        return Invocation(argv=argv, stdin=briefing.prompt)
    users = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    own = briefing.state / "codex"
    homes = ((own, links(users, _WRITTEN)),)
    return Invocation(argv=argv, stdin=briefing.prompt, env={"CODEX_HOME": str(own)}, homes=homes)


def _command(briefing: Briefing) -> tuple[str, ...]:
    roots = json.dumps([str(folder) for folder in briefing.writable])  # as TOML writes it, too
    model = ("-m", briefing.model) if briefing.model else ()
    # It cannot put its own sandbox up behind the kernel's fence, which lets it write no more than that sandbox would.
    inside = "danger-full-access" if briefing.is_fenced else "workspace-write"
    return (
        *("codex", "exec", "--json", "--color", "never", "-s", inside),
        *(
            "-c",
            f"sandbox_workspace_write.writable_roots={roots}",
            *_QUIET,
            *_hook(briefing),
            *model,
            *briefing.args,
        ),
    )
