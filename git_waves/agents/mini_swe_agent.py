"""mini-swe-agent (`mini`), by the facts of 2.4.6, run on 2026-11-30.

`-t` takes the prompt as an argument alone, which the system limits to 128 KiB; a configuration file takes any, so it is
given one (`run.task`), beside `mini.yaml` that a first `-c` would leave out. `-y` runs without confirmation,
`--exit-immediately` ends with the task. It is given its limit of money by its own configuration (`-l`). Exit code 0 says
little; it has no session to go on with. Its trajectory, with cost and calls, lies in a file and not in its output.
"""

from __future__ import annotations

import json

from git_waves.agents.preset import Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_mini import MiniReader

_QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_CONFIGURED": "true",
    "MSWEA_COST_TRACKING": "ignore_errors",
    "MSWEA_SILENT_STARTUP": "1",
}


class MiniSweAgent:
    """mini-swe-agent."""

    name = "mini-swe-agent"
    program = "mini"
    login = "mini-extra config setup"

    def start(self, briefing: Briefing) -> Invocation:
        """With its prompt as configuration; JSON is YAML, too."""
        task = briefing.state / "task.yaml"
        model = ("-m", briefing.model) if briefing.model else ()
        return Invocation(
            argv=(
                *("mini", "-y", "--exit-immediately", "-c", "mini.yaml", "-c", str(task)),
                *("-o", str(briefing.state / "trajectory.json"), *model, *briefing.args),
            ),
            stdin=None,
            env=_QUIET,
            files=((task, json.dumps({"run": {"task": briefing.words}})),),
        )

    def resume(self, briefing: Briefing) -> Invocation | None:  # noqa: ARG002  # as every agent
        """It cannot."""
        return None

    def reader(self) -> Reader:
        """Of its lines about steps and cost."""
        return MiniReader()
