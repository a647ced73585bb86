"""What the keys of one gate mean: when it runs, how often, and what has to show that it can be red."""

from __future__ import annotations

import re
import warnings

from git_waves.core.gatewords import Baseline, FlakyPolicy
from git_waves.core.model import Control, Gate, PathPattern
from git_waves.formats.checks import check_once, read_files, read_path
from git_waves.formats.marks import MarkedMap, entry_lines, line_of, map_under
from git_waves.formats.names import shorten
from git_waves.formats.native import shapes
from git_waves.formats.native.reader import Reader
from git_waves.formats.values import whole_number

MOST_RETRIES = 9


def read_gate(reader: Reader, name: str, shape: shapes.Gate, marks: MarkedMap, line: int) -> Gate | None:
    """The gate of one mapping, None when its command is refused; the plan's groups must have been read."""
    owner = f"gate '{shorten(name)}'"
    command = reader.command(shape.run, "run", marks, owner)
    groups = shape.groups or ()
    lines = entry_lines(marks, "groups")
    reader.check_known(groups, lines, "groups", "group", owner)
    check_once(groups, lines, f"'groups' of {owner}", reader.problems)
    retries = _retries(reader, shape.retries, marks, owner)
    flaky = reader.choice(FlakyPolicy, shape.flaky, "flaky", marks)
    if flaky is FlakyPolicy.ACCEPT and not retries and "retries" not in marks.refused:
        hint = "add 'retries: 2': without a second run nobody sees that it is"
        reader.refuse(line_of(marks, "flaky"), f"{owner} accepts to be flaky and is never run again", hint)
    baseline = reader.choice(Baseline, shape.baseline, "baseline", marks) or Baseline.REPORT
    control = _control(reader, shape.control, marks, owner)
    if control is not None and baseline is Baseline.SKIP:
        message = f"{owner} has a 'control' and skips its baseline"
        hint = (
            "a control says something only about a gate that is green without it: take 'baseline: skip' out"
        )
        reader.refuse(line_of(marks, "baseline"), message, hint)
    failures = _failures(reader, shape.failures, marks, owner)
    if baseline is Baseline.TOLERATE and shape.failures is None and "failures" not in marks.refused:
        hint = "add 'failures: REGEX' for the lines that name one failure each, such as '^FAILED (.+)'"
        message = f"{owner} tolerates failures and does not say how to know them"
        reader.refuse(line_of(marks, "baseline"), message, hint)
    timeout = reader.seconds(shape.timeout, "timeout", marks, owner)
    is_claim = reader.flag(shape.claim, "claim", marks, owner)
    guards = _guards(reader, shape.guards, marks, owner)
    if command is None:
        return None
    return Gate(
        name=name,
        command=command,
        groups=tuple(groups),
        timeout=timeout,
        is_claim=is_claim,
        retries=retries,
        flaky=flaky or FlakyPolicy.HALT,
        control=control,
        guards=guards,
        baseline=baseline,
        failures=failures,
        line=line,
    )


def _retries(reader: Reader, text: str | None, marks: MarkedMap, owner: str) -> int:
    if text is None:
        return 0
    number = whole_number(text)
    if number is None or number > MOST_RETRIES:
        message = (
            f"'retries' of {owner} must be a whole number from 0 to {MOST_RETRIES}, not '{shorten(text)}'"
        )
        reader.refuse(line_of(marks, "retries"), message)
        return 1  # it was meant to be run again
    return number


def _control(
    reader: Reader, shape: str | list[str] | shapes.Patch | None, marks: MarkedMap, owner: str
) -> Control | None:
    if shape is None:
        return None
    line = line_of(marks, "control")
    if isinstance(shape, shapes.Patch):
        inner = map_under(marks, "control")
        files = read_files(
            [shape.patch], [line_of(inner, "patch")], f"the control of {owner}", reader.problems
        )
        return Control(patch=files[0], line=line) if files else None
    command = reader.command(shape, "control", marks, owner)
    return None if command is None else Control(command=command, line=line)


def _guards(reader: Reader, paths: list[str] | None, marks: MarkedMap, owner: str) -> tuple[PathPattern, ...]:
    if paths is None:
        return ()
    what = f"'guards' of {owner}"
    if not paths and "guards" not in marks.refused:
        reader.refuse(line_of(marks, "guards"), f"{what} is empty", "name the files, or take the key out")
    lines = entry_lines(marks, "guards")
    check_once(paths, lines, what, reader.problems)
    patterns = (read_path(path, at, what, reader.problems) for path, at in zip(paths, lines, strict=True))
    return tuple(pattern for pattern in patterns if pattern is not None)


def _failures(reader: Reader, text: str | None, marks: MarkedMap, owner: str) -> str | None:
    """A regular expression that compiles, and that does not find a failure where there is nothing."""
    if text is None:
        return None
    what, line = f"'failures' of {owner}", line_of(marks, "failures")
    try:
        with warnings.catch_warnings(
            action="ignore"
        ):  # Python's opinion on a pattern that it may read otherwise later
            found = re.compile(text).search("")
    except (re.error, OverflowError, RecursionError) as error:
        hint = "it is a regular expression of Python, for one line of output: '^FAILED (.+)'"
        reader.refuse(line, f"{what} is no regular expression: {error}", hint)
        return None
    if found is not None:
        reader.refuse(line, f"{what} matches an empty line", "it must match only lines that name a failure")
        return None
    return text
