"""Runs that never happened: event logs written by hand through the real log, so that every event is checked."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from git_waves.adapters import eventlog
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.core.culprit import Why
from git_waves.core.gatewords import Baseline, Purpose, Verdict
from git_waves.core.ownership import build_manifest
from git_waves.formats import PlanText, read_plan

START = datetime(2026, 11, 30, 9, 0, 0, tzinfo=UTC)
COMMIT = "1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e"
TREE = "2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b"
"""Ids that stand for objects no one looks at."""


class Scene:
    """A run's log, event by event, with a clock of its own: `wait` moves it, every event reads it."""

    def __init__(self, common_dir: Path, *, plan: str = "demo", run: str = "20261130-090000-aaaa") -> None:
        self.run_dir = RunDir(common_dir / "waves" / "runs" / run)
        self.run_dir.make()
        self.plan = plan
        self.now = START
        eventlog.EventLog.create(self.run_dir.events).close()
        self.count = self.size = 0  # events and bytes of the log, as far as nobody else writes it

    def wait(self, **span: float) -> None:
        """Let time pass (`minutes=4`)."""
        self.now += timedelta(**span)

    def add(self, event: eventlog.AnyEvent) -> None:
        """Write an event."""
        path = self.run_dir.events
        size = path.stat().st_size
        self.count = self.count if self.size == size else path.read_bytes().count(b"\n")
        log = eventlog.EventLog(path, events=self.count, size=size)
        log.append(event)
        log.close()
        self._restamp(size)
        self.count, self.size = self.count + 1, path.stat().st_size

    def _restamp(self, place: int) -> None:
        """The real log reads the real clock; put the scene's time in its place, in the line that begins there."""
        with self.run_dir.events.open("r+b") as file:
            file.seek(place)
            line = file.read()
            start = line.index(b'"at":"') + len(b'"at":"')
            end = line.index(b'"', start)
            stamp = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()
            file.seek(place)
            file.write(line[:start] + stamp + line[end:])
            file.truncate()

    def begin(
        self,
        groups: dict[str, list[list[str]]],
        *,
        needs: dict[str, list[str]] | None = None,
        titles: dict[str, str] | None = None,
        gates: tuple[str, ...] = (),
        holds: dict[str, list[dict[str, str]]] | None = None,
        scheduler: str = "dag-parallel",
        source: str = ".waves/plan.yaml",
        rules: tuple[eventlog.GateRecord, ...] = (),
    ) -> None:
        """The run starts: group name to rounds of task ids; `rules` are what the plan asks of its gates."""
        self.add(
            eventlog.RunStarted(
                run=self.run_dir.run,
                plan=self.plan,
                source=source,
                plan_blob=COMMIT,
                previous="",
                base=COMMIT,
                base_tree=TREE,
                base_name="main",
                scheduler=scheduler,
                on_failure="halt",
                max_parallel=4,
                groups=[
                    eventlog.GroupRecord(
                        name=name, rounds=rounds, gates=list(gates), holds=(holds or {}).get(name, [])
                    )
                    for name, rounds in groups.items()
                ],
                gates=list(rules),
                tasks=[
                    eventlog.TaskRecord(
                        id=task,
                        title=(titles or {}).get(task, ""),
                        group=name,
                        needs=(needs or {}).get(task, []),
                        status="pending",
                    )
                    for name, rounds in groups.items()
                    for one_round in rounds
                    for task in one_round
                ],
                coordinator=self.coordinator(),
            )
        )

    def coordinator(self) -> eventlog.Coordinator:
        """A coordinator nobody will find."""
        return eventlog.Coordinator(
            pid=4242, host="build1", started="2026-11-30T09:00:00+00:00", version="0.1.0"
        )

    def lease(self, task: str, *, attempt: int = 1, base: str = COMMIT) -> None:
        """An attempt gets its branch and worktree."""
        self.add(
            eventlog.TaskLeased(
                task=task,
                attempt=attempt,
                branch=f"refs/heads/waves/{self.plan}/{task}/{attempt}",
                base=base,
                worktree=f"/repo.waves/{self.plan}/{task}.{attempt}",
            )
        )

    def reach(self, task: str, rung: str, *, attempt: int = 1) -> None:
        """A rung begins."""
        self.add(eventlog.RungReached(task=task, attempt=attempt, rung=rung))

    def climb(self, task: str, *, attempt: int = 1, paths: tuple[str, ...] = (), base: str = COMMIT) -> None:
        """A whole attempt that passes: 1 s for its worktree, 3 minutes for its agent, 12 s to verify."""
        self.lease(task, attempt=attempt, base=base)
        for rung, seconds in (("environment", 1), ("agent", 180), ("verify", 12)):
            self.reach(task, rung, attempt=attempt)
            self.wait(seconds=seconds)
        self.add(eventlog.TaskPassed(task=task, attempt=attempt, tip=COMMIT, paths=list(paths)))

    def spend(self, task: str, tokens: int, cost: float = 0.0, *, attempt: int = 1) -> None:
        """An attempt has used so much so far."""
        self.add(
            eventlog.SpendingNoted(task=task, attempt=attempt, tokens=tokens, cost=cost, source="output")
        )

    def take_up(
        self,
        task: str,
        how: Literal["adopted", "finished", "resumed"],
        *,
        attempt: int = 1,
        session: str = "",
    ) -> None:
        """Another coordinator finds the attempt so."""
        self.add(eventlog.TaskTakenUp(task=task, attempt=attempt, how=how, session=session))

    def fall(
        self,
        task: str,
        rung: str,
        reason: str,
        *,
        attempt: int = 1,
        paths: tuple[str, ...] = (),
        hint: str = "",
    ) -> None:
        """The attempt fails."""
        self.add(
            eventlog.TaskFailed(
                task=task, attempt=attempt, rung=rung, reason=reason, paths=list(paths), hint=hint
            )
        )

    def wait_for_person(self, task: str, *, attempt: int = 1, rung: str = "", reason: str = "") -> None:
        """An attended task waits for a person, again when a rung did not hold."""
        self.add(eventlog.TaskAwaited(task=task, attempt=attempt, rung=rung, reason=reason))

    def hand_in(self, task: str, *, attempt: int = 1) -> None:
        """A person says that it is done."""
        self.add(eventlog.TaskHandedIn(task=task, attempt=attempt, by="ann"))

    def try_again(self, task: str, *, attempt: int = 1, agent: int = 0) -> None:
        """The run makes another attempt by itself."""
        self.add(eventlog.TaskTriedAgain(task=task, attempt=attempt, agent=agent))

    def limit(self, task: str, until: str, reason: str, *, attempt: int = 1, session: str = "") -> None:
        """The attempt's agent is limited."""
        self.add(
            eventlog.AgentLimited(
                task=task, attempt=attempt, agent="claude", until=until, reason=reason, session=session
            )
        )

    def park(
        self,
        task: str,
        rung: str,
        reason: str,
        *,
        attempt: int = 1,
        paths: tuple[str, ...] = (),
        hint: str = "",
    ) -> None:
        """A person must decide about the attempt."""
        self.add(
            eventlog.TaskParked(
                task=task, attempt=attempt, rung=rung, reason=reason, paths=list(paths), hint=hint
            )
        )

    def merge(self, *tasks: str, commit: str = COMMIT) -> None:
        """The tasks go into the candidate."""
        for task in tasks:
            self.add(eventlog.TaskMerged(task=task, attempt=1, tip=COMMIT, commit=commit, tree=TREE))

    def gate(
        self,
        group: str,
        gate: str,
        *,
        reason: str = "",
        seconds: float = 42.0,
        purpose: Purpose = Purpose.BARRIER,
        **more: Any,
    ) -> None:
        """A gate is run on the candidate; red when there is a reason. `more` are other fields of the event."""
        self.add(
            eventlog.GatesStarted(
                purpose=purpose, group=group, round=1, commit=COMMIT, tree=TREE, gates=[gate]
            )
        )
        self.wait(seconds=seconds)
        values: dict[str, Any] = {
            "passed": not reason,
            "code": 1 if reason else 0,
            "greens": int(not reason),
            **more,
        }
        self.add(
            eventlog.GateFinished(
                purpose=purpose,
                group=group,
                gate=gate,
                tree=TREE,
                reason=reason,
                seconds=seconds,
                log=str(self.run_dir.path / "logs" / f"gate.1.{gate}.log"),
                **values,
            )
        )

    def find_culprit(self, group: str, gate: str, *tasks: str, evidence: str = "they broke it") -> None:
        """Who broke the gate on the candidate is found; of several, the last is the suspect."""
        self.add(
            eventlog.CulpritFound(
                group=group,
                gate=gate,
                tree=TREE,
                round=1,
                why=Why.ALONE if len(tasks) == 1 else Why.PAIR,
                tasks=list(tasks),
                suspect=tasks[-1],
                tried=2,
                evidence=evidence,
            )
        )

    def take_out(self, task: str, *, again: tuple[str, ...] = (), restart: tuple[str, ...] = ()) -> None:
        """A task is taken out of the candidate."""
        self.add(
            eventlog.CandidateReset(
                group="1",
                commit=COMMIT,
                tree=TREE,
                culprits=[task],
                again=list(again),
                restart=list(restart),
                reason="gate 'tests' is red: they broke it",
                hint="git waves log gate:tests --attempt 1",
            )
        )

    def publish(self, group: str) -> None:
        """The integration ref moves."""
        self.add(eventlog.Published(group=group, old=COMMIT, new=COMMIT))

    def halt(
        self,
        kind: Literal["failed", "parked", "conflict", "gate", "refs", "budget", "attended"],
        reason: str,
        *,
        hint: str = "",
    ) -> None:
        """A person must decide."""
        self.add(eventlog.RunHalted(kind=kind, reason=reason, hint=hint))

    def stop(self, *, now: bool = False) -> None:
        """Somebody asks the coordinator to leave."""
        self.add(eventlog.StopRequested(now=now, by="ann (process 7)"))

    def leave(self) -> None:
        """The coordinator leaves as asked."""
        self.add(eventlog.RunStopped())

    def resume(self) -> None:
        """Another coordinator goes on."""
        self.add(eventlog.RunResumed(coordinator=self.coordinator(), max_parallel=4))

    def finish(self) -> None:
        """Everything is settled."""
        self.add(eventlog.RunFinished(integration=COMMIT))

    def retry(
        self, task: str, *, grant: tuple[str, ...] = (), budget: dict[str, float | None] | None = None
    ) -> None:
        """Another attempt is asked for."""
        self.add(eventlog.TaskRetried(task=task, grant=list(grant), budget=budget or {}))

    def skip(self, task: str, reason: str) -> None:
        """A person goes on without the task."""
        self.add(eventlog.TaskSkipped(task=task, reason=reason))

    def block(self, task: str, *, by: str) -> None:
        """A need of the task will not come."""
        self.add(eventlog.TaskBlocked(task=task, by=by, reason=f"needs '{by}', which is skipped"))

    def quiesce(self, name: str, *, resume: str = "") -> None:
        """A background writer is being stopped."""
        self.add(eventlog.BackgroundQuiesced(name=name, resume=resume))

    def restore(self, name: str, *, command: str = "") -> None:
        """The writer goes on."""
        self.add(eventlog.BackgroundRestored(name=name, command=command))

    def hold(self, task: str, resource: str, reason: str) -> None:
        """The task waits for a machine-wide resource, or with an empty reason no more."""
        self.add(eventlog.TaskHeld(task=task, resource=resource, reason=reason))

    def interrupt(self, task: str, reason: str, *, session: str = "") -> None:
        """The attempt ends through nobody's fault; with a session it can go on."""
        self.add(eventlog.TaskInterrupted(task=task, attempt=1, reason=reason, session=session))

    def ask(self, task: str, path: str, *, owner: str, reason: str) -> None:
        """The agent asks for a path."""
        self.add(eventlog.RequestMade(task=task, attempt=1, path=path, reason=reason, owner=owner))

    def warn(self, message: str) -> None:
        """Something to read in the morning."""
        self.add(eventlog.Warned(message=message))

    def remove(self, task: str, *, archive: str = "") -> None:
        """The attempt's worktree goes."""
        self.add(eventlog.WorktreeRemoved(task=task, attempt=1, archive=archive))

    def move_refs(self, message: str) -> None:
        """Somebody else moved the integration ref."""
        self.add(eventlog.RefsMoved(message=message))

    def accept(self) -> None:
        """A person takes the integration ref from where somebody moved it."""
        self.add(eventlog.IntegrationAccepted(old=COMMIT, new=COMMIT, tree=TREE))

    def own(self, plan_text: str) -> None:
        """Freeze who owns what, as this plan says."""
        text = PlanText(name_hint="plan.yaml", source="plan.yaml", data=plan_text.encode())
        manifest = build_manifest(read_plan(text, known_agents=frozenset()))
        write_durably(self.run_dir.manifest, json.dumps(manifest.to_json()).encode())

    def pin(self, plan_text: str) -> None:
        """The plan as the run pinned it, for those that read it again."""
        write_durably(self.run_dir.plan, plan_text.encode())
        facts = {"source": "plan.yaml", "name": "plan.yaml"}
        write_durably(self.run_dir.path / "plan.json", json.dumps(facts).encode())

    def write_log(self, name: str, content: bytes) -> None:
        """What an agent or a gate printed (`t1.1.log`)."""
        write_durably(self.run_dir.path / "logs" / name, content)


