"""By what a text is recognised as a plan of some format. Content decides; a file's name may only tip a balance.

Cheap on purpose, and apart from the readers: every plan is held against these, and nearly all need no reader but one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from git_waves.formats.jsonmarks import JsonFault, read_object

_M = re.MULTILINE
_HEAD = 200_000
"""Letters that are looked at; the first task of a plan comes long before."""


def _finder(pattern: str, flags: int = 0) -> Callable[..., re.Match[str] | None]:
    """Like `re.compile(pattern).search`, compiled when it is first asked: a plan of ours is held against few of these."""
    return lambda text, *place: re.compile(pattern, flags).search(text, *place)


_fragments = _finder(r"\A\s*\[\s*\{")
_fragment_keys = _finder(r'"tasks"\s*:\s*\[')
_task_master = _finder(r'"tasks"\s*:\s*\[')
_task_master_keys = _finder(r'"(?:dependencies|subtasks|testStrategy|relevantFiles)"\s*:')
_schema_version = _finder(r'"schema_version"\s*:')
_loopdeck = _finder(r"^[ \t]*(?:-[ \t]+)?execution_id[ \t]*:", _M)
_phases = _finder(r"^phases[ \t]*:", _M)
_own_keys = _finder(
    r"""\A["']?(?:version|name|base|scheduler|max_parallel|on_failure|on_red|agent|commit|setup|include|sparse|resources|background|gates|groups|"""
    r"""tasks|expect|budget|sandbox|require_review|review|stages|id|phases)["']?[ \t]*:(?:[ \t]|$)"""
)
_first_words = _finder(r"^(?!#|---[ \t]*$|[ \t]*$).*$", _M)
_front = _finder(r"\A---[ \t]*\n")
_front_end = _finder(r"^---[ \t]*$", _M)
_gsd_keys = r"^(phase|plan)[ \t]*:"
_gsd_more = _finder(
    r"^(?:wave|depends_on|files[_-]modified|must_haves|autonomous|type|requirements)[ \t]*:", _M
)
_gsd_tag = _finder(r"^[ \t]*<task\b[^<>\n]{0,300}>|^[ \t]*<objective>", _M)
_gsd_name = _finder(r"(?:^|[-/])PLAN\.md$")
_gsd_heading = _finder(r"^#[ \t]+(?:Phase|Plan)[ \t]+[0-9]", _M)
_package_key = _finder(r"^work_package_id[ \t]*:", _M)
_superpowers_skill = _finder(r"REQUIRED[ -]SUB-?SKILL", re.IGNORECASE)
_task_heading = _finder(r"^#{2,4}[ \t]+[^\w\n]{0,12}Task[ \t]+[0-9]", _M)
_files_list = _finder(r"^\*\*Files:?\*\*:?", _M)
_spec_kit_task = _finder(r"^[ \t]*[-*][ \t]+\[.\][ \t]+(?:\*\*)?T[0-9]{1,5}[A-Za-z]?\b", _M)
_spec_kit_heading = _finder(r"^#{2,5}[ \t]+(?:\[.\][ \t]*)?T[0-9]{3,4}[A-Za-z]?\b", _M)
_swarm_task = _finder(r"^#{2,5}[ \t]+\W{0,4}T[0-9]{1,4}(?:\.[0-9]{1,3})?[ \t]*[:\u2014\u2013-]", _M)
_swarm_field = _finder(r"^[ \t]*(?:[-*][ \t]+)?\*\*depends[_ ]on\*\*[ \t]*:", _M | re.IGNORECASE)
_ito_task = _finder(r"^#{2,4}[ \t]+Task[ \t]+[0-9]{1,4}\.[0-9]{1,4}[ \t]*:", _M)
_ito_field = _finder(r"^[-*][ \t]+\*\*(?:Action|Files|Dependencies|Status|Done When)\*\*:", _M)
_kiro_task = _finder(r"^[ \t]*[-*][ \t]+\[.\]\*?[ \t]+\*?[0-9]{1,4}(?:\.[0-9A-Za-z]{1,4}){0,4}\.?[ \t]", _M)
_kiro_note = _finder(r"^[ \t]*[-*][ \t]+_[^_\n:]{1,40}:[^\n]{1,2000}_[ \t]*$", _M)
_kiro_graph = _finder(r"^#{1,4}[ \t]+Task Dependency Graph", _M)
_kiro_mark = _finder(r"^[ \t]*[-*][ \t]+\[.\]\*?[ \t]+[0-9.]{1,12}[ \t]+\(P\)", _M)
_kiro_title = _finder(r"^#[ \t]+Implementation Plan", _M)
_checkbox = _finder(r"^[ \t]*[-*][ \t]+\[[ xX]\][ \t]+\S", _M)


