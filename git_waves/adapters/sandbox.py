"""Which fences this machine can put up, found out by asking its kernel, and what each of them leaves open."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters import fence
from git_waves.core.model import Sandbox

_OPEN_TO_LANDLOCK = "not refused: changes of mode, time and attributes; sockets with a path; reading"
_OPEN_TO_BWRAP = "not refused: sockets with a path; reading"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFact:
    """What is known about one fence here. `level` says what is in force where it is used (empty when it is not to be had,
    then `reason` says why and `hint` the way out); `leaves` is what it does not refuse; `program` is the one it needs."""

    kind: Sandbox
    level: str = ""
    leaves: str = ""
    reason: str = ""
    hint: str = ""
    program: str = ""

    @property
    def is_available(self) -> bool:
        """Whether commands can be fenced in so."""
        return bool(self.level)


def sandbox_facts(*, repositories: Sequence[Path] = ()) -> tuple[SandboxFact, ...]:
    """One fact for each fence there is, the weakest first. Starts bubblewrap once, around nothing, unless it lies below one of
    the `repositories`, of which nothing is executed."""
    return (_landlock(), _bwrap(repositories))


def fact_of(kind: Sandbox) -> SandboxFact:
    """What is known about one fence; of none that it is always to be had."""
    if kind is Sandbox.NONE:
        return SandboxFact(kind=kind, level="none")
    return _landlock() if kind is Sandbox.LANDLOCK else _bwrap()


def _landlock() -> SandboxFact:
    abi = fence.landlock_abi()
    if abi >= fence.LEAST_ABI:
        scope = "" if abi >= fence.SCOPES_SINCE else "; signals to other processes are not refused either"
        return SandboxFact(
            kind=Sandbox.LANDLOCK, level=f"landlock, ABI {abi}", leaves=_OPEN_TO_LANDLOCK + scope
        )
    if sys.platform != "linux":
        reason = "Landlock is a part of Linux"
    elif abi:
        reason = f"this kernel's Landlock (ABI {abi}) cannot refuse to empty files; Linux 6.2 can"
    else:
        reason = "this kernel has no Landlock, or it is not among the security modules it was started with"
    hint = "see 'cat /sys/kernel/security/lsm', or use 'sandbox: bwrap'"
    return SandboxFact(kind=Sandbox.LANDLOCK, reason=reason, hint=hint)


def _bwrap(repositories: Sequence[Path] = ()) -> SandboxFact:
    program = shutil.which("bwrap")
    if program is None:
        hint = "install bubblewrap, or use 'sandbox: landlock'"
        return SandboxFact(kind=Sandbox.BWRAP, reason="cannot find the program 'bwrap'", hint=hint)
    program = os.path.realpath(program)
    if any(Path(program).is_relative_to(one.resolve()) for one in repositories):
        reason = f"'{program}' lies in the repository, and was not asked whether it works"
        return SandboxFact(kind=Sandbox.BWRAP, reason=reason, hint="install bubblewrap")
    version, complaint = _tried(program)
    if complaint:
        return SandboxFact(
            kind=Sandbox.BWRAP,
            reason=f"'{program}' cannot put up a fence here: {complaint}",
            hint="user namespaces may be switched off; use 'sandbox: landlock'",
        )
    return SandboxFact(kind=Sandbox.BWRAP, level=version, leaves=_OPEN_TO_BWRAP, program=program)


@functools.cache
def _tried(program: str) -> tuple[str, str]:
    """What the program calls itself, and why it cannot do what we want of it; empty when it can."""
    words = fence.bwrap_words(program, [], cwd="/", temporary="")
    try:
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        done = subprocess.run(
            [*words, "true"], capture_output=True, text=True, errors="replace", check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    complaint = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
    return version.stdout.strip() or "bubblewrap", complaint[0] if done.returncode else ""


def home_paths(names: tuple[str, ...]) -> tuple[Path, ...]:
    """These places below the user's home; folders (with a slash at the end) are made, files only count when they are there."""
    home = Path.home()
    for name in names:
        if name.endswith("/"):
            (home / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    return tuple(home / name for name in names if (home / name).exists())
