"""Orders in sentences: which are read, which are not, and what follows from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.findings.prose import missing_needs
from git_waves.core.model import Plan, Task, TaskId
from git_waves.core.prose_order import OrderReader
from git_waves.core.task_names import TaskNames
from tests.core.findings.told import findings, told
from tests.core.plans import plan, task
from tests.support.properties import examples

NUMBERS = [str(number) for number in range(1, 13)]
AFTER = [
    ("Run this after 7.", "7"),
    ("Start after task 7, not earlier.", "7"),
    ("(after Task 7)", "7"),
    ("Only after tasks 1-3 are in.", "1 2 3"),
    ("After Tasks 1\u20133, wire them up.", "1 2 3"),
    ("after tasks 1 through 3", "1 2 3"),
    ("after tasks 1, 2 and 4", "1 2 4"),
    ("after task 1 and task 2", "1 2"),
    ("Depends on: 1, 2", "1 2"),
    ("**Depends on:** Task 4 being green", "4"),
    ("It depends on task 2 (the schema).", "2"),
    ("Needs: 3", "3"),
    ("Dependencies: Tasks 1 and 2", "1 2"),
    ("blocked by task 8", "8"),
    ("Wait for task 5.", "5"),
    ("Do not start until task 5 is merged.", "5"),
    ("This must not run before task 5.", "5"),
    ("No earlier than task 5.", "5"),
    ("Once task 6 is merged, delete the shim.", "6"),
    ("once #6 has landed", "6"),
    ("When task 6 lands, rebase.", "6"),
    ("As soon as task 6 is done", "6"),
    ("Use the parser created in task 2.", "2"),
    ("- Consumes: `Schema` from Task 1 and `Store` from Task 2.", "1 2"),
    ("the helper introduced by task 3", "3"),
    ("Requires task 4.", "4"),
    ("builds on task 2's output", "2"),
    ("Do task 3 first.", "3"),
    ("after the completion of task 9", "9"),
    ("after\ntask 7", "7"),
    ("following task 7", "7"),
]
BEFORE = [
    ("Take the before-picture for task 9.", "9"),
    ("Record the baseline for task 9", "9"),
    ("Must land before task 9.", "9"),
    ("before 9, or nothing can be compared", "9"),
    ("prior to task 9", "9"),
    ("This blocks tasks 4 and 5.", "4 5"),
    ("a prerequisite for task 9", "9"),
    ("needed by task 9", "9"),
    ("Task 9 depends on this.", "9"),
    ("Tasks 4 and 5 need this.", "4 5"),
]
NOTHING = [
    "Independent of task 2.",
    "This does not depend on task 2.",
    "It doesn't need task 2.",
    "no dependency on task 2",
    "can run without waiting for task 2",
    "Unlike task 2, this is small.",
    "Same as in task 2.",
    "See task 2.",
    "If task 3 lands first, rebase.",
    "before or after task 3",
    "either before or after task 3",
    "capture before and after task 3",
    "works as before. Task 3 changes it",
    "Look after task 3.",
    "following the Task 3 style",
    "The pattern from task 2 style guides",
    "will be created in task 9",
    "deferred; to be added in task 9",
    "different from task 2",
    "after 7 days",
    "after 2 retries",
    "before 3 pm",
    "depends on 2 things",
    "requires 3 arguments",
    "wait for 5 seconds",
    "needs Python 3.11",
    "once the schema is merged",
    "Task 2 and this are unrelated, so after lunch is fine.",
    "```\nafter task 2\n```",
    "task 2",
    "after task 99",
    "after the tasks",
    "Depends on: nothing",
]


def names(ids: list[str]) -> TaskNames:
    """The names of tasks without titles, or with one: `4: The schema`."""
    parted = (each.partition(": ") for each in ids)
    return TaskNames(Task(id=TaskId(name), title=title) for name, _, title in parted)


def read(text: str, ids: list[str], speaker: str = "10") -> tuple[set[tuple[str, str]], bool | None]:
    """The pairs (later, earlier) that a text of `speaker` asks for, and whether it looks forward."""
    pairs: set[tuple[str, str]] = set()
    kinds = set()
    for statement in OrderReader(names(ids)).statements(text):
        subjects = statement.subjects or (TaskId(speaker),)
        kinds.add(statement.is_after)
        for subject in subjects:
            for other in statement.tasks:
                pairs.add((subject, other) if statement.is_after else (other, subject))
    return pairs, kinds.pop() if len(kinds) == 1 else None


@pytest.mark.parametrize(("text", "earlier"), AFTER)
def test_what_comes_first_by_the_text(text: str, earlier: str) -> None:
    assert read(text, NUMBERS)[0] == {("10", each) for each in earlier.split()}


@pytest.mark.parametrize(("text", "later"), BEFORE)
def test_what_comes_later_by_the_text(text: str, later: str) -> None:
    assert read(text, NUMBERS)[0] == {(each, "10") for each in later.split()}


@pytest.mark.parametrize("text", NOTHING)
def test_what_asks_for_no_order(text: str) -> None:
    assert read(text, NUMBERS)[0] == set()


@pytest.mark.parametrize(
    ("ids", "text", "earlier"),
    [
        (["t7", "x"], "after t7", ["t7"]),
        (["t7", "x"], "after task t7 is in", ["t7"]),
        (["t7", "x"], "after task 7", ["t7"]),
        (["T007", "x"], "(depends on T007)", ["T007"]),
        (["T007", "x"], "after task 7", ["T007"]),
        (["T1", "T2", "T3", "x"], "depends on T1-T3", ["T1", "T2", "T3"]),
        (["01-02", "x"], "created in 01-02", ["01-02"]),
        (["01-02", "x"], "created in plan 01-02", ["01-02"]),
        (["1.2", "x"], "after task 1.2.", ["1.2"]),
        (["cart", "x"], "after task cart", ["cart"]),
        (["cart", "x"], "after `cart`", ["cart"]),
        (["cart", "x"], "once 'cart' is merged", ["cart"]),
        (["cart", "x"], "after cart is done", []),  # a plain word is a plain word
        (["api-auth", "x"], "after api-auth lands", ["api-auth"]),
        (["render.state-model", "x"], "introduced by render.state-model", ["render.state-model"]),
        (["a1", "b1", "x"], "after task 1", []),  # two tasks could be meant
    ],
)
def test_tasks_are_known_by_their_ids_and_numbers(ids: list[str], text: str, earlier: list[str]) -> None:
    assert read(text, ids, "x")[0] == {("x", each) for each in earlier}


@pytest.mark.parametrize(
    ("ids", "text", "earlier"),
    [
        (["schema", "x"], "Once the schema is merged, write the queries.", ["schema"]),
        (["schema", "x"], "as soon as schema has landed", ["schema"]),
        (["schema", "x"], "after the schema is merged", ["schema"]),
        (["schema", "x"], "Do not start until the schema is merged.", ["schema"]),
        (["ledger-schema", "x"], "once the ledger schema lands", ["ledger-schema"]),
        (["4: Ledger schema", "x"], "When the ledger schema has been merged, go.", ["4"]),
        (["schema", "x"], "after the schema task", ["schema"]),
        (["schema", "x"], "Depends on the **schema** task.", ["schema"]),
        (["schema", "x"], "Wait for the schema task to finish.", ["schema"]),
        (["api", "api-auth", "x"], "after the api auth task", ["api-auth"]),
        (["schema", "x"], "once the schema is loaded, query it", []),  # that is the program's own schema
        (["schema", "x"], "once the schema is done", []),
        (["schema", "x"], "after the schema", []),
        (["schema", "x"], "if the schema task lands first", []),
        (["schema", "x"], "independent of the schema task", []),
        (["schema", "x"], "once the response schema is merged", []),
        (["a: The schema", "b: The schema", "x"], "once the schema is merged", []),  # two could be meant
        (["x"], "once the x is merged", []),  # the task itself
    ],
)
def test_words_are_a_name_where_nothing_but_a_task_can_be_meant(
    ids: list[str], text: str, earlier: list[str]
) -> None:
    assert read(text, ids, "x")[0] - {("x", "x")} == {("x", each) for each in earlier}


def test_a_sentence_about_other_tasks_is_about_those() -> None:
    assert read("Task 5 depends on task 3.", NUMBERS)[0] == {("5", "3")}
    assert read("- **Task 4** must land before task 9.", NUMBERS)[0] == {("9", "4")}
    assert read("Tasks 4 and 5 run after task 3.", NUMBERS)[0] == {("4", "3"), ("5", "3")}
    assert read("The schema task must land before the queries task.", ["schema", "queries"])[0] == {
        ("queries", "schema")
    }


def test_a_missing_need_is_a_warning_with_the_sentence_and_the_way_out() -> None:
    some = plan(
        task("7", "a"), task("9", "b", prompt="First read.\nThen go, after task 7.", run=None, prompt_line=12)
    )
    (found,) = findings(some, "W30")
    assert (found.code, found.level, found.line, found.tasks) == ("W303", "warning", 13, ("9", "7"))
    assert found.message == "task '9' says 'after task 7', but nothing orders it after '7'"
    assert found.evidence == ("Then go, after task 7.",)
    assert found.hint == "add '7' to the needs of '9'; 'git waves plan --promote' does it"


def test_the_other_direction_names_who_lacks_the_need() -> None:
    some = plan(task("7", "a", title="The before-picture for task 9"), task("9", "b"))
    assert told(some, "W30") == [
        "W303 warning: task '7' says 'before-picture for task 9', but nothing orders '9' after it"
    ]


def test_numbers_against_the_sentence_are_said_loudly() -> None:
    some = plan(task("3", "a", title="after 9"), task("9", "b"))
    (found,) = findings(some, "W30")
    assert (found.code, found.level) == ("W304", "warning")
    assert found.message == (
        "task '3' says 'after 9', but by the numbers it comes before '9', and no need says otherwise"
    )
    assert (
        found.hint == "add '9' to the needs of '3', or correct the text; 'git waves plan --promote' does it"
    )


def test_needs_against_the_sentence_are_a_violation_when_it_says_so_outright() -> None:
    outright = plan(task("3", "a", title="depends on task 9"), task("9", "b", needs=["3"]))
    (found,) = findings(outright, "W30")
    assert (found.code, found.level) == ("W304", "violation")
    assert found.message == "task '3' says 'depends on task 9', but the plan puts it before '9'"
    by_the_way = plan(
        task("3", "a", title="the numbers will have moved after task 9"), task("9", "b", needs=["3"])
    )
    assert [found.level for found in findings(by_the_way, "W304")] == ["warning"]


def test_what_needs_groups_or_finished_work_order_is_not_told() -> None:
    by_need = plan(
        task("1", "a"), task("2", "b", needs=["1"]), task("3", "c", title="after task 1", needs=["2"])
    )
    by_group = plan(
        task("1", "a", group="g"), task("2", "b", title="after task 1", group="h"), groups=["g", "h"]
    )
    done = plan(task("1", "a", is_done=True), task("2", "b", title="after task 1"))
    for some in (by_need, by_group, done):
        assert told(some, "W303 W304") == []
        assert missing_needs(some) == ()


def test_a_pair_is_told_once() -> None:
    some = plan(task("1", "a"), task("2", "b", title="after task 1", prompt="Depends on task 1.", run=None))
    assert len(told(some, "W30")) == 1


def test_missing_needs_never_go_in_a_circle() -> None:
    some = plan(
        task("1", "a", title="after task 3"),
        task("2", "b", title="after task 1"),
        task("3", "c", title="after tasks 1-2"),
        task("4", "d", title="depends on tasks 1-3"),
    )
    assert missing_needs(some) == (("1", "3"), ("2", "1"), ("4", "1"), ("4", "2"), ("4", "3"))
    assert len(told(some, "W30")) == 4, "each sentence is told, also those that contradict each other"


def test_a_long_range_is_no_list_of_tasks() -> None:
    some = plan(
        *(task(f"t{number}", f"f{number}") for number in range(400)), task("last", "x", title="after t0-t399")
    )
    assert [found.tasks for found in findings(some, "W30")] == []


@pytest.mark.parametrize(
    "text",
    [
        "after " * 20_000,
        "after task " * 10_000,
        "after tasks " + "1, " * 40_000,
        "not until " * 12_000,
        "depends on task 1-" * 6_000,
        "(" * 60_000 + "after task 1",
        "a" * 100_000 + " after task 1",
        "do not merge " * 9_000 + "before task 1",
        "created in task 1 " * 6_000,
        "* " * 50_000 + "after task 1",
        "once task 1 is is is " * 5_000,
        "once the is is is is " * 5_000,
        "once is" + " " * 50_000 + "merged",
    ],
    ids=lambda text: text[:14],
)
def test_no_text_takes_long(text: str) -> None:
    list(OrderReader(names([*NUMBERS, "is", "once-task"])).statements(text))


_SOME_WORDS = (
    "after before task tasks 1 2 3 1-3 , . and or the once is merged depends on not until wait for ( ) ` from"
)
_WORDS = st.sampled_from(_SOME_WORDS.split())


@examples(200)
@given(st.lists(_WORDS, max_size=30).map(" ".join))
def test_any_sentence_gives_pairs_of_known_tasks_in_order(text: str) -> None:
    some: Plan = plan(
        *(task(str(number), f"f{number}") for number in range(1, 5)), task("x", "x", title=text)
    )
    known = {each.id for each in some.tasks}
    for found in findings(some, "W30"):
        assert set(found.tasks) <= known
    pairs = missing_needs(some)
    assert len(set(pairs)) == len(pairs)
    assert all(later != earlier for later, earlier in pairs)
