"""The error family and the exit codes: what can go wrong outside the expected results, and what the shell sees."""

from __future__ import annotations

# Exit codes (the man page repeats them).
OK = 0
VIOLATION = 1  # a violation was found, or the work failed
UNMEASURED = 2  # could not measure, or wrong usage
HALTED = 3  # a person must decide: conflict, red gate, stuck, parked
SURROUNDINGS = 4  # another run, git too old, disk full, no repository
BUG = 70  # our bug
INTERRUPTED = 130


class WavesError(Exception):
    """Something outside the expected results; printed once, by the command line.

    `message` is lower case, problem first, names in single quotes, no full stop.
    `hint` is the next thing to type or do; empty when there is none.
    """

    exit_code = SURROUNDINGS

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(WavesError):
    """The command line does not make sense."""

    exit_code = UNMEASURED


class UnmeasurableError(WavesError):
    """The plan makes sense, and what follows from it cannot be worked out in reasonable time."""

    exit_code = UNMEASURED


class SurroundingsError(WavesError):
    """The machine, the repository or another run does not let us work."""


class MachineError(SurroundingsError):
    """The machine refused: disk full, read-only, out of files or memory. Nothing half written counts."""


def machine_error(error: OSError, place: str) -> MachineError | None:
    """The words for an operating system error that is the machine's doing; None for one that would be our bug.

    `place` names the folder when the error does not.
    """
    import errno  # only on the way down

    disk = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM}
    memory = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
    if error.errno not in disk | memory:
        return None
    return MachineError(
        f"cannot write '{error.filename or place}': {error.strerror}",
        hint="mend that ('df -h', 'ulimit -a'), then 'git waves run' goes on from here",
    )


class HaltError(WavesError):
    """A person must decide before the run can go on."""

    exit_code = HALTED


class PlanProblem:
    """One thing wrong with a plan: where it stands (`line` is 1-based, 0 when unknown), what, and the way out."""

    __slots__ = ("hint", "line", "message")

    def __init__(self, line: int, message: str, hint: str = "") -> None:
        self.line = line
        self.message = message
        self.hint = hint

    def __repr__(self) -> str:
        return f"PlanProblem({self.line}, {self.message!r}, {self.hint!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanProblem):
            return NotImplemented
        return (self.line, self.message, self.hint) == (other.line, other.message, other.hint)

    def __hash__(self) -> int:
        return hash((self.line, self.message, self.hint))


class PlanError(WavesError):
    """A plan could not be read or does not make sense; carries every problem, not only the first.

    `measured` tells the two exits apart: a plan that was read and is wrong (1) from one that could not be read (2).
    """

    def __init__(self, source: str, problems: tuple[PlanProblem, ...], *, measured: bool = True) -> None:
        super().__init__(f"{len(problems)} problem{'s' if len(problems) != 1 else ''} in '{source}'")
        self.source = source
        self.problems = problems
        self.exit_code = VIOLATION if measured else UNMEASURED