def proving(common_dir: Path) -> Scene:
    """A run whose gates say everything that gates can say, and that halts because its claim fell."""
    scene = Scene(common_dir)
    gates = ("build", "lint", "tests")
    rules = tuple(
        eventlog.GateRecord(
            name=gate, baseline=Baseline.REPORT, control=True, guards=True, claim=gate == "tests"
        )
        for gate in gates
    )
    scene.begin({"1": [["t1"]]}, gates=gates, rules=rules)
    scene.gate("", "build", purpose=Purpose.BASELINE, seconds=0, runs=0, reused="20261129-090000-bbbb")
    scene.gate(
        "", "lint", purpose=Purpose.BASELINE, reason="it ended with exit code 2", failures=["E1", "E2"]
    )
    scene.gate("", "tests", purpose=Purpose.BASELINE)
    scene.gate(
        "",
        "tests",
        purpose=Purpose.CONTROL,
        reason="with its control in place it is red: it ended with exit code 1",
        verdict=Verdict.PROVED,
        paths=["src/tables.c"],
    )
    scene.gate(
        "",
        "build",
        purpose=Purpose.CONTROL,
        reason="its control 'make broken' ended with exit code 2",
        verdict=Verdict.UNMEASURED,
    )
    scene.halt("gate", "gate 'build' was not shown to work: its control 'make broken' ended with exit code 2")
    scene.resume()
    scene.climb("t1")
    scene.merge("t1")
    scene.gate(
        "1",
        "build",
        passed=True,
        reason="flaky: 2 of 3 runs passed; it was killed by signal 11",
        runs=3,
        greens=2,
    )
    scene.gate("1", "lint", passed=True, reason="tolerated: 2 known failures", tolerated=["E1", "E2"], code=2)
    scene.gate(
        "1",
        "lint",
        purpose=Purpose.MUTATION,
        reason="group '1' changed nothing that it guards",
        verdict=Verdict.INAPPLICABLE,
        seconds=0,
        runs=0,
        greens=0,
    )
    scene.gate(
        "1",
        "build",
        purpose=Purpose.MUTATION,
        reason="with 'src/tables.c' taken back it stays green",
        passed=True,
        verdict=Verdict.BLIND,
        paths=["src/tables.c"],
    )
    scene.gate("1", "tests", reason="it ended with exit code 1")
    scene.halt(
        "gate",
        "the plan's claim 'tests' fell at the barrier of group '1': it ended with exit code 1",
        hint="git waves log gate:tests",
    )
    return scene


