"""What the parts of a native plan beside its tasks mean: resources, groups, gates, stages, background, shared paths, set-up."""

from __future__ import annotations

from git_waves.core.gatewords import Baseline
from git_waves.core.model import (
    DEFAULT_SETUP_TIMEOUT,
    REVIEW,
    AgentDefinition,
    AgentSpec,
    Background,
    Command,
    Gate,
    GroupDef,
    How,
    Include,
    PathPattern,
    PatternKind,
    Resource,
    Scope,
    SharedPaths,
    Stage,
    TaskId,
)
from git_waves.formats.checks import check_names, check_once, read_path
from git_waves.formats.commands import one_command
from git_waves.formats.marks import MarkedList, MarkedMap, entry_lines, line_of, map_under
from git_waves.formats.names import shorten
from git_waves.formats.native import agent_shapes, shapes
from git_waves.formats.native.gates import read_gate
from git_waves.formats.native.reader import Reader
from git_waves.formats.values import whole_number


def read_agents(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[AgentDefinition, ...]:
    """The agents that the plan defines; they may build upon known ones, and not upon each other."""
    section = map_under(tree, "agents")
    agents = []
    for name, entry in (shape.agents or {}).items():
        line, owner = line_of(section, name), f"agent '{shorten(name)}'"
        if isinstance(entry, agent_shapes.Agent):
            spec = reader.agent_of_its_own(entry, map_under(section, name), line, owner)
        else:
            command = one_command(entry, line=line, what=owner, problems=reader.problems)
            spec = None if command is None else AgentSpec(command=command, line=line)
        if spec is not None:
            agents.append(AgentDefinition(name=name, spec=spec, line=line))
    check_names(((name, line_of(section, name)) for name in shape.agents or {}), "agent", reader.problems)
    reader.names["agents"] = tuple(shape.agents or {})
    return tuple(agents)


def read_resources(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Resource, ...]:
    """The plan's resources, from a list of names or a mapping of name to details."""
    resources = []
    if isinstance(shape.resources, list):
        named = zip(shape.resources, entry_lines(tree, "resources"), strict=True)
        resources = [Resource(name=name, line=line) for name, line in named]
    elif shape.resources is not None:
        section = map_under(tree, "resources")
        for name, details in shape.resources.items():
            marks = map_under(section, name)
            capacity = 1
            if details.capacity is not None:
                what = f"'capacity' of resource '{shorten(name)}'"
                capacity = reader.count(details.capacity, what, line_of(marks, "capacity")) or 1
            resources.append(
                Resource(
                    name=name,
                    capacity=capacity,
                    scope=reader.choice(Scope, details.scope, "scope", marks) or Scope.RUN,
                    kind=details.kind or "",
                    line=line_of(section, name),
                )
            )
    check_names(((one.name, one.line) for one in resources), "resource", reader.problems)
    reader.names["resources"] = tuple(one.name for one in resources)
    return tuple(resources)


def read_setup(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Command, ...]:
    """The commands of every new worktree."""
    if isinstance(shape.setup, shapes.SetUp):
        return reader.commands(shape.setup.run, "run", map_under(tree, "setup"), "'setup'")
    return reader.commands(shape.setup, "setup", tree, "")


def read_setup_timeout(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> float:
    """How long each of them may take, in seconds."""
    if not isinstance(shape.setup, shapes.SetUp):
        return DEFAULT_SETUP_TIMEOUT
    limit = reader.seconds(shape.setup.timeout, "timeout", map_under(tree, "setup"), "'setup'")
    return limit or DEFAULT_SETUP_TIMEOUT


def read_include(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Include, ...]:
    """The ignored files that worktrees are given, in the order they are written."""
    section = tree.get("include")
    found = []
    for at, (entry, line) in enumerate(zip(shape.include or (), entry_lines(tree, "include"), strict=True)):
        if isinstance(entry, str):
            found.append(_include(reader, How.COPY, entry, None, line))
            continue
        marks = map_under(section, at) if isinstance(section, MarkedList) else MarkedMap(line)
        named = {How.COPY: entry.copy_, How.LINK: entry.link, How.TEMPLATE: entry.template}
        given = [(how, pattern) for how, pattern in named.items() if pattern is not None]
        if len(given) != 1:
            if not marks.refused:
                hint = "write one of them: {copy: .env}"
                reader.refuse(
                    line, "an entry of 'include' has exactly one of 'copy', 'link' and 'template'", hint
                )
            continue
        how, pattern = given[0]
        if entry.to is not None and how is not How.TEMPLATE:
            reader.refuse(line_of(marks, "to"), f"'to' goes with 'template', not with '{how}'")
        found.append(_include(reader, how, pattern, entry.to, line))
    return tuple(one for one in found if one is not None)


def read_sparse(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[PathPattern, ...] | None:
    """What every task reads, when worktrees hold only what is needed; None when they hold everything."""
    if shape.sparse is None:
        return None
    if isinstance(shape.sparse, str):
        return () if reader.flag(shape.sparse, "sparse", tree, "the plan") else None
    placed = zip(shape.sparse, entry_lines(tree, "sparse"), strict=True)
    patterns = (read_path(path, line, "'sparse'", reader.problems) for path, line in placed)
    return tuple(one for one in patterns if one is not None)


def _include(reader: Reader, how: How, pattern: str, to: str | None, line: int) -> Include | None:
    """One entry; `to` makes its pattern the path of one file."""
    if to is None:
        if not pattern.strip() or pattern.startswith(("#", "!")) or not pattern.isprintable():
            message = f"'{how}' is no pattern: '{shorten(pattern)}'"
            reader.refuse(
                line, message, "write a line as in a .gitignore: .env, /config/*.local, node_modules/"
            )
            return None
        return Include(how=how, pattern=pattern, line=line)
    paths = []
    for text, key in ((pattern, "template"), (to, "to")):
        path = read_path(text, line, f"'{key}' of 'include'", reader.problems)
        if path is None:
            return None
        if path.kind is not PatternKind.FILE:
            reader.refuse(line, f"'{key}' is no file: '{shorten(text)}'", "with 'to', a template is one file")
            return None
        paths.append(path.text)
    return Include(how=how, pattern=paths[0], to=paths[1], line=line)


def read_groups(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[GroupDef, ...]:
    """The authored groups in barrier order."""
    groups = []
    for entry, line in zip(shape.groups or (), entry_lines(tree, "groups"), strict=True):
        if isinstance(entry, str):
            groups.append(GroupDef(name=entry, line=line))
        else:
            groups.append(GroupDef(name=entry.name, title=entry.title or "", line=line))
    check_names(((one.name, one.line) for one in groups), "group", reader.problems)
    reader.names["groups"] = tuple(one.name for one in groups)
    return tuple(groups)


def read_gates(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Gate, ...]:
    """The gates in the order they are written; the groups must have been read."""
    section = map_under(tree, "gates")
    gates = []
    for name, entry in (shape.gates or {}).items():
        line = line_of(section, name)
        if isinstance(entry, shapes.Gate):
            gate = read_gate(reader, name, entry, map_under(section, name), line)
        else:
            owner = f"gate '{shorten(name)}'"
            command = one_command(entry, line=line, what=owner, problems=reader.problems)
            gate = None if command is None else Gate(name=name, command=command, line=line)
        if gate is not None:
            gates.append(gate)
    check_names(((name, line_of(section, name)) for name in shape.gates or {}), "gate", reader.problems)
    for second in [gate for gate in gates if gate.is_claim][1:]:
        reader.refuse(
            second.line, f"gate '{shorten(second.name)}' is a second claim", "one gate carries the plan"
        )
    reader.names["gates"] = tuple(shape.gates or {})
    return tuple(gates)


def read_review(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Gate, ...]:
    """The integration review, as the one gate it is; nothing when there is none."""
    entry, line = shape.review, line_of(tree, "review")
    if entry is None:
        return ()
    timeout = None
    if isinstance(entry, shapes.Review):
        marks = map_under(tree, "review")
        command = reader.command(entry.run, "run", marks, "the review")
        timeout = reader.seconds(entry.timeout, "timeout", marks, "the review")
    else:
        command = one_command(entry, line=line, what="'review'", problems=reader.problems)
    if command is None:
        return ()
    # Before the run there is nothing to read.
    skip = Baseline.SKIP
    return (Gate(name=REVIEW, command=command, timeout=timeout, is_review=True, baseline=skip, line=line),)


def read_stages(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Stage, ...]:
    """The extra rungs in the order they are written; the tasks must have been read."""
    section = map_under(tree, "stages")
    check_names(((name, line_of(section, name)) for name in shape.stages or {}), "stage", reader.problems)
    stages = []
    for name, entry in (shape.stages or {}).items():
        line = line_of(section, name)
        owner = f"stage '{shorten(name)}'"
        if not isinstance(entry, shapes.Stage):
            command = one_command(entry, line=line, what=owner, problems=reader.problems)
            if command is not None:
                stages.append(Stage(name=name, command=command, line=line))
            continue
        marks = map_under(section, name)
        command = reader.command(entry.run, "run", marks, owner)
        timeout = reader.seconds(entry.timeout, "timeout", marks, owner)
        tasks, lines = entry.tasks or (), entry_lines(marks, "tasks")
        reader.check_known(tasks, lines, "tasks", "task", owner)
        check_once(tasks, lines, f"'tasks' of {owner}", reader.problems)
        if command is not None:
            only = tuple(map(TaskId, tasks))
            stages.append(Stage(name=name, command=command, timeout=timeout, tasks=only, line=line))
    return tuple(stages)


def read_background(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> tuple[Background, ...]:
    """Writers that are no tasks; the gates must have been read."""
    section = tree.get("background")
    background = []
    for at, entry in enumerate(shape.background or ()):
        marks = map_under(section, at) if isinstance(section, MarkedList) else MarkedMap(0)
        owner = f"background writer '{shorten(entry.name)}'"
        if entry.quiesce is None and entry.gate is None and not marks.refused & {"quiesce", "gate"}:
            hint = "write 'quiesce: COMMAND' to stop it, or 'gate: NAME' to check after it"
            reader.refuse(marks.line, f"{owner} says neither 'quiesce' nor 'gate'", hint)
        if entry.resume is not None and entry.quiesce is None and "quiesce" not in marks.refused:
            message = f"{owner} has a 'resume' and nothing that stops it"
            reader.refuse(line_of(marks, "resume"), message, "add 'quiesce: COMMAND'")
        if entry.gate is not None:
            reader.check_known([entry.gate], [line_of(marks, "gate")], "gates", "gate", owner)
        writes = (
            read_path(path, line, owner, reader.problems)
            for path, line in zip(entry.writes or (), entry_lines(marks, "writes"), strict=True)
        )
        background.append(
            Background(
                name=entry.name,
                writes=tuple(pattern for pattern in writes if pattern is not None),
                quiesce=reader.command(entry.quiesce, "quiesce", marks, owner),
                resume=reader.command(entry.resume, "resume", marks, owner),
                gate=entry.gate,
                line=marks.line,
            )
        )
    names = ((one.name, one.line) for one in background)
    check_names(names, "background writer", reader.problems)
    return tuple(background)


def read_shared_paths(reader: Reader, shape: shapes.PlanShape, tree: MarkedMap) -> SharedPaths | None:
    """`expect.shared_paths`: the paths, or how many."""
    if shape.expect is None:
        return None
    marks = map_under(tree, "expect")
    line = line_of(marks, "shared_paths")
    written = shape.expect.shared_paths
    if isinstance(written, str):
        count = whole_number(written)
        if count is None:
            reader.refuse(
                line, f"'shared_paths' must be a list of paths or a whole number, not '{shorten(written)}'"
            )
        return SharedPaths(count=count, line=line)
    lines = entry_lines(marks, "shared_paths")
    check_once(written, lines, "'shared_paths'", reader.problems)
    placed = zip(written, lines, strict=True)
    patterns = (read_path(path, at, "'shared_paths'", reader.problems) for path, at in placed)
    return SharedPaths(patterns=tuple(one for one in patterns if one is not None), line=line)
