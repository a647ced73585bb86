"""How a shell text may end, whatever its commands do: can it fail at all, and which failures inside it are lost.

Nothing is executed. Every command may pass or fail unless `habits` knows better; from that the rules of the shell
(lists, pipelines, `set -e`, `exit`, conditions, loops, functions; POSIX XCU 2.8, 2.9, 2.14) say how the whole may end.
Where a rule differs between shells, or is not known here, the text is taken to be able to fail: better silent than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from git_waves.core.shell.brackets import holds_number
from git_waves.core.shell.compound_flows import NOT_LOST, CompoundJudge, assigns
from git_waves.core.shell.flow import (
    FAIL,
    NONE,
    PASS,
    STRONG,
    Ending,
    Flow,
    Loss,
    LossKind,
    Source,
    State,
    after,
    either,
    enclosed,
    few,
    shown,
    softened,
    strongest_cause,
)
from git_waves.core.shell.habit import Cause, Kind
from git_waves.core.shell.habits import habit_of, is_test_runner
from git_waves.core.shell.reader import ShellError, read_script
from git_waves.core.shell.single import BUILTINS, SHELLS
from git_waves.core.shell.syntax import (
    Case,
    Chain,
    Command,
    Group,
    If,
    Loop,
    Pipeline,
    Script,
    Simple,
    Word,
)
from git_waves.core.shell.tokens import KEYWORD
from git_waves.core.shell.wrappers import unwrapped

__all__ = ["SOUND", "Ending", "Loss", "LossKind", "ending_of", "ending_of_words", "plain_ending_of"]

_MOST_LOSSES = 3
_KINDS = tuple(LossKind)
_LOOKS_BACK = re.compile(r"\$\??(?:\?|\{\?\})|PIPESTATUS|^(?:exit|return)$")
_SAYS_ONLY = re.compile(r"(?:echo|printf)\b")
_WRITTEN = re.compile(r"(?:>|\btee (?:-\w+ )*) *(?!/dev/)([\w./-]+)")
_PLAIN = re.compile(r"[ \t]*[A-Za-z0-9_./-][A-Za-z0-9_./:@%+,-]*(?:[ \t][A-Za-z0-9_./:@%+,=-]*)*")
_WAITS = re.compile(r"\bwait +[-$\"'%0-9]")
_JOIN = "put 'set -e' first, or join the commands with '&&'"


SOUND = Ending(STRONG)
"""It can fail, and loses nothing."""


def ending_of(text: str) -> Ending | None:
    """How a text for `sh -c` may end; None when it cannot be read as shell."""
    plain = plain_ending_of(text)
    if plain is not None:
        return plain
    try:
        script = read_script(text)
    except ShellError:
        return None
    return _Judge(text).whole(script, State(dialect="sh"))


def plain_ending_of(text: str) -> Ending | None:
    """The ending of a text that is one program and its plain words, as most are: ten times as quick as reading it.

    None for every other text.
    """
    if not _PLAIN.fullmatch(text):
        return None
    words = unwrapped(tuple(text.split()))
    name = words[0] if words else None
    if name is None or name in BUILTINS or name in SHELLS or KEYWORD.match(name):
        return None
    habit = habit_of(words)
    return SOUND if habit.strength is STRONG else Ending(habit.strength, habit.cause)


def ending_of_words(argv: Sequence[str]) -> Ending:
    """How a command that is executed as it is may end."""
    simple = Simple(" ".join(argv), (), tuple(Word(word, word, word) for word in argv))
    pipeline = Pipeline(simple.text, (simple,), is_negated=False)
    script = Script((Chain(simple.text, pipeline, (), is_background=False),))
    return _Judge(simple.text).whole(script, State(dialect=""))


class _Judge(CompoundJudge):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.backwards: Cause | None = None

    def whole(self, script: Script, state: State) -> Ending:
        """The ending of a whole text."""
        if not script.chains:
            return Ending(NONE, Cause("", "it has no command", "write the check"))
        flow = enclosed(self.script(script, state))
        if self.mended is not None:
            return Ending(NONE, self.mended)
        if flow.bad is not STRONG:
            return Ending(flow.bad, flow.cause or Cause("", "nothing in it can fail", "write the check"))
        unique = dict.fromkeys(loss for loss in self.losses if not self._is_looked_at(loss))
        losses = sorted(unique, key=lambda loss: _KINDS.index(loss.kind))
        return Ending(STRONG, losses=tuple(losses[:_MOST_LOSSES]), backwards=self.backwards)

    def _is_looked_at(self, loss: Loss) -> bool:
        """Whether the text learns of it in another way: waits for the process, or reads what was written."""
        if loss.cause.word == "&":
            return bool(_WAITS.search(self.text))
        if loss.cause.word.startswith("| ") and "PIPESTATUS" in self.text:
            return True
        written = _WRITTEN.search(f"{loss.command} {loss.cause.word}")
        return written is not None and self.text.count(written[1]) > 1

    # ------------------------------------------------------------------ lists

    def script(self, script: Script, state: State) -> Flow:
        """As in SingleJudge."""
        flows: list[Flow] = []
        numbers = state.numbers
        state.numbers = dict(numbers)
        for chain in script.chains:
            flow = self._chain(chain, state)
            _note_numbers(chain, state)
            if state.errexit and not state.guards and flow.bad:
                left = max(flow.leaves_bad, flow.bad)
                flow = replace(flow, bad=NONE, bad_from=(), leaves_bad=left)
            flows.append(flow)
            state.before = flow
            if not flow.goes_on:
                break
        # What is set in here may be set on some ways only; what is set around it may be another value now.
        state.numbers = {
            name: is_sure for name, is_sure in numbers.items() if state.numbers.get(name) == is_sure
        }
        if not flows:
            return PASS
        self._find_lost(script.chains, flows, state)
        return after(_last(script.chains, flows), *flows)

    def _find_lost(self, chains: Sequence[Chain], flows: Sequence[Flow], state: State) -> None:
        """What fails in the middle of a list without ending it, while what comes next may still pass."""
        can_pass = flows[-1].passes
        for number in range(len(flows) - 2, -1, -1):
            flow = flows[number]
            if flow.ok and can_pass and not _looks_back(chains[number + 1]):
                for source in flow.sources:
                    self._lose_in_list(source, flow, state)
            can_pass = flow.leaves_ok or flow.returns_ok or can_pass

    def _lose_in_list(self, source: Source, flow: Flow, state: State) -> None:
        if source.kind in NOT_LOST:
            return
        if source.kind is Kind.MOVE:
            why = f"when '{source.text}' fails, what comes after it runs in the wrong place"
            self.lose(source.text, Cause(source.text, why, _JOIN), LossKind.WRONG_PLACE)
        elif state.errexit and source in flow.soft_from:
            why = f"'set -e' does not look at '{source.text}' there: only the end of a list of '&&' and '||' counts, without '!'"
            self.lose(
                source.text, Cause("set -e", why, "give it a line of its own, or end it with '|| exit 1'")
            )
        else:
            why = f"the exit code of '{source.text}' is lost: only that of the last command counts"
            self.lose(source.text, Cause(";", why, _JOIN))

    def _chain(self, chain: Chain, state: State) -> Flow:
        if chain.is_background:
            return self._background(chain, state)
        flow = self._link(chain.first, state, is_last=not chain.rest)
        text = chain.first.text
        for number, (operator, pipeline) in enumerate(chain.rest, 1):
            if (operator == "&&" and not flow.ok) or (operator == "||" and not flow.fails):
                continue
            state.before = PASS if operator == "&&" else FAIL
            following = self._link(pipeline, state, is_last=number == len(chain.rest))
            if operator == "&&":
                flow = _and(flow, following)
            else:
                flow = self._or(flow, text, following, pipeline)
            text = f"{text[:100]} {operator} {pipeline.text}"
        return flow

    def _link(self, pipeline: Pipeline, state: State, *, is_last: bool) -> Flow:
        if is_last:
            return self._pipeline(pipeline, state)
        state.guards += 1
        flow = self._pipeline(pipeline, state)
        state.guards -= 1
        return softened(flow)

    def _or(self, flow: Flow, text: str, following: Flow, pipeline: Pipeline) -> Flow:
        joined = after(replace(following, ok=flow.ok or following.ok), flow)
        if following.whole is STRONG:
            return joined
        if not assigns(pipeline):
            self.lose_known(flow.sources, _caught(shown(text), pipeline))
        return replace(joined, cause=_caught(shown(text), pipeline))

    def _background(self, chain: Chain, state: State) -> Flow:
        inner = state.copy()
        inner.guards += 1
        flow = self._chain(replace(chain, is_background=False), inner)
        why = f"'&' sends '{shown(chain.text)}' to the background, where its exit code is lost"
        cause = Cause("&", why, "take '&' away, or 'wait $!' for it")
        self.lose_known(flow.sources, cause)
        return Flow(cause=cause)

    # ------------------------------------------------------------------ pipelines

    def _pipeline(self, pipeline: Pipeline, state: State) -> Flow:
        first = pipeline.commands[0]
        if pipeline.is_negated:
            state.guards += 1
        flow = self.command(first, state) if len(pipeline.commands) == 1 else self._joined(pipeline, state)
        if not pipeline.is_negated:
            return flow
        state.guards -= 1
        self._look_backwards(first, state)
        text = shown(pipeline.text)
        turned = Flow(
            ok=flow.fails > NONE,
            soft=STRONG if flow.ok else NONE,
            cause=None if flow.ok else Cause("!", f"'{text}' turns what always fails round", "take '!' away"),
            soft_from=(Source(text, flow.sources[0].kind if flow.sources else Kind.UNKNOWN),)
            if flow.ok
            else (),
        )
        return after(turned, flow)

    def _joined(self, pipeline: Pipeline, state: State) -> Flow:
        """A pipeline of several commands, each a subshell."""
        flows = [
            enclosed(self.command(command, state.copy())) for number, command in enumerate(pipeline.commands)
        ]
        last = flows[-1]
        if state.pipefail:
            return replace(either(flows), ok=all(flow.ok for flow in flows))
        lost = [source for flow in flows[:-1] for source in flow.sources]
        if last.bad is STRONG or not lost:
            return last
        end = shown(pipeline.commands[-1].text)
        why = f"a pipeline ends like its last command, and '{end}' passes whatever '{lost[0].text}' said"
        hint = "send the output to a file with '>', or run it as: bash -o pipefail -c '...'"
        cause = Cause(f"| {end}", why, hint)
        self.lose_known(few(lost), cause)
        return replace(last, cause=cause)

    def _look_backwards(self, command: Command, state: State) -> None:
        if state.guards or not isinstance(command, Simple):
            return
        words = unwrapped(tuple(word.literal for word in command.words))
        if is_test_runner(words):
            text = shown(command.text)
            self.backwards = Cause("!", f"'! {text}' passes when the tests fail", "take '!' away")


def _last(chains: Sequence[Chain], flows: Sequence[Flow]) -> Flow:
    """How the last command ends the list, with the words for what it passes over."""
    last = flows[-1]
    lost = [
        source
        for flow in flows[:-1]
        for source in flow.sources
        if source.kind not in (*NOT_LOST, Kind.MOVE) and flow.ok
    ]
    if last.whole is STRONG or last.cause is None or not lost:
        return last
    end = shown(chains[len(flows) - 1].text)
    why = f"it ends with '{end}', which passes whatever '{lost[-1].text}' said"
    return replace(last, cause=Cause(last.cause.word, why, _JOIN))


def _and(flow: Flow, following: Flow) -> Flow:
    asked = flow.soft_from
    if not any(source.kind is Kind.QUESTION for source in following.sources):
        asked = tuple(source for source in asked if source.kind is not Kind.QUESTION)
    joined = replace(
        following,
        soft=max(flow.soft, following.soft),
        soft_from=few((*asked, *following.soft_from)),
        cause=strongest_cause((flow, following)),
    )
    return after(joined, flow)


def _caught(text: str, pipeline: Pipeline) -> Cause:
    word = f"|| {shown(pipeline.text)}"
    return Cause(word, f"'{word}' makes it pass when '{text}' fails", f"take '{word}' away")


def _looks_back(chain: Chain) -> bool:
    """Whether a chain begins with a look at the exit code before it, and does more than print it."""
    command: Command = chain.first.commands[0]
    for _ in range(10):
        inner: Script | None = None
        if isinstance(command, If):
            inner = command.clauses[0][0]
        elif isinstance(command, Group):
            inner = command.body
        elif isinstance(command, Loop):
            inner = command.condition
        if inner is None or not inner.chains:
            break
        command = inner.chains[0].first.commands[0]
    text = command.subject.text if isinstance(command, Case) else command.text[:500]
    return bool(_LOOKS_BACK.search(text)) and not _SAYS_ONLY.match(text)


def _note_numbers(chain: Chain, state: State) -> None:
    """Learn of `rc=$?` and `n=$(grep -c x FILE)` that stand alone, and are therefore done on every way that comes by."""
    command = chain.first.commands[0]
    if chain.rest or chain.is_background or len(chain.first.commands) > 1 or not isinstance(command, Simple):
        return
    for assignment in () if command.words else command.assignments:
        is_sure = holds_number(assignment.value, state.numbers)
        if is_sure is not None:
            state.numbers[assignment.name] = is_sure
