"""Reports of runs that never happened: a scene's log, with the plan it is of, made into a report."""

from __future__ import annotations

import random
from datetime import UTC
from pathlib import Path
from typing import Any

from git_waves.adapters import eventlog
from git_waves.adapters.eventlog import read_events
from git_waves.core.gatewords import Baseline, Purpose, Verdict
from git_waves.core.ownership import build_manifest
from git_waves.core.report import LogEnd, Material, Report, build_report
from git_waves.core.report.model import Change
from git_waves.formats import PlanText, read_plan
from git_waves.views.report.clock import Clock
from tests.support import scenes

UTC_CLOCK = Clock(UTC)


def report_of(
    scene: scenes.Scene,
    plan: str = "",
    *,
    is_running: bool = False,
    archives: tuple[str, ...] = (),
    change: Change | None = None,
) -> Report:
    """The report of a scene; `plan` is the text of the plan it ran, without which nothing can be said about files."""
    text = PlanText(name_hint="plan.yaml", source="plan.yaml", data=plan.encode())
    read = read_plan(text, known_agents=frozenset()) if plan else None
    logs = scene.run_dir.path / "logs"

    def read_log(name: str) -> LogEnd | None:
        path = logs / name
        if not path.is_file():
            return None
        return LogEnd(text=path.read_bytes().decode("utf-8", "surrogateescape"), is_cut=False)

    return build_report(
        Material(
            events=read_events(scene.run_dir.events)[0],
            is_running=is_running,
            now=scene.now.timestamp(),
            plan=read,
            manifest=build_manifest(read) if read is not None else None,
            unknown="" if read is not None else "git does not have the plan of this run any more",
            archives=frozenset(archives),
            change=change,
            logs=frozenset(path.name for path in logs.iterdir()),
            read_log=read_log,
        )
    )


def crowd(common_dir: Path, *, groups: int = 12, each: int = 10) -> scenes.Scene:
    """A long night with many tasks: `groups` barriers of `each` tasks, four at once, one of them parked near the end."""
    chance = random.Random(7)
    scene = scenes.Scene(common_dir, plan="crowd")
    names = [[f"{topic}-{group + 1:02}" for topic in _TOPICS[:each]] for group in range(groups)]
    needs = {
        task: sorted(chance.sample(names[group - 1], k=min(1 + chance.randrange(2), each)))
        for group, members in enumerate(names)
        for task in members
        if group
    }
    scene.begin(
        {str(group + 1): [members] for group, members in enumerate(names)},
        needs=needs,
        titles={task: f"Teach {task.rpartition('-')[0]} its lesson" for group in names for task in group},
        gates=("build", "tests"),
    )
    for number, members in enumerate(names):
        for start in range(0, len(members), 4):
            _together(scene, members[start : start + 4], chance, is_last=number + 1 == groups)
        if number + 1 == groups:
            break
        scene.merge(*members)
        scene.gate(str(number + 1), "build", seconds=20)
        scene.gate(str(number + 1), "tests", seconds=75)
        scene.publish(str(number + 1))
        if number in (3, 7):
            scene.stop()
            scene.leave()
            scene.wait(hours=1 + number)
            scene.resume()
    scene.halt("parked", f"task '{names[-1][0]}' parked at ownership", hint=f"git waves show {names[-1][0]}")
    return scene


_TOPICS = (
    *("parser", "lexer", "printer", "reader", "writer", "cache", "index", "merge", "hooks", "doctor"),
    *("status", "report", "planner", "watcher", "sandbox", "importer", "exporter", "budget"),
)


def _together(scene: scenes.Scene, tasks: list[str], chance: random.Random, *, is_last: bool) -> None:
    """The tasks start together and end one after the other."""
    for task in tasks:
        scene.lease(task)
        scene.reach(task, "agent")
    for place, task in enumerate(tasks):
        scene.wait(seconds=40 + chance.randrange(200))
        if is_last and place == 0 and task.startswith("parser"):
            scene.park(task, "ownership", "it changes 'Kbuild', which belongs to nobody", paths=("Kbuild",))
            continue
        scene.reach(task, "verify")
        scene.wait(seconds=15)
        scene.add(eventlog.TaskPassed(task=task, attempt=1, tip=scenes.COMMIT, paths=[f"src/{task}.c"]))


# ---------------------------------------------------------------------- hostile texts

HIT = "document.documentElement.dataset.hit"
PAYLOADS = (
    f"<script>{HIT}='script'</script>",
    f'<img src=x onerror="{HIT}=1">',
    f"</style><script>{HIT}=2</script><style>*{{display:none}}",
    f"</title></head><body onload={HIT}=3>",
    f'"><svg onload={HIT}=4>',
    f"'-{HIT}=5-' ' autofocus onfocus={HIT}=6 x='",
    f"</pre></code></details><iframe srcdoc='<script>parent.{HIT}=7</script>'></iframe>",
    f"javascript:{HIT}=8",
    f"[link](javascript:{HIT}=9) ![image](https://evil.example/x.png) <https://evil.example>",
    "<link rel=stylesheet href=https://evil.example/x.css><meta http-equiv=refresh content=0;url=//evil.example>",
    "--><!-- ]]> <![CDATA[ <?php {{ 7 * 7 }} {% include 'page.html' %}",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \u202eright to left\u202c \u200bnothing \x00 \udcff",
    "# heading\n\n```\n| a | b |\n- item\n***\n<details>",
    "&lt;b&gt; &#x3c;script&#x3e; &amp;",
    "x" * 10_000,
    "\u0645\u0631\u062d\u0628\u0627 \u4f60\u597d " + "\U0001f600" * 40,
)
"""Texts that would do something wherever they are more than text; whatever runs of them leaves a mark on the page."""


