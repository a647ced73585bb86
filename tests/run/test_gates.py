"""Gates in their throwaway worktrees, on real git with real processes and without a run around them: green, red, flaky,
tolerated; proved, blind, or not measured; and nothing left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from git_waves.adapters import process
from git_waves.adapters.eventlog import GateFinished
from git_waves.adapters.git import Git
from git_waves.adapters.rundir import RunDir
from git_waves.core.gatewords import Purpose
from git_waves.core.judging import Known
from git_waves.core.model import Oid, Plan
from git_waves.formats import PlanText, read_plan
from git_waves.gateroom import Order
from git_waves.gates import run_gates
from tests.support.processes import processes_of
from tests.support.repo import RepoBuilder


def plan_of(gates: str, head: str = "") -> Plan:
    text = f"version: 1\nname: p\n{head}gates:\n{gates}\ntasks:\n- id: a\n"
    source = PlanText(name_hint="plan.yaml", source="plan.yaml", data=text.encode())
    return read_plan(source, known_agents=frozenset())


class Bench:
    """A repository, and gates that are run on one of its commits."""

    def __init__(self, repo: RepoBuilder) -> None:
        self.repo = repo
        self.git = Git(repo.folder / ".git")
        self.run_dir = RunDir(repo.folder / ".git/waves/runs/r1")
        self.run_dir.make()
        self.folder = repo.folder.parent / "repo.waves/p"
        self.rounds = 0

    def run(
        self,
        gates: str,
        *,
        purpose: Purpose = Purpose.BARRIER,
        only: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
        known: Mapping[str, Known] | None = None,
        base: str = "",
        head: str = "",
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> dict[str, GateFinished]:
        """Run gates on HEAD, `base` being where the integration ref is, and see that nothing stays."""
        plan = plan_of(gates, head)
        self.rounds += 1
        commit = Oid(self.repo.git("rev-parse", "HEAD"))
        order = Order(
            git=self.git,
            run_dir=self.run_dir,
            plan=plan,
            folder=self.folder / f"gate.{self.rounds}",
            group="1",
            number=self.rounds,
            commit=commit,
            tree=self.git.tree_of(commit),
            gates=only or tuple(gate.name for gate in plan.gates),
            purpose=purpose,
            before=frozenset(before),
            known=known or {},
            base=Oid(base or commit),
            integration=Oid(base or commit),
            is_stopping=is_stopping,
        )
        told = list(run_gates(order))
        assert all(isinstance(event, GateFinished) for event in told), told
        assert not self.folder.exists(), "no scratch worktree stays"
        assert len(self.git.worktrees()) == 1
        assert list((self.run_dir.path / "index").iterdir()) == []
        assert not any(process.is_alive(process.Job(job)) for job in self.run_dir.job_folders())
        return {event.gate: event for event in told if isinstance(event, GateFinished)}

    def log(self, event: GateFinished) -> str:
        """What the judged run printed."""
        return Path(event.log).read_text()


@pytest.fixture
def bench(repo: RepoBuilder) -> Bench:
    repo.commit({"a.txt": "a\n"})
    return Bench(repo)


def test_all_gates_are_told_and_later_ones_see_what_earlier_ones_made(bench: Bench) -> None:
    told = bench.run("  build: echo made > made\n  broken: exit 3\n  tests: cat made")
    assert [(event.passed, event.code, event.reason) for event in told.values()] == [
        (True, 0, ""),
        (False, 3, "it ended with exit code 3"),
        (True, 0, ""),
    ]
    assert bench.log(told["tests"]) == "made\n"


def test_a_gate_taken_up_alone_finds_what_those_before_it_make(bench: Bench) -> None:
    gates = "  build: echo x >> made\n  tests: test -s made\n  later: exit 1"
    told = bench.run(gates, only=("tests",), before=("build", "later"))
    assert list(told) == ["tests"], "the others are run for it, and not judged"
    assert told["tests"].passed


def test_a_gate_that_could_not_be_executed_or_whose_set_up_fails_is_red(bench: Bench) -> None:
    told = bench.run("  a: [no-such-program-anywhere]\n  b: no-such-program-anywhere")
    assert not any(event.passed for event in told.values())
    (only,) = bench.run("  a: 'true'", head="setup: exit 4\n").values()
    assert (only.passed, only.code) == (False, 4)
    assert only.reason == "set-up command 'exit 4' failed in the gate's worktree"
    assert only.log.endswith("gate.2.:setup-0.log")


@pytest.mark.parametrize(
    "command",
    [
        "trap '' TERM; sleep 600 & wait; sleep 600",
        "trap 'exit 0' TERM; sleep 600 & wait",
        "(setsid sleep 600 &) ; sleep 600",
    ],
)
@pytest.mark.long
def test_a_gate_that_hangs_is_red_and_its_whole_tree_is_gone(bench: Bench, command: str) -> None:
    (told,) = bench.run(f'  slow: {{run: "{command}", timeout: 1s}}').values()
    assert (told.passed, told.greens) == (False, 0)
    assert told.reason == "it ran over its time limit of 1 s"
    assert processes_of(bench.repo) == []


# ---------------------------------------------------------------------- flaky and tolerated


def counting(bench: Bench, name: str, *, green_from: int) -> str:
    """A command that fails until its `green_from`th call."""
    place = bench.repo.folder.parent / name
    return f"echo x >> {place}; test $(wc -l < {place}) -ge {green_from}"


def test_a_red_gate_is_run_again_in_fresh_worktrees_and_some_green_is_flaky(bench: Bench) -> None:
    gates = (
        "  build: test ! -e made && echo made > made\n"
        f"  tests: {{run: 'test -e made && {counting(bench, 'calls', green_from=2)}', retries: 2}}"
    )
    told = bench.run(gates)
    assert told["build"].passed
    tests = told["tests"]
    assert (tests.passed, tests.runs, tests.greens) == (False, 3, 2)
    assert tests.reason == "flaky: 2 of 3 runs passed; it ended with exit code 1"


def test_a_gate_that_stays_red_is_red_and_a_green_one_is_run_once(bench: Bench) -> None:
    told = bench.run("  no: {run: exit 2, retries: 1}\n  yes: {run: exit 0, retries: 9}")
    assert (told["no"].passed, told["no"].runs, told["no"].greens) == (False, 2, 0)
    assert told["no"].reason == "it ended with exit code 2, in each of 2 runs"
    assert (told["yes"].passed, told["yes"].runs, told["yes"].greens) == (True, 1, 1)


def test_a_flaky_gate_that_the_plan_accepts_passes_and_says_so(bench: Bench) -> None:
    call = counting(bench, "calls", green_from=2)
    (told,) = bench.run(f"  tests: {{run: '{call}', retries: 1, flaky: accept}}").values()
    assert (told.passed, told.runs, told.greens) == (True, 2, 1)
    assert told.reason == "flaky: 1 of 2 runs passed; it ended with exit code 1"


def test_a_red_gate_is_not_run_again_while_the_run_is_being_stopped(bench: Bench) -> None:
    assert bench.run("  tests: {run: exit 1, retries: 9}", is_stopping=lambda: True) == {}


def test_known_failures_are_tolerated_by_name_and_new_ones_are_not(bench: Bench) -> None:
    gate = "  tests: {run: 'cat failures; exit 1', failures: '^FAILED (.+)', baseline: tolerate}"
    bench.repo.commit({"failures": "FAILED one\nFAILED two\n"})
    before = bench.run(gate, purpose=Purpose.BASELINE)["tests"]
    assert (before.passed, before.failures) == (False, ["one", "two"])
    known = {"tests": Known(code=before.code, failures=frozenset(before.failures))}
    bench.repo.commit({"failures": "FAILED two\n"})
    fewer = bench.run(gate, known=known)["tests"]
    assert (fewer.passed, fewer.tolerated) == (True, ["two"])
    assert fewer.reason == "tolerated: 1 known failure"
    bench.repo.commit({"failures": "FAILED two\nFAILED three\n"})
    more = bench.run(gate, known=known)["tests"]
    assert (more.passed, more.tolerated) == (False, [])
    assert more.reason == "it ended with exit code 1; not tolerated: new: 'three'"
    bench.repo.commit({"failures": "it crashed\n"})
    silent = bench.run(gate, known=known)["tests"]
    assert silent.reason == "it ended with exit code 1; not tolerated: its output names no failure"


# ---------------------------------------------------------------------- controls


PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n"


def controlled(bench: Bench, gate: str, **options: object) -> GateFinished:
    """The verdict on one gate `door` by its control."""
    given = bench.run(f"  door: {gate}", purpose=Purpose.CONTROL, only=("door",), **options)  # type: ignore[arg-type]
    (told,) = given.values()
    return told


def words(event: GateFinished) -> str:
    return f"{event.verdict}: {event.reason}"


def test_a_control_that_turns_its_gate_red_proves_it(bench: Bench) -> None:
    bench.repo.commit({"break.patch": PATCH})
    for control in ("echo b > a.txt", "{patch: break.patch}", "[rm, a.txt]"):
        told = controlled(bench, f"{{run: grep -qx a a.txt, control: {control}}}")
        assert words(told).startswith("proved: with its control in place it is red: it ended with exit code")
        assert (told.passed, told.greens, told.paths) == (False, 0, ["a.txt"])


def test_a_gate_that_its_control_leaves_green_is_blind(bench: Bench) -> None:
    bench.repo.commit({"break.patch": PATCH})
    for control in ("echo b > a.txt", "{patch: break.patch}"):
        told = controlled(bench, f"{{run: test -s a.txt, control: {control}}}")
        assert words(told) == "blind: with its control in place it stays green"
        assert told.passed


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        ("{run: 'true', control: exit 3}", "its control 'exit 3' ended with exit code 3"),
        ("{run: 'true', control: 'true'}", "its control 'true' changed nothing"),
        ("{run: 'true', control: {patch: gone.patch}}", "its control 'gone.patch' is not in BASE, which the run began from"),
        ("{run: 'true', control: {patch: other.patch}}", "its control 'other.patch' does not apply: error: nowhere: does not exist in index"),
        ("{run: 'true', control: {patch: a.txt}}", "its control 'a.txt' does not apply: error: No valid patches in input (allow with \"--allow-empty\")"),
        ("{run: 'test -s a.txt || sleep 9', timeout: 0.3, control: '> a.txt'}", "with its control in place it ran over its time limit of 0.3 s, which proves nothing"),
        ("{run: ./check, control: rm check}", "with its control in place it ended with exit code 127, which proves nothing"),
    ],
)  # fmt: skip
def test_a_control_that_says_nothing_is_no_proof(bench: Bench, gate: str, told: str) -> None:
    bench.repo.commit({"other.patch": PATCH.replace("a.txt", "nowhere"), "check": "#!/bin/sh\n"})
    base = bench.repo.git("rev-parse", "HEAD")
    assert words(controlled(bench, gate)) == f"unmeasured: {told}".replace("BASE", base[:10])


def test_a_control_that_works_on_ignored_files_alone_is_one_when_it_turns_the_gate_red(bench: Bench) -> None:
    bench.repo.commit({".gitignore": "secret\n"})
    told = controlled(bench, "{run: test ! -e secret, control: touch secret}")
    assert words(told).startswith("proved: ")


def test_a_control_is_in_place_before_the_set_up_and_before_the_gates_in_front(bench: Bench) -> None:
    gates = "  build: cp set.txt built.txt\n  door: {run: grep -qx a built.txt, control: echo b > a.txt}"
    told = bench.run(
        gates, purpose=Purpose.CONTROL, only=("door",), before=("build",), head="setup: cp a.txt set.txt\n"
    )
    assert words(told["door"]).startswith("proved: ")


def test_a_set_up_that_a_control_breaks_is_no_proof(bench: Bench) -> None:
    told = controlled(bench, "{run: 'true', control: rm a.txt}", head="setup: test -e a.txt\n")
    assert words(told) == (
        "unmeasured: with its control in place set-up command 'test -e a.txt' failed in the gate's worktree"
    )


def test_a_gate_that_may_be_flaky_has_to_be_red_each_time(bench: Bench) -> None:
    flaky = counting(bench, "calls", green_from=2)
    told = controlled(bench, f"{{run: '{flaky}', retries: 2, control: echo b > a.txt}}")
    assert words(told) == "unmeasured: with its control in place it is flaky: 1 of 2 runs passed"
    told = controlled(bench, "{run: grep a a.txt, retries: 2, control: echo b > a.txt}")
    assert (told.verdict, told.runs) == ("proved", 3)


def test_a_gate_with_known_failures_has_to_show_a_new_one(bench: Bench) -> None:
    known = {"door": Known(code=1, failures=frozenset({"old"}))}
    run = "run: 'echo FAILED old; grep -q a a.txt || echo FAILED new; exit 1', failures: 'FAILED (.+)'"
    gate = f"{{{run}, baseline: tolerate, control: CONTROL}}"
    proved = controlled(bench, gate.replace("CONTROL", "echo b > a.txt"), known=known)
    blind = controlled(bench, gate.replace("CONTROL", "echo aa > a.txt"), known=known)
    assert words(proved).startswith("proved: ")
    assert words(blind) == "blind: with its control in place it shows only failures that were known"


# ---------------------------------------------------------------------- mutations


def mutated(bench: Bench, gate: str, base: str, **options: object) -> GateFinished:
    """The verdict on one gate `door` by taking back what it guards."""
    given = bench.run(f"  door: {gate}", purpose=Purpose.MUTATION, base=base, **options)  # type: ignore[arg-type]
    (told,) = given.values()
    return told


@pytest.mark.parametrize(
    ("change", "run", "paths"),
    [
        ("echo fixed > a.txt", "grep -q fixed a.txt", ["a.txt"]),
        ("echo new > b.txt", "test -e b.txt", ["b.txt"]),
        ("git rm -q a.txt", "test ! -e a.txt", ["a.txt"]),
        ("git mv a.txt b.txt", "test -e b.txt", ["a.txt", "b.txt"]),
        ("chmod +x a.txt", "test -x a.txt", ["a.txt"]),
        ("mkdir d; echo x > d/x.txt; echo 1 > un.guarded", "test -e d/x.txt", ["d/x.txt"]),
    ],
)
def test_a_gate_that_misses_what_it_guards_is_proved(
    bench: Bench, change: str, run: str, paths: list[str]
) -> None:
    base = bench.repo.git("rev-parse", "HEAD")
    subprocess.run(["sh", "-c", change], cwd=bench.repo.folder, env=bench.repo.environment, check=True)
    bench.repo.commit({})
    guards = "[a.txt, b.txt, d/, '*.txt']"
    told = mutated(bench, f"{{run: {run}, guards: {guards}}}", base)
    assert told.verdict == "proved", told.reason
    assert told.paths == paths
    names = ", ".join(f"'{path}'" for path in paths)
    assert told.reason == f"with {names} taken back it is red: it ended with exit code 1"


def test_a_gate_that_does_not_miss_what_it_guards_is_blind(bench: Bench) -> None:
    base = bench.repo.commit({"keep.txt": "old\n"})
    bench.repo.commit({"a.txt": "fixed\n", "keep.txt": "new\n"})
    told = mutated(bench, "{run: grep -q new keep.txt, guards: [a.txt]}", base)
    assert words(told) == "blind: with 'a.txt' taken back it stays green"


def test_guarded_files_that_the_group_left_alone_prove_nothing_and_that_is_said(bench: Bench) -> None:
    base = bench.repo.git("rev-parse", "HEAD")
    bench.repo.commit({"other.txt": "x\n"})
    told = mutated(bench, "{run: 'false', guards: [a.txt]}", base)
    assert words(told) == "inapplicable: group '1' changed nothing that it guards"
    assert (told.runs, told.log) == (0, "")


def test_a_mutation_that_hangs_or_breaks_the_set_up_is_no_proof(bench: Bench) -> None:
    base = bench.repo.git("rev-parse", "HEAD")
    bench.repo.commit({"a.txt": "fixed\n"})
    gate = "{run: 'grep -q fixed a.txt || sleep 9', timeout: 0.3, guards: [a.txt]}"
    assert words(mutated(bench, gate, base)) == (
        "unmeasured: with 'a.txt' taken back it ran over its time limit of 0.3 s, which proves nothing"
    )
    told = mutated(bench, "{run: 'true', guards: [a.txt]}", base, head="setup: grep -q fixed a.txt\n")
    assert told.verdict == "unmeasured"
