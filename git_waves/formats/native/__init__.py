"""The native format: YAML text to a Plan, with every problem of the plan at once, each with its line."""

from __future__ import annotations

from git_waves.core.model import DEFAULT_MAX_PARALLEL, CommitPolicy, OnFailure, OnRed, Plan, SchedulerName
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.collector import paused_collector
from git_waves.formats.jsontree import load_json
from git_waves.formats.marks import MarkedList, MarkedMap, kind_of, line_of, map_under
from git_waves.formats.names import plan_name_complaint, plan_name_from, shorten
from git_waves.formats.native import shapes
from git_waves.formats.native.reader import Reader
from git_waves.formats.native.schema import SCHEMA_PATH, json_schema, schema_text, write_schema
from git_waves.formats.native.sections import (
    read_agents,
    read_background,
    read_gates,
    read_groups,
    read_include,
    read_resources,
    read_review,
    read_setup,
    read_setup_timeout,
    read_shared_paths,
    read_sparse,
    read_stages,
)
from git_waves.formats.native.shape_problems import fit
from git_waves.formats.native.tasks import read_tasks
from git_waves.formats.problems import end_with_enough
from git_waves.formats.size import check_tree_size
from git_waves.formats.source import PlanText
from git_waves.formats.yamlevents import Loaded, is_endless, load_yaml

__all__ = [
    "SCHEMA_PATH",
    "VERSION",
    "json_schema",
    "read_decoded",
    "read_native",
    "schema_text",
    "write_schema",
]

VERSION = "1"
"""The version of the format this program reads."""

_NO_TASKS = "add tasks under 'tasks:', or start from what git waves init writes"


def read_native(text: PlanText, *, known_agents: frozenset[str] | None) -> Plan:
    """The plan of a native YAML text; `known_agents` are the names of the presets.

    Raises PlanError with all problems, sorted by line: not measured when the text could not be read or holds no task,
    measured when it was read and is wrong.
    """
    return read_decoded(text, text.decode(), known_agents)


def read_decoded(text: PlanText, decoded: str, known_agents: frozenset[str] | None) -> Plan:
    """As `read_native`, for a text that is decoded already."""
    with paused_collector(), end_with_enough(text.source):
        quickly = None if is_endless(decoded) else load_json(decoded)
        loaded = load_yaml(decoded) if quickly is None else Loaded(root=quickly)
        tree = loaded.root
        if not isinstance(tree, MarkedMap):
            problems = loaded.problems or [_no_mapping(tree)]
            raise plan_error(text.source, problems, measured=False)
        if _is_newer(tree):
            raise plan_error(text.source, [_newer(tree)], measured=True)
        check_tree_size(text.source, tree)
        return _read(text, tree, known_agents, loaded.problems)


def _read(
    text: PlanText, tree: MarkedMap, known_agents: frozenset[str] | None, problems: list[PlanProblem]
) -> Plan:
    has_tasks = _fill_in(tree, problems)
    fitted = fit(tree, problems)
    if fitted.shape is not None:
        reader = Reader(
            known_agents=known_agents,
            damaged=fitted.damaged,
            problems=problems,
            is_fragment=text.is_fragment,
            is_sparse=fitted.shape.sparse is not None or "sparse" in tree.refused,
        )
        plan = _build(reader, fitted.shape, tree, text)
        if not problems:
            return plan
    raise plan_error(text.source, problems, measured=has_tasks)


