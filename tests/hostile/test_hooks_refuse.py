"""What an agent may try in its worktree, with real git: refused at once, in words, and nothing moves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repo import RepoBuilder
from tests.support.taskworktree import INTEGRATION, TaskWorktree, rules_for, start_run

OWNERS = {"t1": rules_for("src/a.c", "docs/", "gen/*.h", "new.txt"), "t2": rules_for("src/b.c", "lib/")}
FILES = {"src/a.c": "a\n", "src/b.c": "b\n", "lib/x.c": "x\n" * 9, "docs/a.md": "d\n", "README": "r\n"}


@pytest.fixture
def task(repo: RepoBuilder) -> Iterator[TaskWorktree]:
    """The worktree of task 't1'; whatever happened in it, its hooks and settings must be as they were sealed."""
    start_run(repo, FILES)
    yield TaskWorktree(repo, "t1", OWNERS["t1"], owners=OWNERS)


def advance(repo: RepoBuilder, files: dict[str, str | bytes]) -> str:
    """Another task's work reaches the integration ref."""
    commit = repo.commit(files, message="another task")
    repo.git("update-ref", INTEGRATION, commit)
    return commit


def sibling(task: TaskWorktree, files: dict[str, str | bytes]) -> str:
    """A commit on the branch of task 't2', which is not merged."""
    other = TaskWorktree(task.repo, "t2", OWNERS["t2"], owners=OWNERS)
    other.write(files)
    other.git("add", "--all")
    other.git("commit", "--quiet", "-m", "sibling")
    return other.branch


