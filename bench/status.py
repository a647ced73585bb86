"""What `git waves status` costs on a run of 1,000 tasks, and what it imports (G1, G2)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.family import Family, Options
from bench.figures import Figure, compared
from bench.scene import make_repository
from bench.timing import interleave, process_case
from git_waves.adapters import eventlog
from git_waves.adapters.rundir import RunDir

TASKS = 1000
HEAVY = ("typer", "click", "rich", "pydantic", "pygit2", "yaml", "asyncio", "filelock")
"""What none of `status`, the hooks and completion may import."""

_OID = "1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e"
_PASS = "python -c pass"
_OURS = "import sys; from git_waves.entry import main; sys.exit(main(['status']))"
_ASK = (
    "import sys; from git_waves.entry import main; main(['status']);"
    " sys.stderr.write(' '.join(sys.modules)); sys.stdout.flush()"
)
_EVERYTHING = "import typer, pydantic, pygit2, yaml, filelock, rich.console"


def measure(options: Options) -> list[Figure]:
    """All figures of this family."""
    folder = options.folder / "repository"
    common_dir = make_repository(folder, 10)
    write_log(common_dir)
    program = shutil.which("git-waves")
    if program is None:
        raise FileNotFoundError("no 'git-waves' beside this Python: install the project there")
    commands: dict[str, list[str | Path]] = {
        _PASS: [sys.executable, "-c", "pass"],
        "git waves status": ["git", "waves", "status"],
        "git-waves status": [program, "status"],
        "the same without pip's start script": [sys.executable, "-c", _OURS],
        "git waves status --porcelain": ["git", "waves", "status", "--porcelain"],
        "git waves version": ["git", "waves", "version"],
        "python -c 'import typer, pydantic, ...'": [sys.executable, "-c", _EVERYTHING],
    }
    cases = [process_case(name, argv, folder) for name, argv in commands.items()]
    measured = interleave(cases, rounds=max(options.rounds, 21))
    judged = {"git waves status": 2.0}
    return [
        *(
            compared(measured, name, _PASS, aim="G1" if name in judged else "", limit=judged.get(name))
            for name in commands
            if name != _PASS
        ),
        imports(folder),
    ]


def imports(folder: Path) -> Figure:
    """The modules that `status` loads beyond those of an empty Python, and whether a heavy one is among them."""
    empty, ours = (
        _modules(code, folder) for code in ("import sys; sys.stderr.write(' '.join(sys.modules))", _ASK)
    )
    heavy = sorted({name.split(".")[0] for name in ours} & set(HEAVY))
    foreign = sorted(name for name in ours - empty if not name.startswith("git_waves"))
    return Figure(
        aim="G2",
        what="imports of git waves status",
        ours=f"{len(ours - empty)} modules",
        against=f"besides our own: {', '.join(foreign) or 'none'}",
        wanted=f"none of {', '.join(HEAVY)}",
        is_met=not heavy,
    )


def _modules(code: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def write_log(common_dir: Path, tasks: int = TASKS) -> None:
    """The log of a run in its middle: a third of the tasks merged, one in ten failed or running, the rest waits."""
    run_dir = RunDir(common_dir / "waves" / "runs" / "20260101-000000-aaaa")
    run_dir.make()
    names = [f"t{number}" for number in range(tasks)]
    groups = [names[start : start + 50] for start in range(0, tasks, 50)]
    log = eventlog.EventLog.create(run_dir.events)
    log.append(
        eventlog.RunStarted(
            run=run_dir.run,
            plan="bench",
            source=".waves/plan.yaml",
            plan_blob=_OID,
            previous="",
            base=_OID,
            base_tree=_OID,
            base_name="main",
            scheduler="dag-parallel",
            on_failure="halt",
            max_parallel=4,
            groups=[
                eventlog.GroupRecord(name=str(number), rounds=[members], gates=["tests"], holds=[])
                for number, members in enumerate(groups, start=1)
            ],
            tasks=[
                eventlog.TaskRecord(
                    id=name,
                    title=f"Task number {number} of many",
                    group=str(number // 50 + 1),
                    needs=[names[number - 50]] if number >= 50 else [],
                    status="pending",
                )
                for number, name in enumerate(names)
            ],
            coordinator=eventlog.Coordinator(
                pid=1, host="bench", started="2026-01-01T00:00:00+00:00", version="0"
            ),
        )
    )
    for name in names[: tasks // 3]:
        for event in _through(name):
            log.append(event)
    for name in names[tasks // 3 : tasks // 3 + tasks // 10]:
        log.append(_leased(name))
        log.append(eventlog.RungReached(task=name, attempt=1, rung="agent"))
    log.close()


def _leased(name: str) -> eventlog.TaskLeased:
    return eventlog.TaskLeased(
        task=name,
        attempt=1,
        branch=f"refs/heads/waves/bench/{name}/1",
        base=_OID,
        worktree=f"/somewhere/{name}.1",
    )


def _through(name: str) -> list[eventlog.AnyEvent]:
    return [
        _leased(name),
        eventlog.RungReached(task=name, attempt=1, rung="agent"),
        eventlog.TaskPassed(task=name, attempt=1, tip=_OID, paths=[f"src/{name}.py"]),
        eventlog.TaskMerged(task=name, attempt=1, tip=_OID, commit=_OID, tree=_OID),
    ]


FAMILY = Family(name="status", aims="G1, G2", title="git waves status, a run of 1,000 tasks", measure=measure)
