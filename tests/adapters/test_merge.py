"""The fence: whatever a tip holds, only owned paths get into the candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters.git import Git
from git_waves.adapters.merge import Candidate, Conflict, Refused, merge_tip
from git_waves.core.model import Oid, RepoPath, Rules
from git_waves.core.treenames import TreeNames
from tests.support.repo import RepoBuilder

OWN = Rules(files=frozenset({RepoPath("own.txt")}), dirs=("mine/",))


class Scene:
    """A base with an owned and a foreign file; `tip` builds the task's commit, `merge` puts it to the fence."""

    def __init__(self, repo: RepoBuilder, scratch: Path) -> None:
        self.repo = repo
        self.git = Git(repo.folder / ".git")
        self.scratch = scratch
        self.names = TreeNames()
        self.base = repo.commit(
            {"own.txt": "1\n2\n3\n", "foreign.txt": "1\n2\n3\n", "theirs/x.txt": "x\n", "mine/y.txt": "y\n"}
        )
        self.candidate = self.base
        repo.git("checkout", "-q", "-b", "task")

    def merge(self, *, rules: Rules = OWN, tip: str | None = None) -> Candidate | Conflict | Refused:
        return merge_tip(
            self.git,
            candidate=Oid(self.candidate),
            tree=self.git.tree_of(Oid(self.candidate)),
            base=Oid(self.base),
            tip=Oid(tip or self.repo.git("rev-parse", "task")),
            rules=rules,
            message="m\n",
            names=self.names,
            scratch=self.scratch,
        )


@pytest.fixture
def scene(repo: RepoBuilder, tmp_path: Path) -> Scene:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return Scene(repo, scratch)


def refused_for(result: object) -> tuple[str, ...]:
    assert isinstance(result, Refused), result
    return result.paths


def test_owned_work_becomes_a_merge_commit_with_both_parents(scene: Scene) -> None:
    tip = scene.repo.commit({"own.txt": "changed\n", "mine/new/z.txt": "z\n"})
    result = scene.merge()
    assert isinstance(result, Candidate)
    assert scene.git.parents(result.commit) == (scene.base, tip)
    assert set(result.paths) == {"own.txt", "mine/new/z.txt"}
    assert list(scene.scratch.iterdir()) == []


def test_a_foreign_edit_is_refused_by_name(scene: Scene) -> None:
    scene.repo.commit({"own.txt": "ok\n", "foreign.txt": "taken\n"})
    assert refused_for(scene.merge()) == ("foreign.txt",)


def test_a_rename_out_of_a_foreign_folder_is_refused(scene: Scene) -> None:
    scene.repo.git("mv", "theirs/x.txt", "mine/x.txt")
    scene.repo.git("commit", "-qm", "rename")
    assert refused_for(scene.merge()) == ("theirs/x.txt",)


def test_a_mode_only_change_of_a_foreign_file_is_refused(scene: Scene) -> None:
    scene.repo.git("update-index", "--chmod=+x", "foreign.txt")
    scene.repo.git("commit", "-qm", "mode")
    assert refused_for(scene.merge()) == ("foreign.txt",)


def test_a_link_in_place_of_an_owned_folder_is_refused(scene: Scene) -> None:
    scene.repo.git("rm", "-rq", "mine")
    (scene.repo.folder / "mine").symlink_to("theirs")
    scene.repo.git("add", "mine")
    scene.repo.git("commit", "-qm", "swap")
    assert refused_for(scene.merge()) == ("mine",)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", "../mine/../../x"])
def test_a_link_that_leaves_the_repository_is_refused(scene: Scene, target: str) -> None:
    (scene.repo.folder / "mine/link").symlink_to(target)
    scene.repo.git("add", "mine/link")
    scene.repo.git("commit", "-qm", "link")
    assert refused_for(scene.merge()) == ("mine/link",)


def test_a_link_that_stays_inside_is_merged(scene: Scene) -> None:
    (scene.repo.folder / "mine/link").symlink_to("../own.txt")
    scene.repo.git("add", "mine/link")
    scene.repo.git("commit", "-qm", "link")
    assert isinstance(scene.merge(), Candidate)


def test_a_gitlink_below_an_owned_folder_is_refused_and_at_its_own_claimed_path_merged(scene: Scene) -> None:
    scene.repo.git("update-index", "--add", "--cacheinfo", f"160000,{scene.base},mine/sub")
    scene.repo.git("commit", "-qm", "gitlink")
    assert refused_for(scene.merge()) == ("mine/sub",)
    rules = Rules(files=frozenset({RepoPath("mine/sub")}))
    assert isinstance(scene.merge(rules=rules), Candidate)


def test_touch_and_revert_of_a_foreign_file_is_no_change(scene: Scene) -> None:
    scene.repo.commit({"foreign.txt": "x\n"})
    scene.repo.commit({"foreign.txt": "1\n2\n3\n", "own.txt": "done\n"})
    assert isinstance(scene.merge(), Candidate)


def test_an_evil_merge_is_refused(scene: Scene) -> None:
    scene.repo.commit({"own.txt": "mine\n"})
    scene.repo.git("checkout", "-q", "main")
    scene.candidate = scene.repo.commit({"theirs/x.txt": "moved on\n"})
    scene.repo.git("checkout", "-q", "task")
    scene.repo.git("merge", "-q", "--no-commit", "main")
    scene.repo.write({"foreign.txt": "evil\n"})
    scene.repo.git("add", "foreign.txt")
    scene.repo.git("commit", "-qm", "evil merge")
    assert refused_for(scene.merge()) == ("foreign.txt",)


