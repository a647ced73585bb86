"""What a person sets for all their runs (`git config waves.*`), read once when a run begins: agents can write there later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from git_waves.adapters.git import Git
from git_waves.core.model import Command, Sandbox
from git_waves.errors import UsageError
from git_waves.formats.values import seconds

DEFAULT_EARLY_WARNING = 30.0
_AGENT = "waves.agent."


class PullRequests(StrEnum):
    """What is asked for at the end of a run."""

    NONE = "none"
    ONE = "one"
    PER_TASK = "per-task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`early_warning` is the time in seconds between two looks at the coming merges, 0 for none; `notify` is called when a
    run halts, parks a task, or ends; `remote` is where pull requests are made, empty for the usual one; `agents` are
    the user's own, by name; `sandbox` is the weakest fence that a plan may have."""

    early_warning: float = DEFAULT_EARLY_WARNING
    notify: Command | None = None
    pull_requests: PullRequests = PullRequests.NONE
    remote: str = ""
    sandbox: Sandbox | None = None
    agents: Mapping[str, Command] = field(default_factory=dict)


def read_settings(git: Git) -> Settings:
    """What is set for this repository. UsageError names the key that makes no sense, and what would."""
    found = git.settings("waves")
    notify = found.get("waves.notify", "").strip()
    return Settings(
        early_warning=_early_warning(found.get("waves.earlywarning")),
        notify=Command(shell=notify) if notify else None,
        pull_requests=_pull_requests(found.get("waves.pullrequest")),
        remote=found.get("waves.remote", ""),
        sandbox=_sandbox(found.get("waves.sandbox")),
        agents=_agents(found),
    )


def read_agents(git: Git) -> dict[str, Command]:
    """The agents of the user's own: `waves.agent.NAME` is the command that one is."""
    return _agents(git.settings("waves"))


def _agents(found: Mapping[str, str]) -> dict[str, Command]:
    return {
        key.removeprefix(_AGENT): Command(shell=value)
        for key, value in found.items()
        if key.startswith(_AGENT) and value.strip()
    }


def _early_warning(text: str | None) -> float:
    if text is None:
        return DEFAULT_EARLY_WARNING
    if text in ("0", "false", "off", "no"):
        return 0.0
    interval = seconds(text)
    if interval is None:
        raise UsageError(
            f"the setting 'waves.earlyWarning' is no duration: '{text}'",
            hint="git config waves.earlyWarning 30s, or 'off'",
        )
    return interval


def _sandbox(text: str | None) -> Sandbox | None:
    try:
        return None if text is None else Sandbox(text)
    except ValueError:
        raise UsageError(
            f"the setting 'waves.sandbox' is '{text}'",
            hint=f"git config waves.sandbox to one of: {', '.join(Sandbox)}",
        ) from None


def _pull_requests(text: str | None) -> PullRequests:
    if text is None:
        return PullRequests.NONE
    try:
        return PullRequests(text)
    except ValueError:
        known = ", ".join(PullRequests)
        raise UsageError(
            f"the setting 'waves.pullRequest' is '{text}'",
            hint=f"git config waves.pullRequest to one of: {known}",
        ) from None
