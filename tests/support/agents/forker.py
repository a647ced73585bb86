"""A chain of forks that never holds still: each process lives for the given seconds, forks the next one and ends.

`forker.py SECONDS [setsid]`: with `setsid` every link opens a session of its own, so no process group holds them all.
"""

import os
import sys
import time


def main() -> None:
    """Run the chain for at most 30 seconds, in case nobody ends it."""
    pause = float(sys.argv[1])
    give_up = time.monotonic() + 30
    os.write(1, b"chain\n")
    while time.monotonic() < give_up:
        if os.fork():
            os._exit(0)
        if len(sys.argv) > 2:
            os.setsid()
        if pause:
            time.sleep(pause)


main()