def test_merging_the_advanced_candidate_into_the_task_is_fine(scene: Scene) -> None:
    scene.repo.commit({"own.txt": "mine\n"})
    scene.repo.git("checkout", "-q", "main")
    scene.candidate = scene.repo.commit({"foreign.txt": "by its owner\n"})
    scene.repo.git("checkout", "-q", "task")
    scene.repo.git("merge", "-q", "--no-edit", "main")
    result = scene.merge()
    assert isinstance(result, Candidate)
    assert set(result.paths) == {"own.txt"}


def test_history_rewritten_below_the_base_is_refused(scene: Scene) -> None:
    tree = scene.repo.git("rev-parse", "task^{tree}")
    orphan = scene.repo.git("commit-tree", tree, "-m", "orphan")
    result = scene.merge(tip=orphan)
    assert isinstance(result, Refused)
    assert "no longer contains" in result.reason


def test_a_replace_ref_fools_nobody(scene: Scene) -> None:
    honest = scene.repo.commit({"own.txt": "ok\n"})
    evil = scene.repo.commit({"foreign.txt": "evil\n"})
    scene.repo.git("replace", evil, honest)
    assert refused_for(scene.merge(tip=evil)) == ("foreign.txt",)


def test_names_that_differ_only_in_case_or_normalization_are_refused(scene: Scene) -> None:
    scene.repo.commit({"mine/Y.txt": "twin\n"})
    assert refused_for(scene.merge()) == ("mine/Y.txt", "mine/y.txt")
    scene.repo.git("reset", "-q", "--hard", scene.base)
    scene.repo.commit({"mine/\u00e9": "one\n", "mine/e\u0301": "two\n"})
    assert len(refused_for(scene.merge())) == 2


def test_a_spelling_of_dot_git_is_refused(scene: Scene) -> None:
    blob = scene.repo.git("hash-object", "-w", "--stdin", stdin="x")
    inner = scene.repo.git("mktree", stdin=f"100644 blob {blob}\tconfig\n")
    mine = scene.repo.git("mktree", stdin=f"040000 tree {inner}\t.g\u200cit\n100644 blob {blob}\ty.txt\n")
    top = scene.repo.git("ls-tree", "HEAD").replace(scene.repo.git("rev-parse", "HEAD:mine"), mine)
    tree = scene.repo.git("mktree", stdin=top + "\n")
    tip = scene.repo.git("commit-tree", tree, "-p", scene.base, "-m", "hfs")
    assert refused_for(scene.merge(tip=tip)) == ("mine/.g\u200cit/config",)


def test_paths_with_strange_bytes_are_judged_like_any_other(scene: Scene) -> None:
    scene.repo.commit({"mine/sp ace \udcff": "x\n", 'mine/qu"ote': "x\n"})
    assert isinstance(scene.merge(), Candidate)
    scene.repo.commit({"theirs/\udcff": "x\n"})
    assert refused_for(scene.merge()) == ("theirs/\udcff",)


def test_both_sides_in_one_file_conflict_with_the_path(scene: Scene) -> None:
    scene.repo.commit({"own.txt": "task\n"})
    scene.repo.git("checkout", "-q", "main")
    scene.candidate = scene.repo.commit({"own.txt": "main\n"})
    result = scene.merge()
    assert isinstance(result, Conflict)
    assert result.paths == ("own.txt",)


def test_the_candidates_attributes_decide_how_to_merge_and_the_users_checkout_does_not(scene: Scene) -> None:
    scene.repo.git("checkout", "-q", "main")
    scene.base = scene.candidate = scene.repo.commit({".gitattributes": "own.txt merge=union\n"})
    scene.repo.git("checkout", "-q", "-B", "task")
    scene.repo.commit({"own.txt": "1\n2\n3\ntask\n"})
    scene.repo.git("checkout", "-q", "main")
    scene.candidate = scene.repo.commit({"own.txt": "1\n2\n3\nmain\n"})
    scene.repo.write({".gitattributes": "own.txt merge=binary\n"})
    result = scene.merge()
    assert isinstance(result, Candidate)
    assert scene.git.blob(f"{result.commit}:own.txt") == b"1\n2\n3\nmain\ntask\n"


def test_no_path_moves_because_a_folder_seems_renamed(scene: Scene) -> None:
    rules = Rules(files=frozenset({RepoPath("mine/new.txt")}))
    scene.repo.commit({"mine/new.txt": "new\n"})
    scene.repo.git("checkout", "-q", "main")
    scene.repo.git("mv", "mine", "moved")
    scene.repo.git("commit", "-qm", "rename the folder")
    scene.candidate = scene.repo.git("rev-parse", "HEAD")
    result = scene.merge(rules=rules)
    assert isinstance(result, Candidate)
    assert result.paths == ("mine/new.txt",)


def test_many_merges_in_a_row_keep_the_names_right(scene: Scene) -> None:
    for number in range(4):
        scene.repo.git("checkout", "-q", "-B", "task", scene.candidate)
        scene.base = scene.candidate
        scene.repo.git("rm", "-rq", "mine")
        scene.repo.commit({f"mine/File{number}.txt": "x\n"})
        result = scene.merge()
        assert isinstance(result, Candidate)
        scene.candidate = result.commit
    scene.repo.git("checkout", "-q", "-B", "task", scene.candidate)
    scene.base = scene.candidate
    scene.repo.commit({"mine/file3.TXT": "twin\n"})
    assert refused_for(scene.merge()) == ("mine/file3.TXT", "mine/File3.txt")
