"""A scripted model for the programs of coding agents, over the three APIs that they speak, and what it is shown.

Sources: https://platform.claude.com/docs/en/api/messages-streaming,
https://developers.openai.com/api/reference/responses and https://ai.google.dev/api/generate-content
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.mcp_agent import TOOLS

Json = dict[str, Any]
Call = tuple[str, Mapping[str, Any]]
"""A tool of ours and its arguments."""
Script = Callable[[Sequence[str]], Call | None]
"""The next call by the texts of all results so far, None at the end."""

_USAGE = {"input_tokens": 1, "output_tokens": 1}
_SEARCH = "ToolSearch"
_END = "Done."


@dataclass
class ScriptedModel:
    """A model that calls our tools by a script.

    `shown` are the texts of the results that it was shown last, `requests` all that it was sent, as JSON.
    """

    script: Script
    shown: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    url: str = ""

    def reply(self, path: str, body: Json) -> str:
        """Answer a request, by its path, as a stream of events."""
        self.requests.append(json.dumps(body))
        if path.endswith("/messages"):
            return self._anthropic(body)
        return self._openai(body) if path.endswith("/responses") else self._gemini(body)

    def _next(self, results: Sequence[str], tools: Sequence[str]) -> Call | None:
        self.tools = list(dict.fromkeys([*self.tools, *tools]))
        if len(results) < len(self.shown):  # a side question of the program
            return None
        self.shown = list(results)
        return self.script(results)

    def _anthropic(self, body: Json) -> str:
        """Claude Code names our tools "mcp__kodiai__…"; newer ones show them once they were searched for."""
        named = [str(tool.get("name")) for tool in body.get("tools", ())]
        contents = [
            each for message in body["messages"] if isinstance(message["content"], list) for each in message["content"]
        ]
        results = [each["content"] for each in contents if each.get("type") == "tool_result"]
        texts = [_texts(each) for each in results]
        found = [name for name in named if name.startswith("mcp__kodiai__")]
        found += (ref["tool_name"] for each in results if isinstance(each, list) for ref in each if "tool_name" in ref)
        block: Json = {"type": "text", "text": _END}
        if _SEARCH in named and "mcp__kodiai" in json.dumps(body) and not results:
            names = ",".join(f"mcp__kodiai__{name}" for name in TOOLS)
            block = {"type": "tool_use", "name": _SEARCH, "input": {"query": f"select:{names}", "max_results": 20}}
        elif call := self._next([text for text in texts if text], found) if found else None:
            block = {"type": "tool_use", "name": f"mcp__kodiai__{call[0]}", "input": call[1]}
        return _anthropic_stream({**block, **({"id": f"toolu_{len(results):03}"} if "name" in block else {})})

    def _openai(self, body: Json) -> str:
        """Codex has our tools in a namespace."""
        outputs = [each["output"] for each in body["input"] if each.get("type") == "function_call_output"]
        spaces = [tool for tool in body.get("tools", ()) if "kodiai" in tool.get("name", "")]
        call = self._next(
            [_texts(each) for each in outputs], [each["name"] for tool in spaces for each in tool.get("tools", ())]
        )
        item: Json = {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "content": [{"type": "output_text", "text": _END}],
        }
        if call is not None and spaces:
            name = {"name": call[0], "namespace": spaces[0]["name"], "arguments": json.dumps(call[1])}
            item = {"type": "function_call", "id": f"fc_{len(outputs)}", "call_id": f"call_{len(outputs)}", **name}
        usage = {**_USAGE, "total_tokens": 2, "input_tokens_details": None, "output_tokens_details": None}
        return _events(
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        )

    def _gemini(self, body: Json) -> str:
        """Gemini CLI names our tools "mcp_kodiai_…"."""
        parts = [part for content in body.get("contents", ()) for part in content["parts"]]
        results = [_texts(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]
        declared = [each["name"] for tool in body.get("tools", ()) for each in tool.get("functionDeclarations", ())]
        ours = {name.rpartition("kodiai_")[2]: name for name in declared if "kodiai" in name}
        call = self._next(results, list(ours)) if ours else None
        part: Json = {"text": _END}
        if call is not None:
            part = {"functionCall": {"name": ours[call[0]], "args": call[1]}}
        content = {"role": "model", "parts": [part]}
        counts = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}
        return f"data: {json.dumps(answer)}\r\n\r\n"


def _texts(result: Any) -> str:
    """The texts of a result, however a client wraps them."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(filter(None, map(_texts, result)))
    if isinstance(result, dict):
        return _texts([result[name] for name in ("text", "output", "error") if name in result])
    return ""


def _anthropic_stream(block: Json) -> str:
    is_call = block["type"] == "tool_use"
    empty = {**block, "input": {}} if is_call else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if is_call
        else {"type": "text_delta", "text": block["text"]}
    )
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": _USAGE}
    return _events(
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    )


def _events(*events: Json) -> str:
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)


@contextmanager
def serving(script: Script) -> Iterator[ScriptedModel]:
    """Serve a scripted model on this machine; its `url` is its address."""
    model = ScriptedModel(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send("{}", "application/json")

        def do_HEAD(self) -> None:
            self._send("", "application/json")

        def do_POST(self) -> None:
            body = self._body()
            path = self.path.partition("?")[0]
            if path.endswith(("/messages", "/responses", "streamGenerateContent")):
                self._send(model.reply(path, json.loads(body)), "text/event-stream")
            else:
                self._send("{}", "application/json")

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _send(self, text: str, kind: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
