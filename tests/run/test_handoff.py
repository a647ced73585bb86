"""Files that tasks hand on: at the same path in the worktrees of those who need them, in no commit, gone nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run.test_resources import named, wait_for
from tests.support.plans import plan, task
from tests.support.processes import Coordinator
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"


def merged(repo: RepoBuilder) -> list[str]:
    """Every file of the integrated tree."""
    return repo.git("ls-tree", "-r", "--name-only", INTEGRATION).splitlines()


def archives(repo: RepoBuilder) -> str:
    """What was saved before a removal."""
    return repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive")


MAKES = "mkdir -p notes && echo 'what a found' > notes/a.md && chmod +x notes/a.md && echo a > a.txt"
READS = "test -x notes/a.md && cat notes/a.md > b.txt"


def test_a_file_reaches_its_dependent_and_is_merged_nowhere(repo: RepoBuilder) -> None:
    third = "test ! -e notes && echo c > c.txt"
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=MAKES, extra="handoff: [notes/a.md]"),
                task("b", needs=["a"], run=f"{READS}; echo worse > notes/a.md; git add -A; git commit -qm b"),
                task("c", needs=["b"], run=third),
            )
        }
    )
    shown = repo.waves("run")
    assert "is read and not acted on" not in shown
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "what a found"
    assert merged(repo) == [".waves/plan.yaml", "a.txt", "b.txt", "c.txt"]
    prompts = next((repo.folder / ".git/waves/runs").iterdir()) / "prompts"
    assert (
        "Hand these files on to the tasks after yours: leave them here when you end, uncommitted:\n\n- `notes/a.md`\n"
        in (prompts / "a.1.md").read_text()
    )
    assert "ignores them:\n\n- `notes/a.md` (from task a)\n" in (prompts / "b.1.md").read_text()
    assert "notes/a.md" not in (prompts / "c.1.md").read_text()
    assert "/a/" not in archives(repo), "what is handed on is kept anyway"
    left = archives(repo).split()
    assert [name.rpartition("/r")[2].split("/")[-2:] for name in left] == [["b", "1"]], (
        "what b made of it is not"
    )
    assert repo.git("show", f"{left[0]}:notes/a.md") == "worse"
    assert not (repo.folder.parent / "repo.waves").exists()


def test_a_task_that_breaks_its_promise_fails(repo: RepoBuilder) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task(
                    "a",
                    run="mkdir -p notes; ln -s /etc/passwd notes/a.md; echo a > a.txt",
                    extra="handoff: [notes/a.md]",
                ),
                task("b", run="echo b > b.txt", extra="handoff: [notes/b.md]"),
                task("c", needs=["a", "b"]),
                head="on_failure: fail-dependents\n",
            )
        }
    )
    repo.waves("run", exit=1)
    failed = {event["task"]: event for event in named(repo, "task_failed")}
    assert failed["a"]["reason"] == "it was to hand on 'notes/a.md', which is a symbolic link"
    assert failed["b"]["reason"] == "it was to hand on 'notes/b.md', which is not there"
    assert {event["rung"] for event in failed.values()} == {"handoff"}
    assert failed["b"]["hint"] == "git waves log b"


def test_a_task_that_commits_what_it_hands_on_is_told(repo: RepoBuilder) -> None:
    commits = f"{MAKES}; git add -f -A; git commit -qm a"
    plumbing = (
        "tree=$(git write-tree); commit=$(git commit-tree $tree -p HEAD -m a); "
        "git -c core.hooksPath=/dev/null update-ref HEAD $commit"
    )
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=f"({commits}) 2> said.log || ({plumbing})", extra="handoff: [notes/a.md]"),
                task("b", needs=["a"]),
            ),
            ".gitignore": "*.log\n",
        }
    )
    repo.waves("run", exit=1)
    (failed,) = named(repo, "task_failed")
    assert failed["reason"] == "it committed what is handed on and never merged"
    assert failed["paths"] == ["notes/a.md"]
    said = (repo.folder.parent / "repo.waves/p/a.1/said.log").read_text()
    assert "hint: files that are handed on stay uncommitted: 'notes/a.md'" in said


@pytest.mark.long
def test_an_ignored_file_a_hostile_name_and_bytes_of_all_kinds_arrive_as_they_are(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    name = "out dir/[id] 'é {x} .bin"
    content = bytes(range(256)) * 40 + b"\r\n"
    (tmp_path / "content").write_bytes(content)
    shell = "'" + name.replace("'", "'\\''") + "'"
    a = f"mkdir -p 'out dir' && cp '{tmp_path}/content' {shell} && echo a > a.txt && git status --porcelain > '{tmp_path}/seen'"
    b = f"cmp {shell} '{tmp_path}/content' && git status --porcelain >> '{tmp_path}/seen' && git add -A && echo b > b.txt"
    text = plan(
        task("a", run=a, extra=f"handoff: [{json.dumps(name)}, build/report.txt]"),
        task("b", needs=["a"], run=f"{b}; cat build/report.txt > b.txt"),
    ).replace("echo a > a.txt", "mkdir build; echo report > build/report.txt; echo a > a.txt")
    repo.commit(
        {
            ".waves/plan.yaml": text,
            ".gitignore": "build/\n",
            ".gitattributes": "* text=auto eol=crlf\n*.bin filter=broken\n",
        }
    )
    repo.git("config", "filter.broken.clean", "false")
    repo.waves("run")
    assert (tmp_path / "seen").read_text() == "?? a.txt\n"
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "report"
    assert sorted(merged(repo)) == [".gitattributes", ".gitignore", ".waves/plan.yaml", "a.txt", "b.txt"]


@pytest.mark.long
def test_what_a_user_ignores_everywhere_stays_ignored_in_such_a_worktree(repo: RepoBuilder) -> None:
    ignore = Path(repo.environment["XDG_CONFIG_HOME"]) / "git/ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text(".idea/")
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task(
                    "a",
                    run=f"mkdir .idea; touch .idea/x; {MAKES}; git add -A; git commit -qm a",
                    extra="handoff: [notes/a.md]",
                ),
                task("b", needs=["a"]),
            )
        }
    )
    repo.waves("run")
    assert merged(repo) == [".waves/plan.yaml", "a.txt", "b.txt"]


@pytest.mark.long
def test_the_newest_of_a_chain_is_given_and_only_direct_needs_hand_on(repo: RepoBuilder) -> None:
    adds = "cat log.txt 2> /dev/null > {0}.txt; echo {0} >> log.txt; echo done >> {0}.txt"
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=adds.format("a"), extra="handoff: [log.txt]"),
                task("b", needs=["a"], run=adds.format("b"), extra="handoff: [log.txt]"),
                task("c", needs=["a", "b"], run=adds.format("c")),
                task("d", needs=["c"], run="test ! -e log.txt; echo d > d.txt"),
            )
        }
    )
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:c.txt") == "a\nb\ndone"


@pytest.mark.long
def test_it_survives_a_crash_a_retry_and_the_removal_of_its_worktree(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    reads = f"touch '{tmp_path}/at-work'; test -e '{tmp_path}/go' || exit 3; {READS}"
    waits = f"while ! test -e '{tmp_path}/go'; do sleep 0.02; done; {reads}"
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=MAKES, extra="handoff: [notes/a.md]"),
                task("b", needs=["a"], run=reads),
                task("c", needs=["a"], run=f"touch '{tmp_path}/c-works'; {waits.replace('b.txt', 'c.txt')}"),
                head="scheduler: ready-set\n",
            )
        }
    )
    with Coordinator(repo) as first:
        wait_for(tmp_path / "c-works")
        first.kill()
        first.communicate()
    repo.git("gc", "--quiet", "--prune=now")
    (tmp_path / "go").touch()
    repo.run_waves("run")
    if any(event["task"] == "b" for event in named(repo, "task_failed")):
        repo.waves("retry", "b")
        repo.waves("run")
    assert not (repo.folder.parent / "repo.waves").exists()
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "what a found"
    assert repo.git("show", f"{INTEGRATION}:c.txt") == "what a found"


@pytest.mark.long
def test_a_plan_that_grew_is_given_what_an_earlier_run_handed_on(repo: RepoBuilder) -> None:
    maker = task("a", run=MAKES, extra="handoff: [notes/a.md]")
    nobody = task("z", needs=["a"])
    repo.commit({".waves/plan.yaml": plan(maker, nobody)})
    repo.waves("run")
    repo.git("merge", "-q", "waves/p/integration")
    repo.commit({".waves/plan.yaml": plan(maker, nobody, task("b", needs=["a"], run=READS))})
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "what a found"
    for name in repo.git("for-each-ref", "--format=%(refname)", "refs/waves/p").splitlines():
        if "/handoff/" in name:
            repo.git("update-ref", "-d", name)
    repo.git("merge", "-q", "waves/p/integration")
    last = task("l", needs=["a"], run="test ! -e notes; echo l > l.txt")
    repo.commit({".waves/plan.yaml": plan(maker, nobody, task("b", needs=["a"], run=READS), last)})
    words = "task 'l' starts without 'notes/a.md': task 'a' was done before this run, and nothing that it handed on is left"
    assert f"warning: {words}" in repo.waves("run")
    newest = max((repo.folder / ".git/waves/runs").iterdir())
    assert (
        "nobody has them any more:\n\n- `notes/a.md` (from task a)\n"
        in (newest / "prompts/l.1.md").read_text()
    )


@pytest.mark.long
def test_a_base_that_got_such_a_file_parks_the_dependent_and_overwrites_nothing(repo: RepoBuilder) -> None:
    """By a person's hand, while the run rests; a plan that does this itself is refused."""
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=MAKES, extra="handoff: [notes/a.md]"),
                task("b", needs=["a"], run=READS),
            )
        }
    )
    repo.waves("run", "--until-group", "1")
    repo.git("worktree", "add", "-q", "--detach", "../by-hand", INTEGRATION)
    by_hand = repo.folder.parent / "by-hand"
    (by_hand / "notes").mkdir()
    (by_hand / "notes/a.md").write_text("a person's\n")
    repo.git("add", "-A", cwd=by_hand)
    repo.git("commit", "-qm", "by hand", cwd=by_hand)
    repo.git("update-ref", INTEGRATION, repo.git("rev-parse", "HEAD", cwd=by_hand))
    repo.waves("run", "--accept", exit=3)
    (parked,) = named(repo, "task_parked")
    assert parked["reason"] == "'notes/a.md' is handed on by task 'a', and its base has a file there already"
    assert (repo.folder.parent / "repo.waves/p/b.1/notes/a.md").read_text() == "a person's\n"


def test_a_folder_of_links_leads_nowhere(repo: RepoBuilder, tmp_path: Path) -> None:
    """The base has a link where the file needs a folder, and it leads out of the worktree."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("a secret\n")
    repo.commit({".waves/plan.yaml": plan(task("x")), "README": "x\n"})
    (repo.folder / "notes").symlink_to(outside)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "link")
    text = plan(task("a", run="echo a > a.txt", extra="handoff: [notes/a.md]"), task("b", needs=["a"]))
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("plan")
    assert done.returncode == 1
    assert "W716" in done.stdout and "'notes' stands in its way in 'main'" in done.stdout