def _build(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap, text: PlanText) -> Plan:
    commit = reader.choice(CommitPolicy, shape.commit, "commit", tree) or CommitPolicy.AUTO
    agents = read_agents(reader, shape, tree)
    groups = read_groups(reader, shape, tree)
    resources = read_resources(reader, shape, tree)
    gates = read_gates(reader, shape, tree) + read_review(reader, shape, tree)
    background = read_background(reader, shape, tree)
    tasks = read_tasks(reader, shape, tree, commit)
    return Plan(
        name=_name(reader, shape, tree, text),
        source=text.source,
        base=_base(reader, shape, tree),
        scheduler=reader.choice(SchedulerName, shape.scheduler, "scheduler", tree),
        max_parallel=_max_parallel(reader, shape, tree),
        on_failure=reader.choice(OnFailure, shape.on_failure, "on_failure", tree),
        on_red=reader.choice(OnRed, shape.on_red, "on_red", tree),
        agent=reader.agent(shape.agent, tree, "the plan"),
        attempts=reader.attempts(shape.attempts, tree, "the plan"),
        fallback=reader.fallback(shape.fallback, tree, "the plan"),
        agents=agents,
        setup=read_setup(reader, shape, tree),
        setup_timeout=read_setup_timeout(reader, shape, tree),
        include=read_include(reader, shape, tree),
        sparse=read_sparse(reader, shape, tree),
        resources=resources,
        background=background,
        gates=gates,
        stages=read_stages(reader, shape, tree),
        groups=groups,
        tasks=tasks,
        shared_paths=read_shared_paths(reader, shape, tree),
        budget=reader.budget(shape.budget, map_under(tree, "budget"), "the plan"),
        require_review=reader.flag(shape.require_review, "require_review", tree, "the plan"),
        sandbox=reader.sandbox(shape.sandbox, tree, "the plan"),
    )


def _fill_in(tree: MarkedMap, problems: list[PlanProblem]) -> bool:
    """Report a missing version and missing tasks, and put something in their place so that the rest is checked too.

    Whether there are any tasks.
    """
    _check_version(tree, problems)
    tasks = tree.get("tasks")
    if isinstance(tasks, MarkedList) and tasks:
        return True
    if "tasks" not in tree.refused:
        found = f"; 'tasks' is {kind_of(tasks)}" if tasks else ""
        problems.append(PlanProblem(line_of(tree, "tasks"), f"the plan has no tasks{found}", _NO_TASKS))
    tree["tasks"] = MarkedList(line_of(tree, "tasks"))
    return False


def _check_version(tree: MarkedMap, problems: list[PlanProblem]) -> None:
    version = tree.get("version")
    write = f"write 'version: {VERSION}'"
    if isinstance(version, str):
        if version != VERSION:
            message = f"version '{shorten(version)}' is no version of this format"
            problems.append(PlanProblem(tree.lines["version"], message, write))
        return
    if version is not None:
        problems.append(PlanProblem(tree.lines["version"], f"'version' is {kind_of(version)}", write))
    elif "version" not in tree.refused:
        problems.append(PlanProblem(tree.line, "the plan has no 'version'", f"{write} at its top"))
    tree["version"] = VERSION
    tree.lines.setdefault("version", tree.line)


def _is_newer(tree: MarkedMap) -> bool:
    version = tree.get("version")
    return (
        isinstance(version, str)
        and version.isdecimal()
        and version.isascii()
        and len(version) < 9
        and int(version) > 1
    )


def _newer(tree: MarkedMap) -> PlanProblem:
    message = f"the plan has version {tree['version']}; this git-waves reads version {VERSION}"
    return PlanProblem(tree.lines["version"], message, "install a newer git-waves")


def _no_mapping(root: object | None) -> PlanProblem:
    if root is None:
        return PlanProblem(0, "the plan has no tasks", _NO_TASKS)
    return PlanProblem(
        1, f"a plan is a mapping with 'version' and 'tasks', this is {kind_of(root)}", _NO_TASKS
    )


def _name(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap, text: PlanText) -> str:
    if shape.name is None:
        return plan_name_from(text.name_hint)
    complaint = plan_name_complaint(shape.name)
    if complaint is not None:
        reader.refuse(line_of(tree, "name"), *complaint)
    return shape.name


def _base(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> str | None:
    base = shape.base
    if base is not None and (not base or base.startswith("-") or not base.isprintable() or " " in base):
        reader.refuse(
            line_of(tree, "base"), f"'base' is no branch or revision: '{shorten(base)}'", "base: main"
        )
    return base


def _max_parallel(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> int:
    count = None
    if shape.max_parallel is not None:
        count = reader.count(shape.max_parallel, "'max_parallel'", line_of(tree, "max_parallel"))
    return count or DEFAULT_MAX_PARALLEL
