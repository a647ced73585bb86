"""What a repository says about the paths of a plan: its tree, ignore rules, attributes, schedulers, history.

Nothing of the repository is executed on the way (P7): no hooks, filters, text conversions, external diffs, monitors, and
nothing that is missing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from git_waves.adapters.git import Git, GitError
from git_waves.adapters.history import history_limit, read_history
from git_waves.adapters.repo import Repository
from git_waves.core.basetree import BaseTree
from git_waves.core.findings.habits import files_with_habits
from git_waves.core.globs import literal_head
from git_waves.core.model import Oid, PathPattern, PatternKind, Plan, RepoPath
from git_waves.core.paths import folders_of
from git_waves.core.repository import History, IgnoreRule, RepositoryFacts
from git_waves.core.scheduled import ScheduledWrite, is_scheduler_file, scheduled_writes

_GENERATED = ("linguist-generated", "gitlab-generated")
_MOST_SCHEDULERS = 200
_LONGEST_REASON = 200  # letters
_LONGEST_SCHEDULER = 64 * 1024  # bytes; what is longer was written by a program


def gather(
    repository: Repository, plan: Plan, *, base: str | None = None, with_history: bool = True
) -> RepositoryFacts | None:
    """The facts about the plan's paths at `base`, else the plan's base, else HEAD; None without any commit.

    Raises UsageError for a setting that makes no sense. What cannot be read is named in `gaps`.
    """
    git = Git(repository.common_dir, work_tree=repository.work_tree)
    named = base or plan.base
    commit = git.resolve(named) if named is not None else None
    missing = named if commit is None else None
    if commit is None:
        commit, named = git.resolve("HEAD"), _head_name(git)
    if commit is None or named is None:
        return None
    tree = BaseTree(modes=git.modes_in(commit))
    gaps: list[tuple[str, str]] = []
    attributes = _attributes(git, repository.common_dir, plan, tree)
    lfs = frozenset(path for path, said in attributes.items() if said.get("filter") == "lfs")
    return RepositoryFacts(
        base=commit,
        base_name=named,
        missing_base=missing,
        tree=tree,
        ignored=_ignored(git, repository.work_tree, plan, tree, gaps),
        generated={
            path: name
            for path, said in attributes.items()
            for name in _GENERATED
            if said.get(name, "false") != "false"
        },
        lfs=lfs,
        has_lfs=bool(lfs) and git.has_filter_lfs(),
        scheduled=_scheduled(git, commit, tree),
        history=_history(git, commit, plan, tree, gaps) if with_history else None,
        gaps=tuple(gaps),
    )


def _head_name(git: Git) -> str:
    head = git.symbolic_head()
    return "HEAD" if head is None else head.removeprefix("refs/heads/")


def _in_a_line(error: GitError) -> str:
    """Git may say a lot; the first words are what it was about."""
    words = " ".join(str(error).split())
    return words if len(words) <= _LONGEST_REASON else words[:_LONGEST_REASON] + "..."


def _patterns(plan: Plan) -> Iterator[PathPattern]:
    return (claim.pattern for task in plan.tasks if not task.is_done for claim in task.claims)


# ---------------------------------------------------------------------- how git keeps a path


def _ignored(
    git: Git, work_tree: Path, plan: Plan, tree: BaseTree, gaps: list[tuple[str, str]]
) -> dict[RepoPath, IgnoreRule]:
    """The rules that claimed paths fall under; for what is in the tree already, rules mean nothing."""
    asked: dict[RepoPath, list[RepoPath]] = {}
    for pattern in dict.fromkeys(_patterns(plan)):
        place = literal_head(pattern.text) + "/" if pattern.kind is PatternKind.GLOB else str(pattern)
        if place != "/" and not tree.has_match(pattern):
            asked.setdefault(RepoPath(place), []).append(RepoPath(str(pattern)))
    try:
        found = git.ignored(_before_links(work_tree, asked)) if asked else ()
    except GitError as error:
        gaps.append(("what git ignores", _in_a_line(error)))
        return {}
    return {
        path: IgnoreRule(source=one.source, line=one.line, pattern=one.pattern)
        for one in found
        for path in asked[one.path]
    }


def _before_links(work_tree: Path, paths: Iterable[RepoPath]) -> Iterator[RepoPath]:
    """Without paths behind a symbolic link of the work tree, at which git gives up."""
    is_link: dict[str, bool] = {}
    behind: dict[str, bool] = {}  # plans name many paths of few folders

    def is_behind(folder: str) -> bool:
        for part in (*folders_of(folder), folder):
            if part not in is_link:
                is_link[part] = (work_tree / part).is_symlink()
            if is_link[part]:
                return True
        return False

    for path in paths:
        folder = path.rstrip("/").rpartition("/")[0]
        if folder not in behind:
            behind[folder] = is_behind(folder)
        if not behind[folder]:
            yield path


def _attributes(git: Git, common_dir: Path, plan: Plan, tree: BaseTree) -> dict[RepoPath, dict[str, str]]:
    """The attributes of claimed files and globs; asked for only where some file gives attributes at all."""
    gives = (common_dir / "info" / "attributes").exists() or any(
        path.endswith(".gitattributes") for path in tree.modes
    )
    wanted = (
        {pattern.text for pattern in _patterns(plan) if pattern.kind is not PatternKind.DIR}
        if gives
        else set()
    )
    return git.attributes(sorted(wanted), "filter", *_GENERATED) if wanted else {}


# ---------------------------------------------------------------------- who else writes


def _scheduled(git: Git, commit: Oid, tree: BaseTree) -> tuple[ScheduledWrite, ...]:
    names = [path for path in tree.modes if is_scheduler_file(path)][:_MOST_SCHEDULERS]
    if not names:
        return ()
    blobs = git.small_blobs(commit, names, limit=_LONGEST_SCHEDULER)
    return tuple(scheduled_writes({path: data.decode(errors="replace") for path, data in blobs.items()}))


def _history(
    git: Git, commit: Oid, plan: Plan, tree: BaseTree, gaps: list[tuple[str, str]]
) -> History | None:
    limit = history_limit(git)
    files = files_with_habits(plan) & tree.modes.keys()
    if not files or not limit:
        return None
    try:
        return read_history(git, tip=commit, files=files, limit=limit)
    except GitError as error:
        gaps.append(("the history", _in_a_line(error)))
        return None
