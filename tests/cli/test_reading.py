"""Where plans are read from, what is said when they cannot be, and the repositories we work in or refuse."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from git_waves.adapters import repo as repo_module
from git_waves.adapters.planfile import read_plan_bytes
from git_waves.adapters.repo import open_repository
from git_waves.errors import SurroundingsError
from tests.cli.conftest import Waves
from tests.support.golden import check_golden
from tests.support.kbuild import HOT, kbuild_plan
from tests.support.plans import phase3, plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"


# ---------------------------------------------------------------------- the plan of the issue, as people type it


def test_the_twelve_tasks_that_one_file_makes_twelve_groups(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan(), HOT: ""})
    typed = waves("plan", exit=1)
    assert typed.err == ""
    check_golden("plan/kbuild.txt", typed.out)


def test_every_form_of_the_answer(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan(), HOT: ""})
    whole = json.loads(waves("plan", "--json", exit=1).out)
    assert len(whole["groups"]) == 12
    assert whole == json.loads(waves("plan", "--format", "json", exit=1).out)
    check_golden("plan/kbuild-github.txt", waves("plan", "--format=github", exit=1).out)
    assert json.loads(waves("plan", "--manifest", "--json", exit=1).out) == whole["manifest"]
    assert waves("plan", "--manifest", exit=1).out.startswith("clock\tcreate\tdrivers/clock.c\n")


def test_max_is_the_persons_word(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan(shares=False)})
    assert json.loads(waves("plan", "--max", "3", "--json").out)["max_parallel"] == 3
    assert "invalid value for '--max'" in waves("plan", "--max", "0", exit=2).err


def test_a_plan_that_declares_no_files_is_not_clean_but_unmeasured(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: "version: 1\nname: p\nagent: {run: cat}\ntasks:\n  - {id: t1, prompt: do it}\n"})
    typed = waves("plan", exit=2)
    assert "no task claims any file" in typed.out
    assert "next: say which files each task touches" in typed.out


# ---------------------------------------------------------------------- where it is read from


@pytest.mark.long
def test_the_usual_place_is_found_from_everywhere_by_git_itself(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({PLAN: phase3(), "src/deep/a.c": ""})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    wanted = repo.git("waves", "plan")
    assert "plan 'p' (.waves/plan.yaml): 7 tasks in 5 groups" in wanted
    for cwd, words in (
        (repo.folder / "src/deep", ("waves", "plan")),
        (tmp_path, ("-C", "repo", "waves", "plan")),
        (tmp_path, ("-C", "repo/src", "waves", "-C", "deep", "plan")),
        (tmp_path, ("waves", "-C", str(repo.folder / "src"), "plan")),
        (tmp_path / "linked/src", ("waves", "plan")),
    ):
        assert repo.git(*words, cwd=cwd) == wanted, words


def test_an_argument_counts_from_the_current_folder(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"plans/a.yaml": phase3()})
    text = waves("plan", "a.yaml", cwd=repo.folder / "plans").out
    assert "plan 'p' (plans/a.yaml)" in text
    assert text.endswith("next: 'git waves run a.yaml' starts it\n")
    assert waves("plan", "plans/a.yaml").out.startswith("plan 'p' (plans/a.yaml)")


def test_the_setting_names_another_usual_place(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"plans/a.yaml": phase3(), "src/x": ""})
    repo.git("config", "waves.plan", "plans/a.yaml")
    assert "(plans/a.yaml)" in waves("plan", cwd=repo.folder / "src").out


def test_a_plan_of_a_revision_is_read_from_there(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: phase3()})
    repo.write({PLAN: "broken"})
    assert "(HEAD:.waves/plan.yaml): 7 tasks" in waves("plan", f"HEAD:{PLAN}").out
    assert (
        "(main:.waves/plan.yaml): 7 tasks"
        in waves("plan", "main:./plan.yaml", cwd=repo.folder / ".waves").out
    )
    assert "(:.waves/plan.yaml): 7 tasks" in waves("plan", f":{PLAN}").out, "the index is a revision too"


def test_a_plan_comes_through_a_pipe(waves: Waves) -> None:
    assert "plan 'p' (standard input): 7 tasks" in waves("plan", "-", stdin=phase3().encode()).out


def test_a_file_with_a_colon_in_its_name_is_a_file(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"a:b.yaml": phase3()})
    assert "(a:b.yaml): 7 tasks" in waves("plan", "a:b.yaml").out


@pytest.mark.parametrize("kind", ["--object-format=sha256", "--ref-format=reftable"])
def test_where_libgit2_cannot_go_git_reads_the_revision(
    repo: RepoBuilder, waves: Waves, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "other"
    made = subprocess.run(["git", "init", "-q", kind, str(folder)], capture_output=True, check=False)
    if made.returncode:
        assert b"ref-format" in made.stderr, "only a git before 2.45 may refuse this"
        return
    (folder / "plan.yaml").write_text(phase3())
    repo.git("add", "-A", cwd=folder)
    repo.git("commit", "-qm", "x", cwd=folder)
    assert "(HEAD:plan.yaml): 7 tasks" in waves("plan", "HEAD:plan.yaml", cwd=folder).out


# ---------------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            None,
            "fatal: .waves/plan.yaml: there is no such plan\nhint: write a starting plan with: git waves init\n",
        ),
        (
            b"",
            "fatal: .waves/plan.yaml: the plan is empty\nhint: write a starting plan with: git waves init\n",
        ),
        (b"name: \xff\n", ".waves/plan.yaml:1: byte 0xff at offset 6 is not UTF-8\nhint: save it as UTF-8\n"),
    ],
    ids=["missing", "empty", "not UTF-8"],
)
def test_a_plan_that_cannot_be_read_is_exit_2_with_one_clear_answer(
    repo: RepoBuilder, waves: Waves, content: bytes | None, says: str
) -> None:
    if content is not None:
        repo.write({PLAN: content})
    typed = waves("plan", exit=2)
    assert typed.err == says
    assert typed.out == ""


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nope.yaml", "there is no such plan"),
        (".waves", "this is a directory, not a plan"),
        ("HEAD:nope.yaml", "there is no plan 'nope.yaml'"),
        ("HEAD:.waves", "there is no plan '.waves'"),
        ("nowhere:plan.yaml", "there is no revision 'nowhere'"),
        ("a\0b", "the plan cannot be read: embedded null byte"),
    ],
)
def test_a_name_that_is_no_plan(repo: RepoBuilder, waves: Waves, spec: str, says: str) -> None:
    repo.commit({PLAN: phase3()})
    err = waves("plan", spec, exit=2).err
    assert says in err
    assert "hint: " in err


def test_a_plan_without_permission_says_so(
    repo: RepoBuilder, waves: Waves, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({PLAN: phase3()})

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root, which tests may be, is refused nothing by a mode
    assert waves("plan", exit=2).err.startswith(
        "fatal: .waves/plan.yaml: the plan cannot be read: Permission denied\n"
    )


def test_no_more_than_a_plan_may_have_is_read(repo: RepoBuilder) -> None:
    repo.commit({"big.yaml": "x" * 1000})
    found = read_plan_bytes(open_repository(repo.folder), "big.yaml", limit=10)
    assert len(found.data) == 11, "one byte more, so that the reader sees that it is too much"
    assert len(read_plan_bytes(open_repository(repo.folder), "HEAD:big.yaml", limit=10).data) == 11


def test_all_problems_of_a_plan_come_in_every_form(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit(
        {PLAN: "version: 1\nname: p\nagent: nobody\ntasks:\n  - {id: a, needs: [b], files: [x], prompt: p}\n"}
    )
    typed = waves("plan", exit=1)
    assert typed.out == ""
    assert ".waves/plan.yaml:3: unknown agent 'nobody'" in typed.err
    assert ".waves/plan.yaml:5: " in typed.err
    assert typed.err.endswith("fatal: 2 problems in '.waves/plan.yaml'\n")
    assert [problem["line"] for problem in json.loads(waves("plan", "--json", exit=1).out)["problems"]] == [
        3,
        5,
    ]
    assert waves("plan", "--format=github", exit=1).out.count("::error file=.waves/plan.yaml,line=") == 2


def test_a_program_that_does_not_exist_is_a_violation(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1", run="surely-no-such-program --all"))})
    assert (
        "program 'surely-no-such-program' does not exist on this machine [W501]" in waves("plan", exit=1).out
    )


def test_a_program_of_the_repository_is_looked_up_in_it(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1", run="tools/make-it t1")), "tools/make-it": "#!/bin/sh\n"})
    (repo.folder / "tools/make-it").chmod(0o755)
    repo.git("commit", "-qam", "It can be started")
    waves("plan", cwd=repo.folder / "tools")


# ---------------------------------------------------------------------- repositories


def test_outside_of_a_repository(waves: Waves, tmp_path: Path) -> None:
    for words in (("plan",), ("status",), ("run",), ("status", "--json")):
        err = waves(*words, exit=4, cwd=tmp_path).err
        assert err.startswith(f"fatal: not a git repository, or one git will not open: '{tmp_path}'\nhint: ")


def test_a_bare_repository_is_told_what_is_missing(repo: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    repo.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    for words in (("plan",), ("status",), ("clean",)):
        assert "is a bare repository" in waves(*words, exit=4, cwd=tmp_path / "bare.git").err


def test_inside_of_gits_own_folder(repo: RepoBuilder, waves: Waves) -> None:
    assert "is git's own folder, not a work tree" in waves("plan", exit=4, cwd=repo.folder / ".git").err


def test_git_that_is_too_old_is_refused(waves: Waves, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repo_module, "version", lambda: (2, 37, 9))
    assert waves("plan", exit=4).err == (
        "fatal: git 2.37.9 is too old: git-waves merges without a checkout, which needs 2.38\n"
        "hint: install git 2.38 or newer\n"
    )


def test_git_that_is_missing_is_refused(
    waves: Waves, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "cannot find the program 'git'" in waves("plan", exit=4).err


def test_a_folder_that_is_not_there(waves: Waves) -> None:
    assert waves("-C", "/surely/not", "plan", exit=2).err == (
        "fatal: cannot change to '/surely/not': No such file or directory\n"
    )


def test_the_folders_of_every_kind_of_worktree(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a/b": "x"})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "--detach", str(linked))
    main = open_repository(repo.folder / "a")
    assert (main.folder, main.work_tree, main.main_work_tree) == (repo.folder / "a", repo.folder, repo.folder)
    assert (main.common_dir, main.git_dir) == (repo.folder / ".git", repo.folder / ".git")
    other = open_repository(linked)
    assert (other.work_tree, other.main_work_tree) == (linked, repo.folder)
    assert (other.common_dir, other.git_dir) == (repo.folder / ".git", repo.folder / ".git/worktrees/linked")


def test_a_worktree_of_a_bare_repository_stands_for_itself(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "x"})
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare.git"))
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"), "main", cwd=tmp_path / "bare.git")
    found = open_repository(tmp_path / "wt")
    assert found.main_work_tree == found.work_tree == tmp_path / "wt"


def test_a_linked_worktree_of_a_submodule_knows_its_main_one(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "x"})
    repo.git("init", "-q", str(tmp_path / "super"))
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.folder), "sub")
    repo.git(*add, cwd=tmp_path / "super")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "subwt"), cwd=tmp_path / "super/sub")
    assert open_repository(tmp_path / "subwt").main_work_tree == tmp_path / "super/sub"


def test_git_dir_and_work_tree_of_the_environment_are_obeyed(
    repo: RepoBuilder, waves: Waves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({PLAN: phase3()})
    monkeypatch.setenv("GIT_DIR", os.path.relpath(repo.folder / ".git", tmp_path))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.folder))
    assert "7 tasks" in waves("plan", cwd=tmp_path).out
    assert "nothing has run here yet" in waves("status", cwd=tmp_path).out


def test_a_repository_git_will_not_open_is_no_bug_of_ours(repo: RepoBuilder) -> None:
    (repo.folder / ".git/config").write_text("[broken\n")
    with pytest.raises(SurroundingsError, match="git will not open"):
        open_repository(repo.folder)
