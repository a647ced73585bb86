"""Ignored files in worktrees: `.worktreeinclude` and the plan's `include`, set-up with its limit, and what is refused of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.run.test_resources import named
from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"
IGNORE = ".env*\n!.env.example\nnode_modules/\nsecret/\n*.pipe\nout\n"


def with_ignored_files(repo: RepoBuilder) -> None:
    """A checkout as people have one: keys, packages with links between them, and what nobody asked for."""
    repo.write(
        {
            ".env": "KEY=1\n",
            "api/.env.local": "KEY=2\n",
            "node_modules/a/index.js": "a\n",
            "node_modules/.bin/tool": "#!/bin/sh\necho tool\n",
            "secret/pem": "never copied\n",
        }
    )
    (repo.folder / "node_modules/.bin/tool").chmod(0o755)
    os.utime(repo.folder / ".env", (1_000_000_000, 1_000_000_000))
    (repo.folder / "node_modules/b").symlink_to("a")
    (repo.folder / "node_modules/self").symlink_to(repo.folder / "node_modules/a")


def test_ignored_files_that_the_repository_lists_are_in_every_worktree_and_in_no_commit(
    repo: RepoBuilder,
) -> None:
    here = "test -f .env && node_modules/.bin/tool && cat node_modules/b/index.js && test ! -e secret"
    agent = f"{here} && test .env -ot t1.txt && readlink node_modules/self > t1.txt && git status --porcelain >> t1.txt && git add -A"
    text = plan(
        task("t1", run=f"touch t1.txt; {agent}", extra="verify: test -f .env"),
        head=f"gates:\n  unit: {here}\nsetup: {here}\n",
    )
    repo.commit(
        {
            ".gitignore": IGNORE,
            ".worktreeinclude": "# what tasks need\n.env*\nnode_modules/\nt1.txt\n!out\n",
            ".waves/plan.yaml": text,
        }
    )
    with_ignored_files(repo)
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert repo.git("show", f"{INTEGRATION}:t1.txt").splitlines() == [
        f"{repo.folder}.waves/p/t1.1/node_modules/a",  # not the user's own, through which one could write
        "?? t1.txt",
    ]
    merged = repo.git("ls-tree", "-r", "--name-only", INTEGRATION).splitlines()
    assert merged == [".gitignore", ".waves/plan.yaml", ".worktreeinclude", "t1.txt"]
    assert repo.git("for-each-ref", "refs/waves/archive") == ""


def test_a_plan_copies_links_and_fills_in(repo: RepoBuilder) -> None:
    agent = (
        "test -L node_modules/a && test ! -L node_modules && node_modules/.bin/tool > t1.txt && cat .env >> t1.txt"
        " && echo mine > node_modules/mine && test ! -L .env.test && cat .env.test >> t1.txt && git status --porcelain >> t1.txt"
    )
    head = (
        "include:\n  - {link: /node_modules/}\n  - {template: .env.example, to: .env}\n  - {template: .env.t*}\n"
        "  - .env.nothing\n"
    )
    example = "TASK=${WAVES_TASK}\nHOME=${HOME} $X\n"
    text = plan(task("t1", run=f"touch t1.txt; {agent}"), head=head)
    repo.commit({".gitignore": IGNORE, ".env.example": example, ".waves/plan.yaml": text})
    with_ignored_files(repo)
    repo.write({".env.test": "${WAVES_ATTEMPT}\n"})
    shown = repo.waves("run")
    assert f"warning: 'copy: .env.nothing' matches nothing in '{repo.folder}' that is not tracked" in shown
    assert repo.git("show", f"{INTEGRATION}:t1.txt").splitlines() == [
        "tool",
        "TASK=t1",
        "HOME=${HOME} $X",
        "1",
        "?? t1.txt",
    ]
    assert sorted(path.name for path in (repo.folder / "node_modules").iterdir()) == [
        ".bin",
        "a",
        "b",
        "self",
    ]
    assert (repo.folder / ".env").read_text() == "KEY=1\n"


@pytest.mark.parametrize("how", ["git add -f -A; git commit -qm x", "echo '!.env' >> .gitignore"])
def test_work_that_holds_a_copied_file_is_refused_whoever_owns_its_path(repo: RepoBuilder, how: str) -> None:
    text = plan(task("t1", run=f"echo x > t1.txt; {how}", files="['*', .env]"), head="include: [.env]\n")
    repo.commit({".gitignore": ".env\n", ".waves/plan.yaml": text, ".env.md": ""})
    repo.write({".env": "KEY=1\n"})
    repo.waves("run", exit=1)
    (failed,) = named(repo, "task_failed")
    assert (failed["reason"], failed["paths"]) == (
        "it would merge ignored files that its worktree was given",
        [".env"],
    )


def test_nothing_tracked_is_overwritten_no_link_is_followed_and_no_pipe_is_waited_for(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text("a secret of somebody\n")
    agent = "readlink .env > t1.txt; cat seen .env.x/y >> t1.txt; test ! -e a.pipe; test ! -e out/key"
    text = plan(
        task("t1", run=agent), head="include: [.env, '*.pipe', seen, .env.x/, {copy: out/}, t1.txt]\n"
    )
    repo.commit({".gitignore": f"{IGNORE}seen\n", ".waves/plan.yaml": text})
    repo.write({"seen": "the base's\n"})
    repo.git("add", "-f", "seen")
    repo.git("commit", "-qm", "seen")
    repo.git("rm", "-q", "--cached", "seen")
    repo.write({"seen": "the checkout's\n", ".env.x/y": "y\n", "t1.txt": "not ignored\n"})
    (repo.folder / ".env").symlink_to(outside / "key")
    (repo.folder / "out").symlink_to(outside)
    os.mkfifo(repo.folder / "a.pipe")
    shown = repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt").splitlines() == [
        str(outside / "key"),
        "the base's",
        "y",
    ]
    assert "warning: 'seen' was not brought: it is tracked" in shown
    assert "warning: 't1.txt' was not brought: it is not ignored by git" in shown


@pytest.mark.long
def test_a_template_that_cannot_be_filled_parks_its_task(repo: RepoBuilder) -> None:
    head = "include: [{template: .env.example, to: .env}]\n"
    files = {".gitignore": ".env\n", ".waves/plan.yaml": plan(task("t1"), head=head)}
    repo.commit({**files, ".env.example": "${WAVES_PROT}\n"})
    repo.waves("run", exit=3)
    (first,) = named(repo, "task_parked")
    assert first["reason"] == (
        "the template '.env.example' names '${WAVES_PROT}', which is no variable of a task"
    )
    repo.commit({**files, ".waves/plan.yaml": plan(task("t1"), head=head.replace("example", "gone"))})
    repo.waves("run", "--new", exit=3)
    (second,) = named(repo, "task_parked")
    assert second["reason"] == f"the template '.env.gone' is neither in its base nor in '{repo.folder}'"


@pytest.mark.long
def test_the_list_of_the_base_counts_and_another_one_in_the_checkout_is_told(repo: RepoBuilder) -> None:
    repo.commit(
        {".gitignore": ".env\n", ".waves/plan.yaml": plan(task("t1", run="! test -e .env && touch t1.txt"))}
    )
    repo.write({".env": "KEY=1\n", ".worktreeinclude": ".env\n"})
    assert (
        "note: '.worktreeinclude' is not the one of 'main', which counts; commit it to have it obeyed"
        in repo.waves("run")
    )


def test_a_failing_set_up_parks_the_task_with_what_it_printed_last(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), head="setup: 'echo no such package >&2; exit 4'\n")})
    shown = repo.waves("run", exit=3)
    (parked,) = named(repo, "task_parked")
    assert parked["reason"].endswith("ended with exit code 4: no such package")
    assert parked["hint"] == "git waves log t1 --rung setup-0"
    assert "no such package" in shown and "git waves log t1 --rung setup-0" in shown
    assert "no such package" in repo.waves("log", "t1", "--rung", "setup-0")


@pytest.mark.long
def test_a_set_up_that_takes_too_long_is_ended_and_parks_the_task(repo: RepoBuilder) -> None:
    head = "setup: {run: 'echo waiting; sleep 600', timeout: 0.3}\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=head)})
    repo.waves("run", exit=3)
    (parked,) = named(repo, "task_parked")
    assert "was ended: over its time limit after" in parked["reason"]
    assert parked["reason"].endswith("s: waiting")


def test_a_set_up_that_changes_what_its_task_does_not_own_parks_it_before_the_agent_starts(
    repo: RepoBuilder,
) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), head="setup: 'echo x > package-lock.json'\n")})
    repo.waves("run", exit=3)
    (parked,) = named(repo, "task_parked")
    assert (parked["rung"], parked["paths"]) == ("environment", ["package-lock.json"])


@pytest.mark.long
def test_a_rehearsal_tells_what_worktrees_would_be_given(repo: RepoBuilder) -> None:
    head = "setup: npm ci\ninclude: [.env, {template: .env.example, to: .env.test}]\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=head)})
    repo.environment["PATH"] += f":{repo.folder}"
    repo.write({"npm": "#!/bin/sh\n"})
    (repo.folder / "npm").chmod(0o755)
    shown = repo.waves("run", "--dry-run").splitlines()
    assert [line for line in shown if line.startswith("each would")] == [
        "each would be given '.env' of your checkout: copy",
        "each would be given '.env.example' of your checkout: template, as '.env.test'",
        "each would be set up with npm ci",
    ]