def morning(common_dir: Path) -> Scene:
    """A run of seven tasks in the middle of the night: one group is through, one is busy, a task of it parked, the rest waits."""
    scene = Scene(common_dir)
    scene.begin(
        {"1": [["t1"]], "2": [["t2", "t3", "t4"]], "3": [["t5", "t6"]], "4": [["t7"]]},
        needs={
            "t2": ["t1"],
            "t3": ["t1"],
            "t4": ["t1"],
            "t5": ["t2", "t3"],
            "t6": ["t4"],
            "t7": ["t5", "t6"],
        },
        titles={
            "t1": "Lay out the tables of the new store",
            "t2": "Teach the reader to follow links between records",
            "t3": "Teach the writer to keep its journal",
            "t4": "Move the old importer over and delete what it leaves behind",
            "t5": "Compact the journal in the background",
            "t6": "Report progress of an import",
            "t7": "Wire everything into the command line",
        },
        gates=("build", "tests"),
        holds={"3": [{"task": "t6", "kind": "needs", "by": "t4", "what": ""}]},
    )
    scene.climb("t1", paths=("src/tables.c", "tests/tables.c"))
    scene.merge("t1")
    scene.gate("1", "build")
    scene.gate("1", "tests")
    scene.publish("1")
    scene.wait(seconds=1)
    scene.climb("t2", paths=("src/reader.c",))
    scene.lease("t3")
    scene.reach("t3", "agent")
    scene.lease("t4")
    scene.reach("t4", "agent")
    scene.wait(minutes=7, seconds=4)
    scene.reach("t4", "ownership")
    scene.park(
        "t4",
        "ownership",
        "it changes 'tests/kunit/Kbuild', which belongs to task 't7'",
        paths=("tests/kunit/Kbuild",),
        hint="git waves retry t4 --grant tests/kunit/Kbuild",
    )
    scene.wait(minutes=1)
    return scene
