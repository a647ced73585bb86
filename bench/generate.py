"""Made-up plans that look like real ones, the same for the same seed: as values, as YAML, as JSON, as JSON lines."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from git_waves.core.model import Claim, PathPattern, PatternKind, Plan, RepoPath, Task, TaskId

SEED = 20261130


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A task reduced to what planning looks at: its number, the numbers it needs (all smaller), its files."""

    number: int
    needs: tuple[int, ...]
    files: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its name in a plan."""
        return f"task-{self.number:05d}"


Generator = Callable[[int, int], list[Item]]
"""So many tasks from a seed."""


# ---------------------------------------------------------------------- what depends on what


def project(count: int, seed: int = SEED, *, own: int = 2) -> list[Item]:
    """A large plan: `own` files of its own for each task, one in twelve also touches a file of many, few needs."""
    chance = random.Random(seed)
    shared = max(1, count // 100)
    items = []
    for number in range(count):
        near = range(max(0, number - 40), number)
        needs = chance.sample(near, k=min(len(near), chance.choice((0, 1, 1, 2))))
        files = [
            f"src/part{number % 97:03d}/unit{number:05d}.py",
            f"tests/part{number % 97:03d}/test_{number:05d}.py",
            *(f"src/part{number % 97:03d}/unit{number:05d}/piece{piece:02d}.py" for piece in range(own - 2)),
        ]
        if chance.random() < 1 / 12:
            files.append(f"src/shared/registry{chance.randrange(shared):04d}.py")
        items.append(Item(number=number, needs=tuple(sorted(needs)), files=tuple(files)))
    return items


def features(share: float) -> Generator:
    """Chains of three to six tasks, each chain a feature; this share of all tasks touches one of three registries."""

    def generate(count: int, seed: int) -> list[Item]:
        chance = random.Random(seed)
        items: list[Item] = []
        left = 0
        for number in range(count):
            needs = (number - 1,) if left else ()
            left = left - 1 if left else chance.randint(2, 5)
            files = [f"src/unit{number}.py"]
            if chance.random() < share:
                files.append(f"src/registry{chance.randrange(3)}.py")
            items.append(Item(number=number, needs=needs, files=tuple(files)))
        return items

    return generate


def zipf(count: int, seed: int) -> list[Item]:
    """One to three files each, a few of which everybody wants; about one need a task."""
    chance = random.Random(seed)
    files = [f"src/unit{rank}.py" for rank in range(max(2, count // 2))]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(files))))
    return [
        Item(
            number=number,
            needs=_some_before(chance, number, (0, 1, 2)),
            files=tuple(sorted(set(chance.choices(files, cum_weights=weights, k=chance.randint(1, 3))))),
        )
        for number in range(count)
    ]


def dense(count: int, seed: int) -> list[Item]:
    """Two to four files each out of a third as many as there are tasks; everything is in everything's way."""
    chance = random.Random(seed)
    files = [f"src/unit{rank}.py" for rank in range(max(4, count // 3))]
    return [
        Item(
            number=number,
            needs=_some_before(chance, number, (0, 1, 1)),
            files=tuple(sorted(chance.sample(files, k=chance.randint(2, 4)))),
        )
        for number in range(count)
    ]


def _some_before(chance: random.Random, number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    wanted = chance.choice(sizes)
    return tuple(sorted(chance.sample(range(number), k=min(number, wanted))))


# ---------------------------------------------------------------------- texts and values


def as_plan(items: Sequence[Item]) -> Plan:
    """The plan as its reader would make it."""
    return Plan(
        name="bench",
        source="bench",
        tasks=tuple(
            Task(
                id=TaskId(item.id),
                needs=tuple(TaskId(items[other].id) for other in item.needs),
                claims=tuple(
                    Claim(pattern=PathPattern(kind=PatternKind.FILE, text=RepoPath(name)))
                    for name in item.files
                ),
            )
            for item in items
        ),
    )


def as_yaml(items: Sequence[Item]) -> str:
    """The native format as a person would write it."""
    return "version: 1\nname: bench\nmax_parallel: 4\n\ntasks:\n" + "".join(
        _yaml_task(items, item) for item in items
    )


def _yaml_task(items: Sequence[Item], item: Item) -> str:
    words = _words(items, item)
    needs = f"    needs: [{', '.join(words['needs'])}]\n" if item.needs else ""
    files = "".join(f"      - {name}\n" for name in item.files)
    return (
        f"  - id: {item.id}\n    title: {words['title']}\n{needs}    files:\n{files}"
        f"    prompt: |\n      {words['prompt']}\n    verify: {words['verify']}\n"
    )


def as_json(items: Sequence[Item]) -> str:
    """The native format as a program would write it."""
    tasks = [_words(items, item) for item in items]
    return json.dumps({"version": "1", "name": "bench", "max_parallel": "4", "tasks": tasks})


def as_json_lines(items: Sequence[Item]) -> str:
    """The same plan in the session-state format."""
    meta = {"type": "meta", "schema": "session-state/v1", "slug": "bench", "scheduler": "dag-parallel"}
    records: list[dict[str, Any]] = [meta]
    for item in items:
        words = _words(items, item)
        records.append({"type": "task", "deps": words.pop("needs"), **words})
    return "".join(json.dumps(record) + "\n" for record in records)


def as_beads(items: Sequence[Item]) -> str:
    """The same work as issues of a tracker (beads), one a line: files in prose, needs as blocking edges."""
    records = []
    for item in items:
        words = _words(items, item)
        records.append(
            {
                "id": f"bench-{item.number}",
                "title": words["title"],
                "description": words["prompt"] + "".join(f"\n- change `{file}`" for file in item.files),
                "status": "open",
                "priority": 2,
                "issue_type": "task",
                "created_at": "2026-01-02T03:04:05Z",
                "updated_at": "2026-01-02T03:04:05Z",
                "dependencies": [
                    {"issue_id": f"bench-{item.number}", "depends_on_id": f"bench-{other}", "type": "blocks"}
                    for other in item.needs
                ],
            }
        )
    return "".join(json.dumps(record) + "\n" for record in records)


def _words(items: Sequence[Item], item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "title": f"Teach unit {item.number} to answer within its budget",
        "needs": [items[other].id for other in item.needs],
        "files": list(item.files),
        "prompt": f"Change unit {item.number} as the issue says, and keep its tests green.",
        "verify": f"python -m pytest -q {item.files[-1]}",
    }
