"""A model server on loopback for real agent programs: it does what the prompt's marks say, and knows nothing.

`[[stub:sh COMMAND]]` is a call of the program's shell tool, `[[stub:write PATH TEXT]]` of its tool that writes files; the
next one comes when the result of the one before is there. `[[stub:final TEXT]]` is the answer at the end,
`[[stub:status N]]` the HTTP status of every answer. A program without tools (aider) is answered with the files that are to be
written, as whole files in Markdown. It keeps nothing, so any number of programs may ask at once. It speaks Anthropic's
Messages, OpenAI's Responses and Chat Completions, and Google's Gemini.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_MARK = re.compile(r"\[\[stub:(sh|write|final|status)\s+(.*?)\]\]", re.DOTALL)
_SHELLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command")
_WRITERS = ("Write", "write", "write_file")
_TOKENS_IN, _TOKENS_OUT = 1000, 50

Tools = dict[str, dict[str, Any]]
"""The tools that a program offers: name to the JSON schema of their arguments."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says next: a call of a tool, or a text; with another status an error."""

    tool: str = ""
    arguments: dict[str, Any] | None = None
    text: str = ""
    status: int = 200


def answer(said: list[tuple[str, str]], tools: Tools) -> Answer:
    """The answer to a conversation of (`user`, text) and (`result`, text)."""
    marks: list[tuple[str, str]] = []
    done = 0
    for who, text in said:
        found = _MARK.findall(text) if who == "user" else []
        if found:
            marks, done = found, 0
        done += who == "result"
    status = next((int(value) for kind, value in marks if kind == "status"), 200)
    steps = [mark for mark in marks if mark[0] in ("sh", "write")]
    if status == 200 and tools and done < len(steps):
        return _call(*steps[done], tools)
    final = next((value for kind, value in marks if kind == "final"), "Done.")
    if not tools:
        written = (value.partition(" ") for kind, value in steps if kind == "write")
        final = "".join(f"{path}\n```\n{text}\n```\n\n" for path, _, text in written) + final
    return Answer(text=final, status=status)


def _call(kind: str, value: str, tools: Tools) -> Answer:
    writer = next((name for name in _WRITERS if name in tools), None)
    if kind == "write" and writer is not None:
        path, _, text = value.partition(" ")
        where = next(key for key in ("file_path", "filePath", "path") if key in _properties(tools[writer]))
        return Answer(writer, {where: path, "content": f"{text}\n"})
    if kind == "write" and "apply_patch" in tools:
        path, _, text = value.partition(" ")
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
        return Answer("apply_patch", {"input": patch})
    if kind == "write":
        path, _, text = value.partition(" ")
        value = f"printf '%s\\n' {json.dumps(text)} > {path}"
    shell = next(name for name in _SHELLS if name in tools)
    properties = _properties(tools[shell])
    key = next(key for key in ("command", "cmd") if key in properties)
    is_list = properties[key].get("type") == "array"
    arguments: dict[str, Any] = {key: ["bash", "-lc", value] if is_list else value}
    for name in tools[shell].get("required", []):
        kinds: dict[Any, Any] = {"boolean": False, "integer": 60, "number": 60}
        arguments.setdefault(name, kinds.get(properties.get(name, {}).get("type"), "a step"))
    return Answer(shell, arguments)


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schema.get("properties", {})
    return found


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_text(one) for one in content)
    if isinstance(content, dict):
        return _text(content.get("text") or content.get("content") or "")
    return content if isinstance(content, str) else ""


# ---------------------------------------------------------------------- what each of the four is asked and answers


def _messages(asked: dict[str, Any]) -> tuple[list[tuple[str, str]], Tools]:
    said = []
    for message in asked.get("messages", []):
        if message.get("role") == "user":
            content = message.get("content")
            for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                who = "result" if block.get("type") == "tool_result" else "user"
                said.append((who, _text(block)))
    return said, {
        tool["name"]: tool["input_schema"] for tool in asked.get("tools", []) if "input_schema" in tool
    }


