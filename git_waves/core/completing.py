"""What may follow on a command line of git-waves: commands, options, and the tasks, groups and gates of the newest run.

Asked by the shell at every press of the tab key, so `quick` answers with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_waves.core.fold import AWAITING, PENDING, STUCK, RunState
from git_waves.core.usage import commands

_CHOICES = {
    "--scheduler": ("sequential", "dag-parallel", "ready-set"),
    "--on-failure": ("halt", "fail-dependents"),
    "--sandbox": ("none", "landlock", "bwrap"),
    "--record": ("approve", "revise"),
    "--format": ("text", "github"),
}
_SHELLS = ("bash", "fish", "zsh")
_ANY_TASK = frozenset({"log", "show", "restore"})
_STUCK_TASK = frozenset({"retry", "skip", "open"})


def candidates(words: Sequence[str], state: RunState | None) -> list[str]:
    """What the last of `words` (all behind `git waves`) may become; `state` is that of the newest run. Whole words, sorted;
    empty where only a file's name can follow."""
    *before, current = words or [""]
    if not before:
        return _beginning(current, {name.split(" ")[0] for name in commands()})
    command = before[0]
    if f"{command} {current}" in commands() or any(
        name.startswith(f"{command} {current}") for name in commands()
    ):
        return _beginning(
            current, {name.split(" ")[1] for name in commands() if name.startswith(f"{command} ")}
        )
    if command in ("help", "man") and not current.startswith("-"):
        return _beginning(current, {name.split(" ")[0] for name in commands()}) if len(before) == 1 else []
    if command == "completion":
        return _beginning(current, _SHELLS) if len(before) == 1 else []
    usage = commands().get(command)
    if usage is None:
        return []
    if current.startswith("-"):
        name, equals, value = current.partition("=")
        if equals:
            return [f"{name}={one}" for one in _beginning(value, _values(name, state))]
        return _beginning(current, {word for word in usage.options if word.startswith("--")})
    if before[1:] and usage.options.get(before[-1]):  # the value of the option before it
        return _beginning(current, _values(before[-1], state))
    return _beginning(current, _arguments(command, state))


def _beginning(start: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(start))


def _values(option: str, state: RunState | None) -> Iterable[str]:
    if option in _CHOICES:
        return _CHOICES[option]
    if state is None:
        return ()
    if option in ("--only", "--from"):
        return state.tasks
    if option == "--until-group":
        return [group.name for group in state.groups]
    if option == "--plan":
        return [state.plan]
    return ()


def _arguments(command: str, state: RunState | None) -> Iterable[str]:
    if state is None:
        return ()
    if command == "gate":
        return [group.name for group in state.groups]
    if command == "done":
        return [task.id for task in state.tasks.values() if task.status == AWAITING]
    if command in _STUCK_TASK:
        waiting = (*STUCK, AWAITING, PENDING)
        return [task.id for task in state.tasks.values() if task.status in waiting] or state.tasks
    if command not in _ANY_TASK:
        return ()
    gates = {gate for group in state.groups for gate in group.gates}
    return [*state.tasks, *(f"gate:{gate}" for gate in gates if command == "log")]
