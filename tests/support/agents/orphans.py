"""Makes orphans that end at once (`orphans.py COUNT`) and prints how many zombies its supervisor then still has."""

import os
import sys
import time


def zombies(parent: int) -> int:
    """How many children of a process have ended and were not collected."""
    count = 0
    for name in os.listdir("/proc"):  # noqa: PTH208  # run with -S, must start quickly
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123  # as above
                state, ppid = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        count += state == b"Z" and int(ppid) == parent
    return count


def main() -> None:
    """Each middle process dies first, so that its child goes to the supervisor."""
    for _ in range(int(sys.argv[1])):
        middle = os.fork()
        if middle == 0:
            if os.fork():
                os._exit(0)
            time.sleep(0.005)
            os._exit(0)
        os.waitpid(middle, 0)
    time.sleep(0.1)
    os.write(1, b"%d zombies\n" % zombies(os.getppid()))


main()
