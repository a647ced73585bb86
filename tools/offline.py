"""Run a command with no network but loopback, where this machine lets us; elsewhere as it is, with a word."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_INSIDE = "--inside"
_UNSHARE = ["unshare", "--map-root-user", "--net"]


def main(command: list[str]) -> None:
    """Become the command: in a network namespace of its own, if there can be one."""
    if command[0] == _INSIDE:
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))
        command = command[1:]
    elif why := _why_not():
        sys.stderr.write(f"no network namespace here, so the network is within reach: {why}\n")
    else:
        sys.stderr.write("in a network namespace: there is no network but loopback\n")
        command = [*_UNSHARE, sys.executable, __file__, _INSIDE, *command]
    os.execvp(command[0], command)


def _why_not() -> str:
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    tried = subprocess.run([*_UNSHARE, "true"], capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


if __name__ == "__main__":
    main(sys.argv[1:])
