"""What our machinery costs when the tasks themselves do nothing: whole runs and single merges (G11, G12)."""

from __future__ import annotations

import itertools
from pathlib import Path

from bench.family import Family, Options
from bench.figures import Figure, compared, milliseconds
from bench.merging import Merging
from bench.scene import git, make_repository
from bench.timing import Case, Sample, interleave, run_process
from git_waves import refs

FILES = 1_000
TASKS, TASKS_FULL = 20, 50
PARALLEL = 2
MERGE_SIZES = (1_000, 20_000)

_OURS = "git waves run"
_NAIVE = "naive script"
_MERGE = "our merge of one task"
_GIT_MERGE = "git merge --no-ff"

NAIVE = """\
set -e
round=$1 tasks=$2
git worktree add -q -b "n$round/integration" "../naive$round" main
seq "$tasks" | xargs -P {parallel} -I @ sh -c '
    git worktree add -q -b "n$1/t$2" "../naive$1.t$2" main && cd "../naive$1.t$2" &&
    echo done > "t$2.txt" && git add "t$2.txt" && git commit -q -m "t$2"' sh "$round" @
cd "../naive$round"
for task in $(seq "$tasks"); do
    git merge -q --no-ff --no-edit "n$round/t$task"
    git worktree remove "../naive$round.t$task"
done
cd ../naive
git worktree remove "../naive$round"
"""


def measure(options: Options) -> list[Figure]:
    """All figures of this family."""
    figures = _whole_runs(options)
    for files in MERGE_SIZES:
        figures += _merges(options, files)
    return figures


# ---------------------------------------------------------------------- whole runs


def _whole_runs(options: Options) -> list[Figure]:
    tasks = TASKS_FULL if options.is_full else TASKS
    cases = [_our_run(options.folder / "ours", tasks), _naive_run(options.folder / "naive", tasks)]
    measured = interleave(cases, rounds=options.rounds, warm_up=False)
    what = f"{_OURS}: {tasks} tasks that do nothing, {PARALLEL} at once, {FILES:,} files"
    per_task = Figure(
        aim="",
        what="of it for each task",
        ours=milliseconds(measured.ms(_OURS) / tasks),
        against=f"{_NAIVE}: {milliseconds(measured.ms(_NAIVE) / tasks)}",
    )
    return [compared(measured, _OURS, _NAIVE, aim="G11", limit=0.35, what=what), per_task]


def _our_run(folder: Path, tasks: int) -> Case:
    make_repository(folder, FILES)
    numbers = itertools.count(1)
    plans = folder.parent / "plans"
    plans.mkdir()

    def run() -> Sample:
        name = f"r{next(numbers)}"
        plan = plans / f"{name}.yaml"
        plan.write_text(_plan(name, tasks))
        sample = run_process(["git", "waves", "run", "--quiet", plan], cwd=folder)
        _check_merges(folder, refs.integration_ref(name), tasks)
        return sample

    return Case(name=_OURS, run=run)


def _plan(name: str, tasks: int) -> str:
    lines = (
        f"  - id: t{number}\n    files: {{create: [t{number}.txt]}}\n    run: echo done > t{number}.txt\n"
        for number in range(1, tasks + 1)
    )
    return f"version: 1\nname: {name}\nmax_parallel: {PARALLEL}\ntasks:\n{''.join(lines)}"


def _naive_run(folder: Path, tasks: int) -> Case:
    folder = folder / "naive"
    make_repository(folder, FILES)
    numbers = itertools.count(1)

    def run() -> Sample:
        number = next(numbers)
        script = NAIVE.format(parallel=PARALLEL)
        sample = run_process(["sh", "-c", script, "sh", str(number), str(tasks)], cwd=folder)
        _check_merges(folder, f"n{number}/integration", tasks)
        return sample

    return Case(name=_NAIVE, run=run)


def _check_merges(folder: Path, tip: str, tasks: int) -> None:
    """Both sides must have done the work: one merge a task, and its file in the tree."""
    merges = git("rev-list", "--count", "--merges", "--first-parent", f"main..{tip}", cwd=folder)
    files = git("ls-tree", "--name-only", tip, cwd=folder).split()
    if int(merges) != tasks or sum(name.startswith("t") for name in files) != tasks:
        raise RuntimeError(f"'{tip}' in '{folder}' has {merges} merges, not {tasks}")


# ---------------------------------------------------------------------- single merges


def _merges(options: Options, files: int) -> list[Figure]:
    rounds = max(options.rounds, 15)
    merging = Merging(options.folder / f"merge-{files}", files, tips=rounds + 1)
    cases = [
        Case(name=_MERGE, run=merging.merge_ours),
        Case(name=_GIT_MERGE, run=merging.merge_with_git),
    ]
    measured = interleave(cases, rounds=rounds)
    merging.close()
    ours = measured.ms(_MERGE)
    where = f", {files:,} files"
    return [
        Figure(
            aim="G12",
            what=_MERGE + where,
            ours=milliseconds(ours),
            wanted="<= 15 ms",
            is_met=ours <= 15,
        ),
        compared(measured, _MERGE, _GIT_MERGE, what=_MERGE + where),
    ]


FAMILY = Family(
    name="engine", aims="G11, G12", title="whole runs and merges", measure=measure, in_memory=True
)
