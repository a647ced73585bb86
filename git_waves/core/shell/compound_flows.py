"""How compound commands may end: conditions, loops, `case`, groups, and what failures inside them are lost."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from git_waves.core.shell.flow import (
    FAIL,
    NEVER,
    PASS,
    STRONG,
    Flow,
    Source,
    State,
    after,
    either,
    enclosed,
    may_fail,
    shown,
)
from git_waves.core.shell.habit import Cause, Kind
from git_waves.core.shell.single import SingleJudge
from git_waves.core.shell.syntax import (
    Case,
    Chain,
    Command,
    DoubleTest,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Script,
    Simple,
)

NOT_LOST = frozenset({Kind.PREPARE, Kind.SHOW})
"""Kinds of commands whose exit code nobody misses."""


class CompoundJudge(SingleJudge):
    """Judges every kind of command, given somebody who judges lists."""

    @abstractmethod
    def script(self, script: Script, state: State) -> Flow:
        """How a list of commands may end."""

    def lose_known(self, sources: Sequence[Source], cause: Cause) -> None:
        """Remember the loss of what is known to check something."""
        for source in sources:
            if source.kind is Kind.CHECK:
                self.lose(source.text, cause)

    def command(self, command: Command, state: State) -> Flow:
        """As in SingleJudge."""
        match command:
            case Simple():
                return self.simple(command, state)
            case Group():
                if command.is_subshell:
                    return enclosed(self.script(command.body, state.copy()))
                return self.script(command.body, state)
            case If():
                return self._if(command, state)
            case Loop():
                return self._loop(command, state)
            case Case():
                return self._case(command, state)
            case Function():
                state.functions[command.name] = command.body
                return Flow(
                    cause=Cause(command.name, f"'{command.name}' is defined and never called", "call it")
                )
            case DoubleTest():
                return _double_test(command)

    def _condition(self, script: Script, state: State) -> Flow:
        state.guards += 1
        flow = self.script(script, state)
        state.guards -= 1
        return flow

    def _if(self, command: If, state: State) -> Flow:
        ways: list[Flow] = []
        exits: list[Flow] = []
        for condition, branch in command.clauses:
            asked = self._condition(condition, state)
            exits.append(asked)
            state.before = PASS
            if asked.ok:
                ways.append(self.script(branch, state))
            state.before = FAIL
            if not asked.fails:
                break
        else:
            ways.append(PASS if command.otherwise is None else self.script(command.otherwise, state))
            self._lose_condition(command, exits[-1], ways)
        flow = either(ways)
        if (
            flow.whole is not STRONG
            and command.otherwise is None
            and (asked_for := command.clauses[0][0].chains)
        ):
            why = f"'if' without 'else' passes when '{shown(asked_for[0].text)}' fails"
            flow = replace(flow, cause=Cause("if", why, "add 'else exit 1', or leave the 'if' away"))
        return after(flow, *exits)

    def _lose_condition(self, command: If, asked: Flow, ways: Sequence[Flow]) -> None:
        """A check that is only asked about, when nothing on the way taken after its failure can fail."""
        condition, branch = command.clauses[0]
        if len(command.clauses) > 1 or len(condition.chains) != 1 or len(ways) < 2:
            return
        is_turned = condition.chains[0].first.is_negated and not condition.chains[0].rest
        way, script = (ways[0], branch) if is_turned else (ways[1], command.otherwise or Script(()))
        if way.whole is not STRONG and not any(map(_sets, script.chains)):
            why = f"'if' hides that '{shown(condition.chains[0].text).removeprefix('! ')}' fails"
            self.lose_known(asked.sources, Cause("if", why, "end the way that is taken then with 'exit 1'"))

    def _loop(self, command: Loop, state: State) -> Flow:
        if command.name:
            state.known[command.name] = "loop"
        asked = self._condition(command.condition, state) if command.condition is not None else PASS
        had_errexit = state.errexit
        body = self.script(command.body, state)
        if state.errexit and not had_errexit:  # from the second round on
            body = either((body, self.script(command.body, state)))
        self._lose_rounds(command, body)
        if body.whole is not STRONG and asked.fails is STRONG and _waits(command):
            return after(Flow(bad=STRONG), asked, body)  # when it does not come, the loop never ends
        if not asked.goes_on:
            return after(NEVER, asked)
        cause = body.cause or Cause(
            command.kind, f"'{command.kind}' passes when nothing in it fails", "check something"
        )
        return after(replace(body, ok=body.ok or not _surely_runs(command), cause=cause), asked)

    def _lose_rounds(self, command: Loop, body: Flow) -> None:
        for source in body.sources:
            if source.kind not in NOT_LOST and source.kind is not Kind.MOVE:
                why = f"of '{source.text}' only the last round of '{command.kind}' counts"
                hint = "end the body with '|| exit 1', or put 'set -e' first"
                self.lose(source.text, Cause(command.kind, why, hint))

    def _case(self, command: Case, state: State) -> Flow:
        before = state.before
        ways = []
        for _, script in command.branches:
            state.before = before
            ways.append(self.script(script, state))
        if not any("*" in patterns for patterns, _ in command.branches):
            ways.append(PASS)
        return either(ways)


def _double_test(command: DoubleTest) -> Flow:
    if len(command.words) == 1 and command.words[0].fixed:
        why = f"'{shown(command.text)}' is true, because the word is not empty"
        return Flow(cause=Cause(shown(command.text), why, "put blanks around the operator"))
    return may_fail(command.text, Kind.QUESTION)


def _surely_runs(command: Loop) -> bool:
    return any(word.literal is not None for word in command.words)


def _waits(command: Loop) -> bool:
    """Whether the loop goes round until something works."""
    chains = command.condition.chains if command.condition is not None else ()
    return command.kind == "until" or (len(chains) == 1 and chains[0].first.is_negated)


def _sets(chain: Chain) -> bool:
    return any(map(assigns, (chain.first, *(pipeline for _, pipeline in chain.rest))))


def assigns(pipeline: Pipeline) -> bool:
    """Whether it notes a failure in a variable, for later."""
    return any("=" in command.text and not _words_of(command) for command in _inside(pipeline))


def _inside(pipeline: Pipeline) -> Sequence[Command]:
    first = pipeline.commands[0]
    if isinstance(first, Group):
        return [command for chain in first.body.chains for command in chain.first.commands]
    return pipeline.commands


def _words_of(command: Command) -> bool:
    return not isinstance(command, Simple) or bool(command.words)
