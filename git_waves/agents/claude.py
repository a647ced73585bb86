"""Claude Code (`claude`), by the facts of 2.1.328, run on 2026-12-01.

`-p` runs once and reads the prompt from its standard input. `acceptEdits` lets it edit below its working folder and
`--allowedTools Bash` run commands; whatever else would ask is refused and listed in `permission_denials`. The session's id is
ours to choose. Exit code 1 is any error, 143 is SIGTERM. It writes `~/.claude.json`, `~/.claude/` and sockets in `/tmp`;
its automatic memory is one for all worktrees of a repository, so it is off.

`--settings FILE` adds to the user's and the repository's own settings: a pre-tool hook of ours refuses an edit of a foreign path
(exit code 2, with the reason on standard error); any other exit code lets it go on. Bash is not asked about.
"""

from __future__ import annotations

import json
from pathlib import Path

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


_EDITORS = "Write|Edit|MultiEdit|NotebookEdit"
_PATIENCE = 10  # seconds that an edit waits for the hook


def _settings(briefing: Briefing) -> tuple[tuple[Path, str], ...]:
    """The file with our hook, outside of the worktree: it is no change of the task's."""
    if not briefing.edit_hook:
        return ()
    hook = {"type": "command", "command": briefing.edit_hook, "timeout": _PATIENCE}
    written = {"hooks": {"PreToolUse": [{"matcher": _EDITORS, "hooks": [hook]}]}}
    return ((briefing.state / "claude-settings.json", json.dumps(written, indent=1) + "\n"),)


def _invocation(briefing: Briefing, how: str) -> Invocation:
    files = _settings(briefing)
    settings = tuple(word for path, _ in files for word in ("--settings", str(path)))
    model = ("--model", briefing.model) if briefing.model else ()
    return Invocation(
        argv=(
            *("claude", "-p", "--output-format", "stream-json", "--verbose", how, briefing.session),
            *(
                "--allowedTools",
                "Bash",
                "--permission-mode",
                "acceptEdits",
                *settings,
                *model,
                *briefing.args,
            ),
        ),
        stdin=briefing.prompt,
        env=_QUIET,
        files=files,
    )
