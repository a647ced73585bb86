"""A tree held against the models: every misfit becomes a problem with its line, and what fits is kept and handed on.

pydantic names a misfit by its path of keys and indexes; the path is walked through the marked tree to find the line.
The misfit is then cut out of the tree and the rest is tried again, so that one wrong key never hides a wrong path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from git_waves.errors import PlanProblem
from git_waves.formats.marks import MarkedList, MarkedMap, kind_of
from git_waves.formats.names import did_you_mean, shorten
from git_waves.formats.native import agent_shapes, shapes
from git_waves.formats.native.kinds import MEMBERS, Shape
from git_waves.formats.problems import EnoughError

Location = tuple[int | str, ...]

_SECTIONS: dict[str, type[Shape]] = {
    "tasks": shapes.Task,
    "agents": agent_shapes.Agent,
    "resources": shapes.Resource,
    "gates": shapes.Gate,
    "stages": shapes.Stage,
    "groups": shapes.Group,
    "include": shapes.Include,
    "background": shapes.Background,
}
_PARTS: dict[str, type[Shape]] = {
    "files": shapes.Files,
    "agent": agent_shapes.Agent,
    "fallback": agent_shapes.Agent,
    "control": shapes.Patch,
    "budget": shapes.Budget,
    "expect": shapes.Expect,
    "review": shapes.Review,
    "setup": shapes.SetUp,
}
_ONE_OF = {
    "tasks": "task",
    "agents": "agent",
    "resources": "resource",
    "gates": "gate",
    "stages": "stage",
    "groups": "group",
    "include": "include entry",
    "background": "background writer",
}

# How a section is written whose names people tend to leave out.
_WRITTEN = {
    "gates": "write gates: {NAME: {run: COMMAND}}",
    "stages": "write stages: {NAME: {run: COMMAND}}",
}
_EXPECTED = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_MOST_MISFITS = 5_000
_KEPT = 500
_COMMANDS = ("run", "verify", "setup", "quiesce", "resume", "control")
# What other formats call it; difflib would not find these.
_OTHER_WORDS = {
    "depends_on": "needs",
    "dependencies": "needs",
    "depends": "needs",
    "deps": "needs",
    "after": "needs",
    "paths": "files",
    "owns": "files",
    "command": "run",
    "cmd": "run",
    "description": "prompt",
    "instructions": "prompt",
    "test": "verify",
    "check": "verify",
    "wave": "group",
    "waves": "groups",
    "branch": "base",
    "name": "title",
}


@dataclass(slots=True)
class Fitted:
    """The part of a plan that has the right shape. `damaged` are the top-level keys that lost something to a problem:
    whoever misses a name in one of them may have written it."""

    shape: shapes.PlanShape | None
    damaged: set[str]


@dataclass(slots=True)
class _Place:
    """Where a location leads in the tree: the deepest node it reaches, and how its parent knows that node."""

    line: int
    node: object
    parent: MarkedMap | MarkedList | None = None
    key: str | int = ""


def fit(tree: MarkedMap, problems: list[PlanProblem]) -> Fitted:
    """Hold `tree` against the models; add every misfit to `problems` and cut it out of `tree`."""
    damaged = set(tree.refused)
    while True:
        try:
            return Fitted(shapes.PlanShape.model_validate(tree), damaged)
        except ValidationError as error:
            if error.error_count() > _MOST_MISFITS:
                _keep_the_beginning(tree, problems)
                continue
            details = error.errors(include_url=False, include_input=False)
        locations = [_of_keys(detail) for detail in details]
        for detail, location in zip(details, locations, strict=True):
            if detail["type"] != "extra_forbidden":  # which holds no name that others could use
                damaged.add(str(location[0]))
            problem = _problem(tree, detail, location)
            if problem is not None:
                problems.append(problem)
        if not _cut([_walk(tree, _to_cut(location)) for location in locations]):
            return Fitted(None, damaged)


def _keep_the_beginning(tree: MarkedMap, problems: list[PlanProblem]) -> None:
    """With more misfits than anybody reads, and than memory is for, only the first entries of each part are looked at.

    Raises EnoughError when that is not enough: then single entries are full of them.
    """
    is_shorter = False
    for key, section in tree.items():
        if isinstance(section, MarkedList) and len(section) > _KEPT:
            message = f"only the first {_KEPT} entries of '{shorten(key)}' were looked at: too much is wrong with them"
            problems.append(PlanProblem(section.lines[_KEPT], message, "mend these first"))
            del section[_KEPT:], section.lines[_KEPT:]
            is_shorter = True
        elif isinstance(section, MarkedMap) and len(section) > _KEPT:
            for name in list(section)[_KEPT:]:
                del section[name]
            is_shorter = True
    if not is_shorter:
        problems.append(PlanProblem(tree.line, f"more than {_MOST_MISFITS} values are of the wrong kind"))
        raise EnoughError(list(problems))


def _of_keys(detail: ErrorDetails) -> Location:
    """The location without the names of our unions' members. A plan may have keys of the same name: where only a key
    can stand, it is kept."""
    location = detail["loc"]
    kept = {"gates": 1, "stages": 1, "resources": 2}.get(str(location[0]), -1)
    last = len(location) - 1 if detail["type"] == "extra_forbidden" else -1
    return tuple(part for at, part in enumerate(location) if part not in MEMBERS or at in (kept, last))


def _walk(tree: MarkedMap, location: Location) -> _Place:
    place = _Place(tree.line, tree)
    for part in location:
        place = _step(place.node, part) or place  # a part that leads nowhere is the very key that is missing
    return place


def _step(node: object, part: int | str) -> _Place | None:
    if isinstance(node, MarkedMap) and isinstance(part, str) and part in node:
        return _Place(node.lines[part], node[part], node, part)
    if isinstance(node, MarkedList) and isinstance(part, int) and part < len(node):
        return _Place(node.lines[part], node[part], node, part)
    return None


def _to_cut(location: Location) -> Location:
    """What to take out for a misfit: a command as a whole, since half a command is another one; else the misfit."""
    for at, part in enumerate(location[:-1]):
        if part in _COMMANDS and at != 1:  # at 1 stands the name of a gate, a stage or a resource
            return location[: at + 1]
    if location[0] == "review" and len(location) == 2 and isinstance(location[1], int):
        return location[:1]
    is_word_of_one = (
        location[0] in ("gates", "stages") and len(location) == 3 and isinstance(location[2], int)
    )
    return location[:2] if is_word_of_one else location


def _cut(places: Iterable[_Place]) -> bool:
    """Take the misfits out of the tree, the last entries of a list first; whether anything could be taken out."""
    seen: dict[tuple[int, str | int], _Place] = {}
    for place in places:
        if place.parent is not None:
            seen[id(place.parent), place.key] = place
    for place in sorted(
        seen.values(), key=lambda place: place.key if isinstance(place.key, int) else -1, reverse=True
    ):
        if isinstance(place.parent, MarkedList) and isinstance(place.key, int):
            del place.parent[place.key]
            del place.parent.lines[place.key]
        elif isinstance(place.parent, MarkedMap) and isinstance(place.key, str):
            del place.parent[place.key]
            place.parent.refuse(place.key)
    return bool(seen)


def _problem(tree: MarkedMap, detail: ErrorDetails, location: Location) -> PlanProblem | None:
    place = _walk(tree, location)
    kind = detail["type"]
    owner = _owner(tree, location)
    if kind == "extra_forbidden":
        key = str(location[-1])
        message = f"unknown key '{shorten(key)}'" + (f" in {_whole(location, owner)}" if owner else "")
        return PlanProblem(place.line, message, _key_hint(key, _shape_at(location)))
    if kind == "missing":
        key = str(location[-1])
        if isinstance(place.node, MarkedMap) and key in place.node.refused:
            return None  # it is there, and what is wrong with it was said
        whole = _whole(location, owner) or "the plan"
        return PlanProblem(place.line, f"{whole} has no '{key}'", f"add a line '{key}: ...'")
    expected = detail["msg"] if kind == "kind" else _EXPECTED.get(kind, "")
    found = kind_of(place.node)
    what = _subject(location, owner)
    if not expected:
        return PlanProblem(place.line, f"{what} is wrong: {detail['msg'].lower()}")
    hint = f"write [{shorten(str(place.node), 30)}]" if expected == "a list" and found == "text" else ""
    if len(location) == 1:
        hint = hint or _WRITTEN.get(str(location[0]), "")
    return PlanProblem(place.line, f"{what} must be {expected}, not {found}", hint)


def _owner(tree: MarkedMap, location: Location) -> str:
    """`task 'api'`, `gate 'unit'`, `group 2`; empty for the plan itself."""
    section = location[0]
    if len(location) < 2 or section not in _ONE_OF:
        return "" if len(location) < 2 else f"'{section}'"
    one = _ONE_OF[str(section)]
    entry = _walk(tree, location[:2]).node
    if isinstance(entry, MarkedMap):
        name = entry.get("id", entry.get("name"))
        if isinstance(name, str):
            return f"{one} '{shorten(name)}'"
    return f"{one} '{shorten(location[1])}'" if isinstance(location[1], str) else f"{one} {location[1] + 1}"


def _whole(location: Location, owner: str) -> str:
    """What a key belongs to: the entry, or a mapping inside of it (`'control' of gate 'unit'`)."""
    is_inside = location[0] in _ONE_OF and len(location) > 3
    return (
        f"'{next(part for part in location[-2::-1] if isinstance(part, str))}' of {owner}"
        if is_inside
        else owner
    )


def _subject(location: Location, owner: str) -> str:
    """What has the wrong kind: `'needs' of task 'api'`, `an entry of 'needs' of task 'api'`, `task 3`."""
    inner = location[2:] if location[0] in _ONE_OF else location
    keys = [part for part in inner if isinstance(part, str)]
    if not keys:
        return owner or f"'{location[0]}'"
    of = f" of {owner}" if owner and owner != f"'{keys[-1]}'" else ""
    entry = "an entry of " if isinstance(location[-1], int) else ""
    return f"{entry}'{shorten(keys[-1])}'{of}"


def _shape_at(location: Location) -> type[Shape]:
    """The model whose key list an unknown key should have come from."""
    if len(location) == 1:
        return shapes.PlanShape
    section = str(location[0])
    if section in ("tasks", "gates") and len(location) >= 4:
        return _PARTS[str(location[2])]
    return _SECTIONS.get(section) or _PARTS[section]


def _key_hint(key: str, shape: type[Shape]) -> str:
    other = _OTHER_WORDS.get(key.lower())
    known = tuple(field.alias or name for name, field in shape.model_fields.items())
    if other in known:
        return f"did you mean '{other}'?"
    return did_you_mean(key, known, label="known keys")
