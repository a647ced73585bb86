"""Judging a machine: the programs that are there, the manual, the clock's and the user's own settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core.health import Check, dotted, note, ok, problem, warning

_AGENT_HINT = (
    "install one, or give the plan a command of yours: agent: {run: 'my-agent < \"$WAVES_PROMPT_FILE\"'}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that PATH leads to. `version` is what it says of itself; empty when it did not, or was not asked because
    it lies in the repository (`is_inside`), of which nothing is executed."""

    name: str
    path: str
    version: str = ""
    is_inside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Facts. Versions are numbers, None when there is no git. `agents` are those that were found of `known_agents`.

    `manual` is the page that `man` opens, None when it finds none; `has_man` whether there is a `man` at all. `identity`
    is why git would refuse to commit, or empty. `hooks` is whether our own hook files are where they were installed.
    """

    system: str
    git: tuple[int, ...] | None
    least_git: tuple[int, ...]
    python: tuple[int, ...]
    version: str
    agents: tuple[Program, ...]
    known_agents: tuple[str, ...]
    has_man: bool
    manual: str | None
    identity: str
    hooks: bool
    state_folder: str
    is_state_writable: bool


def judge_machine(machine: Machine) -> Iterator[Check]:
    """Every check of a machine, in the order in which they should be mended."""
    yield _git(machine)
    yield ok("git-waves", f"{machine.version}, with python {dotted(machine.python)}")
    yield _system(machine.system)
    if not machine.hooks:
        yield problem("installation", "the hook files of git-waves are missing", "install git-waves again")
    if machine.identity:
        hint = 'git config --global user.name "Your Name"; git config --global user.email you@example.com'
        yield problem("identity", f"git does not know who commits: {machine.identity}", hint)
    if not machine.is_state_writable:
        yield warning(
            "state folder",
            f"'{machine.state_folder}' cannot be written: no plan can be trusted, no resource shared by runs held",
            f"ls -ld '{machine.state_folder}', or set XDG_STATE_HOME",
        )
    yield from _agents(machine)
    yield _manual(machine)


def _git(machine: Machine) -> Check:
    least = dotted(machine.least_git)
    if machine.git is None:
        return problem("git", "cannot find the program 'git'", f"install git {least} or newer")
    if machine.git < machine.least_git:
        words = (
            f"git {dotted(machine.git)} is too old: git-waves merges without a checkout, which needs {least}"
        )
        return problem("git", words, f"install git {least} or newer")
    return ok("git", dotted(machine.git))


def _system(system: str) -> Check:
    if system == "Linux":
        return ok("system", system)
    if system == "Darwin":
        words = (
            "macOS: a process that leaves its agent's process group may outlive it; Linux has a way to see it"
        )
        return note("system", words)
    return warning("system", f"git-waves is not tried on {system}", "on Windows, use it inside WSL")


def _agents(machine: Machine) -> Iterator[Check]:
    for agent in machine.agents:
        if agent.is_inside:
            words = f"'{agent.path}'; not asked for its version, because it lies in the repository"
        else:
            words = f"{agent.version or 'says no version'} ('{agent.path}')"
        yield ok(f"agent {agent.name}", words)
    if not machine.agents:
        yield warning("agents", f"none of these is installed: {', '.join(machine.known_agents)}", _AGENT_HINT)


def _manual(machine: Machine) -> Check:
    if machine.manual is not None:
        return ok("manual", f"'{machine.manual}'")
    if not machine.has_man:
        return note("manual", "there is no 'man' here to read it with", "git waves -h, git waves COMMAND -h")
    words = "'man' does not find it, so 'git waves --help' and 'git help waves' show nothing"
    return warning("manual", words, "git waves man --install")
