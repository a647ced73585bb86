"""aider (`aider`), by the facts of 0.86.2, run on 2026-12-01.

It takes the prompt from a file and is told by name which files it edits: those that the task owns by name. It commits by
itself, past hooks unless `--git-commit-verify`; the fence at the merge does not depend on them. It keeps its histories
where it is told, and a cache of the repository's map in the worktree (`.aider.tags.cache.v4/`), which the map's size 0 avoids.
It exits with 0 on errors of the model, too, and has no session to go on with. Its list of prices comes from
raw.githubusercontent.com when it can.
"""

from __future__ import annotations

from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_aider import AiderReader

_QUIET = (
    *("--yes-always", "--no-pretty", "--no-stream", "--no-fancy-input", "--no-suggest-shell-commands"),
    *("--no-gitignore", "--no-check-update", "--analytics-disable"),
    *("--no-show-release-notes", "--no-show-model-warnings", "--map-tokens", "0", "--git-commit-verify"),
)


class Aider:
    """aider."""

    name = "aider"
    program = "aider"
    login = "export ANTHROPIC_API_KEY=..."

    def start(self, briefing: Briefing) -> Invocation:
        """With the files that it may edit."""
        model = ("--model", briefing.model) if briefing.model else ()
        return Invocation(
            argv=(
                *("aider", "--message-file", str(briefing.prompt), *_QUIET),
                *("--chat-history-file", str(briefing.state / "chat.md")),
                *("--input-history-file", str(briefing.state / "input.txt")),
                *("--llm-history-file", str(briefing.state / "llm.txt")),
                *(*model, *briefing.args, *(word for path in briefing.owned for word in ("--file", path))),
            ),
            stdin=None,
            env={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )

    def resume(self, briefing: Briefing) -> Invocation | None:  # noqa: ARG002  # as every agent
        """It cannot."""
        return None

    def reader(self) -> Reader:
        """Of its line about tokens."""
        return AiderReader()
