"""Claude Code (`claude`), by the facts of 2.1.328, run on 2026-11-30.

`-p` runs once and reads the prompt from its standard input. `acceptEdits` lets it edit below its working folder and
`--allowedTools Bash` run commands; whatever else would ask is refused and listed in `permission_denials`. The session's id is
ours to choose. Exit code 1 is any error, 143 is SIGTERM. It writes `~/.claude.json`, `~/.claude/` and sockets in `/tmp`;
its automatic memory is one for all worktrees of a repository, so it is off.
"""

from __future__ import annotations

from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_claude import ClaudeReader

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}


class Claude:
    """Claude Code."""

    name = "claude"
    program = "claude"
    login = "claude auth login"

    def start(self, briefing: Briefing) -> Invocation:
        """With the session's id that we chose."""
        return _invocation(briefing, "--session-id")

    def resume(self, briefing: Briefing) -> Invocation | None:
        """In the same session; its cost goes on from where it was."""
        return _invocation(briefing, "--resume")

    def reader(self) -> Reader:
        """Of `stream-json`."""
        return ClaudeReader()


def _invocation(briefing: Briefing, how: str) -> Invocation:
    model = ("--model", briefing.model) if briefing.model else ()
    return Invocation(
        argv=(
            *("claude", "-p", "--output-format", "stream-json", "--verbose", how, briefing.session),
            *("--allowedTools", "Bash", "--permission-mode", "acceptEdits", *model, *briefing.args),
        ),
        stdin=briefing.prompt,
        env=_QUIET,
    )
