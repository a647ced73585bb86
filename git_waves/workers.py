"""Threads that wait for the world while the deciding thread goes on.

They never keep the process alive: a coordinator that ends because something broke leaves its agents to the next one, and
must not linger without its lock until the last of them is through.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable


class Workers:
    """At most `most` threads, started as they are needed, that take up work in the order it was given."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._unfinished = 0
        self._lock = threading.Lock()
        self._is_over = False

    def submit(self, work: Callable[[], None]) -> None:
        """Do this as soon as a thread is free; `work` lets no error out."""
        with self._lock:
            self._unfinished += 1
            if self._unfinished > len(self._threads) < self._most:
                thread = threading.Thread(target=self._toil, name=f"waves-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._work.put(work)

    def abandon(self) -> None:
        """Begin nothing more; what was begun ends when it ends, or with the process."""
        self._is_over = True

    def _toil(self) -> None:
        while True:
            work = self._work.get()
            if self._is_over:
                return
            work()
            with self._lock:
                self._unfinished -= 1
