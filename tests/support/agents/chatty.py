"""Writes numbered lines of 64 bytes: `chatty.py COUNT [PAUSE]`, with a pause in seconds after every thousandth."""

import os
import sys
import time


def main() -> None:
    """Write the lines in blocks of a thousand."""
    count = int(sys.argv[1])
    for start in range(0, count, 1000):
        lines = range(start, min(start + 1000, count))
        os.write(1, b"".join(b"%-63d\n" % line for line in lines))
        if len(sys.argv) > 2:
            time.sleep(float(sys.argv[2]))


main()
