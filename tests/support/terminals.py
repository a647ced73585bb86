"""A command in a pseudo-terminal of its own: what a person sees of it, and how it ended."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path


def at_a_terminal(
    argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str], size: tuple[int, int] = (30, 100)
) -> tuple[int, str]:
    """The exit code, and all that was shown. `size` is lines and columns; the command leads a session of its own."""
    shown, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    process = subprocess.Popen(
        argv, cwd=cwd, env=dict(environment), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            piece = os.read(shown, 65536)
        except OSError:  # Linux's way to say that nobody holds the other end any more
            break
        if not piece:
            break
        seen += piece
    os.close(shown)
    return process.wait(), seen.decode().replace("\r\n", "\n")
