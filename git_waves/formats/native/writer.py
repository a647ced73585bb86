"""A Plan as native YAML, for `git waves import`: what is written is read back as the same plan.

What the format cannot say is taken out before (see `expressible`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from git_waves.core.gatewords import Baseline, FlakyPolicy
from git_waves.core.model import (
    DEFAULT_MAX_PARALLEL,
    DEFAULT_SETUP_TIMEOUT,
    AgentDefinition,
    AgentSpec,
    Budget,
    Claim,
    CommitPolicy,
    Control,
    Gate,
    GroupDef,
    Intent,
    Origin,
    Plan,
    Resource,
    SandboxSpec,
    Scope,
    Stage,
    Task,
    TaskId,
)
from git_waves.formats.native.lines import Lines
from git_waves.formats.native.scalars import (
    flow_agent,
    flow_budget,
    inert,
    number,
    scalar,
)
from git_waves.formats.native.worktree_lines import worktree_lines


def write_plan(plan: Plan, *, head: Sequence[str] = (), remarks: Mapping[TaskId, str] | None = None) -> str:
    """The YAML of a plan that `expressible` gave; `head` are lines of comment above it, `remarks` one for each task."""
    writer = _Writer()
    for line in head:
        writer.comment(line)
    if head:
        writer.lines.append("")
    writer.line(0, "version: 1")
    writer.line(0, f"name: {scalar(plan.name)}")
    if plan.require_review:
        writer.line(0, "require_review: true")
    if plan.base is not None:
        writer.line(0, f"base: {scalar(plan.base)}")
    if plan.scheduler is not None:
        writer.line(0, f"scheduler: {plan.scheduler}")
    if plan.max_parallel != DEFAULT_MAX_PARALLEL:
        writer.line(0, f"max_parallel: {plan.max_parallel}")
    if plan.on_failure is not None:
        writer.line(0, f"on_failure: {plan.on_failure}")
    if plan.on_red is not None:
        writer.line(0, f"on_red: {plan.on_red}")
    writer.agent(0, plan.agent)
    writer.agents(plan.agents)
    writer.sandbox(0, plan.sandbox)
    writer.tries(0, plan.attempts, plan.fallback or None)
    writer.setup(plan)
    writer.lines += worktree_lines(plan)
    writer.budget(0, plan.budget)
    writer.resources(plan.resources)
    writer.background(plan)
    writer.gates([gate for gate in plan.gates if not gate.is_review])
    for gate in plan.gates:
        if gate.is_review:
            writer.review(gate)
    writer.stages(plan.stages)
    writer.groups(plan.groups)
    writer.shared_paths(plan)
    writer.lines.append("tasks:")
    for task in plan.tasks:
        writer.task(task, (remarks or {}).get(task.id, ""))
    return "\n".join(writer.lines) + "\n"


class _Writer(Lines):
    """Every method writes one part of a plan at some indentation."""

    def setup(self, plan: Plan) -> None:
        """The commands of every worktree, and how long they may take when that is not what it is anyway."""
        if not plan.setup or plan.setup_timeout == DEFAULT_SETUP_TIMEOUT:
            self.commands(0, "setup", plan.setup)
            return
        self.line(0, "setup:")
        self.commands(2, "run", plan.setup)
        self.line(2, f"timeout: {number(plan.setup_timeout)}s")

    def agent(self, depth: int, agent: AgentSpec | None) -> None:
        """A known name, or an agent of the plan's own."""
        if agent is None:
            return
        if agent == AgentSpec(name=agent.name, line=agent.line):
            self.line(depth, f"agent: {scalar(agent.name or '')}")
            return
        self.line(depth, "agent:")
        self.own_agent(depth + 2, agent)

    def agents(self, agents: Sequence[AgentDefinition]) -> None:
        """The agents that the plan gives a name."""
        if agents:
            self.line(0, "agents:")
        for one in agents:
            self.line(2, f"{scalar(one.name)}:")
            self.own_agent(4, one.spec)

    def own_agent(self, depth: int, agent: AgentSpec) -> None:
        """Everything that is said of one agent."""
        for key, command in (("run", agent.command), ("resume", agent.resume)):
            if command is not None:
                self.command(depth, key, command)
        for key, text in (("reads", agent.reads), ("use", agent.name), ("model", agent.model)):
            if text:
                self.line(depth, f"{key}: {scalar(text)}")
        if agent.args:
            self.list(depth, "args", [scalar(word) for word in agent.args])
        if agent.env:
            self.line(depth, "env:")
            for name, value in agent.env:
                self.line(depth + 2, f"{scalar(name)}: {scalar(value)}")

    def sandbox(self, depth: int, sandbox: SandboxSpec | None) -> None:
        """A fence by its name, or with more that may be written."""
        if sandbox is not None and not sandbox.writes:
            self.line(depth, f"sandbox: {sandbox.kind}")
        elif sandbox is not None:
            self.line(depth, "sandbox:")
            self.line(depth + 2, f"use: {sandbox.kind}")
            self.list(depth + 2, "writes", [scalar(path) for path in sandbox.writes])

    def tries(self, depth: int, attempts: int | None, fallback: Sequence[AgentSpec] | None) -> None:
        """What the run may try by itself; an empty `fallback` says that the plan's does not count."""
        if attempts is not None:
            self.line(depth, f"attempts: {attempts}")
        if fallback is not None:
            self.list(depth, "fallback", [flow_agent(agent) for agent in fallback])

    def budget(self, depth: int, budget: Budget) -> None:
        """Limits, in seconds, tokens and US dollars."""
        if budget != Budget():
            self.line(depth, f"budget: {flow_budget(budget)}")

    def resources(self, resources: Sequence[Resource]) -> None:
        """A list of names when that says everything."""
        if all(one.capacity == 1 and one.scope is Scope.RUN and not one.kind for one in resources):
            if resources:
                self.list(0, "resources", [scalar(one.name) for one in resources])
            return
        self.line(0, "resources:")
        for one in resources:
            kind = f", kind: {scalar(one.kind)}" if one.kind else ""
            self.line(2, f"{scalar(one.name)}: {{capacity: {one.capacity}, scope: {one.scope}{kind}}}")

    def background(self, plan: Plan) -> None:
        """Writers that are no tasks."""
        if plan.background:
            self.line(0, "background:")
        for one in plan.background:
            self.line(2, f"- name: {scalar(one.name)}")
            if one.writes:
                self.list(4, "writes", [scalar(str(pattern)) for pattern in one.writes])
            for key, command in (("quiesce", one.quiesce), ("resume", one.resume)):
                if command is not None:
                    self.command(4, key, command)
            if one.gate is not None:
                self.line(4, f"gate: {scalar(one.gate)}")

    def gates(self, gates: Sequence[Gate]) -> None:
        """Each gate as a command, or with what else is said about it."""
        if gates:
            self.line(0, "gates:")
        for gate in gates:
            if gate == Gate(name=gate.name, command=gate.command, line=gate.line):
                self.command(2, scalar(gate.name), gate.command)
                continue
            self.line(2, f"{scalar(gate.name)}:")
            self.command(4, "run", gate.command)
            if gate.groups:
                self.list(4, "groups", [scalar(name) for name in gate.groups])
            if gate.timeout is not None:
                self.line(4, f"timeout: {number(gate.timeout)}s")
            if gate.is_claim:
                self.line(4, "claim: true")
            if gate.retries:
                self.line(4, f"retries: {gate.retries}")
            if gate.flaky is not FlakyPolicy.HALT:
                self.line(4, f"flaky: {gate.flaky}")
            self.control(gate.control)
            if gate.guards:
                self.list(4, "guards", [scalar(str(pattern)) for pattern in gate.guards])
            if gate.baseline is not Baseline.REPORT:
                self.line(4, f"baseline: {gate.baseline}")
            if gate.failures is not None:
                self.text(4, "failures", gate.failures)

    def control(self, control: Control | None) -> None:
        """What must turn a gate red."""
        if control is not None and control.command is not None:
            self.command(4, "control", control.command)
        elif control is not None and control.patch is not None:
            self.line(4, f"control: {{patch: {scalar(control.patch)}}}")

    def review(self, gate: Gate) -> None:
        """The integration review as a command, or with its time limit."""
        if gate.timeout is None:
            self.command(0, "review", gate.command)
            return
        self.line(0, "review:")
        self.command(2, "run", gate.command)
        self.line(2, f"timeout: {number(gate.timeout)}s")

    def stages(self, stages: Sequence[Stage]) -> None:
        """Each extra rung as a command, or with what else is said about it."""
        if stages:
            self.line(0, "stages:")
        for stage in stages:
            if stage.timeout is None and not stage.tasks:
                self.command(2, scalar(stage.name), stage.command)
                continue
            self.line(2, f"{scalar(stage.name)}:")
            self.command(4, "run", stage.command)
            if stage.timeout is not None:
                self.line(4, f"timeout: {number(stage.timeout)}s")
            if stage.tasks:
                self.list(4, "tasks", [scalar(task) for task in stage.tasks])

    def groups(self, groups: Sequence[GroupDef]) -> None:
        """Groups in the order of their barriers."""
        if groups:
            self.line(0, "groups:")
        for group in groups:
            if group.title:
                self.line(2, f"- {{name: {scalar(group.name)}, title: {scalar(group.title)}}}")
            else:
                self.line(2, f"- {scalar(group.name)}")

    def shared_paths(self, plan: Plan) -> None:
        """What the author knows to be shared."""
        shared = plan.shared_paths
        if shared is None:
            return
        self.line(0, "expect:")
        if shared.count is not None:
            self.line(2, f"shared_paths: {shared.count}")
        else:
            self.list(2, "shared_paths", [scalar(str(pattern)) for pattern in shared.patterns])

    def task(self, task: Task, remark: str) -> None:
        """One task, with an empty line between it and the one before."""
        if self.lines[-1] != "tasks:":
            self.lines.append("")
        self.line(2, f"- id: {scalar(task.id)}" + (f"  # {inert(remark)}" if remark else ""))
        if task.title:
            self.line(4, f"title: {scalar(task.title)}")
        if task.needs:
            self.list(4, "needs", [scalar(on) for on in task.needs])
        if task.group is not None:
            self.line(4, f"group: {scalar(task.group)}")
        self.files(task.claims)
        if task.resources:
            self.list(4, "resources", [scalar(name) for name in task.resources])
        if task.prompt is not None:
            self.text(4, "prompt", task.prompt)
        if task.run is not None:
            self.command(4, "run", task.run)
        self.agent(4, task.agent)
        self.sandbox(4, task.sandbox)
        self.tries(4, task.attempts, task.fallback)
        self.commands(4, "verify", task.verify)
        self.budget(4, task.budget)
        if task.reads:
            self.list(4, "reads", [scalar(str(pattern)) for pattern in task.reads])
        if task.handoff:
            self.list(4, "handoff", [scalar(path) for path in task.handoff])
        for key, is_set in (("attended", task.attended), ("allow_empty", task.allow_empty)):
            if is_set:
                self.line(4, f"{key}: true")
        if task.commit is not CommitPolicy.AUTO:
            self.line(4, f"commit: {task.commit}")
        if task.estimate is not None:
            self.line(4, f"estimate: {number(task.estimate)}s")

    def files(self, claims: Sequence[Claim]) -> None:
        """A plain list when nothing more is known than that the task touches these paths."""
        if not claims:
            return
        if all(claim.intent is Intent.EDIT and claim.origin is Origin.EXPLICIT for claim in claims):
            self.list(4, "files", [scalar(str(claim.pattern)) for claim in claims])
            return
        self.line(4, "files:")
        for key, wanted in (
            *((str(intent), (Origin.EXPLICIT, intent)) for intent in Intent),
            ("inferred", None),
        ):
            paths = [
                scalar(str(claim.pattern))
                for claim in claims
                if (
                    claim.origin is Origin.INFERRED
                    if wanted is None
                    else (claim.origin, claim.intent) == wanted
                )
            ]
            if paths:
                self.list(6, key, paths)
