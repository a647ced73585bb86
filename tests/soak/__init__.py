"""Suites that try to break the promises: thousands of small runs, each hurt at one chosen point, each checked afterwards.

`python -m tests.soak --help`, or `make soak`. docs/faults.md says which fault is tried where.
"""