def hostile(common_dir: Path) -> scenes.Scene:
    """A run in which everybody who can write a text writes one of those, wherever a text can stand."""
    scene = scenes.Scene(common_dir, plan="hostile")
    ids = [f"t{number}" for number in range(len(PAYLOADS))]
    scene.begin(
        {f"group {payload[:200]}": [[task]] for task, payload in zip(ids, PAYLOADS, strict=True)},
        titles=dict(zip(ids, PAYLOADS, strict=True)),
        needs={task: ids[:number] for number, task in enumerate(ids)},
        gates=(PAYLOADS[0], PAYLOADS[1]),
        source=PAYLOADS[4],
    )
    for task, payload in zip(ids, PAYLOADS, strict=True):
        scene.lease(task)
        scene.reach(task, payload)
        scene.wait(seconds=30)
        scene.ask(task, payload, owner=PAYLOADS[0], reason=payload)
        if task == ids[0]:
            scene.add(eventlog.TaskPassed(task=task, attempt=1, tip=scenes.COMMIT, paths=[payload]))
            scene.merge(task)
            scene.gate(f"group {payload}", payload, reason=payload)
            scene.write_log(
                f"gate.1.{payload.rpartition('/')[2]}.log",
                "\n".join(PAYLOADS).encode("utf-8", "surrogateescape"),
            )
            continue
        scene.park(task, payload, payload, paths=(payload, payload), hint=f"git {payload}")
        scene.write_log(f"{task}.1.log", "\n".join(PAYLOADS).encode("utf-8", "surrogateescape"))
        scene.warn(payload)
    scene.remove(ids[1], archive=f"refs/waves/archive/{scene.run_dir.run}/{PAYLOADS[3]}/1")
    scene.retry(ids[1], grant=(PAYLOADS[1],))
    scene.skip(ids[1], PAYLOADS[2])
    scene.halt("gate", PAYLOADS[0], hint=PAYLOADS[1])
    return scene


# ---------------------------------------------------------------------- gates that prove


def proving(common_dir: Path) -> scenes.Scene:
    """A run whose gates were tried in every way, with a conflict that was seen coming and a wait for a shared place."""
    scene = scenes.Scene(common_dir, plan="proving")
    asked = {"build": Baseline.REQUIRE, "tests": Baseline.TOLERATE, "lint": Baseline.REPORT}
    scene.begin(
        {"1": [["t1", "t2"]], "2": [["t3"]]},
        needs={"t3": ["t1"]},
        gates=tuple(asked),
        rules=tuple(
            eventlog.GateRecord(
                name=name, baseline=baseline, control=True, guards=True, claim=name == "build"
            )
            for name, baseline in asked.items()
        ),
    )

    def gate(name: str, purpose: Purpose, group: str, **facts: Any) -> None:
        passed = facts.pop("passed", True)
        scene.wait(seconds=20)
        scene.add(
            eventlog.GateFinished(
                purpose=purpose,
                group=group,
                gate=name,
                tree=scenes.TREE,
                passed=passed,
                code=0 if passed else 1,
                seconds=18.5,
                log=f"/logs/{name}.log",
                **{"reason": "", "greens": int(passed), **facts},
            )
        )

    gate("build", Purpose.BASELINE, "")
    gate(
        "tests",
        Purpose.BASELINE,
        "",
        passed=False,
        reason="it ended with exit code 1",
        failures=["test_old", "test_older"],
    )
    gate("build", Purpose.CONTROL, "", passed=False, verdict=Verdict.PROVED)
    gate(
        "tests",
        Purpose.CONTROL,
        "",
        verdict=Verdict.BLIND,
        reason="it stays green when its control is in place",
    )
    scene.add(eventlog.TaskHeld(task="t2", resource="emulator", reason="another run has it"))
    scene.climb("t1", paths=("a.c",))
    scene.climb("t2", paths=("b.c",))
    scene.add(eventlog.ConflictForeseen(task="t2", attempt=1, other="t1", paths=["a.h"]))
    scene.add(eventlog.ConflictForeseen(task="t2", attempt=1, other="", paths=["b.h"]))
    scene.add(eventlog.ConflictForeseen(task="t2", attempt=1, other="t1", paths=[]))
    scene.merge("t1", "t2")
    gate("build", Purpose.BARRIER, "1", reused="20261129-090000-bbbb")
    gate(
        "tests",
        Purpose.BARRIER,
        "1",
        reason="tolerated: 2 known failures",
        tolerated=["test_old", "test_older"],
    )
    gate("lint", Purpose.BARRIER, "1", runs=3, greens=2, reason="flaky: 2 of 3 runs passed")
    gate("build", Purpose.MUTATION, "1", passed=False, verdict=Verdict.PROVED, paths=["a.c"])
    gate(
        "lint",
        Purpose.MUTATION,
        "1",
        verdict=Verdict.INAPPLICABLE,
        reason="the group left the guarded files alone",
    )
    scene.publish("1")
    scene.climb("t3", paths=("c.c",))
    scene.merge("t3")
    gate("build", Purpose.BARRIER, "2", passed=False, runs=3, reason="it ended with exit code 1")
    scene.write_log("build.log", b"c.c:3: error: no such thing\n")
    gate("lint", Purpose.BARRIER, "2", passed=False, runs=2, greens=1, reason="flaky: 1 of 2 runs passed")
    gate("build", Purpose.CULPRIT, "2", passed=False, reason="it ended with exit code 1")
    scene.find_culprit("2", "build", "t3", evidence="'t3' broke it alone: its own branch is red")
    scene.halt("gate", "gate 'build' is red at the barrier of group '2'", hint="git waves log gate:build")
    return scene
