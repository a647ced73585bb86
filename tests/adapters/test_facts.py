"""What is read of a real repository for a plan: tree, ignore rules, attributes, schedulers, history; nothing is executed."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from git_waves.adapters import facts, history
from git_waves.adapters.git import Git, GitError
from git_waves.adapters.repo import open_repository
from git_waves.core.basetree import LINK, SUBMODULE
from git_waves.core.cochange import Habit
from git_waves.core.model import Oid, Plan, RepoPath
from git_waves.core.repository import History, IgnoreRule, RepositoryFacts
from git_waves.errors import UsageError
from tests.core.plans import plan, task
from tests.support.repo import RepoBuilder

KBUILD = "tests/kunit/Kbuild"


def gather(
    repo: RepoBuilder, some: Plan, *, base: str | None = None, with_history: bool = True
) -> RepositoryFacts:
    found = facts.gather(open_repository(repo.folder), some, base=base, with_history=with_history)
    assert found is not None
    return found


def git_of(repo: RepoBuilder) -> Git:
    return Git(repo.folder / ".git")


def import_history(repo: RepoBuilder, *written: dict[str, str]) -> str:
    """A branch `main` of commits (oldest first), each with these files; quicker than committing. Returns its tip."""
    stream = []
    for number, files in enumerate(written):
        stream.append(f"commit refs/heads/main\ncommitter A <a@example.com> {1_700_000_000 + number} +0000")
        stream.append(f"data 1\n{number % 10}")
        for path, content in files.items():
            data = f"{content}{number}"
            stream.append(f"M 100644 inline {json.dumps(path)}\ndata {len(data)}\n{data}")
    repo.git("fast-import", "--quiet", "--date-format=raw", "--force", stdin="\n".join(stream) + "\n")
    repo.git("reset", "--hard", "--quiet", "main")
    return repo.git("rev-parse", "main")


# ---------------------------------------------------------------------- base and tree


def test_a_repository_without_a_commit_has_no_facts(repo: RepoBuilder) -> None:
    assert facts.gather(open_repository(repo.folder), plan(task("a", "x"))) is None


def test_the_base_of_the_plan_then_the_callers_then_head(repo: RepoBuilder) -> None:
    first = repo.commit({"a": "1"})
    repo.git("branch", "old")
    second = repo.commit({"b": "2"})
    some = plan(task("a", "x"))
    assert (gather(repo, some).base, gather(repo, some).base_name) == (second, "main")
    named = plan(task("a", "x"), base="old")
    assert (gather(repo, named).base, gather(repo, named).base_name) == (first, "old")
    assert gather(repo, named, base="main").base == second
    lost = gather(repo, plan(task("a", "x"), base="trunk"))
    assert (lost.base, lost.base_name, lost.missing_base) == (second, "main", "trunk")
    repo.git("checkout", "--quiet", "--detach")
    assert gather(repo, some).base_name == "HEAD"


def test_the_tree_has_every_name_and_every_kind(repo: RepoBuilder) -> None:
    names = [
        "plain",
        "with space",
        "tab\there",
        "line\nend",
        'quo"te',
        "\udcff\udcfe",
        "ümlaut",
        ":(top)x",
        "0" * 40,
    ]
    for name in names:
        (repo.folder / name).write_text("x")
    (repo.folder / "run.sh").write_text("x")
    (repo.folder / "run.sh").chmod(0o755)
    (repo.folder / "link").symlink_to("plain")
    inner = RepoBuilder(repo.folder / "sub", repo.environment)
    inner.commit({"x": "1"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "--all")
    repo.git("commit", "--quiet", "-m", "names")
    modes = gather(repo, plan(task("a", "x"))).tree.modes
    assert modes == {
        **dict.fromkeys(names, "100644"),
        "run.sh": "100755",
        "link": LINK,
        "sub": SUBMODULE,
    }


def test_a_sha256_repository_has_facts_too(tmp_path: Path, environment: dict[str, str]) -> None:
    other = RepoBuilder(tmp_path / "sha256", {**environment, "GIT_DEFAULT_HASH": "sha256"})
    other.commit({"a": "1", KBUILD: "x"})
    found = gather(other, plan(task("a", modify=["a"])))
    assert len(found.base) == 64 and set(found.tree.modes) == {"a", KBUILD}
    assert found.history == History(commits=1, limit=5000)


# ---------------------------------------------------------------------- ignored, generated, kept in LFS


def test_ignored_paths_come_with_the_rule_that_says_so(repo: RepoBuilder) -> None:
    repo.commit({".gitignore": "dist/\n*.log\n!keep.log\n", "web/.gitignore": "/out\n", "dist/kept.js": "x"})
    repo.git("add", "--force", "dist/kept.js")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "tracked although ignored")
    some = plan(
        task("a", create=["dist/app.js", "a.log", "keep.log", "src/new.js", ":(top)b.log"]),
        task("b", modify=["dist/kept.js", ".env"]),
        task("c", "web/out/", "web/out/*.map", "**/*.log"),
    )
    assert gather(repo, some).ignored == {
        "dist/app.js": IgnoreRule(source=".gitignore", line=1, pattern="dist/"),
        "a.log": IgnoreRule(source=".gitignore", line=2, pattern="*.log"),
        ":(top)b.log": IgnoreRule(source=".gitignore", line=2, pattern="*.log"),
        "web/out/": IgnoreRule(source="web/.gitignore", line=1, pattern="/out"),
        "web/out/*.map": IgnoreRule(source="web/.gitignore", line=1, pattern="/out"),
    }


def test_a_path_behind_a_link_does_not_hide_what_is_ignored(repo: RepoBuilder) -> None:
    repo.commit({".gitignore": "*.log\n", "real/x": "1"})
    (repo.folder / "link").symlink_to("real")
    found = gather(repo, plan(task("a", "link/x", "link/y/", "b.log")))
    assert (set(found.ignored), found.gaps) == ({"b.log"}, ())


@pytest.mark.parametrize("folders", [1, 15, 16, 24, 40, 1000, 2000])
def test_however_deep_a_path_lies_it_is_known_to_be_ignored(repo: RepoBuilder, folders: int) -> None:
    repo.commit({".gitignore": "# logs\n*.log\n"})
    deep = "d/" * folders + "x.log"
    found = gather(repo, plan(task("a", deep, deep[:-4], "y.log")))
    rule = IgnoreRule(source=".gitignore", line=2, pattern="*.log")
    unknown = IgnoreRule(source="", line=0, pattern="")
    assert found.ignored == {deep: rule if folders <= 15 else unknown, "y.log": rule}
    assert found.gaps == ()


def test_attributes_say_what_is_generated_and_what_is_in_lfs(repo: RepoBuilder) -> None:
    rules = "api/*.go linguist-generated\napi/own.go -linguist-generated\nx.go linguist-generated=false\n*.psd filter=lfs\n"
    repo.commit({".gitattributes": rules, "api/a.go": "x"})
    some = plan(task("a", "api/a.go", "api/own.go", "x.go", "art/logo.psd", "art/*.psd"))
    found = gather(repo, some)
    assert found.generated == {"api/a.go": "linguist-generated"}
    assert sorted(found.lfs) == ["art/*.psd", "art/logo.psd"] and not found.has_lfs
    repo.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    assert gather(repo, some).has_lfs


# ---------------------------------------------------------------------- schedulers


def test_scheduler_files_are_read_from_the_base_and_long_ones_are_not(repo: RepoBuilder) -> None:
    cron = "0 3 * * * ./fetch > data/prices.json\n"
    repo.commit({"crontab": cron, "big/crontab": cron + "#" * 70_000, "line\nend/crontab": cron})
    base = repo.git("rev-parse", "HEAD")
    repo.commit({"crontab": "# empty now\n"})
    assert [one.path for one in gather(repo, plan(task("a", "x")), base=base).scheduled] == [
        "data/prices.json"
    ]
    assert gather(repo, plan(task("a", "x"))).scheduled == ()


# ---------------------------------------------------------------------- history


def test_habits_of_a_real_history(repo: RepoBuilder) -> None:
    import_history(
        repo,
        *[{"core/io.c": "", KBUILD: ""}] * 23,
        *[{"core/io.c": ""}] * 2,
        *[{"core/port.c": ""}] * 30,
    )
    found = gather(repo, plan(task("io", modify=["core/io.c"]), task("port", "core/port.c", "new.c")))
    assert found.history == History(
        commits=55, limit=5000, habits=(Habit(RepoPath("core/io.c"), RepoPath(KBUILD), 23, 25),)
    )


def test_a_path_that_looks_like_a_commit_or_a_status_is_a_path(repo: RepoBuilder) -> None:
    odd = ["a" * 40, "M", "A", "line\nend", "\\backslash"]
    tip = import_history(repo, *[dict.fromkeys(odd, "")] * 3)
    assert [set(paths) for paths in git_of(repo).changed_paths(Oid(tip), limit=9)] == [set(odd)] * 3


def test_merges_and_empty_commits_are_no_commits_of_a_file(repo: RepoBuilder) -> None:
    repo.commit({"a": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"b": "1"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"c": "1"})
    repo.git("merge", "--quiet", "--no-edit", "side")
    repo.commit({}, message="nothing")
    tip = Oid(repo.git("rev-parse", "HEAD"))
    found = [paths for paths in git_of(repo).changed_paths(tip, limit=9) if paths]
    assert sorted(found) == [("a",), ("b",), ("c",)]


def test_a_history_may_be_left_at_any_commit(repo: RepoBuilder) -> None:
    tip = Oid(import_history(repo, *[{f"file{n % 7}": ""} for n in range(3000)]))
    stream = git_of(repo).changed_paths(tip, limit=3000)
    assert next(stream) == ("file3",)
    del stream  # both processes are gone with it, or pytest would warn of them
    assert len(list(git_of(repo).changed_paths(tip, limit=10))) == 10


def test_the_setting_limits_how_far_history_is_read_and_zero_reads_none(repo: RepoBuilder) -> None:
    import_history(repo, *[{"a": "", "b": ""}] * 20)
    some = plan(task("a", modify=["a"]))
    repo.git("config", "waves.historyLimit", "12")
    assert gather(repo, some).history == History(
        commits=12, limit=12, habits=(Habit(RepoPath("a"), RepoPath("b"), 12, 12),)
    )
    repo.git("config", "waves.historyLimit", "0")
    assert gather(repo, some).history is None
    repo.git("config", "waves.historyLimit", "many")
    with pytest.raises(UsageError) as wrong:
        gather(repo, some)
    assert (wrong.value.message, wrong.value.hint) == (
        "'waves.historyLimit' is no number of commits: 'many'",
        "git config waves.historyLimit 5000",
    )


def test_history_is_not_read_when_nobody_asks_or_no_claim_has_one(repo: RepoBuilder) -> None:
    import_history(repo, *[{"a": "", "b": ""}] * 12)
    assert gather(repo, plan(task("a", modify=["a"])), with_history=False).history is None
    assert gather(repo, plan(task("a", create=["new"]), task("b", "src/"))).history is None
    assert not (repo.folder / ".git/waves").exists()


# ---------------------------------------------------------------------- the cache


def test_what_was_found_is_kept_until_the_base_moves(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_history(repo, *[{"a": "", "b": ""}] * 12, *[{"c": "", "d": ""}] * 12)
    walks = []
    walk = Git.changed_paths

    def counted(git: Git, tip: Oid, *, limit: int) -> object:
        walks.append(tip)
        return walk(git, tip, limit=limit)

    monkeypatch.setattr(Git, "changed_paths", counted)
    ab, cd = plan(task("t", modify=["a"])), plan(task("t", modify=["c"]))
    first = gather(repo, ab).history
    assert gather(repo, ab).history == first and len(walks) == 1
    assert gather(repo, cd).history is not None and len(walks) == 2
    # Two plans do not take turns: the second look at either is free.
    assert gather(repo, ab).history == first and gather(repo, cd).history is not None and len(walks) == 2
    assert first is not None and [habit.companion for habit in first.habits] == ["b"]
    repo.commit({"e": "1"})
    gather(repo, ab)
    repo.git("config", "waves.historyLimit", "20")
    gather(repo, ab)
    assert len(walks) == 4
    cache = repo.folder / ".git/waves/cache"
    assert [path.name for path in cache.iterdir()] == ["habits.json"]
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"rules": 1}', b"\xff", b'{"habits": [["a"]]}'])
def test_a_damaged_cache_is_written_anew(repo: RepoBuilder, damage: bytes) -> None:
    import_history(repo, *[{"a": "", "b": ""}] * 12)
    some = plan(task("t", modify=["a"]))
    wanted = gather(repo, some).history
    cache = repo.folder / ".git/waves/cache/habits.json"
    whole = cache.read_bytes()
    cache.write_bytes(damage)
    assert gather(repo, some).history == wanted
    assert cache.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_trouble(repo: RepoBuilder) -> None:
    tip = import_history(repo, *[{"a": "", "b": ""}] * 12)
    (repo.folder / ".git/waves").write_text("in the way")
    found = history.read_history(git_of(repo), tip=Oid(tip), files={RepoPath("a")}, limit=50)
    assert len(found.habits) == 1


# ---------------------------------------------------------------------- nothing is executed, nothing is fetched


def test_nothing_that_the_repository_names_is_executed(repo: RepoBuilder, tmp_path: Path) -> None:
    """Hooks, filters, text conversions, external diffs, monitors, signatures, pagers, aliases: each would leave a mark."""
    mark = tmp_path / "mark"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{mark}'\ncat\n")
    trap.chmod(0o755)
    repo.commit(
        {".gitattributes": "* filter=trap diff=trap\n", ".gitignore": "*.log\n", "crontab": "@daily x > a\n"}
    )
    for key in (
        "filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "diff.trap.textconv", "diff.trap.command",
        "diff.external", "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "gpg.program",
        "core.alternateRefsCommand",
    ):  # fmt: skip
        repo.git("config", key, str(trap))
    repo.git("config", "log.showSignature", "true")
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        (repo.folder / ".git/hooks").mkdir(exist_ok=True)
        (repo.folder / ".git/hooks" / hook).symlink_to(trap)
    found = gather(repo, plan(task("t", "a", "b.log", modify=["crontab"])))
    assert found.history is not None and found.ignored and found.scheduled
    assert not mark.exists()


def test_what_a_partial_clone_lacks_is_not_fetched_but_told(
    repo: RepoBuilder, tmp_path: Path, environment: dict[str, str]
) -> None:
    import_history(repo, *[{"src/a": "", "src/b": ""}] * 12)
    repo.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{repo.folder}"
    repo.git(
        "clone", "--quiet", "--no-checkout", "--filter=tree:0", url, str(tmp_path / "partial"), cwd=tmp_path
    )
    mark = tmp_path / "mark"
    partial = RepoBuilder(tmp_path / "partial", environment)
    partial.git("rev-parse", "HEAD:src/a")  # fetches the newest tree, as a checkout would
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{mark}'\nexec git-upload-pack \"$@\"\n")
    trap.chmod(0o755)
    partial.git("config", "remote.origin.uploadpack", str(trap))
    found = gather(partial, plan(task("t", modify=["src/a"]), base="1" * 40))
    assert found.missing_base == "1" * 40
    assert set(found.tree.modes) == {"src/a", "src/b"}
    assert found.history is None
    ((what, why),) = found.gaps
    assert (what, why.startswith("git diff-tree failed")) == ("the history", True)
    assert not mark.exists()


def test_a_history_that_cannot_be_read_is_an_error_of_git(repo: RepoBuilder) -> None:
    tip = Oid(repo.commit({"a": "1"}))
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.folder / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(GitError, match="git diff-tree failed"):
        list(git_of(repo).changed_paths(tip, limit=5))


def test_a_shallow_clone_is_read_as_far_as_it_goes(
    repo: RepoBuilder, tmp_path: Path, environment: dict[str, str]
) -> None:
    import_history(repo, *[{"a": "", "b": ""}] * 20)
    repo.git(
        "clone", "--quiet", "--depth=3", f"file://{repo.folder}", str(tmp_path / "shallow"), cwd=tmp_path
    )
    found = gather(RepoBuilder(tmp_path / "shallow", environment), plan(task("t", modify=["a"])))
    assert found.history == History(commits=3, limit=5000)
