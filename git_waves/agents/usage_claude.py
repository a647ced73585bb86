"""Claude Code: `--output-format stream-json --verbose` and `--output-format json` (2.1.328, run in November 2026).

`assistant` lines carry the usage of one answer of the model, several lines the same answer. The last line, `result`, has the
usage of this call, and `total_cost_usd`, which after `--resume` is that of the whole session. `subtype` is `success` even
when the API failed; `is_error` tells. `permission_denials` are tools that it asked for and was not given: it goes on without
them and ends well. An account's limit is told by `rate_limit_event`, with the moment at which it ends. Qwen Code 0.24.4 writes the same lines in its `json` and `stream-json`, the former as
one list, without a cost.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from git_waves.agents.usage import (
    Sessions,
    Trouble,
    Usage,
    count,
    dollars,
    mapping,
    moment,
    parsed,
    session_id,
    text,
    trouble_of,
    wait_in,
)

_DENIED = 20  # different tools that are told of
_ANSWERS = 64  # of the model that may be under way at once: sub-agents talk side by side


class ClaudeReader:
    """Answers are added up while the call lasts; its end says how much it was."""

    def __init__(self) -> None:
        self._before = (0, 0)  # tokens of earlier calls
        self._call = (0, 0)  # of the answers of this one
        self._answers: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._costs = Sessions()
        self._session = ""
        self._limit_ends = 0.0  # seconds since 1970

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is one of Claude's that tells something."""
        said = parsed(line)
        if isinstance(said, list):  # all lines of a run as one
            last = mapping(said[-1]) if said else {}
            return self._result(last) if last.get("type") == "result" else None
        words = mapping(said)
        match words.get("type"):
            case "system" if words.get("subtype") == "init":
                self._session = session_id(words.get("session_id")) or self._session
                return self._usage()
            case "assistant":
                return self._answer(mapping(words.get("message")))
            case "rate_limit_event":
                self._limit_ends = moment(mapping(words.get("rate_limit_info")).get("resetsAt"))
            case "result" if "is_error" in words or "subtype" in words:
                return self._result(words)
        return None

    def _answer(self, message: dict[str, object]) -> Usage | None:
        if "usage" not in message:
            return None
        name, now = str(message.get("id"))[:200], _tokens(message["usage"])
        old = self._answers.pop(name, (0, 0))
        now = (max(old[0], now[0]), max(old[1], now[1]))
        self._answers[name] = now
        while len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        self._call = (self._call[0] + now[0] - old[0], self._call[1] + now[1] - old[1])
        return self._usage()

    def _result(self, words: dict[str, object]) -> Usage:
        self._session = session_id(words.get("session_id")) or self._session
        told = _tokens(words.get("usage"))
        self._before = (
            self._before[0] + max(self._call[0], told[0]),
            self._before[1] + max(self._call[1], told[1]),
        )
        self._call = (0, 0)
        self._answers.clear()
        self._costs.tell(self._session, cost=dollars(words.get("total_cost_usd")))
        is_error = words.get("is_error") is True
        answer = text(words.get("result"))
        why = answer or text(words.get("terminal_reason")) or text(words.get("subtype"))
        trouble = None
        if words.get("stop_reason") == "refusal":
            trouble = Trouble.REFUSAL
        elif is_error:
            trouble = trouble_of(f"{words.get('subtype')} {why}", words.get("api_error_status"))
        return replace(
            self._usage(),
            is_final=True,
            answer=answer,
            denied=_denied(words.get("permission_denials")),
            trouble=trouble,
            message=why if trouble else "",
            retry_after=wait_in(why) if trouble else 0.0,
            retry_at=self._limit_ends if trouble else 0.0,
        )

    def _usage(self) -> Usage:
        return Usage(
            tokens_in=self._before[0] + self._call[0],
            tokens_out=self._before[1] + self._call[1],
            cost=self._costs.total()[2],
            session=self._session,
        )


def _denied(told: object) -> tuple[str, ...]:
    """The tools of a list of denials, each once."""
    names = (
        [text(mapping(one).get("tool_name"))[:80] for one in told[:1000]] if isinstance(told, list) else []
    )
    return tuple(dict.fromkeys(filter(None, names)))[:_DENIED]


def _tokens(usage: object) -> tuple[int, int]:
    figures = mapping(usage)
    return (
        count(figures.get("input_tokens")) + count(figures.get("cache_creation_input_tokens")),
        count(figures.get("output_tokens")),
    )
