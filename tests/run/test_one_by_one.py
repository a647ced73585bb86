"""`sequential` climbs the same ladder as the others. Here it is held against the plainest way to carry out a plan: one task
after the other on one branch, with nothing but git, written without looking at ours.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

BASE = {"shared.txt": "start\n", "old.txt": "old\n", "tool.sh": "echo\n", "theirs.txt": "theirs\n"}
GATE = '! grep -qs red "$(git rev-parse --show-toplevel)"/*.txt'


@dataclass(frozen=True)
class Work:
    """One task: what it runs, what it owns, what it needs."""

    name: str
    run: str
    owned: tuple[str, ...]
    needs: tuple[str, ...] = ()

    def text(self) -> str:
        return task(self.name, run=self.run, needs=self.needs, files=f"[{', '.join(self.owned)}]")


def kinds(name: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What a task may do: the script, and the paths it owns."""
    file = f"{name}.txt"
    return {
        "writes": (f"echo {name} > {file}", (file,)),
        "commits": (
            f"echo half > {file}; git add .; git commit -qm half; echo {name} > {file}; git commit -qam whole",
            (file,),
        ),
        "reads what others left": (f"cat *.txt > {file}", (file,)),
        "appends to a shared file": (f"echo {name} >> shared.txt", ("shared.txt",)),
        "makes folders": (f"mkdir -p {name}/deep; echo {name} > {name}/deep/{file}", (f"{name}/",)),
        "changes a mode": (f"chmod +x tool.sh; echo {name} > {file}", ("tool.sh", file)),
        "takes a file away": (f"rm -f old.txt; echo {name} > {file}", ("old.txt", file)),
    }


BAD: dict[str, tuple[str, tuple[str, ...]]] = {
    "fails": ("echo half > {name}.txt; git add .; git commit -qm half; exit 3", ("{name}.txt",)),
    "trespasses": ("echo {name} > {name}.txt; echo mine > theirs.txt", ("{name}.txt",)),
    "changes nothing": ("true", ("{name}.txt",)),
    "breaks the gate": ("echo red > {name}.txt", ("{name}.txt",)),
}


def generated(seed: int, *, bad: str | None) -> list[Work]:
    """A plan by the dice, one task of which is bad if so asked."""
    dice = random.Random(seed)
    number = dice.randint(3, 6)
    spoiled = dice.randrange(1, number)
    works: list[Work] = []
    for place in range(number):
        name = f"t{place}"
        needs = tuple(work.name for work in works if dice.random() < 0.3)
        if bad is not None and place == spoiled:
            run, claimed = BAD[bad]
            owned = tuple(path.format(name=name) for path in claimed)
            works.append(Work(name, run.format(name=name), owned, needs))
        else:
            run, owned = dice.choice(list(kinds(name).values()))
            works.append(Work(name, run, owned, needs))
    return works


# ---------------------------------------------------------------------- the plain way


@dataclass(frozen=True)
class End:
    """Where the plan ends: the proven tree, what is merged in which order, and what stopped it, in one word or two."""

    tree: str
    merged: tuple[str, ...]
    stopped: str


def levels(works: Sequence[Work]) -> list[list[Work]]:
    """Tasks in groups: behind what they need, and never two that share a path in one; in the plan's order."""
    done: dict[str, int] = {}
    groups: list[list[Work]] = []
    for work in works:
        level = 1 + max((done[need] for need in work.needs), default=-1)
        while level < len(groups) and any(set(work.owned) & set(other.owned) for other in groups[level]):
            level += 1
        while len(groups) <= level:
            groups.append([])
        groups[level].append(work)
        done[work.name] = level
    return groups


