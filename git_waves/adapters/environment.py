"""The environment a supervised command gets: the user's own, without what would point git elsewhere or make it wait."""

from __future__ import annotations

import os
from collections.abc import Mapping

from git_waves.adapters.git import clean_environment

# Nobody sits there to answer; `:` and `true` succeed and say nothing.
_UNATTENDED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
}
# What an agent commits must survive a power loss once we announce it (reliability R2), and a background `gc` must not
# outlive the command that set it off.
_SETTINGS = {"core.fsync": "committed", "gc.auto": "0"}

_MOST_SETTINGS = 1000
_NOT_HANDED_DOWN = (
    "WAVES_",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
)


def environment(given: Mapping[str, str], *, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a task's command: ours without repository-pointing `GIT_*` and without the `WAVES_*` of a run
    around us, git unattended, then `given`; git `settings` come last, behind any the user or `given` passes the same
    way (`GIT_CONFIG_COUNT`), so that they win. What `git -c` said on our own command line is not handed down: git
    would let it win over ours."""
    kept = {key: value for key, value in clean_environment().items() if not key.startswith(_NOT_HANDED_DOWN)}
    merged = {**kept, **_inherited_settings(), **_UNATTENDED, **given}
    count = int(merged.get("GIT_CONFIG_COUNT", "0"))
    for key, value in {**_SETTINGS, **(settings or {})}.items():
        merged[f"GIT_CONFIG_KEY_{count}"] = key
        merged[f"GIT_CONFIG_VALUE_{count}"] = value
        count += 1
    merged["GIT_CONFIG_COUNT"] = str(count)
    return merged


def _inherited_settings() -> dict[str, str]:
    """The user's own `GIT_CONFIG_COUNT` triple (a container's `safe.directory`, say), as far as it is whole."""
    text = os.environ.get("GIT_CONFIG_COUNT", "")
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_SETTINGS:
        return {}
    names = [f"GIT_CONFIG_{part}_{index}" for index in range(int(text)) for part in ("KEY", "VALUE")]
    if not all(name in os.environ for name in names):
        return {}
    return {"GIT_CONFIG_COUNT": text, **{name: os.environ[name] for name in names}}
