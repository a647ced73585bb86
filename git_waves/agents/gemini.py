"""Gemini CLI (`gemini`), by the facts of 0.61.0, run on 2026-11-30.

It reads the prompt from a standard input that is no terminal. `yolo` approves every tool; `--skip-trust` is needed in a
folder that nobody has trusted (exit code 55 otherwise). 53 is its limit of turns, 42 wrong input; an error of the API is the
HTTP status modulo 256 (144, 145). Statistics and updates are switched in the user's own `~/.gemini/settings.json` alone
(`privacy.usageStatisticsEnabled`, `general.enableAutoUpdate`): we change nothing there. Its shell tool drops
`GIT_CONFIG_GLOBAL`; work that it could not commit is committed for it. It writes `~/.gemini/`, by the folder's name.
"""

from __future__ import annotations

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


def _invocation(briefing: Briefing, how: str) -> Invocation:
    model = ("-m", briefing.model) if briefing.model else ()
    return Invocation(
        argv=(
            *("gemini", "--approval-mode", "yolo", "--skip-trust", "-o", "stream-json"),
            *(how, briefing.session, *model, *briefing.args),
        ),
        stdin=briefing.prompt,
        env=_QUIET,
    )
