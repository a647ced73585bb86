"""The notification command: called on park, halt and end, and never in the way of the run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.run.test_foresight import PATIENCE, until
from tests.run.test_whole_runs import start
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

# The message goes through the environment: no text of an agent's is ever put into a command.
NOTE = """printf '%s|%s|%s|%s\\n' "$WAVES_EVENT" "$WAVES_TASK" "$WAVES_MESSAGE" "$WAVES_NEXT" >> "{file}" """


@pytest.fixture
def notes(repo: RepoBuilder, tmp_path: Path) -> Path:
    file = tmp_path / "notes"
    repo.git("config", "waves.notify", NOTE.format(file=file))
    return file


def test_it_is_called_for_a_failed_task_for_the_halt_and_for_the_end(repo: RepoBuilder, notes: Path) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run="test $WAVES_ATTEMPT = 2 && touch t1.txt"))})
    assert repo.run_waves("run").returncode == 1
    failed, halted = notes.read_text().splitlines()
    assert failed.startswith("failed|t1|task 't1' failed at agent: the agent ended with exit code 1|")
    assert halted.startswith("halted||task 't1' failed at agent")
    repo.waves("retry", "t1")
    repo.waves("run")
    assert notes.read_text().splitlines()[2:] == [
        "finished||plan 'p' is finished: the work is in branch 'waves/p/integration'|git merge waves/p/integration"
    ]


def test_it_is_called_for_a_task_that_a_red_gate_takes_out(repo: RepoBuilder, notes: Path) -> None:
    head = "on_red: keep-green\ngates:\n  clean: '! grep BAD *.txt'\n"
    text = plan(task("good"), task("bad", run="echo BAD > bad.txt"), head=head)
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run").returncode == 3
    parked, halted = notes.read_text().splitlines()
    assert parked.startswith("parked|bad|task 'bad' parked at gate: gate 'clean' is red: task 'bad' broke it")
    assert parked.rpartition("|")[2].startswith("git waves log gate:clean")
    assert halted.startswith("halted||")


def test_a_command_that_fails_is_told_and_changes_nothing(repo: RepoBuilder) -> None:
    repo.git("config", "waves.notify", "exit 7")
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    done = repo.run_waves("run")
    assert done.returncode == 0
    assert "warning: the notification command ended with exit code 7 (finished); see '" in done.stdout


def test_a_hung_up_terminal_is_like_an_interrupt_and_agents_come_to_their_end(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    slow = f"until test -e {go}; do sleep 0.05; done; touch t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=slow), task("t2", needs=("t1",)))})
    with start(repo) as process:
        process.send_signal(signal.SIGHUP)
        until(lambda: "stopping" in repo.waves("status"))
        go.touch()
        assert process.wait(timeout=PATIENCE) == 130
        assert process.stdout is not None
        process.stdout.read()
    assert "1 passed, 1 pending" in repo.waves("status"), "t1 came to its end, t2 never began"
    repo.waves("run")
