"""The kernel's fence around one command: what it may write, enforced by Landlock or by mounts of its own (bubblewrap).

Loaded by the supervisor by its bare name, in the child that is about to become the command, so it imports nothing of ours and
little else. Everything the command starts inherits the fence, and nothing inside can take it down.

Landlock grants are allow-only and hold for everything below a folder. What it cannot refuse at any level is known: modes,
times and attributes of files that are not granted, sockets with a path, and reading. Bubblewrap refuses the first of these
(the rest of the disk is mounted read-only) and has processes, /dev and shared memory of its own.
"""

# contextlib costs more start-up than it saves words.

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LANDLOCK = "landlock"
BWRAP = "bwrap"
LEAST_ABI = 3
"""Below it the kernel cannot refuse to empty a file (Linux 6.2 has it): no fence at all."""

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
# Remove folders and files; make devices, folders, files, sockets, pipes, blocks, links; move between folders.
_IN_FOLDERS = sum(1 << bit for bit in range(4, 14))
_ALL = _WRITE_FILE | _TRUNCATE | _IN_FOLDERS
_SCOPED = 0b11  # no signal to, and no abstract socket of, anything outside
SCOPES_SINCE = 6
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


def landlock_abi() -> int:
    """The version of Landlock this kernel speaks; 0 when it has none, or it is switched off."""
    try:
        return max(_syscall(_CREATE_RULESET, None, 0, _ASK_VERSION), 0)
    except OSError:
        return 0


def enter_landlock(writes: Sequence[str]) -> None:
    """From now on this process, and all it starts, may write below `writes` (folders, files) and to nothing else.

    Paths that are not there grant nothing. Raises OSError when the kernel will not, and then nothing is restricted.
    """
    import ctypes

    abi = landlock_abi()
    if abi < LEAST_ABI:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    attributes = _words(_ALL, 0, _SCOPED)
    size = 24 if abi >= SCOPES_SINCE else 8
    ruleset = _syscall(_CREATE_RULESET, ctypes.c_char_p(attributes[:size]), size, 0)
    try:
        for path in (*writes, *DEVICES):
            _grant(ruleset, path)
        _control(_PR_SET_NO_NEW_PRIVS)
        _syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _grant(ruleset: int, path: str) -> None:
    import ctypes
    import stat

    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        allowed = _ALL if is_folder else _WRITE_FILE | _TRUNCATE
        rule = _words(allowed) + descriptor.to_bytes(4, sys.byteorder)
        _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(descriptor)


def _words(*values: int) -> bytes:
    return b"".join(value.to_bytes(8, sys.byteorder) for value in values)


def _syscall(number: int, *arguments: object) -> int:
    import ctypes

    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    library = ctypes.CDLL(None, use_errno=True)
    wide = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = int(library.syscall(ctypes.c_long(number), *wide))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _control(option: int) -> None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    unsigned = ctypes.c_ulong
    if library.prctl(option, unsigned(1), unsigned(0), unsigned(0), unsigned(0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def bwrap_words(program: str, writes: Sequence[str], *, cwd: str, temporary: str) -> list[str]:
    """The words in front of a command's own: everything read-only but `writes` and the folder `temporary`, which is /tmp
    unless something that is needed lies below the real one. What lies in /dev/shm is seen in the same case only."""
    words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += ["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if not may_hide("/dev/shm", [*writes, temporary]):
        words += ["--ro-bind", "/dev/shm", "/dev/shm"]
    if temporary:
        words += ["--bind", temporary, "/tmp" if may_hide("/tmp", writes) else temporary]
    for path in writes:
        words += ["--bind-try", path, path]
    return [*words, "--chdir", cwd, "--"]


def may_hide(folder: str, needed: Sequence[str]) -> bool:
    """Whether `folder` can be another one for a command that needs these paths."""
    return not any(os.path.realpath(path).startswith(f"{folder}/") for path in needed if path)


def make_temporary() -> str:
    """A new folder for temporary files that nobody else may look into."""
    above = os.environ.get("TMPDIR", "")
    above = above if above.startswith("/") and os.path.isdir(above) else "/tmp"
    while True:
        path = f"{above}/waves-{os.urandom(6).hex()}"
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        return path


def remove_temporary(path: str) -> None:
    """Remove such a folder with all it holds; a command may have closed folders in it to itself."""
    import contextlib
    import shutil

    for folder, names, _ in os.walk(path):  # before it looks into them
        for name in names:
            closed = f"{folder}/{name}"
            if not os.path.islink(closed):
                with contextlib.suppress(OSError):
                    os.chmod(closed, 0o700)
    shutil.rmtree(path, ignore_errors=True)
