"""What agents tell of themselves is read from what the real programs print, and from nothing that only looks like it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.agents.usage import MOST_COST, MOST_TOKENS, Reader, Trouble, Usage, trouble_of
from git_waves.agents.usage_aider import AiderReader
from git_waves.agents.usage_any import READERS, AnyReader
from git_waves.agents.usage_claude import ClaudeReader
from git_waves.agents.usage_codex import CodexReader
from git_waves.agents.usage_gemini import GeminiReader
from git_waves.agents.usage_opencode import OpencodeReader
from git_waves.agents.usage_own import OwnReader


def read(reader: Reader, lines: Iterable[object]) -> list[Usage]:
    """What a reader says to each line that tells it something."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return [usage for text in texts if (usage := reader.read(text)) is not None]


def figures(usage: Usage) -> tuple[int, int, float]:
    return usage.tokens_in, usage.tokens_out, round(usage.cost, 6)


# ---------------------------------------------------------------------- Claude Code, and Qwen Code

SESSION = "0c3d7a4e-5b1f-4d52-9a53-5f0b1c7f2a10"


def claude_init(session: str = SESSION) -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "cwd": "/x", "session_id": session, "tools": ["Bash"]}


def claude_answer(name: str, fresh: int, out: int, *, written: int = 0, cached: int = 0) -> dict[str, Any]:
    usage = {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": out,
        "service_tier": "standard",
    }
    message = {"id": name, "type": "message", "role": "assistant", "content": [], "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": SESSION}


def claude_result(fresh: int, out: int, cost: float, **more: Any) -> dict[str, Any]:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 1200,
        "num_turns": 3,
        "result": "Done.",
        "session_id": SESSION,
        "total_cost_usd": cost,
        "usage": {"input_tokens": fresh, "cache_read_input_tokens": 9000, "output_tokens": out},
        "modelUsage": {"some-model": {"inputTokens": fresh, "costUSD": cost}},
        "permission_denials": [],
        "terminal_reason": "completed",
        **more,
    }


def test_claude_tells_tokens_after_each_answer_and_the_cost_at_the_end() -> None:
    lines = [
        claude_init(),
        claude_answer("msg_1", 10, 1, written=500),
        claude_answer("msg_1", 10, 80, written=500),  # the same answer, another part of it
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x"}]}},
        claude_answer("msg_2", 20, 30, cached=500),
        claude_result(30, 110, 0.25),
    ]
    told = read(ClaudeReader(), lines)
    assert [figures(usage) for usage in told] == [
        (0, 0, 0.0),
        (510, 1, 0.0),
        (510, 80, 0.0),
        (530, 110, 0.0),
        (530, 110, 0.25),
    ]
    assert [usage.is_final for usage in told] == [False, False, False, False, True]
    assert {usage.session for usage in told} == {SESSION}
    assert (told[-1].answer, told[-1].trouble) == ("Done.", None)


def test_after_a_resume_claudes_cost_is_the_sessions_and_its_tokens_are_the_calls() -> None:
    told = read(
        ClaudeReader(),
        [
            claude_init(),
            claude_result(300, 30, 0.013716),
            claude_init(),
            claude_answer("msg_9", 40, 4),
            claude_result(200, 20, 0.02286),
        ],
    )
    assert figures(told[-1]) == (500, 50, 0.02286)


@pytest.mark.parametrize(
    ("more", "trouble"),
    [
        ({"subtype": "error_max_turns", "is_error": True, "result": None}, Trouble.LIMIT),
        ({"subtype": "error_max_budget_usd", "is_error": True, "result": None}, Trouble.LIMIT),
        ({"is_error": True, "api_error_status": 429, "result": "API Error: 429"}, Trouble.RATE_LIMIT),
        ({"is_error": True, "result": "You've hit your limit · resets 3pm"}, Trouble.RATE_LIMIT),
        ({"is_error": True, "result": "Invalid API key · Please run /login"}, Trouble.LOGIN),
        ({"is_error": True, "result": "Prompt is too long"}, Trouble.ERROR),
        ({"stop_reason": "refusal"}, Trouble.REFUSAL),
    ],
)
def test_claudes_troubles_are_told_apart(more: dict[str, Any], trouble: Trouble) -> None:
    (told,) = read(ClaudeReader(), [claude_result(1, 1, 0.1, **more)])
    assert told.trouble is trouble
    assert told.message


