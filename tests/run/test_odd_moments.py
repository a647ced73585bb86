"""Whole runs at moments nobody plans for: signals, stray locks, hands of the user, clocks that jump."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged, read_until, start
from tests.support.digest import digest_of_users_things
from tests.support.jobs import eventually
from tests.support.plans import phase3, plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long  # whole runs, a few seconds each


def test_ctrl_c_at_a_terminal_does_not_hit_git_at_work(repo: RepoBuilder) -> None:
    mark, go = repo.folder.parent / "at-work", repo.folder.parent / "go"
    repo.git("config", "filter.slow.clean", f"touch {mark}; {wait_for(go)}; cat")
    repo.commit({".waves/plan.yaml": plan(task("t1")), ".gitattributes": "t1.txt filter=slow\n"})
    with Coordinator(repo) as process:
        assert eventually(mark.exists)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to everything in the foreground
        read_until(process, "stopping")
        go.touch()
        process.communicate()
    assert process.returncode == 130
    assert [event["event"] for event in events(repo)][-2:] == ["task_passed", "run_stopped"]
    repo.waves("run")
    assert merged(repo) == ["t1"]


def test_a_branch_name_that_is_no_utf8_is_a_base_like_any_other(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.git("checkout", "-q", "-b", "caf\udce9")
    repo.waves("run")
    assert merged(repo) == ["t1"]
    assert "caf\\xe9" in repo.waves("status")


def test_a_split_index_of_the_user_is_none_of_our_business(repo: RepoBuilder) -> None:
    repo.git("config", "core.splitIndex", "true")
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    assert merged(repo) == ["t1"]


def kill_while_its_agent_works(repo: RepoBuilder) -> None:
    """Start a run and kill its coordinator, and nothing else, as soon as the agent runs."""
    with start(repo) as process:
        assert eventually(lambda: any((repo.folder / ".git/waves/runs").glob("*/jobs/*.agent/start.json")))
        process.kill()


def test_a_task_called_like_a_gate_is_adopted_like_any_other(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    run = f"echo precious > gate.x.txt; {wait_for(go)}"
    repo.commit({".waves/plan.yaml": plan(task("gate.x", run=run), head="gates: {door: test -e gate.x.txt}")})
    kill_while_its_agent_works(repo)
    go.touch()
    repo.waves("run")
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1]
    assert merged(repo) == ["gate.x"]


def test_a_branch_the_user_took_over_is_not_touched_by_a_new_run(repo: RepoBuilder) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("t1", run="echo half > t1.txt; git add .; git commit -qm half; exit 1")
            )
        }
    )
    assert repo.run_waves("run").returncode == 1
    repo.git("branch", "-m", "waves/p/t1/1", "rescue")
    rescue = repo.git("rev-parse", "rescue")
    folder = repo.folder.parent / "repo.waves/p/t1.1"
    (folder / "t1.txt").write_text("the user's edit\n")
    assert repo.run_waves("run", "--new").returncode == 1
    assert repo.git("rev-parse", "rescue") == rescue
    assert (folder / "t1.txt").read_text() == "the user's edit\n"
    assert "t1.2" in [
        Path(event["worktree"]).name for event in events(repo) if event["event"] == "task_leased"
    ]


def test_what_a_failed_agent_committed_on_a_detached_head_survives_the_retry(repo: RepoBuilder) -> None:
    script = (
        'test "$WAVES_ATTEMPT" = 1 || { echo t1 > t1.txt; exit 0; }\n'
        "git checkout -q --detach; echo precious > t1.txt; git add t1.txt; git commit -qm precious\n"
        'git rev-parse HEAD > "../../commit"; git rm -q t1.txt; git commit -qm gone; exit 1'
    )
    repo.commit({".waves/plan.yaml": plan(task("t1", run=script))})
    assert repo.run_waves("run").returncode == 1
    repo.waves("retry", "t1")
    repo.waves("run")
    commit = (repo.folder.parent / "repo.waves/commit").read_text().strip()
    assert repo.git("for-each-ref", "--contains", commit, "--format=%(refname)").endswith("/t1/1")


def test_a_stop_that_nobody_lived_to_see_does_not_stop_the_next_run(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"{wait_for(go)}; echo t1 > t1.txt"))})
    with start(repo) as process:
        process.send_signal(signal.SIGSTOP)
        repo.waves("stop")
        process.kill()
    go.touch()
    repo.waves("run")
    assert merged(repo) == ["t1"]


def test_skipping_a_task_at_work_is_refused_and_not_forgotten(repo: RepoBuilder) -> None:
    run = "while ! test -e ../../go; do sleep 0.05; done; echo t1 > t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    with start(repo) as process:
        done = repo.run_waves("skip", "t1", "--reason", "too slow")
        (repo.folder.parent / "repo.waves/go").touch()
        assert process.stdout is not None
        process.stdout.read()
    assert done.returncode == 2
    assert "is running; a task at work cannot be skipped" in done.stderr


def test_a_red_gate_of_a_ready_set_lets_who_is_under_way_finish(repo: RepoBuilder) -> None:
    asked = repo.folder.parent / "asked"
    text = plan(
        task("a"),
        task("b", run=f"{wait_for(asked)}; sleep 0.5; echo b > b.txt"),  # a gate is soon over when it is red
        head=f"scheduler: ready-set\ngates:\n  door: touch {asked}; test -e nowhere\n",
    )
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run").returncode == 3
    assert [event["task"] for event in events(repo) if event["event"] == "task_passed"] == ["a", "b"]
    assert [event["event"] for event in events(repo)][-1] == "run_halted"


def test_a_coordinator_that_breaks_leaves_at_once_and_its_agents_are_adopted(repo: RepoBuilder) -> None:
    broken = repo.folder.parent / "bin" / "git"
    broken.parent.mkdir()
    broken.write_text('#!/bin/sh\ncase " $* " in *" merge-tree "*) exit 99 ;; esac\nexec "$GIT" "$@"\n')
    broken.chmod(0o755)
    path = os.environ["PATH"]
    go = repo.folder.parent / "go"
    text = plan(task("a"), task("b", run=f"{wait_for(go)}; echo b > b.txt"), head="scheduler: ready-set")
    repo.commit({".waves/plan.yaml": text})
    real = shutil.which("git")
    assert real is not None
    done = repo.run_waves("run", environment={"PATH": f"{broken.parent}:{path}", "GIT": real})
    assert done.returncode == 4
    assert "git merge-tree failed (99)" in done.stderr
    assert processes_of(repo), "it did not wait for the sibling's agent"
    go.touch()
    repo.waves("run")
    assert merged(repo) == ["a", "b"]
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1, 1]


def test_a_passed_tip_survives_its_branch_and_a_collection(repo: RepoBuilder) -> None:
    """The user (here: a sibling) deletes the branch and collects garbage while the round is not over."""
    drop = (
        'while test -z "$(git for-each-ref "refs/waves/p/*/passed/**")"; do sleep 0.05; done\n'
        'g="git --git-dir=$(git rev-parse --git-common-dir)"; $g update-ref -d refs/heads/waves/p/t1/1\n'
        "$g reflog expire --expire=now --all; $g gc -q --prune=now; echo t2 > t2.txt"
    )
    commit = "echo t1 > t1.txt; git add t1.txt; git commit -qm work"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=commit), task("t2", run=drop))})
    repo.waves("run")
    assert merged(repo) == ["t1", "t2"]
    assert repo.git("for-each-ref", "refs/waves/p/*/passed/**") == ""


@pytest.mark.parametrize("name", ["canary", "worktrees", "reviews", "runs", "waves", "cache"])
def test_a_plan_may_be_called_like_something_of_ours(repo: RepoBuilder, name: str) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1")).replace("name: p", f"name: {name}")})
    repo.waves("run")
    assert repo.git("show", f"waves/{name}/integration:t1.txt") == "t1"


def test_a_locale_that_is_not_utf8_changes_nothing_about_paths(repo: RepoBuilder) -> None:
    text = plan(task("t1", run="echo x > ü.txt", files="{create: [ü.txt]}"))
    repo.commit({".waves/plan.yaml": text})
    repo.waves("run", environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert (
        repo.git("-c", "core.quotePath=false", "ls-tree", "--name-only", INTEGRATION).split()[-1] == "ü.txt"
    )


def test_a_run_begins_at_the_head_of_the_worktree_it_is_typed_in(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    other = repo.folder.parent / "other"
    repo.git("worktree", "add", "-q", "-b", "feature", str(other))
    (other / "feature.txt").write_text("here\n")
    repo.git("add", ".", cwd=other)
    repo.git("commit", "-qm", "feature", cwd=other)
    assert "from 'feature'" in repo.waves("run", cwd=other)
    assert repo.git("show", f"{INTEGRATION}:feature.txt") == "here"


def test_a_run_after_the_clock_was_put_back_is_still_the_newest(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    runs = repo.folder / ".git/waves/runs"
    (first,) = runs.iterdir()
    log = (first / "events.jsonl").read_text().replace(first.name, "20991231-235959-ffff")
    (first / "events.jsonl").write_text(log)
    first.rename(runs / "20991231-235959-ffff")
    repo.waves("run", "--new")
    assert sorted(path.name for path in runs.iterdir())[-1].startswith("21000101-000000-")
    repo.waves("run", "--new")
    assert sorted(path.name for path in runs.iterdir())[-1].startswith("21000101-000001-")


@pytest.mark.parametrize("line", [0, 3])
def test_a_damaged_log_is_in_nobodys_way_when_starting_over(repo: RepoBuilder, line: int) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    (log,) = (repo.folder / ".git/waves/runs").glob("*/events.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    lines[line] = b'garbage "task_leased"\n'
    log.write_bytes(b"".join(lines))
    assert repo.run_waves("run").returncode in (0, 4)
    repo.waves("run", "--new")
    assert merged(repo) == ["t1"]


def test_starting_over_ends_what_still_runs_and_its_worktrees_can_be_cleaned(repo: RepoBuilder) -> None:
    run = 'echo half > t1.txt; test "$WAVES_ATTEMPT" = 2 || sleep 600; echo t1 > t1.txt'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    kill_while_its_agent_works(repo)
    half = repo.folder.parent / "repo.waves/p/t1.1/t1.txt"
    assert eventually(lambda: half.exists() and half.read_text())
    assert "note: ended what still ran of run" in repo.waves("run", "--new")
    assert processes_of(repo) == []
    assert "attempt 1 of task 't1' is of an earlier time and not merged" in repo.waves("clean")
    repo.waves("clean", "--archive")
    assert not (repo.folder.parent / "repo.waves/p").exists()
    (archive,) = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/").split()
    assert repo.git("show", f"{archive}:t1.txt") == "half"


def test_a_manifest_and_a_plan_that_an_agent_changed_are_put_back_and_told(repo: RepoBuilder) -> None:
    grab = (
        'w=$(echo "$(git rev-parse --git-common-dir)"/waves/runs/*)\n'
        "sed -i 's/t1.txt/foreign.txt/g' $w/manifest.json $w/plan; touch ../../changed\n"
        "while ! test -e ../../go; do sleep 0.05; done; echo evil > foreign.txt"
    )
    repo.commit({".waves/plan.yaml": plan(task("t1", run=grab)), "foreign.txt": "1\n"})
    folder = repo.folder.parent / "repo.waves"
    with start(repo) as process:
        assert eventually((folder / "changed").exists)
        process.kill()
    (folder / "go").touch()
    done = repo.run_waves("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "it left changes to paths it does not own" in done.stdout
    assert done.stdout.count("was changed by somebody since the run began, and was put back") == 2
    assert repo.git("show", f"{INTEGRATION}:foreign.txt") == "1"


def test_an_integration_ref_that_was_deleted_is_told_and_restored_on_request(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="exit 1"))})
    assert repo.run_waves("run").returncode == 1
    repo.git("update-ref", "-d", INTEGRATION)
    repo.waves("skip", "t2", "--reason", "x")
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert "it is gone" in done.stdout + done.stderr
    repo.waves("run", "--restore")
    assert merged(repo) == ["t1"]


def test_a_lock_file_that_somebody_deleted_lets_no_second_coordinator_in(repo: RepoBuilder) -> None:
    run = "while ! test -e ../../go; do sleep 0.05; done; echo t1 > t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    with start(repo) as process:
        (repo.folder / ".git/waves/p.lock").unlink()
        second = repo.run_waves("run")
        (repo.folder.parent / "repo.waves/go").touch()
        process.communicate()
    assert process.returncode == 0
    assert second.returncode == 4
    assert "is being written by somebody else" in second.stderr
    assert merged(repo) == ["t1"]


def test_two_plans_run_at_once_in_one_repository(repo: RepoBuilder) -> None:
    other = phase3().replace("name: p", "name: q").replace(".txt", ".q")
    repo.commit({"p.yaml": phase3(), "q.yaml": other})
    before = digest_of_users_things(repo)
    with Coordinator(repo, "p.yaml") as one, Coordinator(repo, "q.yaml") as two:
        words = [process.communicate()[0] for process in (one, two)]
    assert [one.returncode, two.returncode] == [0, 0], words
    assert digest_of_users_things(repo) == before
    for name, suffix in (("p", "txt"), ("q", "q")):
        files = repo.git("ls-tree", "--name-only", f"refs/waves/integration/{name}").split()
        assert [file for file in files if file.startswith("t")] == [f"t{n}.{suffix}" for n in range(1, 8)]


def test_stopping_now_while_a_worktree_is_being_filled_ends_the_agent_that_follows(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    repo.git("config", "filter.slow.smudge", f"{wait_for(go)}; cat")
    files = {".gitattributes": "x.txt filter=slow\n", "x.txt": "x\n"}
    repo.commit({".waves/plan.yaml": plan(task("t1", run="sleep 600")), **files})
    with Coordinator(repo) as process:
        assert eventually((repo.folder.parent / "repo.waves/p/t1.1/.git").exists)
        process.send_signal(signal.SIGINT)
        read_until(process, "waiting for what is in flight")
        process.send_signal(signal.SIGINT)
        read_until(process, "ending the agents")
        go.touch()
        process.communicate()
    assert process.returncode == 130
    assert [event["event"] for event in events(repo)][-2:] == ["task_interrupted", "run_stopped"]
    assert processes_of(repo) == []


def test_a_worktree_on_a_disk_that_is_not_there_is_parked_and_git_keeps_knowing_it(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run="echo t1 > t1.txt; sleep 1; echo half >> t1.txt"))})
    kill_while_its_agent_works(repo)
    folder, away = repo.folder.parent / "repo.waves", repo.folder.parent / "away"
    assert eventually(lambda: not processes_of(repo))
    folder.rename(away)
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert "is gone: deleted, moved, or on a disk that is not there" in done.stdout
    away.rename(folder)
    assert repo.git("status", "--porcelain", cwd=folder / "p/t1.1") == "?? t1.txt"


def test_the_next_run_cuts_a_torn_last_line_off_and_goes_on(repo: RepoBuilder) -> None:
    run = 'test "$WAVES_ATTEMPT" = 2 && echo t1 > t1.txt'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    assert repo.run_waves("run").returncode == 1
    repo.waves("retry", "t1")
    before = events(repo)
    (log,) = (repo.folder / ".git/waves/runs").glob("*/events.jsonl")
    with log.open("ab") as torn:
        torn.write(b'{"n":%d,"at":"2026-11-30T09:' % (len(before) + 1))
    repo.waves("run")
    assert merged(repo) == ["t1"]
    after = events(repo)
    assert after[: len(before)] == before, "nothing that was whole is gone"
    assert [event["n"] for event in after] == list(range(1, len(after) + 1))


def test_lines_that_somebody_else_writes_into_the_log_are_cut_off_and_end_the_run(repo: RepoBuilder) -> None:
    forge = (
        'l=$(echo "$(git rev-parse --git-common-dir)"/waves/runs/*/events.jsonl); n=$(($(wc -l < $l) + 1))\n'
        'echo "{\\"n\\":$n,\\"at\\":\\"2026-01-01T00:00:00.000Z\\",\\"event\\":\\"task_retried\\",'
        '\\"task\\":\\"t1\\",\\"grant\\":[\\"x\\"]}" >> $l; echo t1 > t1.txt'
    )
    repo.commit({".waves/plan.yaml": plan(task("t1", run=forge))})
    done = repo.run_waves("run")
    assert done.returncode == 4
    assert "somebody else wrote to the event log" in done.stderr
    assert "task_retried" not in [event["event"] for event in events(repo)]
    repo.waves("run")
    assert merged(repo) == ["t1"]


def test_what_git_was_told_on_our_command_line_does_not_switch_hooks_off(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    told = {
        "GIT_CONFIG_PARAMETERS": "'core.hooksPath'='/nowhere'"
    }  # git -c core.hooksPath=/nowhere waves run
    done = repo.run_waves("run", environment=told)
    assert done.returncode == 0, done.stdout + done.stderr


def test_worktrees_behind_a_symbolic_link_are_found_again_and_given_back(repo: RepoBuilder) -> None:
    real, link = repo.folder.parent / "real", repo.folder.parent / "link"
    (real / "kept").mkdir(parents=True)
    link.symlink_to(real)
    repo.git("config", "waves.worktreeDir", str(link))
    run = 'echo "$WAVES_ATTEMPT" > t1.txt; test "$WAVES_ATTEMPT" = 2'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    assert repo.run_waves("run").returncode == 1
    repo.waves("retry", "t1")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "2"
    assert [path.name for path in real.iterdir()] == ["kept"]
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_a_task_that_passed_can_still_be_left_out(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", run="exit 1"))})
    assert repo.run_waves("run").returncode == 1
    repo.waves("skip", "t1", "--reason", "on second thought")
    repo.waves("skip", "t2", "--reason", "that too")
    repo.waves("run")
    assert merged(repo) == []


def test_a_publish_that_git_refuses_ends_the_run_in_words_and_the_next_one_publishes(
    repo: RepoBuilder,
) -> None:
    lock = repo.folder / ".git/refs/waves/integration/p.lock"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"echo t1 > t1.txt; : > {lock}"))})
    done = repo.run_waves("run")
    assert done.returncode == 4
    assert f"'refs/waves/integration/p' is locked by '{lock}'" in done.stderr
    lock.unlink()
    repo.waves("run")
    assert merged(repo) == ["t1"]


def test_what_was_moved_by_somebody_is_kept_when_it_is_put_back(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="exit 1"))})
    assert repo.run_waves("run").returncode == 1
    theirs = repo.git("commit-tree", "HEAD^{tree}", "-m", "somebody's only copy")
    repo.git("update-ref", INTEGRATION, theirs)
    repo.waves("skip", "t2", "--reason", "x")
    repo.waves("run", "--restore")
    assert repo.git("for-each-ref", "--contains", theirs, "--format=%(refname)").endswith(
        "/moved-integration"
    )


def test_accepting_what_lacks_a_tasks_work_is_told(repo: RepoBuilder) -> None:
    base = repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="exit 1"))})
    assert repo.run_waves("run").returncode == 1
    repo.git("update-ref", INTEGRATION, base)
    repo.waves("skip", "t2", "--reason", "x")
    assert "what was accepted lacks the work of 't1'" in repo.waves("run", "--accept")


def test_a_set_up_at_work_is_waited_for_and_not_begun_again(repo: RepoBuilder) -> None:
    head = "setup: ['echo set up > ready.txt; while ! test -e ../../go; do sleep 0.05; done; echo x >> ../../runs']"
    text = plan(task("t1", run="cat ready.txt > t1.txt"), head=head)
    repo.commit({".waves/plan.yaml": text, ".gitignore": "ready.txt\n"})
    folder = repo.folder.parent / "repo.waves"
    ready = folder / "p/t1.1/ready.txt"
    with Coordinator(repo) as process:
        assert eventually(lambda: ready.exists() and "set up" in ready.read_text())
        process.kill()
    with Coordinator(repo) as process:
        read_until(process, "going on with run")
        (folder / "go").touch()
        words, _ = process.communicate()
        assert process.returncode == 0, words
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "set up"
    assert (folder / "runs").read_text() == "x\n"


def test_hooks_are_not_taken_away_under_a_run(repo: RepoBuilder) -> None:
    """Between two groups no worktree is leased, so the run itself must count."""
    hold = f"while ! test -e {repo.folder.parent}/go; do sleep 0.05; done; test -e t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=f"gates:\n  door: {hold}\n")})
    with Coordinator(repo) as process:
        assert eventually(lambda: any((repo.folder / ".git/waves/runs").glob("*/jobs/gate*")))
        done = repo.run_waves("hooks", "uninstall")
        (repo.folder.parent / "go").touch()
        words, _ = process.communicate()
        assert process.returncode == 0, words
    assert done.returncode == 4
    assert "plan 'p' is being run and needs the hooks" in done.stderr
    repo.waves("hooks", "uninstall")


def test_a_gates_worktree_that_somebody_deleted_is_forgotten_by_git_too(repo: RepoBuilder) -> None:
    folder = repo.folder.parent / "repo.waves"
    gate = f"touch {folder}/looked; {wait_for(folder / 'go')}; test -e t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=f"gates:\n  door: {gate}\n")})
    with Coordinator(repo) as process:
        assert eventually((folder / "looked").exists)
        process.kill()
    (place,) = folder.glob("p/gate.*")
    shutil.rmtree(place)
    (folder / "go").touch()
    repo.waves("run")
    assert merged(repo) == ["t1"]
    assert len(repo.git("worktree", "list").splitlines()) == 1
