"""Native plans that are right: every key means what docs/plan-format.md says it means."""

from __future__ import annotations

import pytest

from git_waves.core.gatewords import Baseline, FlakyPolicy
from git_waves.core.model import (
    AgentSpec,
    Background,
    Budget,
    Claim,
    Command,
    CommitPolicy,
    Control,
    Gate,
    GroupDef,
    How,
    Include,
    Intent,
    OnFailure,
    OnRed,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    Resource,
    SchedulerName,
    Scope,
    SharedPaths,
    Stage,
    Task,
    TaskId,
)
from git_waves.errors import PlanError
from git_waves.formats.native import read_native
from git_waves.formats.yamlevents import load_yaml
from tests.formats.shown import AGENTS, DATA, plan_text, read, shell


def file(path: str) -> PathPattern:
    return PathPattern(kind=PatternKind.FILE, text=RepoPath(path))


def folder(path: str) -> PathPattern:
    return PathPattern(kind=PatternKind.DIR, text=RepoPath(path))


def glob(path: str) -> PathPattern:
    return PathPattern(kind=PatternKind.GLOB, text=RepoPath(path))


def test_every_key_arrives_where_it_belongs() -> None:
    assert read((DATA / "whole.yaml").read_bytes(), path=".waves/whole.yaml") == Plan(
        name="shop",
        source=".waves/whole.yaml",
        base="main",
        scheduler=SchedulerName.DAG_PARALLEL,
        max_parallel=3,
        on_failure=OnFailure.FAIL_DEPENDENTS,
        agent=AgentSpec(name="claude", line=8),
        attempts=2,
        fallback=(AgentSpec(name="codex", line=65), AgentSpec(command=shell("other", 65), line=65)),
        setup=(shell("npm ci", 11), Command(argv=("npm", "run", "build"), line=12)),
        include=(
            Include(how=How.COPY, pattern=".env", line=60),
            Include(how=How.COPY, pattern="config/*.local", line=61),
            Include(how=How.LINK, pattern="node_modules/", line=62),
            Include(how=How.TEMPLATE, pattern=".env.example", to=RepoPath(".env.local"), line=63),
        ),
        resources=(
            Resource(name="db", capacity=2, scope=Scope.MACHINE, kind="database", line=14),
            Resource(name="port", line=15),
        ),
        background=(
            Background(
                name="nightly",
                writes=(folder("reports"), glob("*.log")),
                quiesce=shell("systemctl stop nightly", 19),
                resume=Command(argv=("systemctl", "start", "nightly"), line=20),
                line=17,
            ),
            Background(name="watcher", gate="unit", line=21),
        ),
        gates=(
            Gate(name="unit", command=shell("npm test", 23), line=23),
            Gate(name="lint", command=Command(argv=("npm", "run", "lint"), line=24), line=24),
            Gate(
                name="claim",
                command=shell("./claim.sh", 25),
                groups=("wiring",),
                timeout=600.0,
                is_claim=True,
                line=25,
            ),
        ),
        groups=(GroupDef(name="parts", line=27), GroupDef(name="wiring", title="The wiring", line=28)),
        tasks=(
            Task(
                id=TaskId("cart"),
                title="The cart",
                group="parts",
                claims=(
                    Claim(pattern=file("src/cart.ts"), intent=Intent.CREATE, line=34),
                    Claim(pattern=file("src/[id]/(shop)/page.tsx"), intent=Intent.CREATE, line=34),
                    Claim(pattern=file("src/money.ts"), intent=Intent.MODIFY, line=35),
                    Claim(pattern=folder("src/old"), intent=Intent.DELETE, line=36),
                ),
                resources=("db", "port"),
                prompt="Write the cart.\n",
                prompt_line=38,
                agent=AgentSpec(name="codex", line=40),
                verify=(shell("npm test -- cart", 41),),
                budget=Budget(wall_clock=5400.0, quiet=90.0, tokens=200_000, cost=2.5),
                handoff=(RepoPath("notes/cart.md"),),
                attended=True,
                commit=CommitPolicy.AGENT,
                estimate=900.0,
                line=30,
            ),
            Task(
                id=TaskId("index"),
                needs=(TaskId("cart"),),
                group="wiring",
                claims=(
                    Claim(pattern=file("src/index.ts"), line=49),
                    Claim(pattern=glob("src/**/*.css"), line=49),
                ),
                agent=AgentSpec(
                    command=Command(argv=("my-agent", "--go"), line=50),
                    resume=shell('my-agent --resume "$WAVES_SESSION"', 50),
                    line=50,
                ),
                run=Command(argv=("node", "tools/index.js"), line=51),
                verify=(shell("npm run build", 53), Command(argv=("npm", "test"), line=54)),
                commit=CommitPolicy.AUTO,
                allow_empty=True,
                line=46,
            ),
        ),
        shared_paths=SharedPaths(patterns=(file("src/index.ts"),), line=57),
        budget=Budget(wall_clock=28_800.0, tokens=1_500_000, cost=20.0),
    )