def test_claudes_json_is_its_last_line_alone_and_qwens_is_a_list() -> None:
    assert figures(read(ClaudeReader(), [claude_result(5, 6, 0.5)])[-1]) == (5, 6, 0.5)
    usage = {"input_tokens": 70, "output_tokens": 8, "cache_read_input_tokens": 5, "total_tokens": 83}
    result = {"type": "result", "is_error": False, "session_id": "q-1", "num_turns": 2, "usage": usage}
    (told,) = read(ClaudeReader(), [[{"type": "system"}, {"type": "assistant", "message": {}}, result]])
    assert (*figures(told), told.session, told.is_final) == (70, 8, 0.0, "q-1", True)


# ---------------------------------------------------------------------- the others


def codex(fresh: int, cached: int, out: int) -> dict[str, Any]:
    usage = {"input_tokens": fresh + cached, "cached_input_tokens": cached, "output_tokens": out}
    return {"type": "turn.completed", "usage": {**usage, "reasoning_output_tokens": out}}


def test_codex_tells_at_the_end_and_after_a_resume_for_the_whole_thread() -> None:
    lines = [
        {"type": "thread.started", "thread_id": "019a-1"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i0", "type": "command_execution", "exit_code": 0}},
        {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": "All done."}},
        codex(702, 3000, 50),
        {"type": "thread.started", "thread_id": "019a-1"},
        codex(1170, 5000, 80),
    ]
    told = read(CodexReader(), lines)
    assert [figures(usage) for usage in told] == [(0, 0, 0), (702, 50, 0), (702, 50, 0), (1170, 80, 0)]
    assert (told[1].is_final, told[1].answer, told[1].session) == (True, "All done.", "019a-1")


def test_codex_says_why_a_turn_failed() -> None:
    message = "You've hit your usage limit. Try again later."
    (told,) = read(CodexReader(), [{"type": "turn.failed", "error": {"message": message}}])
    assert (told.is_final, told.trouble, told.message) == (True, Trouble.RATE_LIMIT, message)


GEMINI = {
    "session_id": "g-1",
    "response": "Hello.",
    "stats": {
        "models": {
            "gemini-pro": {
                "api": {"totalRequests": 2},
                "tokens": {
                    "input": 100,
                    "prompt": 400,
                    "candidates": 20,
                    "total": 450,
                    "cached": 300,
                    "thoughts": 30,
                },
            },
            "gemini-flash": {"tokens": {"prompt": 10, "candidates": 5, "total": 15, "cached": 0}},
        }
    },
}


def test_geminis_object_over_many_lines_is_read_whole() -> None:
    lines = ["YOLO mode is enabled.", *json.dumps(GEMINI, indent=2).split("\n")]
    (told,) = read(GeminiReader(), lines)
    assert (*figures(told), told.session, told.answer) == (110, 55, 0.0, "g-1", "Hello.")


def test_geminis_error_is_read_too() -> None:
    error = {
        "session_id": "g-1",
        "error": {"type": "FatalTurnLimitedError", "message": "Reached max session turns", "code": 53},
    }
    (told,) = read(GeminiReader(), json.dumps(error, indent=2).split("\n"))
    assert (told.is_final, told.trouble, told.message) == (True, Trouble.LIMIT, "Reached max session turns")


def test_geminis_stream_tells_in_its_last_line_and_for_the_whole_session() -> None:
    def result(total: int) -> dict[str, Any]:
        stats = {
            "total_tokens": total,
            "input_tokens": total - 50,
            "output_tokens": 40,
            "cached": 100,
            "input": 7,
        }
        return {"type": "result", "timestamp": "t", "status": "success", "stats": {**stats, "tool_calls": 1}}

    init = {"type": "init", "timestamp": "t", "session_id": "g-2", "model": "m"}
    lines = [
        init,
        {"type": "message", "role": "user", "content": "do it"},
        {"type": "message", "role": "assistant", "content": "I did ", "delta": True},
        {"type": "message", "role": "assistant", "content": "it.", "delta": True},
        result(500),
        init,
        result(900),
    ]
    told = read(GeminiReader(), lines)
    assert [figures(usage) for usage in told] == [(0, 0, 0), (350, 50, 0), (350, 50, 0), (750, 50, 0)]
    assert told[1].answer == "I did it."


def test_opencode_tells_step_by_step() -> None:
    def step(cost: float, reason: str) -> dict[str, Any]:
        tokens = {
            "total": 2450,
            "input": 1200,
            "output": 300,
            "reasoning": 50,
            "cache": {"read": 800, "write": 100},
        }
        part = {"type": "step-finish", "reason": reason, "cost": cost, "tokens": tokens}
        return {"type": "step_finish", "timestamp": 1, "sessionID": "ses_1", "part": part}

    lines = [
        {"type": "step_start", "timestamp": 1, "sessionID": "ses_1", "part": {"type": "step-start"}},
        step(0.01, "tool-calls"),
        {"type": "text", "timestamp": 2, "sessionID": "ses_1", "part": {"type": "text", "text": "Done."}},
        step(0.02, "stop"),
    ]
    told = read(OpencodeReader(), lines)
    assert [figures(usage) for usage in told] == [(0, 0, 0), (1300, 350, 0.01), (2600, 700, 0.03)]
    assert [usage.is_final for usage in told] == [False, False, True]
    assert (told[-1].session, told[-1].answer) == ("ses_1", "Done.")


def test_opencodes_error_is_an_end_until_it_goes_on() -> None:
    error = {"name": "APIError", "data": {"message": "Overloaded", "statusCode": 529}}
    (told,) = read(OpencodeReader(), [{"type": "error", "sessionID": "ses_1", "error": error}])
    assert (told.is_final, told.trouble, told.message) == (True, Trouble.RATE_LIMIT, "Overloaded")


def test_aiders_line_of_text_is_read() -> None:
    lines = [
        "Applied edit to calc.py",
        "Tokens: 2.3k sent, 145 received. Cost: $0.01 message, $0.01 session.",
        "Tokens: 12k sent, 3.0k cache write, 8.1k cache hit, 1.2k received.",
        "Cost: $0.02 message, $0.03 session.",
        "Tokens: 900 sent, 10 received.",
    ]
    told = read(AiderReader(), lines)
    assert [figures(usage) for usage in told] == [
        (2300, 145, 0.01),
        (6200, 1345, 0.01),
        (6200, 1345, 0.03),
        (7100, 1355, 0.03),
    ]


def test_our_own_lines_are_added_up() -> None:
    lines: list[dict[str, Any]] = [
        {"tokens": 100, "cost": 0.5},
        {"session": "s-1"},
        {"cost": 0.25},
        {"tokens": "many", "cost": None},
    ]
    told = read(OwnReader(), lines)
    assert [figures(usage) for usage in told] == [
        (100, 0, 0.5),
        (100, 0, 0.5),
        (100, 0, 0.75),
        (100, 0, 0.75),
    ]
    assert told[-1].session == "s-1"


def test_several_programs_behind_one_command_are_added_up_and_the_last_word_counts() -> None:
    failed = {"type": "turn.failed", "error": {"message": "boom"}}
    told = read(
        AnyReader(),
        [
            {"type": "thread.started", "thread_id": "c-1"},
            codex(100, 0, 10),
            failed,
            claude_init(),
            "Tokens: 1.0k sent, 5 received.",
            claude_result(20, 2, 0.5),
        ],
    )
    assert figures(told[-1]) == (1120, 17, 0.5)
    assert [usage.trouble for usage in told[2:]] == [Trouble.ERROR, None, None, None]
    assert [usage.session for usage in told] == ["c-1"] * 3 + [SESSION] * 3


# ---------------------------------------------------------------------- what nobody vouches for

ODD_NUMBERS = [-5, 1e400, -1e400, True, "5", None, [], {}, 10**400, 0.5, float("nan")]


@pytest.mark.parametrize("number", ODD_NUMBERS, ids=range(len(ODD_NUMBERS)))
def test_odd_numbers_are_none_or_the_most_there_is(number: object) -> None:
    line = json.dumps({"tokens": number, "cost": number})
    (told,) = read(OwnReader(), [line])
    assert 0 <= told.tokens_in <= MOST_TOKENS
    assert 0 <= told.cost <= MOST_COST


@pytest.mark.parametrize(
    "session", ["-rf", "a b", "$(x)", "a\nb", "", "x" * 201, "../x", 7, None, "a;b", "ü"]
)
def test_a_session_that_a_shell_or_a_program_could_misread_is_none(session: object) -> None:
    assert [usage.session for usage in read(OwnReader(), [{"session": session}])] == [""]
    assert [usage.session for usage in read(ClaudeReader(), [{**claude_init(), "session_id": session}])] == [
        ""
    ]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "}",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"type": "result"}',
        '{"type": ["result"], "usage": 5}',
        '{"type": "assistant", "message": {"usage": []}}',
        '{"type": "assistant", "message": 7}',
        '{"type": "turn.completed", "usage": null}',
        '{"type": "step_finish", "sessionID": {}, "part": "x"}',
        '{"session_id": [], "stats": {"models": {"x": 5}}, "error": 0}',
        "Tokens: 1.2.3.k sent, k received.",
        "Tokens: ..... sent, ..... received. Cost: $... message, $... session.",
        "[]",
        "[1]",
        '{"type": "error", "sessionID": "s", "error": null}',
        "9" * 5000,
        "\0" * 100,
    ],
)
def test_what_only_looks_like_it_harms_nobody(line: str) -> None:
    for reader in (*READERS, AnyReader, OwnReader):
        told = read(reader(), [line])
        assert all(figures(usage)[:2] == (0, 0) for usage in told)