def is_fragments(decoded: str, name: str) -> bool:  # noqa: ARG001  # every sign has the same two arguments
    """masterplan's `.plan-fragments.json`: a list of objects with a key and tasks."""
    head = decoded[:_HEAD]
    return _fragments(head) is not None and '"key"' in head and _fragment_keys(head) is not None


def is_task_master(decoded: str, name: str) -> bool:  # noqa: ARG001
    """Task Master's `tasks.json`, with tags or without."""
    if not decoded[:2000].lstrip().startswith("{"):
        return False
    head = decoded[:_HEAD]
    return (
        _task_master(head) is not None
        and _task_master_keys(head) is not None
        and _schema_version(decoded) is None
    )


def is_beads(decoded: str, name: str) -> bool:  # noqa: ARG001
    """beads' `issues.jsonl`: JSON lines with an id, a title and a status."""
    first = decoded[:200_000].lstrip().split("\n", 1)[0]
    if not first.startswith("{") or '"id"' not in first or '"title"' not in first:
        return False
    try:
        record = read_object(first)
    except JsonFault:
        return False
    return "status" in record and bool({"issue_type", "priority", "_type", "created_at"} & record.keys())


def is_loopdeck(decoded: str, name: str) -> bool:  # noqa: ARG001
    """loopdeck's `run-plan.yaml`: phases with an execution id."""
    head = decoded[:_HEAD]
    return _phases(head) is not None and _loopdeck(head) is not None


def is_markdown(decoded: str) -> bool:
    """Whether a text is rather Markdown than YAML or JSON: a block between `---` lines at its top, or prose."""
    if _front(decoded) and _front_end(decoded[:_HEAD], 4):
        return True
    found = _first_words(decoded[:_HEAD])
    if found is None:
        return True  # headings and nothing else
    words = found.group()
    return not words.lstrip().startswith(("{", '"')) and _own_keys(words) is None


def is_gsd(decoded: str, name: str) -> bool:
    """A GSD `PLAN.md`: its frontmatter, or the tags of its tasks, or the name of the file with such a heading."""
    if not is_markdown(decoded):
        return False
    head = decoded[:_HEAD]
    front = front_matter(head)
    keys = set(re.findall(_gsd_keys, front, _M))
    if keys == {"phase", "plan"} or (keys and _gsd_more(front)):
        return True
    return _gsd_tag(head) is not None or (_gsd_name(name) is not None and _gsd_heading(head) is not None)


def is_spec_kitty(decoded: str, name: str) -> bool:  # noqa: ARG001
    """A work package of spec-kitty: its frontmatter has an id."""
    return _package_key(front_matter(decoded[:_HEAD])) is not None


def is_superpowers(decoded: str, name: str) -> bool:  # noqa: ARG001
    """A superpowers plan: tasks under headings, with its header or with lists of files."""
    if not is_markdown(decoded) or not _task_heading(decoded[:_HEAD]) or is_ito(decoded, ""):
        return False
    return _superpowers_skill(decoded[:20_000]) is not None or _files_list(decoded[:_HEAD]) is not None


def is_ito(decoded: str, name: str) -> bool:  # noqa: ARG001
    """ito's `tasks.md`: tasks under headings with two-part numbers, and fields in bold."""
    return is_markdown(decoded) and bool(_ito_task(decoded[:_HEAD]) and _ito_field(decoded[:_HEAD]))


def is_swarm(decoded: str, name: str) -> bool:  # noqa: ARG001
    """A swarm plan: `### T1: Name` and a field `depends_on`."""
    return is_markdown(decoded) and bool(_swarm_task(decoded[:_HEAD]) and _swarm_field(decoded[:_HEAD]))


def is_spec_kit(decoded: str, name: str) -> bool:  # noqa: ARG001
    """spec-kit's `tasks.md`: checkboxes or headings with ids like `T001`."""
    head = decoded[:_HEAD]
    return is_markdown(decoded) and bool(_spec_kit_task(head) or _spec_kit_heading(head))


def is_kiro(decoded: str, name: str) -> bool:
    """Kiro's `tasks.md`: numbered checkboxes, and one of Kiro's own marks (a graph, `(P)`, a note in italics)."""
    head = decoded[:_HEAD]
    if not is_markdown(decoded) or not _kiro_task(head):
        return False
    marks = _kiro_note(head) or _kiro_graph(decoded) or _kiro_mark(head) or _kiro_title(head)
    return marks is not None or ".kiro/" in name


def is_checklist(decoded: str, name: str) -> bool:  # noqa: ARG001
    """OpenSpec's `tasks.md`, or any Markdown with checkboxes: the last resort."""
    return is_markdown(decoded) and _checkbox(decoded[:_HEAD]) is not None


def front_matter(decoded: str) -> str:
    """The text between the `---` lines at the top; empty when there is none."""
    start = _front(decoded)
    end = _front_end(decoded, start.end()) if start else None
    return decoded[start.end() : end.start()] if start and end else ""
