"""The kernel's fence in whole runs: what a task tries and cannot do, what it does and still can, and what it may not lack."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from git_waves import fencing
from git_waves.adapters import fence, sandbox
from git_waves.core.model import Sandbox
from git_waves.errors import SurroundingsError
from tests.run.test_whole_runs import INTEGRATION, events, merged, start
from tests.support.digest import digest_of_users_things
from tests.support.jobs import AGENTS
from tests.support.plans import plan, task, wait_for
from tests.support.repo import RepoBuilder


def _or_skip(kind: str, *marks: pytest.MarkDecorator) -> object:
    """A fence that tests can use here; said in words where they cannot."""
    fact = sandbox.fact_of(Sandbox(kind))
    why = f"no {kind} here, its tests are left out: {fact.reason}"
    return pytest.param(kind, marks=[pytest.mark.skipif(not fact.is_available, reason=why), *marks])


BOTH = [_or_skip("landlock"), _or_skip("bwrap", pytest.mark.long)]
EITHER = next((kind for kind in ("landlock", "bwrap") if sandbox.fact_of(Sandbox(kind)).is_available), "")
needs_a_fence = pytest.mark.skipif(not EITHER, reason="neither Landlock nor bubblewrap here")


@pytest.mark.parametrize("kind", BOTH)
def test_nothing_that_a_fenced_task_tries_outside_of_its_worktree_works(repo: RepoBuilder, kind: str) -> None:
    place = repo.folder.parent
    other = place / "tmp-of-somebody"
    other.mkdir()
    sibling = place / "repo.waves/p/sib.1"
    told = "report.txt"
    escape = "\n".join(
        [
            wait_for(sibling / "started"),
            f"export ESCAPE_MAIN='{repo.folder}' ESCAPE_OTHER='{other}' ESCAPE_SIBLING='{sibling}'",
            f'export ESCAPE_RUN="${{WAVES_OWNED_FILE%/prompts/*}}" ESCAPE_KIND={kind} ESCAPE_PID={os.getpid()}',
            f"sh ./escaper.sh > {told}",
            f"git add {told} && git commit -q -m told && git log --oneline main > /dev/null",
        ]
    )
    waits = f"touch started; {wait_for(place / 'repo.waves/p/esc.1/over')}; rm started; echo s > sib.txt"
    repo.commit(
        {
            "base.txt": "base\n",
            "escaper.sh": (AGENTS / "escaper.sh").read_text(),  # behind bwrap there is another /tmp
            ".waves/plan.yaml": plan(
                task("esc", run=f"{escape}\ntouch over", files=f"[{told}, over]"),
                task("sib", run=waits),
                head=f"sandbox: {kind}",
            ),
        }
    )
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    report = repo.git("show", f"{INTEGRATION}:{told}").splitlines()
    assert [line for line in report if not line.startswith("refused ")] == []
    assert len(report) > 45
    assert merged(repo) == ["esc", "sib"] or merged(repo) == ["sib", "esc"]
    assert sorted(path.name for path in other.iterdir()) == []
    assert not (place / "evil").exists()
    repo.git("fsck", "--strict")
    assert {event["fence"] for event in events(repo) if event["event"] == "task_leased"} == {
        sandbox.fact_of(Sandbox(kind)).level
    }
    assert not (Path(repo.folder) / ".git/waves/runs" / events(repo)[0]["run"] / "private/esc.1").exists()


@pytest.mark.long
@pytest.mark.parametrize("kind", BOTH)
def test_work_goes_on_as_ever_behind_the_fence(repo: RepoBuilder, kind: str) -> None:
    """Commits, what is left uncommitted, amending, merging what was integrated, verify commands, gates, a temporary folder."""
    amends = "echo 1 > a.txt && git add . && git commit -q -m one && echo 2 > a.txt && git commit -q --amend -a -m two"
    merges = (
        "git merge -q --no-edit refs/waves/integration/p && test -f a.txt && git rev-parse -q HEAD && "
        'git diff --stat main && x=$(mktemp) && echo b > "$x" && mv "$x" b.txt'
    )
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=amends, files="[a.txt]", extra="verify: git log -1 --format=%s | grep -q two"),
                task("b", run=merges, needs=["a"], files="[b.txt]", extra="verify: git status --short"),
                head=f"sandbox: {kind}\nscheduler: sequential\nsetup: git status\ngates:\n  g: git rev-parse HEAD",
            )
        }
    )
    repo.waves("run")
    assert merged(repo) == ["a", "b"]
    assert repo.git("show", f"{INTEGRATION}:a.txt") == "2"
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "b"
    assert repo.git("branch", "--list", "waves/p/a/1") != ""
    assert not (repo.folder.parent / "repo.waves").exists()


@pytest.mark.long
@needs_a_fence
def test_set_up_checks_and_gates_are_behind_the_fence_too(repo: RepoBuilder) -> None:
    def tries(name: str) -> str:
        return f"echo x > '{repo.folder.parent / name}'; test -d . -a ! -e '{repo.folder.parent / name}'"

    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", extra=f"verify: {json.dumps(tries('by-verify'))}"),
                head=f"sandbox: {EITHER}\nsetup: {json.dumps(tries('by-setup'))}\n"
                f"gates:\n  g: {json.dumps(tries('by-gate'))}\nstages:\n  s: {json.dumps(tries('by-stage'))}",
            )
        }
    )
    repo.waves("run")
    assert merged(repo) == ["a"]
    assert list(repo.folder.parent.glob("by-*")) == []


@pytest.mark.long
@needs_a_fence
def test_a_fenced_task_may_write_what_the_plan_lists_and_ask_for_paths(repo: RepoBuilder) -> None:
    cache = repo.folder.parent / "home/.cache/tool"
    cache.mkdir(parents=True)
    asks = "git waves request b.txt --reason need; git waves owned | grep a.txt || exit 3; echo x > ~/.cache/tool/x"
    skips = """echo '{"kind": "skip", "task": "z"}' > """
    skips += '"$(git rev-parse --git-dir)/waves-inbox/1.json"'
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=f"{skips}; {asks}", files="[a.txt]"),
                task("z", needs=["a"]),
                head=f"sandbox: {{use: {EITHER}, writes: [~/.cache/tool]}}",
            )
        }
    )
    assert repo.run_waves("run").returncode == 3
    told = events(repo)
    assert [event["path"] for event in told if event["event"] == "request_made"] == ["b.txt"]
    assert [event for event in told if event["event"] == "task_skipped"] == []
    assert (cache / "x").exists()


@pytest.mark.long
@needs_a_fence
def test_what_a_fenced_attempt_left_anywhere_in_its_repository_is_archived(repo: RepoBuilder) -> None:
    """It goes around the hooks: another branch, a detached HEAD, and files that nobody committed."""
    strays = (
        "echo 1 > a.txt && git add . && git commit -q -m one\n"
        "other=$(git commit-tree -m other HEAD^{tree} -p HEAD)\n"
        "git -c core.hooksPath=/dev/null update-ref refs/heads/elsewhere $other\n"
        "echo 2 > a.txt; git -c core.hooksPath=/dev/null checkout -q --detach; git commit -q -a -m loose; echo 3 > a.txt"
    )
    repo.commit({".waves/plan.yaml": plan(task("a", run=strays), head=f"sandbox: {EITHER}")})
    assert repo.run_waves("run").returncode == 3
    assert "left its branch" in repo.waves("show", "a")
    repo.waves("clean", "--archive")
    names = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/").split()
    kept = repo.git("log", "--format=%s", *names).splitlines()
    assert {"one", "other", "loose"} <= set(kept)
    assert "3" in {repo.git("show", f"{name}:a.txt", exit=None) for name in names}
    assert not (repo.folder.parent / "repo.waves").exists()
    repo.git("fsck", "--strict")


@pytest.mark.long
@needs_a_fence
def test_a_killed_run_finds_what_was_committed_behind_the_fence(repo: RepoBuilder) -> None:

    go = repo.folder.parent / "go"
    run = f"echo 1 > a.txt; git add .; git commit -q -m behind; {wait_for(go)}"
    repo.commit({".waves/plan.yaml": plan(task("a", run=run, files="[a.txt]"), head=f"sandbox: {EITHER}")})
    with start(repo) as process:
        process.kill()
    go.touch()
    repo.waves("run")
    assert "behind" in repo.git("log", "--format=%s", INTEGRATION).splitlines()


@needs_a_fence
@pytest.mark.long
def test_what_a_person_does_in_an_attended_task_is_taken_over_too(repo: RepoBuilder) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                "  - id: a\n    files: [a.txt]\n    attended: true\n    verify: test -f a.txt\n",
                head=f"sandbox: {EITHER}",
            )
        }
    )
    assert repo.run_waves("run").returncode == 3
    folder = repo.folder.parent / "repo.waves/p/a.1"
    assert str(folder) in repo.waves("open", "a", "--print")
    (folder / "a.txt").write_text("by hand\n")
    repo.git("add", ".", cwd=folder)
    repo.git("commit", "-q", "-m", "by hand", cwd=folder)
    assert "by hand" not in repo.git("log", "--format=%s", "waves/p/a/1").splitlines()
    repo.waves("done", "a", cwd=folder)
    repo.waves("run")
    assert "by hand" in repo.git("log", "--format=%s", INTEGRATION).splitlines()


@needs_a_fence
def test_a_rehearsal_a_run_a_report_and_doctor_tell_the_level(repo: RepoBuilder) -> None:
    level = sandbox.fact_of(Sandbox(EITHER)).level
    repo.commit({".waves/plan.yaml": plan(task("a"), head=f"sandbox: {EITHER}")})
    words = f"tasks run behind the kernel's fence: {level}"
    assert words in repo.waves("run", "--dry-run")
    assert words in repo.waves("run")
    assert f"the kernel's fence around tasks: {level}" in repo.waves("report")
    assert level in repo.run_waves("doctor").stdout


# ---------------------------------------------------------------------- where there is none


def test_a_fence_that_is_not_to_be_had_stops_a_run_before_anything_begins(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "sh"):
        (programs / name).symlink_to(shutil.which(name) or "")
    path = f"{Path(repo.environment['PATH'].split(os.pathsep)[0])}{os.pathsep}{programs}"
    repo.commit({".waves/plan.yaml": plan(task("a"), head="sandbox: bwrap")})
    for words in (("run",), ("run", "--dry-run"), ("run", "--sandbox", "bwrap")):
        done = repo.run_waves(*words, environment={"PATH": path})
        assert (done.returncode, done.stdout) == (4, "")
        assert "'sandbox: bwrap' is asked for, and cannot find the program 'bwrap'" in done.stderr
    assert not (repo.folder / ".git/waves/runs").exists()
    repo.waves("run", "--sandbox", "none", environment={"PATH": path})


@pytest.mark.parametrize(
    ("abi", "words"),
    [
        (0, "this kernel has no Landlock"),
        (1, "cannot refuse to empty files"),
        (2, "cannot refuse to empty files"),
    ],
)
def test_a_kernel_that_cannot_refuse_all_writes_gives_no_fence(
    monkeypatch: pytest.MonkeyPatch, abi: int, words: str
) -> None:
    monkeypatch.setattr(fence, "landlock_abi", lambda: abi)
    fact = sandbox.sandbox_facts()[0]
    assert not fact.is_available
    with pytest.raises(SurroundingsError, match=words):
        fencing.check([Sandbox.LANDLOCK])


def test_an_older_kernel_says_what_it_leaves_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fence, "landlock_abi", lambda: 4)
    fact = sandbox.fact_of(Sandbox.LANDLOCK)
    assert fact.level == "landlock, ABI 4"
    assert "signals to other processes are not refused" in fact.leaves
    fencing.check([Sandbox.LANDLOCK])


@pytest.mark.parametrize("opened", ["~/", "/", "~/../x", "relative"])
def test_a_list_that_would_open_the_repository_is_refused(repo: RepoBuilder, opened: str) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("a"), head=f"sandbox: {{use: {EITHER or 'none'}, writes: ['{opened}']}}"
            )
        }
    )
    done = repo.run_waves("run")
    if EITHER or ".." in opened or opened == "relative":
        assert done.returncode != 0
        assert opened in done.stderr


@pytest.mark.long
@needs_a_fence
def test_the_users_setting_is_a_floor_and_the_command_line_goes_before_it(repo: RepoBuilder) -> None:
    marks = repo.folder.parent / "marks"
    marks.mkdir()
    run = f"touch '{marks}/x'; echo a > a.txt"
    repo.commit({".waves/plan.yaml": plan(task("a", run=run, extra="sandbox: none"), head="sandbox: none")})
    repo.git("config", "waves.sandbox", EITHER)
    repo.waves("run")
    assert list(marks.iterdir()) == []
    repo.waves("run", "--new", "--sandbox", "none")
    assert [path.name for path in marks.iterdir()] == ["x"]
    repo.git("config", "waves.sandbox", "jail")
    assert "waves.sandbox" in repo.run_waves("run", "--new").stderr