def test_a_line_within_a_line_is_no_line() -> None:
    """A tool's output that an agent passes on stands quoted inside its own lines."""
    inner = json.dumps(claude_result(10**6, 10**6, 99))
    outer = {"type": "user", "message": {"content": [{"type": "tool_result", "content": inner}]}}
    assert read(AnyReader(), [outer, f"> {inner}", f"  {inner}"]) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "usage", "message", "id", "session_id", "sessionID", "part", "tokens", "cache", "cost", "stats",
         "models", "error", "input_tokens", "output_tokens", "total_cost_usd", "subtype", "is_error", "result",
         "data", "item", "text", "thread_id", "total", "cached", "prompt", "input", "output", "reasoning", "write"]
    ), inner, max_size=6),
    max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from(
    ["system", "assistant", "result", "turn.completed", "turn.failed", "thread.started", "item.completed", "init",
     "message", "step_finish", "error", "text"]
)  # fmt: skip


@given(st.lists(st.dictionaries(st.just("type"), KINDS).flatmap(
    lambda kind: st.dictionaries(st.text(max_size=3), VALUES, max_size=2).map(lambda rest: {**rest, **kind})
) | VALUES, max_size=8))  # fmt: skip
def test_whatever_is_printed_nothing_raises_and_totals_never_go_back(lines: list[Any]) -> None:
    reader = AnyReader()
    last = (0, 0, 0.0)
    for line in lines:
        told = reader.read(json.dumps(line))
        if told is not None:
            now = (told.tokens_in, told.tokens_out, told.cost)
            assert all(new >= old for new, old in zip(now, last, strict=True))
            last = now


def test_the_words_of_a_trouble_decide_when_no_status_does() -> None:
    assert trouble_of("anything", 401) is Trouble.LOGIN
    assert trouble_of("429 Too Many Requests") is Trouble.RATE_LIMIT
    assert trouble_of("the model refused for safety") is Trouble.REFUSAL
    assert trouble_of("x" * 10**6) is Trouble.ERROR
