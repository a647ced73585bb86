"""Two writers of one ledger: tasks that share no file and one database never run together, and authors hear why."""

from __future__ import annotations

from git_waves.core.model import HoldKind
from git_waves.core.schedule import build_schedule
from tests.core.findings.told import findings, told
from tests.core.plans import plan, task


def test_two_writers_of_one_ledger_in_one_group_are_a_violation() -> None:
    some = plan(
        task("post", "src/post.py", group="writers", resources=("ledger-db",), line=4),
        task("close", "src/close.py", group="writers", resources=("ledger-db",), line=9),
        groups=["writers"],
        resources={"ledger-db": 1},
    )
    (found,) = findings(some, "W1 W2")
    assert (found.code, found.level, found.tasks) == ("W201", "violation", ("post", "close"))
    assert found.message == (
        "group 'writers' claims that its tasks run together, but what they share makes it 2 rounds"
    )
    assert found.evidence == ("resource 'ledger-db' is held by 'post' and 'close'",)
    assert build_schedule(some).groups[0].rounds == (("post",), ("close",)), (
        "and they are kept apart all the same"
    )


def test_two_writers_of_one_ledger_are_separated_when_groups_are_derived() -> None:
    some = plan(
        task("post", "src/post.py", resources=("ledger-db",)),
        task("close", "src/close.py", resources=("ledger-db",)),
        task("report", "src/report.py"),
        resources={"ledger-db": 1},
    )
    assert told(some, "W1 W2") == []
    schedule = build_schedule(some)
    assert [group.tasks for group in schedule.groups] == [("post", "report"), ("close",)]
    (hold,) = schedule.groups[1].holds
    assert (hold.task, hold.kind, hold.by, hold.what) == ("close", HoldKind.RESOURCE, "post", "ledger-db")


def test_a_resource_with_room_for_two_keeps_two_together_and_three_apart() -> None:
    def crowd(number: int) -> list[int]:
        some = plan(
            *(task(f"t{n}", f"f{n}", group="g", resources=("api",)) for n in range(number)),
            groups=["g"],
            resources={"api": 2},
        )
        assert bool(told(some, "W201")) is (number > 2)
        return [len(one_round) for one_round in build_schedule(some).groups[0].rounds]

    assert crowd(2) == [2]
    assert crowd(3) == [2, 1]


def test_a_resource_that_nobody_holds_is_told() -> None:
    some = plan(task("a", "a"), resources={"ledger-db": 1})
    (found,) = findings(some, "W706")
    assert (found.level, found.message) == ("note", "resource 'ledger-db' is declared, and no task holds it")
    done = plan(task("a", "a", is_done=True, resources=("ledger-db",)), resources={"ledger-db": 1})
    assert told(done, "W706") == []
