"""Rewrites the text of a native plan so that one last task owns what others shared (see core.hoist)."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator

import yaml

from git_waves.core.hoist import Hoisted
from git_waves.core.model import Intent, PathPattern, Task
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.formats.native.scalars import scalar
from git_waves.formats.native.surgery import CannotRewriteError, Node, Surgery, compose, value_of

_WIDTH = 100
_INTENTS = frozenset(intent.value for intent in Intent)


def hoist_text(text: str, hoisted: Hoisted) -> str:
    """The plan's text with the wiring task of `hoisted` added and its paths taken from the others.

    The text ends with a line break. Raises CannotRewriteError where the text is laid out in a way that is not understood. The caller has to read the
    result: it is right when it is the plan of `hoisted`.
    """
    try:
        root = compose(text)
    except yaml.YAMLError as error:  # a JSON text can be fine and still no YAML
        raise CannotRewriteError(1) from error
    surgery = Surgery(text)
    gone = {claim.pattern for claim in hoisted.wiring.claims}
    tasks = value_of(root, "tasks")
    sharers = set(hoisted.sharers)
    for task in tasks.value if tasks is not None else ():
        if getattr(value_of(task, "id"), "value", None) in sharers:
            _take_from(surgery, value_of(task, "files"), gone)
    _expect_fewer(surgery, root, gone)
    _add_task(surgery, tasks, hoisted.wiring)
    return surgery.result()


def _take_from(surgery: Surgery, files: Node, gone: set[PathPattern]) -> None:
    """Take the patterns out of a task's files, of which others stay."""
    if isinstance(files, yaml.SequenceNode):
        surgery.remove_entries(files, _matching(files, gone))
        return
    emptied = set()
    for number, (key, paths) in enumerate(files.value):
        found = _matching(paths, gone) if key.value in _INTENTS else set()
        if found and len(found) == len(paths.value):
            emptied.add(number)
        elif found:
            surgery.remove_entries(paths, found)
    if emptied:
        surgery.remove_pairs(files, emptied)


def _expect_fewer(surgery: Surgery, root: Node, gone: set[PathPattern]) -> None:
    """What is hoisted is shared no more, so it is not to be expected either."""
    shared = value_of(value_of(root, "expect"), "shared_paths")
    if isinstance(shared, yaml.ScalarNode):
        surgery.replace(shared, str(max(int(shared.value) - len(gone), 0)))
    elif shared is not None:
        found = _matching(shared, gone)
        if len(found) < len(shared.value):
            surgery.remove_entries(shared, found)
        elif found:
            surgery.remove_pairs(root, {n for n, (key, _) in enumerate(root.value) if key.value == "expect"})


def _matching(paths: Node, gone: set[PathPattern]) -> set[int]:
    return {number for number, node in enumerate(paths.value) if _pattern(node.value) in gone}


def _pattern(text: str) -> PathPattern | None:
    try:
        return parse_pattern(text)
    except PathProblem:  # cannot be in a plan that was read
        return None


# ---------------------------------------------------------------------- the last task


def _add_task(surgery: Surgery, tasks: Node, wiring: Task) -> None:
    if tasks.flow_style:
        surgery.append_flow(tasks, json.dumps(_as_json(wiring), ensure_ascii=False))
    else:
        surgery.append_block(tasks, list(_as_yaml(wiring)))


def _as_json(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "title": task.title,
        "needs": list(task.needs),
        "files": _files(task),
        "prompt": task.prompt,
    }


def _as_yaml(task: Task) -> Iterator[str]:
    files = _files(task)
    yield f"- id: {scalar(task.id)}"
    yield f"  title: {scalar(task.title)}"
    yield from _flow("  needs: [", task.needs, "]")
    if isinstance(files, list):
        yield from _flow("  files: [", files, "]")
    else:
        for number, (intent, paths) in enumerate(files.items()):
            if len(files) > 1 and number == 0:
                yield "  files:"
            start = f"    {intent}: [" if len(files) > 1 else f"  files: {{{intent}: ["
            yield from _flow(start, paths, "]" if len(files) > 1 else "]}")
    yield "  prompt: |"
    yield from (f"    {line}" for line in (task.prompt or "").splitlines())


def _files(task: Task) -> list[str] | dict[str, list[str]]:
    """A plain list where nobody said what is done to the paths (see core.hoist: then it is so for all of them)."""
    by_intent: dict[str, list[str]] = {}
    for claim in task.claims:
        by_intent.setdefault(claim.intent, []).append(str(claim.pattern))
    return by_intent.get(Intent.EDIT) or by_intent


def _flow(start: str, words: Iterable[str], end: str) -> Iterator[str]:
    """A flow list, broken behind commas where it gets long."""
    inside = ", ".join(map(scalar, words))
    lines = textwrap.wrap(
        start + inside + end,
        _WIDTH,
        subsequent_indent=" " * 6,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from lines if len(lines) > 1 and not re.search(r'["]', inside) else [start + inside + end]
