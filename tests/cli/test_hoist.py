"""`git waves plan --hoist`: the plan of the issue from its sentence to the shorter plan, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Waves
from tests.support.kbuild import HOT, kbuild_plan
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"

SHARED = """\
version: 1
name: xcvr
agent: {run: cat}
gates: {build: make}
tasks:
"""


def issue_plan() -> str:
    """Twelve tasks that all register in one Kbuild file, some of which share a source file or the index besides."""
    more = {1: "core/io.c", 2: "core/io.c", 3: "core/io.c, core/port.c", 4: "core/port.c", 5: "core/cache.c"}
    more |= {6: "core/cache.c", 7: "Documentation/xcvr/index.rst", 8: "Documentation/xcvr/index.rst"}
    return SHARED + "".join(
        f"  - id: t{n}\n    files: {{create: [tests/kunit/test_{n}.c], modify: [{HOT}{', ' * (n in more)}{more.get(n, '')}]}}\n"
        f"    prompt: Test part {n}.\n"
        for n in range(1, 13)
    )


def test_the_sentence_and_the_plan_that_keeps_its_promise(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: issue_plan()})
    said = waves("plan", "--no-history", exit=1).out
    assert f"{HOT} alone serializes 12 tasks into 12 waves; hoisting it would yield 4 [W401]" in said
    assert f"hint: 'git waves plan --hoist {HOT}' prints the plan with one last task for it" in said
    typed = waves("plan", "--hoist", HOT)
    assert typed.err == f"hoisted {HOT} into 'wire-kbuild': 12 waves become 4\n"
    assert (repo.folder / PLAN).read_text() == issue_plan(), "printed and not written"
    again = json.loads(waves("plan", "--json", "-", stdin=typed.out.encode(), exit=1).out)
    assert len(again["groups"]) == 4
    assert again["groups"][-1]["tasks"] == ["wire-kbuild"]


def test_write_changes_the_file_and_nothing_else(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan()})
    (repo.folder / PLAN).chmod(0o640)
    typed = waves("plan", "--hoist", HOT, "--write")
    assert (typed.out, typed.err) == (f"hoisted {HOT} into 'wire-kbuild': 12 waves become 2\n", "")
    assert (repo.folder / PLAN).stat().st_mode & 0o777 == 0o640
    assert waves("plan", "--no-history").out.startswith(
        "plan 'kunit' (.waves/plan.yaml): 13 tasks in 2 groups\n"
    )
    assert repo.git("status", "--porcelain") == f" M {PLAN}"


def test_what_cannot_be_hoisted_leaves_the_file_alone(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan()})
    refused = waves("plan", "--hoist", "nowhere.c", "--write", exit=2)
    assert refused.err == (
        "fatal: no task to do claims 'nowhere.c'\nhint: 'git waves plan --manifest' shows who claims what\n"
    )
    assert waves("plan", "--write", exit=2).err == (
        "fatal: --write goes with --hoist\nhint: git waves plan --hoist PATH --write\n"
    )
    assert waves("plan", "--hoist", HOT, "--json", exit=2).err.startswith("fatal: --hoist prints a plan")
    piped = waves("plan", "-", "--hoist", HOT, "--write", exit=2, stdin=kbuild_plan().encode())
    assert piped.err.startswith("fatal: 'standard input' is no file of the work tree")
    assert (repo.folder / PLAN).read_text() == kbuild_plan()


def test_another_format_is_told_why_it_cannot_be_rewritten(repo: RepoBuilder, waves: Waves) -> None:
    lines = ['{"type": "meta", "schema": "session-state/v1"}']
    lines += [f'{{"type": "task", "id": "{n}", "prompt": "p", "files": ["x", "{n}"]}}' for n in "ab"]
    repo.commit({"state.jsonl": "\n".join(lines) + "\n"})
    refused = waves("plan", "state.jsonl", "--hoist", "x", exit=2)
    assert "is a plan of format 'session-state', which git-waves reads and does not write" in refused.err


def test_hoisting_that_brings_nothing_says_so(repo: RepoBuilder, waves: Waves) -> None:
    some = SHARED + "  - {id: a, files: [x, a], prompt: p}\n  - {id: b, files: [x, b], prompt: p}\n"
    repo.commit({PLAN: some})
    assert waves("plan", "--hoist", "x").err == "hoisted x into 'wire-x': 2 waves stay 2\n"


# ---------------------------------------------------------------------- the setting


def test_the_threshold_is_a_setting(repo: RepoBuilder, waves: Waves) -> None:
    tasks = "".join(f"  - {{id: t{n}, files: [f{n}{', mod.rs' * (n < 3)}], prompt: p}}\n" for n in range(15))
    repo.commit({PLAN: SHARED + tasks})

    def level() -> str:
        findings = json.loads(waves("plan", "--json", "--no-history", exit=1).out)["findings"]
        return str(next(found["level"] for found in findings if found["code"] == "W401"))

    assert level() == "note", "3 of 15 is below a quarter"
    repo.git("config", "waves.sharedThreshold", "20%")
    assert level() == "warning"
    repo.git("config", "waves.sharedThreshold", "0.5")
    assert level() == "note"
    repo.git("config", "waves.sharedThreshold", "25")
    refused = waves("plan", exit=2)
    assert refused.err == (
        "fatal: 'waves.sharedThreshold' is no share of the tasks: '25'\nhint: git config waves.sharedThreshold 25%\n"
    )


# ---------------------------------------------------------------------- what earlier runs took


def test_earlier_runs_are_the_weights_of_what_nobody_estimated(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SHARED + "".join(f"  - {{id: {n}, files: [{n}], prompt: p}}\n" for n in "ab")})
    run = repo.folder / ".git/waves/runs/20261129-010203-abcd"
    run.mkdir(parents=True)
    _log(
        run,
        {"event": "run_started", "plan": "xcvr", "at": "2026-11-29T01:02:03.000Z"},
        {
            "event": "rung_reached",
            "task": "a",
            "attempt": 1,
            "rung": "agent",
            "at": "2026-11-29T01:03:00.000Z",
        },
        {"event": "task_passed", "task": "a", "attempt": 1, "at": "2026-11-29T01:33:00.000Z"},
    )
    bounds = json.loads(waves("plan", "--json", "--no-history").out)["bounds"]
    assert bounds["weights"] == {"estimated": 0, "measured": 1, "assumed": 1}
    assert (bounds["unit"], bounds["total_work"]) == ("seconds", 3600.0)


def _log(run: Path, *events: dict[str, object]) -> None:
    lines = (json.dumps({"n": number, **event}) for number, event in enumerate(events, 1))
    (run / "events.jsonl").write_text("\n".join(lines) + "\n")