def test_a_gate_says_how_it_proves() -> None:
    plan = read(
        """version: 1
gates:
  unit:
    run: make test
    retries: 2
    flaky: accept
    control: {patch: tests/broken.patch}
    guards: [src/, tests/**/*.c]
    baseline: tolerate
    failures: '^FAILED (.+)'
  lint:
    run: make lint
    control: [sh, break.sh]
    baseline: require
    retries: 0
tasks:
- id: a
"""
    )
    assert plan.gates == (
        Gate(
            name="unit",
            command=shell("make test", 4),
            retries=2,
            flaky=FlakyPolicy.ACCEPT,
            control=Control(patch=RepoPath("tests/broken.patch"), line=7),
            guards=(folder("src"), glob("tests/**/*.c")),
            baseline=Baseline.TOLERATE,
            failures="^FAILED (.+)",
            line=3,
        ),
        Gate(
            name="lint",
            command=shell("make lint", 12),
            control=Control(command=Command(argv=("sh", "break.sh"), line=13), line=13),
            baseline=Baseline.REQUIRE,
            line=11,
        ),
    )


def test_the_integration_review_is_the_last_gate_and_stages_are_rungs_of_their_tasks() -> None:
    plan = read(
        "version: 1\non_red: keep-green\nreview: {run: [reader, -q], timeout: 5m}\n"
        "stages:\n  risk: ./risk.sh\n  meta: {run: ./meta.sh, timeout: 90, tasks: [b]}\n"
        "gates: {unit: make test}\ntasks:\n- id: a\n- id: b\n"
    )
    assert plan.on_red is OnRed.KEEP_GREEN
    assert [(gate.name, gate.is_review) for gate in plan.gates] == [("unit", False), ("review", True)]
    assert plan.gates[-1] == Gate(
        name="review",
        command=Command(argv=("reader", "-q"), line=3),
        timeout=300.0,
        is_review=True,
        baseline=Baseline.SKIP,
        line=3,
    )
    assert plan.stages == (
        Stage(name="risk", command=shell("./risk.sh", 5), line=5),
        Stage(name="meta", command=shell("./meta.sh", 6), timeout=90.0, tasks=(TaskId("b"),), line=6),
    )
    assert [[stage.name for stage in plan.stages_of(task.id)] for task in plan.tasks] == [
        ["risk"],
        ["risk", "meta"],
    ]


def test_what_is_not_said_has_its_default() -> None:
    plan = read("version: 1\ntasks:\n- id: a\n", path=".waves/api.yaml")
    expected = Plan(name="api", source=".waves/api.yaml", tasks=(Task(id=TaskId("a"), line=3),))
    assert plan == expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".waves/plan.yaml", "plan"),
        (".waves/api.yaml", "api"),
        ("plans/Über Größe 2.yml", "ber-gr-e-2"),
        ("plans/archive.yaml", "plan"),
        ("", "plan"),
        ("a" * 60 + ".yaml", "a" * 40),
        ("x.tar.gz", "x"),
    ],
)
def test_a_plan_without_a_name_is_named_after_its_file(path: str, name: str) -> None:
    assert read("version: 1\ntasks:\n- id: a\n", path=path).name == name


def test_ids_that_look_like_numbers_or_booleans_stay_what_the_author_wrote() -> None:
    ids = ["01", "1", "1e3", "no", "12", "0x10", "true", "1.10"]
    tasks = "".join(f"- id: {one}\n" for one in ids) + f"- {{id: last, needs: [{', '.join(ids)}]}}\n"
    plan = read(f"version: 1\ntasks:\n{tasks}")
    assert [task.id for task in plan.tasks] == [*ids, "last"]
    assert list(plan.tasks[-1].needs) == ids


