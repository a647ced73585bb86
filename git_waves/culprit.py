"""The search for who broke a gate, step by step: trees of the serial merge and of tasks tried together, from git and the log.

Nothing of a search is kept but events. Each step replays `core.culprit.search` over the results that are known, and either
meets a tree whose result is not (a probe), or ends. So a coordinator that takes over goes on where the last one was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from git_waves.adapters import eventlog
from git_waves.adapters.merge import try_merge
from git_waves.core.culprit import Mix, Verdict, search, words
from git_waves.core.fold import RunState
from git_waves.core.model import Oid
from git_waves.setting import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A commit that a gate is to be tried on, its tree, and what it holds, in words."""

    commit: Oid
    tree: Oid
    trying: str


class _WantedError(Exception):
    """The search cannot go on before this is known."""

    def __init__(self, probe: Probe) -> None:
        super().__init__(probe.trying)
        self.probe = probe


class Search:
    """Searches of one coordinator; `record` writes an event and folds it into the state."""

    def __init__(
        self, setting: Setting, state: RunState, record: Callable[[eventlog.AnyEvent], None]
    ) -> None:
        self._setting = setting
        self._state = state
        self._record = record
        self._made: dict[tuple[str, Mix], tuple[Oid, Oid] | None] = {}

    def next_probe(self, group: str, gate: str) -> Probe | None:
        """What to try next about the gate that is red on the candidate; None when the verdict is found and written."""
        chain = self._state.chain
        tried: set[Oid] = set()
        try:
            verdict = search(chain.starts(), chain.published, lambda mix: self._ask(gate, mix, tried))
        except _WantedError as wanted:
            return wanted.probe
        tried.discard(Oid(self._state.candidate_tree))
        self._record(self._found(group, gate, verdict, len(tried)))
        return None

    def _ask(self, gate: str, mix: Mix, tried: set[Oid]) -> bool | None:
        made = self._make(mix)
        if made is None:
            return None
        commit, tree = made
        result = self._state.gates.get((gate, tree))
        if result is None:
            raise _WantedError(Probe(commit=commit, tree=tree, trying=self._words(mix)))
        tried.add(tree)
        return None if result.is_flaky and not result.passed else result.passed

    def _make(self, mix: Mix) -> tuple[Oid, Oid] | None:
        """Commit and tree of a mix; None when its parts conflict. Made of the same merges, it is the same for ever."""
        key = (self._state.candidate, mix)
        if key not in self._made:
            self._made[key] = self._mixed(mix)
        return self._made[key]

    def _mixed(self, mix: Mix) -> tuple[Oid, Oid] | None:
        git, chain = self._setting.git, self._state.chain
        commit, tree = map(Oid, chain.states()[mix.upto])
        for number in mix.also:
            tip = Oid(chain.merges[number - 1].tip)
            if git.is_ancestor(tip, commit):
                continue
            if git.is_ancestor(commit, tip):
                commit, tree = tip, git.tree_of(tip)
                continue
            merged = try_merge(git, ours=commit, theirs=tip, scratch=self._setting.run_dir.path)
            if merged is None:
                return None
            commit = git.commit_tree(merged, (commit, tip), "waves: tried together\n", may_sign=False)
            tree = merged
        return commit, tree

    def _words(self, mix: Mix) -> str:
        also = " and ".join(f"'{self._name(number)}'" for number in mix.also)
        if not also:
            return f"the merges up to '{self._name(mix.upto)}'" if mix.upto else "what the run began from"
        is_apart = mix.upto == self._state.chain.starts()[mix.also[-1] - 1]
        return f"{also} alone" if is_apart else f"{also} on the merges up to '{self._name(mix.upto)}'"

    def _name(self, number: int) -> str:
        return self._state.chain.merges[number - 1].task

    def _found(self, group: str, gate: str, verdict: Verdict, tried: int) -> eventlog.CulpritFound:
        tree = self._state.candidate_tree
        return eventlog.CulpritFound(
            group=group,
            gate=gate,
            tree=tree,
            round=self._state.round_of[gate, tree],
            why=verdict.why,
            tasks=[self._name(number) for number in verdict.tasks],
            suspect=self._name(verdict.suspect) if verdict.suspect is not None else "",
            tried=tried,
            evidence=words(verdict, self._name, tried),
        )
