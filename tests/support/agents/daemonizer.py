"""Leaves a daemon behind the classic way: fork, new session, fork again, its own environment, ignoring TERM."""

import os
import signal
import sys
import time


def main() -> None:
    """Daemonize, write the daemon's pid to the file named first, and go."""
    if os.fork():
        # Stay until the daemon stands, so that a test can count on it.
        while not os.path.exists(sys.argv[1]):  # noqa: PTH110  # run with -S, must start quickly
            time.sleep(0.005)
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:  # noqa: PTH123  # as above
        file.write(str(os.getpid()))
    os.rename(sys.argv[1] + ".new", sys.argv[1])  # noqa: PTH104  # as above
    time.sleep(600)


main()