@pytest.mark.parametrize(
    ("written", "commands"),
    [
        ("make test", [shell("make test", 4)]),
        ("'- x'", [shell("- x", 4)]),
        ("[make test, make lint]", [shell("make test", 4), shell("make lint", 4)]),
        ("[make]", [shell("make", 4)]),
        ("[[make]]", [Command(argv=("make",), line=4)]),
        ("[[make, -k]]", [Command(argv=("make", "-k"), line=4)]),
        ("[[make], [ninja]]", [Command(argv=("make",), line=4), Command(argv=("ninja",), line=4)]),
        ("[make, [ninja, -k]]", [shell("make", 4), Command(argv=("ninja", "-k"), line=4)]),
        ("[]", []),
    ],
)
def test_verify_is_one_command_or_a_list_of_commands(written: str, commands: list[Command]) -> None:
    plan = read(f"version: 1\ntasks:\n- id: a\n  verify: {written}\n")
    assert list(plan.tasks[0].verify) == commands


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ("make test", shell("make test", 4)),
        ("[make, test]", Command(argv=("make", "test"), line=4)),
        ("[make]", Command(argv=("make",), line=4)),
        ("[sh, '']", Command(argv=("sh", ""), line=4)),
    ],
)
def test_run_is_one_command(written: str, command: Command) -> None:
    assert read(f"version: 1\ntasks:\n- id: a\n  run: {written}\n").tasks[0].run == command


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90", 90.0), ("90s", 90.0), ("15m", 900.0), ("2h", 7200.0), ("1.5h", 5400.0), ("'90'", 90.0)],
)
def test_durations_are_seconds(written: str, seconds: float) -> None:
    assert read(f"version: 1\ntasks:\n- id: a\n  estimate: {written}\n").tasks[0].estimate == seconds


@pytest.mark.parametrize(
    ("written", "count"),
    [("200000", 200_000), ("200k", 200_000), ("200K", 200_000), ("1.5M", 1_500_000), ("0.5k", 500)],
)
def test_tokens_are_counted(written: str, count: int) -> None:
    assert (
        read(f"version: 1\ntasks:\n- id: a\n  budget: {{tokens: {written}}}\n").tasks[0].budget.tokens
        == count
    )


def test_shared_paths_may_be_only_a_number() -> None:
    plan = read("version: 1\nexpect: {shared_paths: 2}\ntasks:\n- id: a\n")
    assert plan.shared_paths == SharedPaths(count=2, line=2)


def test_a_plan_may_be_written_as_json() -> None:
    plan = read(
        '{"version": 1, "tasks": [\n {"id": "a", "needs": []},\n {"id": "b", "needs": ["a"], "attended": false}]}'
    )
    assert [(task.id, task.needs, task.line) for task in plan.tasks] == [("a", (), 2), ("b", ("a",), 3)]


def test_a_chain_of_ten_thousand_tasks_is_read() -> None:
    tasks = "".join(f"- {{id: t{at}, needs: [t{at - 1}]}}\n" for at in range(1, 10_000))
    assert len(read(f"version: 1\ntasks:\n- id: t0\n{tasks}").tasks) == 10_000


def test_what_is_no_mapping_is_no_plan() -> None:
    for text, line, kind in (("- a", 1, "a list"), ("word", 1, "text")):
        with pytest.raises(PlanError) as caught:
            read_native(plan_text(text), known_agents=AGENTS)
        (problem,) = caught.value.problems
        assert (problem.line, problem.message) == (
            line,
            f"a plan is a mapping with 'version' and 'tasks', this is {kind}",
        )
        assert caught.value.exit_code == 2


def test_the_example_in_the_documentation_is_a_plan() -> None:
    page = (DATA.parents[2] / "docs" / "plan-format.md").read_text(encoding="utf-8")
    example = page.split("```yaml\n", 1)[1].split("```", 1)[0]
    plan = read(example)
    assert [task.id for task in plan.tasks] == ["cart", "orders", "menu"]
    keys = load_yaml(example).root
    assert isinstance(keys, dict) and set(keys) >= {"version", "gates", "groups", "tasks", "expect", "budget"}
