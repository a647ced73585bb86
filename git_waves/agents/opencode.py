"""opencode (`opencode`), by the facts of 1.18.33, run on 2026-11-30.

`opencode run` reads the prompt from a standard input that is no terminal; `--auto` approves what is not denied. One database
serves all of a user's sessions, and parallel ones lock each other out of it (anomalyco/opencode #33320, #47566), so each
attempt has a database of its own (`OPENCODE_DB`); its login stays where it is. Exit code 0 also follows an `error` event. On
errors of the API it tries again for a long time: set the task's `budget.quiet`. A `model` is written PROVIDER/MODEL.
"""

from __future__ import annotations

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


def _invocation(briefing: Briefing, *session: str) -> Invocation:
    model = ("-m", briefing.model) if briefing.model else ()
    return Invocation(
        argv=("opencode", "run", "--format", "json", "--auto", *session, *model, *briefing.args),
        stdin=briefing.prompt,
        env={**_QUIET, "OPENCODE_DB": str(briefing.state / "opencode.db")},
    )
