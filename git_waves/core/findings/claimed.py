"""Claims held against the tree they start from: W802 absent, W803 there already, W804 twins, W805 and W806 folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from git_waves.core.basetree import LINK, SUBMODULE
from git_waves.core.findings.cases import Case, Cases, sure
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, quoted
from git_waves.core.model import Claim, Finding, Intent, Origin, PathPattern, PatternKind, RepoPath
from git_waves.core.paths import matches, overlap
from git_waves.core.repository import RepositoryFacts

_CHANGES = frozenset({Intent.MODIFY, Intent.DELETE})
_THINGS = {LINK: "a symbolic link", SUBMODULE: "a submodule"}
_LACKS = {PatternKind.FILE: "is not", PatternKind.DIR: "holds nothing", PatternKind.GLOB: "matches nothing"}


def check_claimed(facts: Facts, repository: RepositoryFacts) -> Iterator[Finding]:
    """What the base tree says about claimed paths; the first thing that is wrong with a claim is what is told of it."""
    base = repository.base_name
    in_one: dict[str, Callable[[int], str]] = {
        "W802": lambda n: f"{count(n, 'path')} to be changed match nothing in '{base}'",
        "W803": lambda n: (
            f"{count(n, 'path')} to be created are in '{base}' already; was the plan run before?"
        ),
    }
    cases = Cases(facts, in_one=in_one)
    judge = _Judge(facts, repository)
    for task in facts.plan.tasks:
        for claim in () if task.is_done else task.claims:
            found = judge.wrong_with(claim)
            if found is not None:
                cases.add(task.id, claim, found)
    yield from cases.findings()


class _Judge:
    """Knows the tree, and what the plan's tasks make and take away."""

    def __init__(self, facts: Facts, repository: RepositoryFacts) -> None:
        self._base = repository.base_name
        self._tree = repository.tree
        self._ignored = repository.ignored
        claims = [claim for task in facts.plan.tasks if not task.is_done for claim in task.claims]
        self._makes = _makers(claims)
        self._new_folders = {
            claim.pattern.text.partition("/")[0] for claim in claims if claim.intent is Intent.CREATE
        }
        self._removed = [claim.pattern for claim in claims if claim.intent is Intent.DELETE]

    def wrong_with(self, claim: Claim) -> Case | None:
        """The first thing that is wrong with a claim."""
        return (
            self._blocked(claim)
            or self._twin(claim)
            or self._folder(claim)
            or self._absent(claim)
            or self._misplaced(claim)
            or self._present(claim)
        )

    def _blocked(self, claim: Claim) -> Case | None:
        """Something that is no folder stands above the path, and nobody takes it away: no tree can hold both."""
        pattern = claim.pattern
        if pattern.kind is PatternKind.GLOB:
            return None
        barrier = self._tree.barrier(pattern.text, is_folder=pattern.kind is PatternKind.DIR)
        if barrier is None or self._is_removed(barrier):
            return None
        mode = self._tree.modes[barrier]
        hint = f"let the task delete '{barrier}', or choose another path"
        if mode == SUBMODULE:
            hint = f"such work belongs into the submodule's own repository; to move its commit, claim '{barrier}'"
        words = f"'{pattern}' would lie below '{barrier}', which is {_THINGS.get(mode, 'a file')} in '{self._base}'"
        return Case(code="W805", path=RepoPath(str(pattern)), words=words, level=sure(claim), hint=hint)

    def _twin(self, claim: Claim) -> Case | None:
        """Nothing is there by that name, but something that ignores case or normalisation would take for it."""
        pattern = claim.pattern
        twin = self._tree.twin(pattern.text) if pattern.kind is not PatternKind.GLOB else None
        if twin is None or self._is_removed(twin[1]):
            return None
        part, other = twin
        words = (
            f"'{part}' differs only in case or normalisation from '{other}', which is in '{self._base}'; "
            "the merge refuses such a pair"
        )
        hint = f"write '{other}{str(pattern)[len(part) :]}', or let the task delete '{other}'"
        return Case(code="W804", path=RepoPath(str(pattern)), words=words, level=sure(claim), hint=hint)

    def _folder(self, claim: Claim) -> Case | None:
        """A folder, claimed without its slash."""
        pattern = claim.pattern
        if pattern.kind is not PatternKind.FILE or not self._tree.has_folder(pattern.text):
            return None
        words = f"'{pattern}' is a folder in '{self._base}', and is claimed as a file; nothing in it may be changed"
        return Case(code="W806", path=pattern.text, words=words, hint=f"write '{pattern}/'")

    def _absent(self, claim: Claim) -> Case | None:
        """To be changed, and not there; nor will it be, as far as the plan says."""
        pattern = claim.pattern
        if claim.intent not in _CHANGES or self._tree.has_match(pattern) or self._makes(pattern):
            return None
        if str(pattern) in self._ignored:  # which is told, and git does not know whether it is there
            return None
        words = f"'{pattern}' is to be changed and {_LACKS[pattern.kind]} in '{self._base}', and no task creates it"
        others = self._tree.namesakes(pattern.text) if pattern.kind is PatternKind.FILE else ()
        evidence = [f"elsewhere by that name: {quoted(others)}"] if others else []
        hint = "correct the path, or say 'create'"
        return Case(code="W802", path=RepoPath(str(pattern)), words=words, evidence=evidence, hint=hint)

    def _misplaced(self, claim: Claim) -> Case | None:
        """A plain entry may be new. But when its first folder is unknown and the whole path ends another one, the author
        wrote it from a folder below the top."""
        path, top = claim.pattern.text, claim.pattern.text.partition("/")[0]
        if claim.intent is not Intent.EDIT or claim.pattern.kind is not PatternKind.FILE or top == path:
            return None
        if self._tree.has_folder(top) or top in self._new_folders:
            return None
        whole = [other for other in self._tree.namesakes(path)[:1] if other.endswith(f"/{path}")]
        if not whole:
            return None
        hint = f"paths are written from the top of the repository: '{whole[0]}'"
        return Case(
            code="W802", path=path, words=f"'{path}' is not in '{self._base}', but '{whole[0]}' is", hint=hint
        )

    def _present(self, claim: Claim) -> Case | None:
        """To be created, and there already."""
        path = claim.pattern.text
        if claim.intent is not Intent.CREATE or claim.pattern.kind is not PatternKind.FILE:
            return None
        if path not in self._tree.modes or self._is_removed(path):
            return None
        words = f"'{path}' is to be created, and is in '{self._base}' already"
        return Case(code="W803", path=path, words=words, hint="say 'modify', or choose another name")

    def _is_removed(self, path: RepoPath) -> bool:
        """Whether some task deletes what is at `path`; of a folder, the whole."""
        return any(
            pattern.text == path or matches(pattern, path) or path.startswith(f"{pattern.text}/")
            for pattern in self._removed
        )


def _makers(claims: Iterable[Claim]) -> Callable[[PathPattern], bool]:
    """Whether some task may create what a pattern matches. A plain entry may be a new file, and so may a guess."""
    files: set[str] = set()
    wide = []
    for claim in claims:
        if claim.intent not in _CHANGES or claim.origin is Origin.INFERRED:
            if claim.pattern.kind is PatternKind.FILE:
                files.add(claim.pattern.text)
            else:
                wide.append(claim.pattern)

    def makes(pattern: PathPattern) -> bool:
        if pattern.kind is PatternKind.FILE:
            return pattern.text in files or any(matches(other, pattern.text) for other in wide)
        return any(matches(pattern, file) for file in files) or any(overlap(pattern, other) for other in wide)

    return makes
