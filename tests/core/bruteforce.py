"""Random placement problems, and the fewest levels they can have, found by trying everything. Knows none of the code it judges.

Breadth first over sets of finished tasks: after k levels these are all the sets that any schedule can have finished.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations

from git_waves.core.contention import Contention, Problem
from git_waves.core.model import HoldKind


def fewest_levels_by_trying(problem: Problem) -> int:
    """The optimum; for a dozen tasks of one rank."""
    everybody = (1 << len(problem.before)) - 1
    needs = [sum(1 << other for other in set(earlier)) for earlier in problem.before]
    finished, levels = {0}, 0
    while everybody not in finished:
        levels += 1
        finished = {
            done | together
            for done in finished
            for together in _together(
                problem, [t for t, on in enumerate(needs) if not done >> t & 1 and not on & ~done]
            )
        }
    return levels


def _together(problem: Problem, ready: list[int]) -> Iterator[int]:
    """Every set of ready tasks that may share a level and could not take one more of those nobody minds."""
    minded = {t for each in problem.contentions for t in (*each.left, *each.right)}
    always = sum(1 << task for task in ready if task not in minded)
    choices = [task for task in ready if task in minded]
    growing = [(0, 0)]
    while growing:
        place, chosen = growing.pop()
        if place == len(choices):
            yield always | chosen
            continue
        growing.append((place + 1, chosen))
        wider = chosen | 1 << choices[place]
        if all(is_kept(each, wider) for each in problem.contentions):
            growing.append((place + 1, wider))


def is_kept(contention: Contention, level: int) -> bool:
    """Whether the tasks that are bits of `level` may share one as far as this contention goes."""
    left = {task for task in contention.left if level >> task & 1}
    if contention.capacity is not None:
        return len(left) <= contention.capacity
    right = {task for task in contention.right if level >> task & 1}
    return not left or not right or len(left | right) == 1


def on_file(name: str, *tasks: int) -> Contention:
    """All of these tasks claim one file."""
    return Contention(kind=HoldKind.FILE, what=name, left=tasks, right=tasks)


def problem_of(needs: list[list[int]], *contentions: Contention) -> Problem:
    """A problem of one rank."""
    return Problem(before=needs, ranks=[0] * len(needs), contentions=contentions)


# ---------------------------------------------------------------------- problems that look like plans


def features(chance: random.Random, count: int) -> Problem:
    """Short chains, half of whose tasks register in one of three files."""
    needs: list[list[int]] = []
    users: dict[int, list[int]] = {}
    left = 0
    for task in range(count):
        needs.append([task - 1] if left else [])
        left = left - 1 if left else chance.randint(2, 5)
        if chance.random() < 0.5:
            users.setdefault(chance.randrange(3), []).append(task)
    return problem_of(needs, *_files(users))


def wanted(chance: random.Random, count: int) -> Problem:
    """One to three files each, a few of which everybody wants."""
    weights = [1 / (rank + 1) for rank in range(max(2, count // 2))]
    users: dict[int, list[int]] = {}
    for task in range(count):
        for name in set(chance.choices(range(len(weights)), weights, k=chance.randint(1, 3))):
            users.setdefault(name, []).append(task)
    return problem_of([_some(chance, task, (0, 1, 2)) for task in range(count)], *_files(users))


def dense(chance: random.Random, count: int) -> Problem:
    """Two to four files each out of few: everything is in everything's way."""
    files = max(4, count // 3)
    users: dict[int, list[int]] = {}
    for task in range(count):
        for name in chance.sample(range(files), chance.randint(2, min(4, files))):
            users.setdefault(name, []).append(task)
    return problem_of([_some(chance, task, (0, 1, 1)) for task in range(count)], *_files(users))


def mixed(chance: random.Random, count: int) -> Problem:
    """Files, folders with what lies in them, and resources that one or two may hold."""
    needs = [[other for other in range(task) if chance.random() < 0.15] for task in range(count)]
    contentions = []
    for number in range(chance.randint(1, count)):
        tasks = sorted(chance.sample(range(count), chance.randint(2, min(count, 4))))
        what = f"c{number}"
        match chance.randrange(10):
            case 0 | 1:
                contentions.append(
                    Contention(
                        kind=HoldKind.RESOURCE, what=what, left=tuple(tasks), capacity=chance.randint(1, 2)
                    )
                )
            case 2 | 3 | 4:
                cut = chance.randint(1, len(tasks) - 1)
                # One task may claim both the folder and a file in it.
                right = tasks[cut:] + ([tasks[0]] if chance.random() < 0.3 else [])
                contentions.append(
                    Contention(
                        kind=HoldKind.FILE, what=what, left=tuple(tasks[:cut]), right=tuple(sorted(right))
                    )
                )
            case _:
                contentions.append(on_file(what, *tasks))
    return problem_of(needs, *contentions)


Maker = Callable[[random.Random, int], Problem]
MAKERS: tuple[Maker, ...] = (features, wanted, dense, mixed)
"""Every kind of random problem."""


def _files(users: dict[int, list[int]]) -> list[Contention]:
    return [on_file(f"f{name}", *tasks) for name, tasks in sorted(users.items()) if len(tasks) > 1]


def _some(chance: random.Random, task: int, sizes: tuple[int, ...]) -> list[int]:
    return sorted(chance.sample(range(task), min(task, chance.choice(sizes))))


def broken_rules(problem: Problem, levels: list[int]) -> list[str]:
    """Everything that these levels do and may not."""
    broken = [
        f"{task} is not after {other}"
        for task, earlier in enumerate(problem.before)
        for other in earlier
        if levels[task] <= levels[other]
    ]
    broken += [
        f"{b} of a later rank is not after {a}"
        for a, b in combinations(range(len(levels)), 2)
        if (levels[a] - levels[b]) * (problem.ranks[a] - problem.ranks[b]) <= 0
        and problem.ranks[a] != problem.ranks[b]
    ]
    for level in set(levels):
        together = sum(1 << task for task, at in enumerate(levels) if at == level)
        broken += [
            f"{each.what} is held by too many on level {level}"
            for each in problem.contentions
            if not is_kept(each, together)
        ]
    if levels and set(levels) != set(range(max(levels) + 1)):
        broken.append("a level is empty")
    return broken
