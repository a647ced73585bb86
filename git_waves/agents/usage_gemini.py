"""Gemini CLI: `-o json` and `-o stream-json` (0.61.0, its code read and run in November 2026).

`json` is one object over many lines, told at the end, by `JSON.stringify(..., null, 2)`: it begins with `{` and ends with
`}` alone on their lines. `stream-json` is an event a line, with figures in its last one, `result`. Figures are those of the
session, also of the part before `--resume`; `prompt` holds the cached tokens; no cost is told.
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

_LONGEST = 1 << 20  # letters of an object over many lines


class GeminiReader:
    """Collects the lines of an object over many lines, and passes everything else by."""

    def __init__(self) -> None:
        self._sessions = Sessions()
        self._session = ""
        self._answer = ""  # streamed in pieces
        self._lines: list[str] = []
        self._length = 0

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is one of Gemini's that tells something."""
        if line == "{":
            self._lines, self._length = [line], 1
            return None
        if not self._lines:
            return self._event(mapping(parsed(line)))
        self._lines.append(line)
        self._length += len(line)
        if line != "}" and self._length < _LONGEST:
            return None
        whole, self._lines = "\n".join(self._lines), []
        return self._object(mapping(parsed(whole)))

    def _object(self, words: dict[str, object]) -> Usage | None:
        if "session_id" not in words or not words.keys() & {"stats", "error"}:
            return None
        self._session = session_id(words["session_id"]) or self._session
        models = mapping(mapping(words.get("stats")).get("models"))
        tokens = [mapping(mapping(model).get("tokens")) for model in models.values()]
        self._tell(
            sum(count(one.get("total")) for one in tokens),
            sum(count(one.get("cached")) for one in tokens),
            sum(count(one.get("prompt")) for one in tokens),
        )
        return self._end(text(words.get("response")), words.get("error"))

    def _event(self, words: dict[str, object]) -> Usage | None:
        match words.get("type"):
            case "init" if "session_id" in words:
                self._session = session_id(words["session_id"]) or self._session
                self._answer = ""
                return self._usage()
            case "message" if words.get("role") == "assistant":
                self._answer = text(self._answer + text(words.get("content")))
            case "result" if "stats" in words:
                stats = mapping(words["stats"])
                self._tell(
                    count(stats.get("total_tokens")),
                    count(stats.get("cached")),
                    count(stats.get("input_tokens")),
                )
                error = words.get("error") or (words if words.get("status") == "error" else None)
                return self._end(self._answer, error)
        return None

    def _tell(self, total: int, cached: int, prompt: int) -> None:
        """Thoughts are in the total and in none of the other two."""
        self._sessions.tell(self._session, max(prompt - cached, 0), max(total - prompt, 0))

    def _end(self, answer: str, error: object) -> Usage:
        if not error:
            return self._usage(Usage(is_final=True, answer=answer))
        words = mapping(error)
        message = text(words.get("message")) or "it ended with an error"
        trouble = trouble_of(f"{words.get('type')} {message}", words.get("code"))
        return self._usage(Usage(is_final=True, answer=answer, trouble=trouble, message=message))

    def _usage(self, end: Usage = Usage()) -> Usage:  # noqa: B008  # frozen
        tokens_in, tokens_out, _ = self._sessions.total()
        return Usage(
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            session=self._session,
            is_final=end.is_final,
            answer=end.answer,
            trouble=end.trouble,
            message=end.message,
            retry_after=wait_in(end.message),
        )
