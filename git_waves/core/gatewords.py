"""The words that are said of gates: what a red baseline and flakiness mean, why one is run, and what that proves."""

from __future__ import annotations

from enum import StrEnum


class Baseline(StrEnum):
    """What a gate that is red before the run means: told only, a reason not to begin, or tolerated for the failures that
    it had then. SKIP does not look."""

    REPORT = "report"
    REQUIRE = "require"
    TOLERATE = "tolerate"
    SKIP = "skip"


class FlakyPolicy(StrEnum):
    """What a gate means that was red and green on one tree: red, or green and said so."""

    HALT = "halt"
    ACCEPT = "accept"


class Purpose(StrEnum):
    """Why a gate is run on a tree. BARRIER and CULPRIT measure a tree that was merged, BASELINE the tree that the run began
    from, CONTROL and MUTATION a tree that was made wrong on purpose."""

    BARRIER = "barrier"
    BASELINE = "baseline"
    CONTROL = "control"
    MUTATION = "mutation"
    CULPRIT = "culprit"


class Verdict(StrEnum):
    """What a tree that was made wrong on purpose says about a gate."""

    PROVED = "proved"  # it went red
    BLIND = "blind"  # it stayed green
    UNMEASURED = "unmeasured"  # what happened says nothing: it hung, the control itself failed, ...
    INAPPLICABLE = "inapplicable"  # there was nothing to make wrong: the group left the guarded files alone
