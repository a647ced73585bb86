"""Hooks in a task worktree: the user's own still run, an allowed commit costs no interpreter, nothing else changes."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from git_waves.adapters import hooks
from git_waves.adapters.rundir import write_durably
from git_waves.errors import SurroundingsError
from tests.support.repo import RepoBuilder
from tests.support.taskworktree import INTEGRATION, TaskWorktree, rules_for, start_run

RULES = rules_for("src/a.c", "docs/", "gen/**/*.h")
FILES = {"src/a.c": "a\n", "src/b.c": "b\n", "docs/a.md": "d\n"}


def make_task(repo: RepoBuilder, *texts: str) -> TaskWorktree:
    """A task worktree that owns what the texts say, or RULES."""
    rules = rules_for(*texts) if texts else RULES
    return TaskWorktree(repo, "t1", rules, owners={"t1": rules, "t2": rules_for("src/b.c")})


def script(path: Path, text: str, *, mode: int = 0o755) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def recorder(log: Path, *, exit: int = 0) -> str:
    """A hook that records its name, place, arguments and standard input."""
    return (
        "#!/bin/sh\n"
        f'{{ printf "%s|" "$(basename "$0")" "$(pwd)" "$@"; cat; echo; }} >>{log}\n'
        f'[ "$1" = prepared ] || env >{log}.env\nexit {exit}\n'
    )


def without_interpreter(task: TaskWorktree) -> None:
    """Make the guard impossible to run: what still passes passed without it."""
    settings = task.hooks / "settings.sh"
    settings.write_text(settings.read_text().replace("_waves_python='", "_waves_python='/gone"))


# ---------------------------------------------------------------------- the user's own hooks


def test_a_users_hook_that_fails_refuses_with_its_own_words(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".git/hooks/pre-commit", "#!/bin/sh\necho house rules >&2\nexit 7\n")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n", "src/b.c": "not mine\n"})
    assert task.run("git", "commit", "-qam", "x") == (1, "house rules\n")
    assert task.run("git", "hook", "run", "pre-commit") == (7, "house rules\n")
    assert task.tip() == task.base


def test_users_hooks_get_arguments_input_place_and_environment_unchanged(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    start_run(repo, FILES)
    theirs = {}
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        log = tmp_path / f"{name}.log"
        script(repo.folder / ".git/hooks" / name, recorder(log))
        theirs[name] = log
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    place, tip = f"{task.folder}|", task.tip()
    assert theirs["pre-commit"].read_text() == f"pre-commit|{place}\n"
    assert theirs["post-commit"].read_text() == f"post-commit|{place}\n"
    assert theirs["commit-msg"].read_text() == f"commit-msg|{place}{task.admin}/COMMIT_EDITMSG|\n"
    records = theirs["reference-transaction"].read_text().split("reference-transaction|")
    moved = f"{task.base} {tip} HEAD\n{task.base} {tip} refs/heads/{task.branch}\n\n"
    assert [f"{place}prepared|{moved}", f"{place}committed|{moved}"] == records[-2:]
    environment = Path(f"{theirs['pre-commit']}.env").read_text()
    assert f"GIT_INDEX_FILE={task.admin}/index.lock\n" in environment
    assert "GIT_NO_REPLACE_OBJECTS" not in environment
    assert "LC_ALL" not in environment
    assert "_waves_" not in environment


def test_a_users_reference_transaction_hook_may_veto(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    veto = '#!/bin/sh\n[ "$1" != prepared ] || { echo no >&2; exit 3; }\n'
    script(repo.folder / ".git/hooks/reference-transaction", veto)
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    assert task.run("git", "commit", "-qam", "x") == (128, "no\nfatal: ref updates aborted by hook\n")
    assert task.tip() == task.base


def test_our_check_comes_after_a_users_hook_that_stages_files(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".git/hooks/pre-commit", "#!/bin/sh\necho fixed >src/b.c\ngit add src/b.c\n")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-am", "x")


def test_a_hook_that_is_not_executable_is_skipped_as_git_does(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", mode=0o644)
    script(repo.folder / ".git/hooks/commit-msg.sample", "#!/bin/sh\nexit 1\n")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")


def test_husky_runs_from_the_main_work_tree_whose_untracked_folder_holds_it(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    # The shape of husky 9: `.husky/_` is generated and ignored, each hook there runs `h`, which runs `.husky/<name>`.
    start_run(repo, {**FILES, ".husky/pre-commit": f"echo checked by husky in $(pwd) >>{tmp_path}/log\n"})
    generated = repo.folder / ".husky/_"
    script(generated / "pre-commit", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    script(
        generated / "h",
        'hook=$(dirname "$(dirname "$0")")/$(basename "$0")\n[ -f "$hook" ] && sh -e "$hook" "$@"\n',
        mode=0o644,
    )
    (generated / ".gitignore").write_text("*")
    repo.git("config", "core.hooksPath", ".husky/_")
    task = make_task(repo)
    assert not (task.folder / ".husky/_").exists()
    task.write({"src/a.c": "mine\n", "src/b.c": "not mine\n"})
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-am", "x")
    task.git("commit", "--quiet", "-m", "work", "--", "src/a.c")
    assert (tmp_path / "log").read_text() == f"checked by husky in {task.folder}\n" * 2
    assert repo.git("config", "core.hooksPath") == ".husky/_"


def test_tracked_hooks_run_from_the_worktree_itself(repo: RepoBuilder, tmp_path: Path) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".githooks/pre-commit", f'#!/bin/sh\necho "$0" >{tmp_path}/log\n')
    repo.git("update-ref", INTEGRATION, repo.commit({}, message="hooks"))
    repo.git("config", "core.hooksPath", ".githooks")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    assert (tmp_path / "log").read_text() == f"{task.folder}/.githooks/pre-commit\n"


def test_a_script_like_the_pre_commit_frameworks_finds_itself(repo: RepoBuilder, tmp_path: Path) -> None:
    start_run(repo, FILES)
    script(
        repo.folder / ".git/hooks/pre-commit",
        "#!/usr/bin/env bash\n"
        f"INTERPRETER={shutil.which('python3')}\n"
        'HERE="$(cd "$(dirname "$0")" && pwd)"\n'
        'ARGS=(--hook-type=pre-commit --hook-dir "$HERE" -- "$@")\n'
        f'exec "$INTERPRETER" -c \'import sys; open("{tmp_path}/log", "w").write(" ".join(sys.argv[1:]))\' "${{ARGS[@]}}"\n',
    )
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    assert (tmp_path / "log").read_text() == f"--hook-type=pre-commit --hook-dir {task.common}/hooks --"


def test_a_users_global_hooks_path_is_found(repo: RepoBuilder, environment: dict[str, str]) -> None:
    start_run(repo, FILES)
    folder = Path(environment["HOME"]) / "my hooks"
    script(folder / "pre-commit", "#!/bin/sh\necho global >&2\nexit 1\n")
    repo.git("config", "--global", "core.hooksPath", "~/my hooks")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    assert task.run("git", "commit", "-qam", "x") == (1, "global\n")


@pytest.mark.parametrize("value", ["", "/nonexistent", ".git/waves/runs"])
def test_a_hooks_path_that_leads_nowhere_or_to_us_is_no_hooks(repo: RepoBuilder, value: str) -> None:
    start_run(repo, FILES)
    task = make_task(repo)
    repo.git("config", "core.hooksPath", value)
    assert hooks.user_hooks(task.door, common_dir=task.common, worktree=task.folder) is None


def test_git_lfs_finds_its_hooks_taken(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    repo.git("config", "filter.lfs.clean", "cat")
    task = make_task(repo)
    assert {path.name for path in task.hooks.iterdir()} >= {*hooks.OWN_HOOKS, *hooks.LFS_HOOKS}
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")


def test_a_hook_that_runs_git_init_cannot_lock_the_user_out(repo: RepoBuilder, tmp_path: Path) -> None:
    start_run(repo, FILES)
    (tmp_path / "elsewhere").mkdir()
    script(repo.folder / ".git/hooks/pre-commit", f"#!/bin/sh\ncd {tmp_path}/elsewhere && git init --quiet\n")
    task = make_task(repo)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    assert repo.git("config", "--file", ".git/config", "core.bare") == "true", "git's own trap is gone"
    assert repo.git("status", "--porcelain") == ""
    assert task.git("status", "--porcelain") == ""


# ---------------------------------------------------------------------- what an allowed commit costs


def test_an_allowed_commit_starts_no_interpreter(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    task = make_task(repo)
    without_interpreter(task)
    task.write({"src/a.c": "mine\n", "docs/deep/b.md": "x", "gen/x.h": "x", "gen/a/b/y.h": "x"})
    task.git("add", "--all")
    task.write({"later.txt": "x"})
    task.git("add", "--intent-to-add", "later.txt")
    task.git("commit", "--quiet", "-m", "work")
    task.git("rm", "--quiet", "gen/x.h", "src/a.c")
    task.git("commit", "--quiet", "--amend", "--no-edit")
    task.git("rm", "--quiet", "--cached", "later.txt")
    repo.git("update-ref", INTEGRATION, repo.commit({"src/b.c": "integrated\n"}))
    task.git("rebase", "--quiet", INTEGRATION)
    task.write({"docs/a.md": "more\n"})
    task.git("commit", "--quiet", "-am", "after the rebase")


def test_nor_does_one_on_a_base_that_is_not_integrated_yet(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    integrated = repo.git("rev-parse", INTEGRATION)
    repo.git("update-ref", INTEGRATION, repo.commit({"src/b.c": "merged into the candidate\n"}))
    task = make_task(repo)
    repo.git("update-ref", INTEGRATION, integrated)
    without_interpreter(task)
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")


def test_owning_everything_starts_no_interpreter_either(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    task = make_task(repo, "**")
    without_interpreter(task)
    task.write({"a": "x", "b/c/d": "x"})
    task.git("add", "--all")
    task.git("commit", "--quiet", "-m", "work")


def test_a_grep_that_cannot_do_it_changes_no_answer(repo: RepoBuilder, tmp_path: Path) -> None:
    start_run(repo, FILES)
    task = make_task(repo)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "cat"):
        (tools / name).symlink_to(shutil.which(name) or "")
    # None at all; one that knows no -z; one that takes everything for one line; one that says nothing and succeeds.
    for body in (None, "exit 2", "echo usage; exit 1", "cat", "cat >/dev/null; exit 0"):
        if body is not None:
            script(tools / "grep", f"#!/bin/sh\n{body}\n")
        task.write({"src/a.c": f"mine {body}\n", "src/b.c": "not mine\n"})
        path = {"PATH": str(tools)}
        assert task.run("git", "commit", "-qm", "x", "--", "src/a.c", environment=path) == (0, "")
        code, message = task.run("git", "commit", "-qm", "x", "--", "src/b.c", environment=path)
        assert (code, "'src/b.c' belongs to task 't2'" in message) == (1, True)


def test_the_dispatcher_reads_the_same_in_bash(repo: RepoBuilder, tmp_path: Path) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".git/hooks/reference-transaction", recorder(tmp_path / "log"))
    task = make_task(repo)
    for name in hooks.OWN_HOOKS:
        path = task.hooks / name
        path.write_text(path.read_text().replace("#!/bin/sh", "#!/bin/bash", 1))
    task.write({"src/a.c": "mine\n", "docs/b.md": "x", "src/b.c": "not mine\n"})
    task.git("add", "--all")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-m", "x")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-nm", "x")
    assert "tag 'v1' does not belong" in task.refused("tag", "v1")
    without_interpreter(task)
    assert task.run("git", "commit", "-qm", "x", "--", "src/a.c", "docs/b.md") == (0, "")


def test_a_file_called_head_confuses_nobody(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    task = make_task(repo, "HEAD")
    without_interpreter(task)
    task.write({"HEAD": "x"})
    task.git("add", "--all")
    task.git("commit", "--quiet", "-m", "work")


# ---------------------------------------------------------------------- what is installed


def test_hook_files_are_found_beside_the_package() -> None:
    assert {path.name for path in hooks.hooks_folder().iterdir()} >= {"dispatch.sh", "guard.py"}


def test_hook_files_are_found_inside_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages/git_waves"
    (package / "adapters").mkdir(parents=True)
    monkeypatch.setattr(hooks, "__file__", str(package / "adapters/hooks.py"))
    with pytest.raises(SurroundingsError, match="cannot find the hook files of git-waves"):
        hooks.hooks_folder()
    shutil.copytree(Path(__file__).parents[2] / "hooks", package / "hooks")
    assert hooks.hooks_folder() == package / "hooks"


def test_only_this_worktree_has_the_hooks_and_the_settings(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    before = (repo.folder / ".git/config").read_bytes()
    task = make_task(repo)
    settings = dict(line.split("=", 1) for line in task.git("config", "--worktree", "--list").splitlines())
    assert settings == {
        "core.bare": "false",
        "core.hookspath": str(task.hooks),
        "core.fsmonitor": "false",
        "core.filesreflocktimeout": "5000",
        "core.packedrefstimeout": "5000",
        "reftable.locktimeout": "10000",
        "gc.auto": "0",
        "gc.packrefs": "false",
        "maintenance.auto": "false",
        "push.default": "nothing",
        "rerere.enabled": "false",
    }
    assert repo.git("config", "core.hooksPath", exit=1) == ""
    assert (repo.folder / ".git/config").read_bytes() == before + b"[extensions]\n\tworktreeConfig = true\n"


def test_installing_again_gives_the_same_and_drops_what_is_stale(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    script(repo.folder / ".git/hooks/post-merge", "#!/bin/sh\n")
    task = make_task(repo)
    assert (task.hooks / "post-merge").exists()
    assert task.install() == task.seal
    (repo.folder / ".git/hooks/post-merge").unlink()
    again = task.install()
    assert not (task.hooks / "post-merge").exists()
    assert [file for file in task.seal.files if file.path.name != "post-merge"] == list(again.files)


def test_settings_git_copied_into_the_worktree_are_kept(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    task = make_task(repo)
    config = task.admin / "config.worktree"
    ours = config.read_bytes().partition(b"# git-waves")
    config.write_bytes(b"[core]\n\tsparseCheckout = false" + b"\n# git-waves" + ours[2])
    task.install()
    assert task.git("config", "core.sparseCheckout") == "false"
    assert task.git("config", "core.hooksPath") == str(task.hooks)


def test_odd_folder_names_survive_the_shell_and_the_configuration(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    repo = RepoBuilder(tmp_path / 'it\'s a "repo"; # $(x) \\ by\udcffte', environment)
    start_run(repo, FILES)
    task = make_task(repo)
    task.write({"src/a.c": "mine\n", "src/b.c": "not mine\n"})
    task.git("commit", "--quiet", "-m", "work", "--", "src/a.c")
    assert "'src/b.c' belongs to task 't2'" in task.refused("commit", "-am", "x")
    assert isinstance(task.canary(), hooks.CanaryRefused)


def test_hooks_can_be_executed_at_once_though_a_process_that_just_starts_holds_them_open(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a fork of another thread has for a moment: a copy of the descriptor the file was written through."""
    write = write_durably

    def write_and_hold(path: Path, content: bytes, *, mode: int = 0o600) -> None:
        write(path, content, mode=mode)
        descriptor = os.open(path, os.O_WRONLY)
        threading.Timer(0.3, os.close, [descriptor]).start()

    start_run(repo, FILES)
    task = make_task(repo)
    monkeypatch.setattr(hooks, "write_durably", write_and_hold)
    task.install()
    done = subprocess.run([task.hooks / "pre-commit"], cwd=task.folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_hook_is_the_one_dispatcher_for_the_user_only(repo: RepoBuilder) -> None:
    start_run(repo, FILES)
    task = make_task(repo)
    dispatch = (hooks.hooks_folder() / "dispatch.sh").read_bytes()
    files = {path.name: path for path in task.hooks.iterdir()}
    assert set(files) == {*hooks.OWN_HOOKS, "guard.py", "settings.sh"}
    for name in hooks.OWN_HOOKS:
        assert files[name].read_bytes() == dispatch
        assert stat.S_IMODE(files[name].stat().st_mode) == 0o700
