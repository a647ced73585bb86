"""Codex: `codex exec --json`, one event a line (0.171.0, run in November 2026).

`turn.completed` comes once, at the end of a call, and tells no cost; after `exec resume` its usage is that of the whole
thread. `input_tokens` hold the cached ones, `output_tokens` those of reasoning.
"""

from __future__ import annotations

from git_waves.agents.usage import (
    Sessions,
    Usage,
    count,
    mapping,
    parsed,
    session_id,
    text,
    trouble_of,
    wait_in,
)


class CodexReader:
    """Threads are added up; within one the newest figures are the highest."""

    def __init__(self) -> None:
        self._threads = Sessions()
        self._thread = ""
        self._answer = ""

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is one of Codex's that tells something."""
        words = mapping(parsed(line))
        match words.get("type"):
            case "thread.started":
                self._thread = session_id(words.get("thread_id")) or self._thread
                return self._usage()
            case "item.completed":
                item = mapping(words.get("item"))
                if item.get("type") == "agent_message":
                    self._answer = text(item.get("text"))
            case "turn.completed":
                usage = mapping(words.get("usage"))
                fresh = count(usage.get("input_tokens")) - count(usage.get("cached_input_tokens"))
                self._threads.tell(self._thread, max(fresh, 0), count(usage.get("output_tokens")))
                return self._usage(is_final=True)
            case "turn.failed":
                return self._usage(is_final=True, message=text(mapping(words.get("error")).get("message")))
        return None

    def _usage(self, *, is_final: bool = False, message: str | None = None) -> Usage:
        tokens_in, tokens_out, _ = self._threads.total()
        return Usage(
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            session=self._thread,
            is_final=is_final,
            answer=self._answer if is_final else "",
            trouble=None if message is None else trouble_of(message),
            message=message or "",
            retry_after=wait_in(message or ""),
        )