def test_a_foreign_path_is_refused_with_its_owner_and_the_way_out(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n", "src/b.c": "not mine\n", "stray.txt": "?"})
    task.git("add", "--all")
    assert task.refused("commit", "-m", "work") == (
        "error: refused by git-waves: 2 paths not owned by task 't1'\n"
        "error: 'src/b.c' belongs to task 't2'\n"
        "error: 'stray.txt' belongs to no task\n"
        "hint: take them out of the commit: git restore --staged -- src/b.c stray.txt\n"
        "hint: or ask for each: git waves request src/b.c --reason '...'\n"
    )
    task.git("restore", "--staged", "--", "src/b.c", "stray.txt")  # the way out, as printed
    task.git("commit", "--quiet", "-m", "work")


def test_no_verify_changes_nothing(task: TaskWorktree) -> None:
    task.write({"src/b.c": "not mine\n"})
    task.git("add", "--all")
    assert task.refused("commit", "--no-verify", "-m", "work") == (
        "error: refused by git-waves: 1 path not owned by task 't1'\n"
        "error: 'src/b.c' belongs to task 't2'\n"
        f"hint: take it out of the commit: git restore --staged --source={task.base[:12]} -- src/b.c\n"
        "hint: or ask for it: git waves request src/b.c --reason '...'\n"
    )
    task.git("restore", "--staged", f"--source={task.base[:12]}", "--", "src/b.c")
    task.git("commit", "--quiet", "--allow-empty", "-m", "nothing foreign")


def test_plumbing_cannot_put_a_foreign_commit_on_the_branch(task: TaskWorktree) -> None:
    task.write({"lib/x.c": "not mine\n"})
    task.git("add", "--all")
    commit = task.git("commit-tree", task.git("write-tree"), "-p", "HEAD", "-m", "sneaky")
    assert "'lib/x.c' belongs to task 't2'" in task.refused("update-ref", f"refs/heads/{task.branch}", commit)
    assert "'lib/x.c' belongs to task 't2'" in task.refused("reset", "--hard", commit)
    stream = f"commit refs/heads/{task.branch}\ncommitter A <a@b> 1 +0000\ndata 1\nx\nfrom {commit}\nM 644 inline README\ndata 1\nx\n"
    assert "'README' belongs to no task" in task.refused("fast-import", "--quiet", stdin=stream)


def test_an_amend_cannot_smuggle_a_foreign_path_in(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    task.write({"README": "not mine\n"})
    assert "'README' belongs to no task" in task.refused("commit", "--amend", "--no-edit", "-a")
    assert "'README' belongs to no task" in task.refused("commit", "--amend", "--no-edit", "-an")


def test_a_rename_out_of_a_foreign_folder_is_refused_for_its_source(task: TaskWorktree) -> None:
    task.git("mv", "lib/x.c", "docs/x.c")
    assert task.refused("commit", "-m", "move").splitlines()[1:-2] == [
        "error: 'lib/x.c' belongs to task 't2'"
    ]


def test_a_mode_only_change_of_a_foreign_file_is_refused(task: TaskWorktree) -> None:
    task.git("update-index", "--chmod=+x", "src/b.c")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-m", "mode")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-nm", "mode")


def test_owning_a_folder_is_not_owning_a_link_in_its_place(task: TaskWorktree) -> None:
    task.git("rm", "-rq", "docs")
    (task.folder / "docs").symlink_to("/etc")
    task.git("add", "--all")
    assert "'docs' belongs to no task" in task.refused("commit", "-m", "link")
    assert "'docs' belongs to no task" in task.refused("commit", "-nm", "link")


def test_a_commit_on_another_tasks_branch_is_refused(task: TaskWorktree) -> None:
    branch = sibling(task, {"src/b.c": "theirs\n"})
    task.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    task.git("read-tree", "--reset", "-u", "HEAD")
    task.write({"src/a.c": "mine\n"})
    task.git("add", "--all")
    assert task.refused("commit", "-m", "on a sibling's branch") == (
        f"error: refused by git-waves: branch '{branch}' does not belong to task 't1'\n"
        f"hint: work on the task's own branch: git switch {task.branch}\n"
    )
    assert "does not belong to task 't1'" in task.refused("update-ref", f"refs/heads/{branch}", task.base)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["tag", "v1"], "tag 'v1' does not belong to task 't1'"),
        (["branch", "mine"], "branch 'mine' does not belong to task 't1'"),
        (["switch", "-c", "mine"], "branch 'mine' does not belong to task 't1'"),
        (["update-ref", "refs/heads/main", "HEAD~0"], "branch 'main' does not belong to task 't1'"),
        (["notes", "add", "-m", "x"], "ref 'refs/notes/commits' does not belong to task 't1'"),
        (["replace", "HEAD", "HEAD^{tree}", "-f"], "ref 'refs/replace/"),
        (
            ["update-ref", "refs/remotes/origin/main", "HEAD"],
            "ref 'refs/remotes/origin/main' does not belong",
        ),
        (["update-ref", INTEGRATION, "HEAD"], f"only the coordinator moves '{INTEGRATION}'"),
        (["update-ref", "-d", INTEGRATION], f"only the coordinator moves '{INTEGRATION}'"),
        (["update-ref", "refs/waves/p/r1/candidate", "HEAD"], "only the coordinator moves 'refs/waves/p/r1/"),
        (["update-ref", "main-worktree/HEAD", "HEAD"], "ref 'main-worktree/HEAD' does not belong"),
        (
            ["update-ref", "main-worktree/refs/bisect/x", "HEAD"],
            "ref 'main-worktree/refs/bisect/x' does not belong",
        ),
        (["update-ref", "waves-lease.json", "HEAD"], "ref 'waves-lease.json' does not belong"),
        (["update-ref", "-d", "refs/heads/waves/p/t1/1"], "cannot be deleted or packed from its worktree"),
        (["fetch", "--quiet", ".", "HEAD:refs/heads/copy"], "branch 'copy' does not belong to task 't1'"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else None,
)
def test_refs_that_are_not_the_tasks_do_not_move(
    task: TaskWorktree, arguments: list[str], problem: str
) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "so that HEAD is somewhere of its own")
    assert problem in task.refused(*arguments)


