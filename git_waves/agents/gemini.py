"""Gemini CLI (`gemini`), by the facts of 0.61.0, run on 2026-12-01.

It reads the prompt from a standard input that is no terminal. `yolo` approves every tool; `--skip-trust` is needed in a
folder that nobody has trusted (exit code 55 otherwise). 53 is its limit of turns, 42 wrong input; an error of the API is the
HTTP status modulo 256 (144, 145). Its shell tool drops `GIT_CONFIG_GLOBAL`; work that it could not commit is committed for it.
It writes `~/.gemini/`, by the folder's name, and its list of projects beside its settings: behind the kernel's fence it has a
home of the attempt's own, with links to what it only reads.

Hooks, statistics and updates are settings alone. Ours are the machine's defaults (`GEMINI_CLI_SYSTEM_DEFAULTS_PATH`), which come
before the user's own settings and those of the repository: a hook of ours refuses an edit of a foreign path (exit code 2, with
the reason on standard error), statistics and updates are off unless the user switched them on. A machine that has
defaults already keeps them. Gemini CLI passes over the file, with a warning, where a group or everybody may write one of the
folders above it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from git_waves.agents.home import links
from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_gemini import GeminiReader

_QUIET = {"GEMINI_TELEMETRY_ENABLED": "false"}


class Gemini:
    """Gemini CLI."""

    name = "gemini"
    program = "gemini"
    login = "gemini"

    def start(self, briefing: Briefing) -> Invocation:
        """With the session's id that we chose."""
        return _invocation(briefing, "--session-id")

    def resume(self, briefing: Briefing) -> Invocation | None:
        """In the same session."""
        return _invocation(briefing, "--resume")

    def reader(self) -> Reader:
        """Of `stream-json`."""
        return GeminiReader()


_DEFAULTS = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
_OF_THE_MACHINE = Path("/etc/gemini-cli/system-defaults.json")
_HOME = "GEMINI_CLI_HOME"
_WRITTEN = frozenset({"tmp", "history", "projects.json", "installation_id"})
_EDITORS = "write_file|replace"
_PATIENCE = 10_000  # milliseconds that an edit waits for the hook


def _settings(briefing: Briefing) -> str:
    """What is in our file of defaults; empty when the machine has its own."""
    if os.environ.get(_DEFAULTS) or _OF_THE_MACHINE.exists():
        return ""
    written: dict[str, object] = {
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    if briefing.edit_hook:
        hook = {"type": "command", "name": "git-waves", "command": briefing.edit_hook, "timeout": _PATIENCE}
        written["hooks"] = {"BeforeTool": [{"matcher": _EDITORS, "hooks": [hook]}]}
    return json.dumps(written, indent=1) + "\n"


def _invocation(briefing: Briefing, how: str) -> Invocation:
    settings = _settings(briefing)
    users = Path(os.environ.get(_HOME) or Path.home()) / ".gemini"
    fenced = briefing.is_fenced
    place = briefing.state / "gemini-defaults.json"  # outside of the worktree: it is no change of the task's
    model = ("-m", briefing.model) if briefing.model else ()
    return Invocation(
        argv=(
            *("gemini", "--approval-mode", "yolo", "--skip-trust", "-o", "stream-json"),
            *(how, briefing.session, *model, *briefing.args),
        ),
        stdin=briefing.prompt,
        env=_QUIET
        | ({_DEFAULTS: str(place)} if settings else {})
        | ({_HOME: str(briefing.state)} if fenced else {}),
        files=((place, settings),) if settings else (),
        homes=((briefing.state / ".gemini", links(users, _WRITTEN)),) if fenced else (),
    )
