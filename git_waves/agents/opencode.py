"""opencode (`opencode`), by the facts of 1.18.33, run on 2026-12-01.

`opencode run` reads the prompt from a standard input that is no terminal; `--auto` approves what is not denied. One database
serves all of a user's sessions, and parallel ones lock each other out of it (anomalyco/opencode #33320, #47566), so each
attempt has a database of its own (`OPENCODE_DB`); its login stays where it is. Exit code 0 also follows an `error` event. On
errors of the API it tries again for a long time: set the task's `budget.quiet`. A `model` is written PROVIDER/MODEL.

A plugin of ours asks before each edit, and what it throws refuses a foreign path. It is named in `OPENCODE_CONFIG_CONTENT`, which
adds to the user's and the repository's own plugins; whoever uses that variable keeps it, and has no refusal before the commit.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_opencode import OpencodeReader

_QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}


class Opencode:
    """opencode."""

    name = "opencode"
    program = "opencode"
    login = "opencode auth login"

    def start(self, briefing: Briefing) -> Invocation:
        """A session of its own; its id is told in every line."""
        return _invocation(briefing)

    def resume(self, briefing: Briefing) -> Invocation | None:
        """In the same session, from the same database."""
        return _invocation(briefing, "--session", briefing.session)

    def reader(self) -> Reader:
        """Of `--format json`."""
        return OpencodeReader()


_CONFIG = "OPENCODE_CONFIG_CONTENT"
_PLUGIN = """import { spawnSync } from "node:child_process"

const hook = %s

export const GitWaves = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (!["edit", "write", "multiedit", "patch", "apply_patch"].includes(input.tool)) return
    const asked = JSON.stringify({ tool_name: input.tool, tool_input: output.args, cwd: directory })
    const said = spawnSync("/bin/sh", ["-c", hook], { input: asked, encoding: "utf8", timeout: 10000 })
    if (said.status === 2) throw new Error(said.stderr)
  },
})
"""


def _invocation(briefing: Briefing, *session: str) -> Invocation:
    model = ("-m", briefing.model) if briefing.model else ()
    env = {**_QUIET, "OPENCODE_DB": str(briefing.state / "opencode.db")}
    files: tuple[tuple[Path, str], ...] = ()
    if briefing.edit_hook and not os.environ.get(_CONFIG):
        plugin = briefing.state / "git-waves.js"  # outside of the worktree: it is no change of the task's
        env[_CONFIG] = json.dumps({"plugin": [plugin.as_uri()]})
        files = ((plugin, _PLUGIN % json.dumps(briefing.edit_hook)),)
    return Invocation(
        argv=("opencode", "run", "--format", "json", "--auto", *session, *model, *briefing.args),
        stdin=briefing.prompt,
        env=env,
        files=files,
    )
