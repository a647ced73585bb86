"""Writes needs into the text of a native plan: entries in lists that are there, or a line of its own; nothing else moves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import yaml

from git_waves.core.model import TaskId
from git_waves.formats.native.scalars import scalar
from git_waves.formats.native.surgery import CannotRewriteError, Node, Surgery, compose, value_of


def promote_text(text: str, needs: Mapping[TaskId, Sequence[TaskId]]) -> str:
    """The plan's text with these needs added to those the tasks have.

    Raises CannotRewriteError where the text is laid out in a way that is not understood. The caller has to read the
    result: it is right when it is the plan with the needs.
    """
    try:
        root = compose(text)
    except yaml.YAMLError as error:  # a JSON text can be fine and still no YAML
        raise CannotRewriteError(1) from error
    surgery = Surgery(text)
    tasks = value_of(root, "tasks")
    for task in tasks.value if tasks is not None else ():
        wanted = needs.get(TaskId(getattr(value_of(task, "id"), "value", "")), ())
        if wanted:
            _add(surgery, task, wanted)
    return surgery.result()


def _add(surgery: Surgery, task: Node, wanted: Sequence[TaskId]) -> None:
    listed = value_of(task, "needs")
    is_json = task.flow_style and all(key.style == '"' for key, _ in task.value)
    words = [json.dumps(each) if is_json else scalar(each) for each in wanted]
    joined = ", ".join(words)
    if listed is None:
        surgery.add_pair(task, "id", "needs", f"[{joined}]")
    elif not listed.value:
        surgery.replace(listed, f"[{joined}]")
    elif listed.flow_style:
        surgery.append_flow(listed, joined)
    else:
        surgery.append_entries(listed, [f"- {word}" for word in words])
