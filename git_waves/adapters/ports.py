"""Ports that nobody else is given: a block of ten for each task at work, of all runs on this machine.

Each block has a guard, a port of its own outside of it that is bound and never listened on: the kernel gives it to one socket at
a time, whoever's, and no file is needed. Every process that inherited the socket holds the block, so a supervisor does as long
as its command lives, also when the coordinator is killed. Which block a task gets follows from its name, so that it is the
same one tomorrow, unless somebody has it: then the next. A block is free when its guard and each of its ports can be bound,
since other programs know nothing of guards.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

SIZE = 10
FIRST, BLOCKS = 20_000, 1_000  # up to 29999: above what is well known, below what outgoing connections get
_GUARDS = 30_000
_PATIENCE = 1.0  # seconds for the block that is wished for: its last holder may be about to end


@dataclass(frozen=True, slots=True)
class Ports:
    """A block: its `first` port, held as long as the guard's `descriptor` is open anywhere; whoever inherits it holds it too."""

    first: int
    descriptor: int

    def release(self) -> None:
        """Give the block back."""
        os.close(self.descriptor)

    @property
    def variables(self) -> dict[str, str]:
        """How commands are told."""
        every = range(self.first, self.first + SIZE)
        return {"WAVES_PORT": str(self.first), "WAVES_PORTS": " ".join(map(str, every))}


@dataclass(frozen=True, slots=True)
class NoPorts:
    """There is no block to be had, and why."""

    reason: str


def lend(name: str, *, wish: int | None = None) -> Ports | NoPorts:
    """A block for whoever is called `name`; the one that begins with `wish` if at all possible. Waits for nobody else."""
    try:
        if wish is not None and wish in range(FIRST, FIRST + SIZE * BLOCKS, SIZE):
            found = _again(wish)
            if found is not None:
                return found
        for first in _order(name):
            found = _take(first)
            if found is not None:
                return found
    except OSError as error:
        return NoPorts(f"no port can be bound: {error.strerror}")
    return NoPorts(f"no {SIZE} in a row are free from {FIRST} to {FIRST + SIZE * BLOCKS - 1}")


def _again(first: int) -> Ports | None:
    """A block that the same attempt had before."""
    give_up = time.monotonic() + _PATIENCE
    while (found := _take(first)) is None and time.monotonic() < give_up:
        time.sleep(0.02)
    return found


def _order(name: str) -> Iterator[int]:
    """Every block, beginning with the one that the name stands for."""
    start = int.from_bytes(hashlib.sha256(os.fsencode(name)).digest()[:8])
    return (FIRST + (start + step) % BLOCKS * SIZE for step in range(BLOCKS))


def _take(first: int) -> Ports | None:
    guard = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        guard.bind(("127.0.0.1", _GUARDS + (first - FIRST) // SIZE))
    except OSError as error:
        guard.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    if all(_can_be_bound(port) for port in range(first, first + SIZE)):
        return Ports(first, guard.detach())
    guard.close()
    return None


def _can_be_bound(port: int) -> bool:
    """Whether nobody listens there, on any address of this machine."""
    return _is_free(socket.AF_INET, "", port) and (
        _is_free(socket.AF_INET6, "::", port) or not _is_free(socket.AF_INET6, "::", 0)
    )


def _is_free(family: socket.AddressFamily, address: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # what is only remembered is no listener
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address, port))
    except OSError:
        return False
    return True
