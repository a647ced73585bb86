"""What becomes of attempts that were in flight: adopted, finished meanwhile, resumed with their session, or parked."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged, read_until, start
from tests.support.jobs import eventually
from tests.support.plans import plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long  # whole runs, a few seconds each

SESSION = """echo '{"type": "system", "subtype": "init", "session_id": "s-1"}'; """
"""Words of a shell with which an agent tells its session, as Claude Code does."""


def agent(run: str, resume: str = "", *, head: str = "", needs: str = "") -> str:
    """A plan with one task for an agent, and a second one behind it that needs none."""
    lines = [
        "version: 1\nname: p",
        head,
        f"agent:\n  run: {json.dumps(run)}",
        f"  resume: {json.dumps(resume)}" if resume else "",
        "tasks:\n  - id: t1\n    title: The first\n    files: {create: [t1.txt]}\n    prompt: Write t1.txt.",
    ]
    return "\n".join(line for line in lines if line) + "\n" + (task("t2", needs=("t1",)) if needs else "")


def told(repo: RepoBuilder, event: str) -> list[dict[str, Any]]:
    return [one for one in events(repo) if one["event"] == event]


def supervisor_of(repo: RepoBuilder, job: str = "t1.1.agent") -> int:
    """The pid of the supervisor that stands over a job, once there is one."""
    runs = repo.folder / ".git/waves/runs"
    assert eventually(lambda: list(runs.glob(f"*/jobs/{job}/start.json")))
    (path,) = runs.glob(f"*/jobs/{job}/start.json")
    return int(json.loads(path.read_text())["supervisor"])


def seen(repo: RepoBuilder, words: str) -> Path:
    """Where an agent that runs `touch ../../<words>` leaves its mark."""
    return repo.folder.parent / "repo.waves" / words


RESUME = 'cat > ../../told; test "$WAVES_SESSION" = s-1 && test "$WAVES_ATTEMPT" = 1 && echo second >> t1.txt'


def test_an_agent_whose_supervisor_died_goes_on_in_its_worktree_with_its_session(repo: RepoBuilder) -> None:
    run = f"{SESSION}echo first > t1.txt; touch ../../at-work; sleep 60"
    repo.commit({".waves/plan.yaml": agent(run, RESUME)})
    with start(repo) as process:
        assert eventually(seen(repo, "at-work").exists)
        os.kill(supervisor_of(repo), signal.SIGKILL)
        words, _ = process.communicate(timeout=60)
    assert process.returncode == 0, words
    assert "t1: interrupted: the agent's supervisor died; it will go on in its worktree" in words
    assert "t1: resumed: its agent goes on in its worktree, with its session" in words
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "first\nsecond"
    assert [one["attempt"] for one in told(repo, "task_leased")] == [1]
    assert [(one["how"], one["session"]) for one in told(repo, "task_taken_up")] == [("resumed", "s-1")]
    prompt = seen(repo, "told").read_text()
    assert prompt.startswith("You were interrupted")
    assert "Write t1.txt." in prompt
    assert processes_of(repo) == []


def test_after_a_crash_of_everything_the_next_run_resumes_and_status_says_so(repo: RepoBuilder) -> None:
    """The machine stopped: coordinator and supervisor are gone. Then the next coordinator is killed too."""
    run = f"{SESSION}echo first > t1.txt; touch ../../at-work; sleep 60"
    resume = f"touch ../../resumed; {wait_for('../../go')}; {RESUME}"
    repo.commit({".waves/plan.yaml": agent(run, resume)})
    with start(repo) as process:
        assert eventually(seen(repo, "at-work").exists)
        supervisor = supervisor_of(repo)
        process.kill()
        os.kill(supervisor, signal.SIGKILL)
    with Coordinator(repo) as process:
        read_until(process, "t1: resumed")
        assert eventually(seen(repo, "resumed").exists)
        assert "running (resumed)" in repo.waves("status")
        assert "session   s-1" in repo.waves("show", "t1")
        process.kill()
    with Coordinator(repo) as process:
        read_until(process, "t1: adopted: its agent outlived its coordinator")
        assert "running (adopted)" in repo.waves("status")
        seen(repo, "go").touch()
        words, _ = process.communicate(timeout=60)
    assert process.returncode == 0, words
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "first\nsecond"
    assert [one["how"] for one in told(repo, "task_taken_up")] == ["resumed", "adopted"]


def test_an_agent_that_finished_while_nobody_ran_is_taken_at_its_result(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    run = f"{wait_for(go)}; echo t1 > t1.txt"
    check = repo.folder.parent / "check"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run, extra=f"verify: {wait_for(check)}"))})
    with start(repo) as process:
        process.kill()
    go.touch()
    assert eventually(lambda: not processes_of(repo))
    with Coordinator(repo) as process:
        read_until(process, "t1: taken over: its agent ended while no coordinator ran")
        assert "running (agent finished)" in repo.waves("status")
        assert "taken-up\tt1\tfinished\n" in repo.waves("status", "--porcelain")
        check.touch()
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None
        process.stdout.read()
    assert merged(repo) == ["t1"]
    assert "taken up  taken over: its agent ended" in repo.waves("show", "t1")


def test_agents_that_a_person_ended_go_on_with_the_next_run(repo: RepoBuilder) -> None:
    run = f"{SESSION}echo first > t1.txt; touch ../../at-work; sleep 60"
    repo.commit({".waves/plan.yaml": agent(run, RESUME)})
    with start(repo) as process:
        assert eventually(seen(repo, "at-work").exists)
        repo.waves("stop", "--now")
        assert process.wait(timeout=60) == 130
        assert process.stdout is not None
        process.stdout.read()
    assert "pending (to resume)" in repo.waves("status")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "first\nsecond"
    assert [one["attempt"] for one in told(repo, "task_leased")] == [1]
    assert repo.git("for-each-ref", "refs/waves/archive/") == ""


def test_what_was_to_go_on_and_lost_its_worktree_starts_over(repo: RepoBuilder) -> None:
    run = f'{SESSION}test "$WAVES_ATTEMPT" = 1 || exec sh -c "echo again > t1.txt"; touch ../../at-work; sleep 60'
    repo.commit({".waves/plan.yaml": agent(run, RESUME)})
    with start(repo) as process:
        assert eventually(seen(repo, "at-work").exists)
        repo.waves("stop", "--now")
        process.communicate(timeout=60)
    repo.git("worktree", "remove", "--force", "--force", str(seen(repo, "p/t1.1")))
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "again"
    assert [one["attempt"] for one in told(repo, "task_leased")] == [1, 2]


@pytest.mark.parametrize(
    ("run", "resume", "reason"),
    [
        (SESSION, "", "its agent has no 'resume'"),
        ("", RESUME, "its session is not known"),
        ('echo \'{"session": "-x; rm -r ."}\' >> "$WAVES_USAGE_FILE"; ', RESUME, "its session is not known"),
    ],
)
def test_an_attempt_that_cannot_go_on_is_parked_with_the_reason(
    repo: RepoBuilder, run: str, resume: str, reason: str
) -> None:
    text = agent(f"{run}echo first > t1.txt; kill -9 $PPID; sleep 60", resume)
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    words = "the agent's supervisor died and left unfinished work; it cannot go on by itself"
    assert f"t1 parked at agent: {words}: {reason}" in done.stdout
    assert (seen(repo, "p/t1.1") / "t1.txt").read_text() == "first\n"


def test_an_agent_that_kills_its_supervisor_again_and_again_is_not_resumed_for_ever(
    repo: RepoBuilder,
) -> None:
    kill = "echo x >> t1.txt; kill -9 $PPID; sleep 60"
    repo.commit({".waves/plan.yaml": agent(SESSION + kill, kill)})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "it cannot go on by itself: it was lost 3 times" in done.stdout
    assert [one["attempt"] for one in told(repo, "task_leased")] == [1]
    assert len(told(repo, "task_taken_up")) == 2


def test_losses_are_counted_over_coordinators(repo: RepoBuilder) -> None:
    run = f"{SESSION}echo first > t1.txt; touch ../../at-work; sleep 60"
    resume = "echo again >> t1.txt; touch ../../at-work; sleep 60"
    repo.commit({".waves/plan.yaml": agent(run, resume)})
    for turn in ("", ".1", ".2"):
        with Coordinator(repo) as process:
            assert eventually(seen(repo, "at-work").exists)
            supervisor = supervisor_of(repo, f"t1.1.agent{turn}")
            process.kill()
            os.kill(supervisor, signal.SIGKILL)
        seen(repo, "at-work").unlink()
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "it cannot go on by itself: it was lost 3 times" in done.stdout
    assert (seen(repo, "p/t1.1") / "t1.txt").read_text() == "first\nagain\nagain\n"


def test_what_a_resumed_agent_used_is_counted_on(repo: RepoBuilder) -> None:
    """The session's cost goes on counting; a limit that both turns reach together ends the second."""

    def result(cost: float, tokens: int) -> str:
        usage = {"input_tokens": tokens, "output_tokens": 0}
        line = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s-1"}
        return f"echo '{json.dumps({**line, 'total_cost_usd': cost, 'usage': usage})}'; "

    run = f"{SESSION}{result(0.5, 600)}echo first > t1.txt; kill -9 $PPID; sleep 60"
    text = agent(run, f"{SESSION}{result(0.75, 600)}sleep 60")
    text = text.replace("    prompt:", "    budget: {tokens: 1k, cost: 1}\n    prompt:")
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "over its limit: 1200 tokens used, and the limit is 1000 tokens" in done.stdout
    assert "used: 1.2k tokens, $0.75" in done.stdout
