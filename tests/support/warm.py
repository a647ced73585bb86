"""`git waves` as a process of its own that need not load the program first: a warm process has, and forks for each command.

Loading takes most of the time of a short command, and the tests type hundreds. The child is what a freshly started process
would be: its own pid, folder, environment, standard streams and signals, and it ends like one. What concerns the start
itself (tests of the quick path, of locales, of installing) has to start Python anew.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]


def can_run(environment: Mapping[str, str]) -> bool:
    """Whether a process with this environment would begin like the warm one did."""
    return _of_the_interpreter(environment) == _of_the_interpreter(_warm_environment())


def run(
    module: str, words: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """What `python -m module words` does, from the warm process; `module` has a function `main` that returns its code."""
    told, tell = os.pipe()
    output, out = os.pipe()
    errors, err = os.pipe()
    request = {"module": module, "words": list(words), "cwd": str(cwd), "environment": dict(environment)}
    with tempfile.TemporaryFile() as given:
        given.write(stdin.encode())
        given.seek(0)
        socket.send_fds(_warm(), [json.dumps(request).encode()], [given.fileno(), out, err, tell])
    for descriptor in (tell, out, err):
        os.close(descriptor)
    printed: dict[int, bytes] = {}
    listener = threading.Thread(target=lambda: printed.update({errors: _read(errors)}))
    with os.fdopen(told, encoding="ascii") as lines:
        pid = int(lines.readline())
        listener.start()
        try:
            printed[output] = _read(output)
            code = int(lines.readline())
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            raise
        finally:
            listener.join()
    return subprocess.CompletedProcess([module, *words], code, _text(printed[output]), _text(printed[errors]))


def _read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _text(content: bytes) -> str:
    """As `subprocess` makes text of it."""
    return io.TextIOWrapper(io.BytesIO(content)).read()


def _warm_environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": os.devnull, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


@functools.cache
def _warm() -> socket.socket:
    """The way to the warm process, which ends when this is closed."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        its.set_inheritable(True)
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", __name__, str(its.fileno())],
            _warm_environment(),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            ],
        )

    def end() -> None:
        ours.close()
        os.waitpid(pid, 0)  # so that its processor time is counted with ours

    atexit.register(end)
    return ours


# ---------------------------------------------------------------------- in the warm process


def main() -> int:
    """Fork for every request; in the child, be what was asked for."""
    from git_waves.cli.app import program

    program()
    gc.freeze()
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    if request is None:
        return 0
    sys.argv = [request["module"], *request["words"]]
    code: int = import_module(request["module"]).main()
    return code


def _serve(channel: socket.socket) -> dict[str, Any] | None:
    """A request, in the child that is to meet it; None in the warm process when nobody is left to ask."""
    signal.signal(signal.SIGCHLD, _collect)
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, 1 << 20, 4)
        if not message:
            return None
        if os.fork() == 0:
            channel.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            pid = os.fork()
            if pid:
                _watch(pid, descriptors)
            request: dict[str, Any] = json.loads(message)
            _become(request, descriptors)
            return request
        for descriptor in descriptors:
            os.close(descriptor)


def _collect(_number: int, _frame: object) -> None:
    """Those who watched over a child have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _watch(pid: int, descriptors: Sequence[int]) -> NoReturn:
    """Tell the child's pid and how it ends."""
    *streams, tell = descriptors
    for descriptor in streams:
        os.close(descriptor)
    os.write(tell, b"%d\n" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(tell, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    # As they were, only that nothing is known of the files behind them.
    sys.stdin = os.fdopen(0, encoding=sys.stdin.encoding, errors=sys.stdin.errors, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False)
    sys.stderr = os.fdopen(
        2, "w", buffering=1, encoding=sys.stderr.encoding, errors=sys.stderr.errors, closefd=False
    )


if __name__ == "__main__":
    sys.exit(main())
