"""The refs of a run on real git: begun, moved, and found again after a crash."""

from __future__ import annotations

import pytest

from git_waves import refs
from git_waves.adapters.eventlog import Published, TaskMerged
from git_waves.adapters.git import Git
from git_waves.core.model import Oid
from git_waves.errors import HaltError, SurroundingsError
from tests.core.simulate import Simulation
from tests.support.repo import RepoBuilder


class Scene:
    """A run of one task whose refs are begun, with the events the log would hold."""

    def __init__(self, repo: RepoBuilder) -> None:
        self.repo = repo
        self.git = Git(repo.folder / ".git")
        self.base = repo.commit({"a": "1"})
        self.tip = repo.git("commit-tree", "HEAD^{tree}", "-p", self.base, "-m", "work")
        self.run = Simulation((("1", (("t1",),), ()),))
        state = self.run.state
        state.base = state.candidate = state.integration = self.base
        state.plan_blob = self.git.hash_blob(b"plan")
        refs.begin(self.git, state, previous="")
        self.run.event("task_leased", task="t1", attempt=1, branch="b", base=self.base, worktree="w")
        self.run.event("task_passed", task="t1", attempt=1, tip=self.tip, paths=["a"])

    @property
    def state(self) -> object:
        return self.run.state

    def merge_commit(self) -> Oid:
        state = self.run.state
        message = refs.merge_message(state, state.tasks["t1"])
        return self.git.commit_tree(self.git.tree_of(Oid(self.tip)), (Oid(self.base), Oid(self.tip)), message)


@pytest.fixture
def scene(repo: RepoBuilder) -> Scene:
    return Scene(repo)


def test_beginning_creates_every_ref_and_may_be_repeated(scene: Scene) -> None:
    refs.begin(scene.git, scene.run.state, previous="")
    found = scene.git.refs("refs/waves/", "refs/heads/waves/")
    assert set(found) == {
        "refs/waves/integration/p",
        "refs/waves/p/r1/base",
        "refs/waves/p/r1/plan",
        "refs/waves/p/r1/candidate",
        "refs/heads/waves/p/integration",
    }


def test_a_merge_whose_event_was_lost_is_found_by_its_trailers(scene: Scene) -> None:
    commit = scene.merge_commit()
    assert refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    (event,) = refs.reconcile(scene.git, scene.run.state)
    assert event == TaskMerged(
        task="t1", attempt=1, tip=scene.tip, commit=commit, tree=scene.git.tree_of(commit)
    )


def test_a_publish_whose_event_was_lost_is_found_by_the_ref(scene: Scene) -> None:
    commit = scene.merge_commit()
    refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    scene.run.event("task_merged", task="t1", attempt=1, tip=scene.tip, commit=commit, tree="T")
    assert refs.publish(scene.git, scene.run.state) == ""
    (event,) = refs.reconcile(scene.git, scene.run.state)
    assert event == Published(group="1", old=scene.base, new=commit)


def test_a_candidate_moved_by_a_stranger_halts(scene: Scene) -> None:
    scene.repo.git("update-ref", "refs/waves/p/r1/candidate", scene.tip)
    with pytest.raises(HaltError, match="was moved by somebody else"):
        refs.reconcile(scene.git, scene.run.state)


def test_publishing_from_a_value_we_do_not_know_moves_nothing(scene: Scene) -> None:
    commit = scene.merge_commit()
    refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    scene.run.event("task_merged", task="t1", attempt=1, tip=scene.tip, commit=commit, tree="T")
    scene.repo.git("update-ref", "refs/waves/integration/p", scene.tip)
    assert refs.publish(scene.git, scene.run.state) is None
    assert scene.git.ref("refs/waves/integration/p") == scene.tip
    assert scene.git.ref("refs/heads/waves/p/integration") == scene.base
    assert "was moved by somebody else" in refs.moved_elsewhere(scene.git, scene.run.state)


def test_a_branch_that_somebody_checked_out_is_left_alone_and_named(scene: Scene) -> None:
    scene.repo.git("checkout", "-q", "waves/p/integration")
    commit = scene.merge_commit()
    refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    scene.run.event("task_merged", task="t1", attempt=1, tip=scene.tip, commit=commit, tree="T")
    warning = refs.publish(scene.git, scene.run.state)
    assert warning is not None
    assert "is checked out" in warning
    assert scene.git.ref("refs/waves/integration/p") == commit
    assert scene.git.ref("refs/heads/waves/p/integration") == scene.base
    assert scene.repo.git("status", "--porcelain") == ""


def test_an_integration_ref_that_was_deleted_under_way_is_not_made_again_silently(scene: Scene) -> None:
    scene.repo.git("update-ref", "-d", "refs/waves/integration/p")
    refs.begin(scene.git, scene.run.state, previous="")
    assert scene.git.ref("refs/waves/integration/p") is None
    assert "it is gone" in refs.moved_elsewhere(scene.git, scene.run.state)


def test_an_acceptance_that_was_killed_half_way_is_completed(scene: Scene) -> None:
    theirs = scene.repo.git("commit-tree", "HEAD^{tree}", "-m", "of no ancestry")
    scene.repo.git("update-ref", "refs/waves/integration/p", theirs)
    scene.run.event("integration_accepted", old=scene.base, new=theirs, tree="T")
    refs.begin(scene.git, scene.run.state, previous="")
    assert refs.reconcile(scene.git, scene.run.state) == ()
    assert scene.git.ref("refs/waves/p/r1/candidate") == theirs


def test_a_passed_tip_hangs_on_a_ref_of_ours_until_it_is_merged(scene: Scene) -> None:
    pin = refs.passed_ref("p", "r1", "t1", 1)
    scene.repo.git("update-ref", pin, scene.tip)
    commit = scene.merge_commit()
    assert refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    assert scene.git.ref(pin) is None
    assert scene.git.ref("refs/waves/p/r1/candidate") == commit


@pytest.mark.long
def test_a_lock_that_a_killed_git_left_is_named_with_its_file(scene: Scene) -> None:
    lock = scene.repo.folder / ".git/refs/waves/integration/p.lock"
    lock.write_text("")
    state = scene.run.state
    with pytest.raises(
        SurroundingsError, match=r"'refs/waves/integration/p' is locked by '.*p\.lock'"
    ) as caught:
        scene.git.update_refs([f"update refs/waves/integration/p {scene.tip} {state.base}"], message="m")
    assert "remove the file" in caught.value.hint


@pytest.mark.long
def test_a_branch_that_cannot_move_keeps_nothing_from_being_published(scene: Scene) -> None:
    commit = scene.merge_commit()
    refs.move_candidate(scene.git, scene.run.state, scene.run.state.tasks["t1"], commit)
    scene.run.event("task_merged", task="t1", attempt=1, tip=scene.tip, commit=commit, tree="T")
    (scene.repo.folder / ".git/refs/heads/waves/p/integration.lock").write_text("")
    warning = refs.publish(scene.git, scene.run.state)
    assert warning is not None
    assert "could not be moved and is left alone" in warning
    assert scene.git.ref("refs/waves/integration/p") == commit


def test_attempt_numbers_are_never_reused(scene: Scene) -> None:
    scene.repo.git("branch", "waves/p/t1/1")
    scene.repo.git("branch", "waves/p/t1/2")
    assert refs.free_attempt(scene.git, "p", "t1", 1) == 3
    assert refs.free_attempt(scene.git, "p", "t2", 1) == 1
