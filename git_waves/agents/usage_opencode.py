"""opencode: `opencode run --format json`, an event a line (1.18.33, run in November 2026).

Each `step_finish` has the tokens and the cost of that step alone, its parts apart from each other; the cost comes from the
price that the user configured. An `error` event may be followed by exit code 0.
"""

from __future__ import annotations

from git_waves.agents.usage import (
    MOST_COST,
    MOST_TOKENS,
    Usage,
    count,
    dollars,
    mapping,
    parsed,
    session_id,
    text,
    trouble_of,
    wait_in,
)


class OpencodeReader:
    """Steps are added up."""

    def __init__(self) -> None:
        self._tokens_in = self._tokens_out = 0
        self._cost = 0.0
        self._session = ""
        self._answer = ""

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is one of opencode's that tells something."""
        words = mapping(parsed(line))
        if "sessionID" not in words:
            return None
        session, self._session = self._session, session_id(words["sessionID"]) or self._session
        part = mapping(words.get("part"))
        match words.get("type"):
            case "text":
                self._answer = text(part.get("text"))
            case "step_finish":
                tokens, cached = (
                    mapping(part.get("tokens")),
                    mapping(mapping(part.get("tokens")).get("cache")),
                )
                fresh = count(tokens.get("input")) + count(cached.get("write"))
                made = count(tokens.get("output")) + count(tokens.get("reasoning"))
                self._tokens_in = min(self._tokens_in + fresh, MOST_TOKENS)
                self._tokens_out = min(self._tokens_out + made, MOST_TOKENS)
                self._cost = min(self._cost + dollars(part.get("cost")), MOST_COST)
                return self._usage(is_final=part.get("reason") == "stop")
            case "error":
                error = mapping(words.get("error"))
                details = mapping(error.get("data"))
                message = text(details.get("message")) or text(error.get("name")) or "it ended with an error"
                return self._usage(is_final=True, message=message, status=details.get("statusCode"))
        return self._usage() if session != self._session else None

    def _usage(self, *, is_final: bool = False, message: str | None = None, status: object = None) -> Usage:
        return Usage(
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            cost=self._cost,
            session=self._session,
            is_final=is_final,
            answer=self._answer if is_final else "",
            trouble=None if message is None else trouble_of(message, status),
            message=message or "",
            retry_after=wait_in(message or ""),
        )