def test_the_stash_is_refused_and_the_work_stays(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    assert task.refused("stash") == (
        "error: refused by git-waves: all worktrees share one stash, a sibling would pop yours\n"
        f"hint: commit to '{task.branch}' instead: git commit -m 'work in progress'\n"
    )
    assert (task.folder / "src/a.c").read_text() == "mine\n"


def test_a_push_is_refused_before_anything_leaves(task: TaskWorktree, tmp_path: Path) -> None:
    task.repo.git("init", "--quiet", "--bare", str(tmp_path / "other.git"))
    assert task.refused("push", str(tmp_path / "other.git"), "HEAD:refs/heads/main") == (
        "error: refused by git-waves: task 't1' does not push\n"
        f"hint: commit to '{task.branch}'; it is merged from there when the task is done\n"
        f"error: failed to push some refs to '{tmp_path / 'other.git'}'\n"
    )
    assert task.repo.git("for-each-ref", cwd=tmp_path / "other.git") == ""


def test_a_siblings_branch_cannot_be_merged(task: TaskWorktree) -> None:
    branch = sibling(task, {"src/b.c": "theirs\n"})
    assert "'src/b.c' belongs to task 't2'" in task.refused("merge", "--ff-only", branch)
    task.git("reset", "--quiet", "--hard")
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    assert "'src/b.c' belongs to task 't2'" in task.refused("merge", "--no-edit", branch)
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-m", "conclude the merge")
    assert task.run("git", "hook", "run", "pre-commit")[0] == 1, "not only the ref transaction refuses"
    task.git("merge", "--abort")
    assert "'src/b.c' belongs to task 't2'" in task.refused("merge", "--no-verify", "--no-edit", branch)


def test_the_advanced_integration_may_be_merged_and_work_goes_on(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    new = advance(task.repo, {"src/b.c": "integrated\n", "README": "integrated\n"})
    task.git("merge", "--quiet", "--no-edit", INTEGRATION)
    assert task.git("merge-base", INTEGRATION, "HEAD") == new
    task.write({"docs/a.md": "more\n"})
    task.git("commit", "--quiet", "-am", "more work")
    task.write({"src/b.c": "still not mine\n"})
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-am", "no")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-nam", "no")


def test_a_conflict_with_the_integration_may_be_resolved_in_owned_files(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    advance(task.repo, {"src/a.c": "somebody's\n", "src/b.c": "integrated\n"})
    assert task.run("git", "merge", INTEGRATION)[0] == 1
    task.write({"src/a.c": "both\n"})
    task.git("commit", "--quiet", "-am", "resolved")
    assert len(task.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_a_merge_that_undoes_foreign_work_is_refused(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    new = advance(task.repo, {"src/b.c": "integrated\n"})
    task.git("merge", "--quiet", "--no-commit", INTEGRATION)
    task.git(
        "checkout", "HEAD", "--", "src/b.c"
    )  # the index is HEAD's again, and the integrated change is lost
    assert task.refused("commit", "-m", "evil") == (
        "error: refused by git-waves: 1 path not owned by task 't1'\n"
        "error: 'src/b.c' belongs to task 't2'\n"
        f"hint: take it out of the commit: git restore --staged --source={new[:12]} -- src/b.c\n"
        "hint: or ask for it: git waves request src/b.c --reason '...'\n"
    )
    assert task.run("git", "hook", "run", "pre-commit")[0] == 1, "not only the ref transaction refuses"
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-nm", "evil")


def test_work_may_be_rebased_onto_the_advanced_integration(task: TaskWorktree) -> None:
    for number in range(3):
        task.write({"src/a.c": f"mine {number}\n"})
        task.git("commit", "--quiet", "-am", f"work {number}")
    new = advance(task.repo, {"src/b.c": "integrated\n"})
    task.git("rebase", "--quiet", INTEGRATION)
    assert task.git("rev-list", "--count", f"{new}..HEAD") == "3"
    task.write({"src/a.c": "amended\n"})
    task.git("commit", "--quiet", "--amend", "-a", "--no-edit")
    task.git("rebase", "--quiet", "--apply", "--force-rebase", INTEGRATION)
    assert task.git("rev-list", "--count", f"{new}..HEAD") == "3"


def test_the_branch_cannot_leave_the_commit_it_was_cut_from(repo: RepoBuilder) -> None:
    repo.commit({"src/a.c": "older\n"})
    start_run(repo, FILES)
    task = TaskWorktree(repo, "t1", OWNERS["t1"], owners=OWNERS)
    old = task.git("rev-parse", "HEAD~1")
    assert task.refused("reset", "--hard", "HEAD~1") == (
        f"error: refused by git-waves: {old[:12]} does not contain {task.base[:12]}, which task 't1' was cut from\n"
        f"hint: find the way back: git reflog {task.branch}\n"
    )


def test_a_later_round_may_work_on_a_base_that_is_not_integrated_yet(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    integrated = repo.git("rev-parse", INTEGRATION)
    repo.git("update-ref", INTEGRATION, repo.commit({"src/b.c": "merged into the candidate\n"}))
    task = TaskWorktree(repo, "t1", OWNERS["t1"], owners=OWNERS)
    repo.git("update-ref", INTEGRATION, integrated)
    task.write({"src/a.c": "mine\n", "docs/new.md": "new\n"})
    task.git("add", "--all")
    task.git("commit", "--quiet", "-m", "work")
    task.write({"README": "not mine\n"})
    assert task.refused("commit", "-nam", "no").splitlines()[:2] == [
        "error: refused by git-waves: 1 path not owned by task 't1'",
        "error: 'README' belongs to no task",
    ]


def test_a_cherry_pick_may_be_looked_at_but_not_committed(task: TaskWorktree) -> None:
    branch = sibling(task, {"src/b.c": "theirs\n"})
    assert "'src/b.c' belongs to task 't2'" in task.refused("cherry-pick", branch)
    task.git("reset", "--quiet", "--hard")
    task.git("cherry-pick", "--no-commit", branch)
    task.write({"src/a.c": "mine\n"})
    task.git("add", "src/a.c")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-m", "picked")
    task.git("restore", "--staged", "--", "src/b.c")
    task.git("commit", "--quiet", "-m", "only mine")


def test_a_detached_head_may_hold_anything_until_the_branch_moves_there(task: TaskWorktree) -> None:
    task.git("checkout", "--quiet", "--detach")
    task.write({"README": "not mine\n"})
    task.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-am", "stray")
    stray = task.git("rev-parse", "HEAD")
    assert "'README' belongs to no task" in task.refused("update-ref", f"refs/heads/{task.branch}", stray)
    task.git("checkout", "--quiet", task.branch)
    assert "'README' belongs to no task" in task.refused("merge", "--ff-only", stray)


def test_a_repository_in_the_repository_needs_an_owner_of_exactly_that_path(task: TaskWorktree) -> None:
    for place in ("vendor", "docs/nested", "new.txt"):
        task.git("init", "--quiet", place)
        task.repo.git("commit", "--quiet", "--allow-empty", "-m", "x", cwd=task.folder / place)
    task.git("-c", "advice.addEmbeddedRepo=false", "add", "--all")
    for arguments in (["commit", "-m", "x"], ["commit", "-nm", "x"]):
        assert task.refused(*arguments).splitlines()[1:3] == [
            "error: 'docs/nested' is a repository of its own, which no task may add that does not list it",
            "error: 'vendor' belongs to no task",
        ]
    task.git("restore", "--staged", "--", "docs/nested", "vendor")
    task.git("commit", "--quiet", "-m", "listed")


def test_a_submodule_pointer_is_seen_though_gitmodules_hides_it(repo: RepoBuilder) -> None:
    pointer = repo.commit({"a": "1"})
    repo.write({".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = all\n'})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{pointer},sub")
    (repo.folder / "sub").mkdir()
    start_run(repo, FILES)
    task = TaskWorktree(repo, "t1", OWNERS["t1"], owners=OWNERS)
    task.git("update-index", "--cacheinfo", f"160000,{task.base},sub")
    assert "'sub' belongs to no task" in task.refused("commit", "-m", "pointer")
    assert "'sub' belongs to no task" in task.refused("commit", "-nm", "pointer")


def test_names_are_shown_inert_and_the_way_out_can_be_typed(task: TaskWorktree) -> None:
    names = ["by\udcfftes", "new\nline", "\x1b[31mred", "-rf", "it's", "star*", "\u202egnp.exe"]
    for name in names:
        (task.folder / name).write_text("x")
    task.git("add", "--all")
    refusal = task.refused("commit", "-m", "names")
    assert refusal == (
        "error: refused by git-waves: 7 paths not owned by task 't1'\n"
        "error: '\\x1b[31mred' belongs to no task\n"
        "error: '-rf' belongs to no task\n"
        "error: 'by\\xfftes' belongs to no task\n"
        "error: 'it's' belongs to no task\n"
        "error: 'new\\nline' belongs to no task\n"
        "error: 'star*' belongs to no task\n"
        "error: '\\u202egnp.exe' belongs to no task\n"
        "hint: take them out of the commit: git restore --staged -- $':(top,literal)\\x1b[31mred' -rf $'by\\xfftes' 'it'\"'\"'s' "
        "$'new\\nline' ':(top,literal)star*' $'\\xe2\\x80\\xaegnp.exe'\n"
        "hint: or ask for each: git waves request $'\\x1b[31mred' --reason '...'\n"
    )
    way_out = refusal.splitlines()[8].removeprefix("hint: take them out of the commit: ")
    assert task.run("bash", "-c", way_out) == (0, "")
    assert task.git("diff", "--cached", "--name-only") == ""


def test_a_hundred_foreign_paths_are_counted_and_twenty_named(task: TaskWorktree) -> None:
    task.write({f"stray/{number:03}": "x" for number in range(100)})
    task.git("add", "--all")
    lines = task.refused("commit", "-m", "many").splitlines()
    assert lines[0] == "error: refused by git-waves: 100 paths not owned by task 't1'"
    assert lines[20:22] == ["error: 'stray/019' belongs to no task", "error: and 80 more"]


def test_only_what_is_committed_is_judged(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n", "src/b.c": "not mine\n", "later.txt": "x"})
    task.git("add", "src/b.c")
    task.git("add", "--intent-to-add", "later.txt")
    task.git("commit", "--quiet", "-m", "one path", "--", "src/a.c")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-m", "one path", "--", "src/b.c")
    assert task.refused("commit", "-m", "staged").count("belongs to") == 1


def test_a_history_of_its_own_is_refused(task: TaskWorktree) -> None:
    task.git("symbolic-ref", "HEAD", "refs/heads/orphan")
    assert "git rm --cached -- README lib/x.c src/b.c" in task.refused("commit", "-m", "all anew")
    commit = task.git("commit-tree", task.git("write-tree"), "-m", "no parent")
    assert "does not contain" in task.refused("update-ref", f"refs/heads/{task.branch}", commit)


def test_a_worktree_made_from_the_task_worktree_is_held_by_the_same_hooks(task: TaskWorktree) -> None:
    escape = task.folder.parent / "escape"
    task.git("worktree", "add", "--quiet", "--detach", str(escape))
    before = task.repo.git("for-each-ref")
    task.repo.git("update-ref", "refs/heads/main", "HEAD", "HEAD", cwd=escape, exit=128)
    task.repo.git("tag", "v1", cwd=escape, exit=128)
    assert task.repo.git("for-each-ref") == before


def test_the_rest_of_the_repository_is_free(task: TaskWorktree) -> None:
    task.repo.commit({"README": "the user's own work\n"})
    task.repo.git("tag", "v1")
    task.repo.git("stash", "list")


def test_switched_off_hooks_let_everything_through_so_the_merge_is_the_fence(task: TaskWorktree) -> None:
    task.write({"README": "not mine\n"})
    task.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-am", "slips through")
    assert task.tip() != task.base


def test_a_lease_that_is_gone_or_broken_refuses_in_one_line(task: TaskWorktree) -> None:
    lease = task.admin / "waves-lease.json"
    task.write({"src/b.c": "not mine\n"})
    lease.write_text("{")
    assert (
        task.refused("commit", "-am", "x")
        .splitlines()[0]
        .startswith("error: refused by git-waves: the ownership guard failed: JSONDecodeError: ")
    )
    lease.unlink()
    assert task.refused("commit", "-am", "x") == (
        f"error: refused by git-waves: the lease of this worktree is gone ('{lease}')\n"
        "hint: a new worktree is made by: git waves retry TASK\n"
    )
    assert "the lease of this worktree is gone" in task.refused("commit", "-nam", "x")


def test_a_missing_interpreter_refuses_what_cannot_be_proved(task: TaskWorktree) -> None:
    settings = task.hooks / "settings.sh"
    settings.write_text(settings.read_text().replace("_waves_python='", "_waves_python='/gone"))
    task.write({"src/b.c": "not mine\n"})
    assert task.refused("commit", "-am", "x").splitlines()[0] == (
        "error: refused by git-waves: the ownership guard could not run (127)"
    )
    assert os.access(task.hooks / "pre-commit", os.X_OK)