def _messages_answer(said: Answer, asked: dict[str, Any]) -> list[dict[str, Any]]:
    usage = {"input_tokens": _TOKENS_IN, "output_tokens": _TOKENS_OUT, "cache_read_input_tokens": 0}
    if said.tool:
        block = {"type": "tool_use", "id": _id("toolu"), "name": said.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said.text}
    message: dict[str, Any] = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": [],
    }
    stop = {"stop_reason": "tool_use" if said.tool else "end_turn", "stop_sequence": None}
    return [
        {
            "type": "message_start",
            "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
        },
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(asked: dict[str, Any]) -> tuple[list[tuple[str, str]], Tools]:
    given = asked.get("input")
    said = []
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given or []:
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") == "user":
            said.append(("user", _text(item.get("content"))))
        elif kind.endswith("_output"):
            said.append(("result", _text(item.get("output"))))
    tools = {
        tool["name"]: tool.get("parameters", {})
        for tool in asked.get("tools", [])
        if tool.get("type") in ("function", "custom")
    }
    return said, tools


def _responses_answer(said: Answer, asked: dict[str, Any]) -> list[dict[str, Any]]:
    item: dict[str, Any]
    if said.tool == "apply_patch":  # its text is no JSON
        item = {"type": "custom_tool_call", "id": _id("ctc"), "call_id": _id("call"), "name": said.tool}
        item |= {"input": (said.arguments or {})["input"], "status": "completed"}
    elif said.tool:
        arguments = json.dumps(said.arguments)
        item = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": said.tool}
        item |= {"arguments": arguments, "status": "completed"}
    else:
        content = [{"type": "output_text", "text": said.text, "annotations": []}]
        item = {
            "type": "message",
            "id": _id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    usage: dict[str, Any] = {
        "input_tokens": _TOKENS_IN,
        "output_tokens": _TOKENS_OUT,
        "total_tokens": _TOKENS_IN + _TOKENS_OUT,
    }
    usage_details: dict[str, Any] = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    response = {"id": _id("resp"), "object": "response", "created_at": 0, "model": asked.get("model")}
    done: dict[str, Any] = {
        **response,
        "status": "completed",
        "output": [item],
        "usage": {**usage, **usage_details},
    }
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _chat(asked: dict[str, Any]) -> tuple[list[tuple[str, str]], Tools]:
    roles = {"user": "user", "tool": "result"}
    said = [
        (roles[message["role"]], _text(message.get("content")))
        for message in asked.get("messages", [])
        if message.get("role") in roles
    ]
    return said, {
        tool["function"]["name"]: tool["function"]["parameters"] for tool in asked.get("tools") or []
    }


def _chat_answer(said: Answer, asked: dict[str, Any], *, is_stream: bool) -> list[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": None if said.tool else said.text}
    if said.tool:
        function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
        message["tool_calls"] = [{"index": 0, "id": _id("call"), "type": "function", "function": function}]
    stop = "tool_calls" if said.tool else "stop"
    usage = {
        "prompt_tokens": _TOKENS_IN,
        "completion_tokens": _TOKENS_OUT,
        "total_tokens": _TOKENS_IN + _TOKENS_OUT,
    }
    base = {"id": _id("chat"), "created": 0, "model": asked.get("model")}
    if not is_stream:
        choices = [{"index": 0, "message": message, "finish_reason": stop}]
        return [{**base, "object": "chat.completion", "choices": choices, "usage": usage}]
    chunk = {**base, "object": "chat.completion.chunk"}
    return [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
        {**chunk, "choices": [], "usage": usage},
    ]


def _gemini(asked: dict[str, Any]) -> tuple[list[tuple[str, str]], Tools]:
    said = []
    for turn in asked.get("contents", []):
        for part in turn.get("parts", []) if turn.get("role") == "user" else []:
            is_result = "functionResponse" in part
            said.append(("result", "") if is_result else ("user", _text(part)))
    tools: Tools = {}
    for group in asked.get("tools", []):
        for tool in group.get("functionDeclarations", []):
            tools[tool["name"]] = tool.get("parametersJsonSchema") or tool.get("parameters") or {}
    return said, tools


def _gemini_answer(said: Answer) -> dict[str, Any]:
    part: dict[str, Any] = {"text": said.text}
    if said.tool:
        part = {"functionCall": {"name": said.tool, "args": said.arguments, "id": _id("call")}}
    usage = {
        "promptTokenCount": _TOKENS_IN,
        "candidatesTokenCount": _TOKENS_OUT,
        "totalTokenCount": _TOKENS_IN + _TOKENS_OUT,
    }
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stub", "responseId": _id("r")}


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:20]}"


# ---------------------------------------------------------------------- the server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: tests look at what programs make of the answers."""

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_GET(self) -> None:
        self._send_json(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send_json(200, {"input_tokens": _TOKENS_IN})
            return
        if path.endswith(":countTokens"):
            self._send_json(200, {"totalTokens": _TOKENS_IN})
            return
        kinds = {
            "/messages": _messages,
            "/responses": _responses,
            "/chat/completions": _chat,
            ":generateContent": _gemini,
            ":streamGenerateContent": _gemini,
        }
        kind = next((end for end in kinds if path.endswith(end)), None)
        if kind is None:
            self._send_json(404, {})
            return
        said = answer(*kinds[kind](asked))
        is_stream = bool(asked.get("stream"))
        if said.status != 200:
            error = {"type": "api_error", "message": f"stub status {said.status}"}
            self._send_json(said.status, {"type": "error", "error": error})
        elif kind == "/messages":
            self._send_events(_messages_answer(said, asked), is_named=True)
        elif kind == "/responses":
            self._send_events(_responses_answer(said, asked), is_named=True)
        elif kind == ":generateContent":
            self._send_json(200, _gemini_answer(said))
        elif kind == ":streamGenerateContent":
            self._send_events([_gemini_answer(said)], is_named=False)
        elif is_stream:
            self._send_events(_chat_answer(said, asked, is_stream=True), is_named=False, is_ended=True)
        else:
            self._send_json(200, _chat_answer(said, asked, is_stream=False)[0])

    def _send_json(self, status: int, value: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send_events(self, events: list[dict[str, Any]], *, is_named: bool, is_ended: bool = False) -> None:
        lines = [
            (f"event: {one['type']}\n" if is_named else "") + f"data: {json.dumps(one)}\n\n" for one in events
        ]
        lines += ["data: [DONE]\n\n"] if is_ended else []
        self._send(200, "text/event-stream", "".join(lines).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def stub_model() -> Iterator[str]:
    """The server's address while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