def plainly(repo: RepoBuilder, works: Sequence[Work]) -> End:
    """Carry out the plan by hand in a clone: a branch for each task, a merge commit each, the gate behind each group."""
    clone = repo.folder.parent / "plain"
    repo.git("clone", "-q", str(repo.folder), str(clone))

    def git(*words: str, exit: int | None = 0) -> str:
        return repo.git(*words, cwd=clone, exit=exit)

    git("checkout", "-q", "-b", "candidate")
    proven = git("rev-parse", "HEAD")
    order: list[str] = []

    def end(stopped: str) -> End:
        return End(git("rev-parse", f"{proven}^{{tree}}"), tuple(order), stopped)

    for group in levels(works):
        for work in group:
            git("checkout", "-q", "-B", f"task-{work.name}", "candidate")
            done = subprocess.run(["sh", "-c", work.run], cwd=clone, env=repo.environment, check=False)
            if done.returncode:
                return end(f"{work.name} failed at agent")
            git("add", "--all")
            left = git("diff", "--cached", "--name-only", "HEAD").split()
            if any(not _owns(work, path) for path in left):
                return end(f"{work.name} failed at commit")
            if left:
                git("commit", "-q", "-m", "left")
            changed = git("diff", "--no-renames", "--name-only", "candidate", "HEAD").split()
            if not changed or any(not _owns(work, path) for path in changed):
                return end(f"{work.name} failed at ownership")
            git("checkout", "-q", "candidate")
            git("merge", "-q", "--no-ff", "-m", work.name, f"task-{work.name}")
            order.append(work.name)
        gate = subprocess.run(["sh", "-c", GATE], cwd=clone, env=repo.environment, check=False)
        if gate.returncode:
            return end("gate")
        proven = git("rev-parse", "HEAD")
    return end("")


def _owns(work: Work, path: str) -> bool:
    return any(path == owned or (owned.endswith("/") and path.startswith(owned)) for owned in work.owned)


# ---------------------------------------------------------------------- ours


def sequentially(repo: RepoBuilder) -> End:
    """The same with `git waves run`."""
    done = repo.run_waves("run", "--scheduler", "sequential")
    told = events(repo)
    order = tuple(event["task"] for event in told if event["event"] == "task_merged")
    stopped = ""
    if told[-1]["event"] == "run_halted":
        fallen = [event for event in told if event["event"] in ("task_failed", "task_parked")]
        names = [f"{event['task']} {event['event'][5:]} at {event['rung']}" for event in fallen]
        stopped = "gate" if told[-1]["kind"] == "gate" else ", ".join(names)
    assert (done.returncode == 0) == (stopped == ""), done.stdout + done.stderr
    return End(repo.git("rev-parse", f"{INTEGRATION}^{{tree}}"), order, stopped)


def compare(repo: RepoBuilder, works: Sequence[Work]) -> End:
    claimed = [path for work in works for path in work.owned]
    shared = sorted({path for path in claimed if claimed.count(path) > 1})
    head = f"gates:\n  no-red: {GATE!r}\nexpect: {{shared_paths: [{', '.join(shared)}]}}\n"
    repo.commit({".waves/plan.yaml": plan(*(work.text() for work in works), head=head), **BASE})
    wanted = plainly(repo, works)
    got = sequentially(repo)
    assert got == wanted
    return got


def test_a_plan_that_fails_on_its_way_stops_where_a_person_would(repo: RepoBuilder) -> None:
    works = [
        Work("t0", "echo t0 >> shared.txt", ("shared.txt",)),
        Work("t1", "cat *.txt > t1.txt", ("t1.txt",), ("t0",)),
        Work("t2", "echo half > t2.txt; exit 3", ("t2.txt",), ("t1",)),
        Work("t3", "echo t3 > t3.txt", ("t3.txt",), ("t2",)),
    ]
    end = compare(repo, works)
    assert (end.merged, end.stopped) == (("t0", "t1"), "t2 failed at agent")


@pytest.mark.long
@pytest.mark.parametrize("bad", [None, *BAD])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_generated_plan_ends_where_the_plain_way_ends(
    repo: RepoBuilder, bad: str | None, seed: int
) -> None:
    end = compare(repo, generated(seed, bad=bad))
    assert bool(end.stopped) == (bad is not None)


@pytest.mark.long
def test_work_that_conflicts_stops_both_at_the_same_file(repo: RepoBuilder) -> None:
    """Somebody moves the branch on while the task works, and it is merged all the same."""
    repo.commit({".waves/plan.yaml": plan(Work("t1", _MOVES, ("shared.txt",)).text()), **BASE})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"shared.txt": "by the user\n"})
    repo.git("checkout", "-q", "main")
    assert repo.run_waves("run", "--scheduler", "sequential").returncode == 3
    assert repo.run_waves("run", "--accept").returncode == 3
    (parked,) = [event for event in events(repo) if event["event"] == "task_parked"]
    repo.git("checkout", "-q", "-b", "plain", "side")
    assert "CONFLICT" in repo.git("merge", "waves/p/t1/1", exit=1)
    assert repo.git("diff", "--name-only", "--diff-filter=U").split() == parked["paths"] == ["shared.txt"]
    assert merged(repo) == []


_MOVES = (
    "echo t1 > shared.txt\n"
    'git --git-dir="$(git rev-parse --git-common-dir)" update-ref refs/waves/integration/p refs/heads/side'
)
