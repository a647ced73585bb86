"""Whatever plan there is, what is written is read back as that plan, and reads well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.gatewords import Baseline, FlakyPolicy
from git_waves.core.model import (
    DEFAULT_SETUP_TIMEOUT,
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
    Origin,
    Plan,
    RepoPath,
    Resource,
    Sandbox,
    SandboxSpec,
    SchedulerName,
    Scope,
    SharedPaths,
    Stage,
    Task,
    TaskId,
)
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.errors import PlanError
from git_waves.formats.lineless import says_the_same
from git_waves.formats.names import name_complaint, plan_name_complaint
from git_waves.formats.native.expressible import expressible
from git_waves.formats.native.writer import write_plan
from tests.formats.shown import AGENTS, DATA, plan_text, read, shell, shown
from tests.support.properties import examples


def written(plan: Plan) -> Plan:
    """Write a plan, read it, and see that it is the same."""
    meant = expressible(plan)
    text = write_plan(
        meant, head=["one", "two \x1b[31m\ntasks: []"], remarks={task.id: task.title for task in meant.tasks}
    )
    from git_waves.formats.native import read_native

    try:
        back = read_native(plan_text(text), known_agents=AGENTS)
    except PlanError as error:
        raise AssertionError(f"{shown(error)}\n{text}") from error
    assert says_the_same(replace(back, source=""), meant), text
    return back


# Letters that YAML, shells and terminals have their own thoughts about.
LETTERS = st.text(
    st.one_of(
        st.sampled_from(
            "ab01 \t\n'\"\\:#-?[]{},&*!|>%@`~=<./_\u2028\u0085\ufeff\u200b\u202e\xa0é漢\U0001f600\x1b\x7f\r"
        ),
        st.characters(codec="utf-8", exclude_characters="\0"),
    ),
    max_size=40,
)
WORDS = LETTERS.filter(lambda text: bool(text.strip()))
NAMES = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,12}\Z").filter(
    lambda name: (
        not name.endswith(".")
        and ".." not in name
        and not name.lower().endswith(".lock")
        and name.lower() not in ("integration", "gate")
    )
)
STAGE_NAMES = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,12}\Z").filter(
    lambda name: name_complaint(name, "stage") is None
)
PATHS = st.one_of(
    st.sampled_from(
        [
            "a.py",
            "src/",
            "src/**/*.py",
            "app/[id]/(x)/p.tsx",
            "weird name.md",
            "null",
            "true",
            "1.5",
            "- x",
            "a: b",
        ]
    ),
    st.from_regex(r"\A[a-z \-:#'\"{}\[\]&*!]{1,9}(/[a-z.?*]{1,5}){0,2}\Z"),
)
COMMANDS = st.one_of(
    st.builds(Command, shell=WORDS),
    st.builds(Command, argv=st.lists(WORDS, min_size=1, max_size=3).map(tuple)),
)
LISTS = st.lists(st.one_of(COMMANDS, st.builds(Command, shell=NAMES)), max_size=3).map(tuple)
INCLUDES = st.lists(
    st.builds(
        Include,
        how=st.sampled_from(How),
        pattern=st.sampled_from([".env", "*.local", "/a b/#x", "node_modules/", "é: [x]", "null"]),
    )
    | st.just(Include(how=How.TEMPLATE, pattern=".env.example", to=RepoPath(".env"))),
    max_size=3,
).map(tuple)
SANDBOXES = st.none() | st.builds(
    SandboxSpec,
    kind=st.sampled_from(Sandbox),
    writes=st.lists(st.sampled_from(["~/.cache", "/dev/shm", "/a b: c"]), max_size=2, unique=True).map(tuple),
)
FALLBACKS: tuple[tuple[AgentSpec, ...], ...] = (
    (),
    (AgentSpec(name="codex"),),
    (AgentSpec(name="claude"), AgentSpec(command=shell("x: y\nz", 0), resume=Command(argv=("a",)))),
    (AgentSpec(command=Command(argv=("a", "-b"))),),
)
BUDGETS = st.builds(
    Budget,
    wall_clock=st.none() | st.integers(1, 9999).map(float) | st.just(0.25),
    quiet=st.none() | st.just(60.0),
    tokens=st.none() | st.integers(1, 10**9),
    cost=st.none() | st.just(2.5) | st.just(0.000001),
)


@st.composite
def claim_lists(draw: st.DrawFn) -> tuple[Claim, ...]:
    claims = []
    for text in draw(st.lists(PATHS, max_size=4, unique=True)):
        try:
            pattern = parse_pattern(text)
        except PathProblem:
            continue
        origin = draw(st.sampled_from(Origin))
        claims.append(Claim(pattern=pattern, intent=draw(st.sampled_from(Intent)), origin=origin))
    return tuple(claims)


GATE_KEYS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "retries": st.integers(1, 9),
        "control": st.just(Control(patch=RepoPath("tests/break it.patch")))
        | COMMANDS.map(lambda command: Control(command=command)),
        "guards": st.just((parse_pattern("src/"), parse_pattern("a b/*.c"))),
        "failures": st.sampled_from([r"^FAILED (\S+)", "not ok: ", r"x\b #"]),
    },
) | st.just(
    {
        "retries": 2,
        "flaky": FlakyPolicy.ACCEPT,
        "baseline": Baseline.TOLERATE,
        "failures": "^- (.+): failed$",
    }
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.casefold))
    groups = draw(st.lists(NAMES, max_size=2, unique_by=str.casefold))
    resources = draw(st.lists(NAMES, max_size=2, unique_by=str.casefold))
    gates = draw(st.lists(NAMES, max_size=2, unique_by=str.casefold))
    review = Gate(
        name="review",
        command=draw(COMMANDS),
        timeout=draw(st.none() | st.just(60.0)),
        is_review=True,
        baseline=Baseline.SKIP,
    )
    tasks = []
    for number, name in enumerate(names):
        run = draw(st.none() | COMMANDS)
        tasks.append(
            Task(
                id=TaskId(name),
                title=draw(LETTERS),
                needs=tuple(
                    map(
                        TaskId, draw(st.lists(st.sampled_from(names[:number]), unique=True)) if number else ()
                    )
                ),
                group=draw(st.sampled_from([None, *groups])),
                claims=draw(claim_lists()),
                resources=tuple(draw(st.lists(st.sampled_from(resources), unique=True)) if resources else ()),
                prompt=draw(st.none() | WORDS) if run is None else None,
                run=run,
                agent=draw(
                    st.sampled_from(
                        [
                            None,
                            AgentSpec(name="codex"),
                            AgentSpec(command=shell("x y", 0), resume=shell("x --on", 0)),
                        ]
                    )
                ),
                attempts=draw(st.none() | st.integers(1, 9)),
                fallback=draw(st.none() | st.sampled_from(FALLBACKS)),
                verify=draw(LISTS),
                reads=draw(st.sampled_from([(), (parse_pattern("lib/"),)])),
                budget=draw(BUDGETS),
                attended=draw(st.booleans()),
                commit=draw(st.sampled_from(CommitPolicy)),
                allow_empty=draw(st.booleans()),
                sandbox=draw(SANDBOXES),
                estimate=draw(st.none() | st.just(90.0)),
                is_done=draw(st.sampled_from([False, False, True])) and number > 0,
                blocker=draw(st.none() | WORDS),
            )
        )
    return Plan(
        name="p",
        source="somewhere.md",
        format="gsd",
        base=draw(st.sampled_from([None, "main", "v1.0", "@{u}"])),
        scheduler=draw(st.none() | st.sampled_from(SchedulerName)),
        max_parallel=draw(st.integers(1, 9)),
        on_failure=draw(st.none() | st.sampled_from(OnFailure)),
        on_red=draw(st.none() | st.sampled_from(OnRed)),
        sandbox=draw(SANDBOXES),
        agent=draw(
            st.sampled_from([None, AgentSpec(name="claude"), AgentSpec(command=Command(argv=("a", "-b")))])
        ),
        attempts=draw(st.none() | st.integers(1, 9)),
        fallback=draw(st.sampled_from(FALLBACKS)),
        setup=draw(LISTS),
        setup_timeout=draw(st.sampled_from([DEFAULT_SETUP_TIMEOUT, 90.0])),
        include=draw(INCLUDES),
        sparse=draw(st.sampled_from([None, (), (parse_pattern("tools/"), parse_pattern("a.py"))])),
        resources=tuple(
            Resource(
                name=name,
                capacity=draw(st.integers(1, 3)),
                scope=draw(st.sampled_from(Scope)),
                kind=draw(LETTERS),
            )
            for name in resources
        ),
        background=tuple(
            Background(name=name, quiesce=draw(COMMANDS)) for name in draw(st.lists(NAMES, max_size=1))
        ),
        gates=tuple(
            Gate(
                name=name,
                command=draw(COMMANDS),
                groups=tuple(groups[:1] if draw(st.booleans()) else ()),
                timeout=draw(st.none() | st.just(600.0)),
                is_claim=number == 0 and draw(st.booleans()),
                **draw(GATE_KEYS),
            )
            for number, name in enumerate(gates)
        )
        + ((review,) if draw(st.booleans()) else ()),
        stages=tuple(
            Stage(
                name=name,
                command=draw(COMMANDS),
                timeout=draw(st.none() | st.just(90.0)),
                tasks=tuple(map(TaskId, draw(st.lists(st.sampled_from(names), unique=True)))),
            )
            for name in draw(st.lists(STAGE_NAMES, max_size=2, unique_by=str.casefold))
        ),
        groups=tuple(GroupDef(name=name, title=draw(LETTERS)) for name in groups),
        tasks=tuple(tasks),
        shared_paths=draw(
            st.sampled_from([None, SharedPaths(count=2), SharedPaths(patterns=(parse_pattern("x/"),))])
        ),
        budget=draw(BUDGETS),
    )


@examples(60)
@given(plans())
def test_any_plan_is_read_back_as_it_was_written(plan: Plan) -> None:
    back = written(plan)
    assert {task.id for task in back.tasks} == {task.id for task in plan.tasks if not task.is_done}


@examples(100)
@given(LETTERS, LETTERS)
def test_any_prompt_and_title_survive(prompt: str, title: str) -> None:
    task = Task(id=TaskId("t"), title=title, prompt=prompt if prompt.strip() else None)
    written(Plan(name="p", source="", tasks=(task,)))


@pytest.mark.parametrize(
    "prompt",
    [
        "a\nb",
        "a\nb\n",
        "a\nb\n\n\n",
        " a\nb",
        "\ta\nb",
        "\n\na\nb",
        "a\n  \nb",
        "a\n\n\n  b",
        "#\n---\n...",
        "- a\n- b: c",
        "a \nb\t",
    ],
)
def test_prompts_of_several_lines(prompt: str) -> None:
    written(Plan(name="p", source="", tasks=(Task(id=TaskId("t"), prompt=prompt),)))


def test_a_whole_plan_of_ours_is_written_as_people_would_write_it() -> None:
    plan = read((DATA / "whole.yaml").read_bytes())
    assert says_the_same(replace(written(plan), source=""), replace(plan, source=""))


def test_commands_that_would_read_like_the_words_of_one_are_written_as_lists() -> None:
    task = Task(
        id=TaskId("t"),
        verify=tuple(Command(shell=text) for text in ("make", "./check.sh", "a;b", "-x", "A=1")),
    )
    text = write_plan(expressible(Plan(name="p", source="", tasks=(task,))))
    assert text.endswith(
        'verify:\n      - [make]\n      - [./check.sh]\n      - [sh, "-c", "a;b"]\n'
        '      - [sh, "-c", "-x"]\n      - [sh, "-c", "A=1"]\n'
    )


def test_a_plan_reads_well() -> None:
    plan = Plan(
        name="shop",
        source="",
        scheduler=SchedulerName.SEQUENTIAL,
        groups=(GroupDef(name="1.1", title="Parts: all"), GroupDef(name="wiring")),
        tasks=(
            Task(id=TaskId("old"), is_done=True),
            Task(
                id=TaskId("1.10"),
                title="A cart: with tests",
                needs=(TaskId("old"),),
                group="1.1",
                claims=(
                    Claim(pattern=parse_pattern("src/guess.ts"), origin=Origin.INFERRED),
                    Claim(pattern=parse_pattern("src/cart.ts"), intent=Intent.CREATE),
                ),
                prompt="Write it.\n\n  Well.",
                verify=(shell("npm test -- cart", 0),),
                blocker="later",
            ),
            Task(id=TaskId("menu"), needs=(TaskId("1.10"),), group="wiring", prompt="Menu", attended=True),
        ),
    )
    assert write_plan(expressible(plan), head=["From: x.md"], remarks={TaskId("1.10"): "called cart/x"}) == (
        "# From: x.md\n\n"
        "version: 1\nname: shop\nscheduler: sequential\n"
        'groups:\n  - {name: "1.1", title: "Parts: all"}\n  - wiring\n'
        "tasks:\n"
        '  - id: "1.10"  # called cart/x\n'
        '    title: "A cart: with tests"\n'
        '    group: "1.1"\n'
        "    files:\n      create: [src/cart.ts]\n      inferred: [src/guess.ts]\n"
        "    prompt: |-\n      Write it.\n\n        Well.\n"
        "    verify: npm test -- cart\n"
        "\n"
        "  - id: menu\n"
        '    needs: ["1.10"]\n'
        "    group: wiring\n"
        "    prompt: Menu\n"
        "    attended: true\n"
    )
    assert plan_name_complaint(plan.name) is None
