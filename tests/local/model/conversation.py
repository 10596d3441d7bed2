"""A client of the stand-in as the review is one: shows changes, runs the tools, asks for the report in a schema."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anthropic import Anthropic

from local.model.offline.changes import read_changes

MODEL = "claude-sonnet-5-5"
PAGE = 800
STRING, LINE = {"type": "string"}, {"type": "integer"}
TEXTS = {"type": "array", "items": STRING}


def closed(properties: Mapping[str, object]) -> dict[str, object]:
    """An object schema of which every field is required and no other is allowed."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


FINDING = closed(
    {
        "number": {"anyOf": [LINE, {"type": "null"}]},
        "severity": {"type": "string", "enum": ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]},
        "category": {
            "type": "string",
            "enum": ["security", "correctness", "performance", "reliability", "tests", "documentation", "style"],
        },
        "kind": {"type": "string", "enum": ["impact", "preference"]},
        "pre_existing": {"type": "boolean"},
        "path": STRING,
        "start_line": LINE,
        "end_line": LINE,
        "title": STRING,
        "explanation": STRING,
        "quote": STRING,
        "replacement": {"anyOf": [STRING, {"type": "null"}]},
        "cause": {"anyOf": [closed({"path": STRING, "quote": STRING}), {"type": "null"}]},
    }
)
SCHEMA = closed(
    {
        "what_changed": STRING,
        "strengths": TEXTS,
        "suggestions": TEXTS,
        "findings": {"type": "array", "items": FINDING},
    }
)
LOOKED_BACK = closed(
    {
        "finding": STRING,
        "answer": {"type": "string", "enum": ["ADDRESSED", "PARTIAL", "NOT_ADDRESSED", "CANNOT_TELL"]},
        "path": STRING,
        "quote": STRING,
        "why": STRING,
        "severity": {"anyOf": [{"type": "string", "enum": ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]}, {"type": "null"}]},
        "concedes": {"type": "boolean"},
    }
)
SCHEMA_WITH_EARLIER = closed(
    {**SCHEMA["properties"], "earlier": {"type": "array", "items": LOOKED_BACK}}  # type: ignore[dict-item]
)
READ_FILE: dict[str, Any] = {
    "name": "read_file",
    "description": "Read lines of a file at the head.",
    "input_schema": {
        "type": "object",
        "properties": {"path": STRING, "start_line": LINE, "end_line": LINE},
        "required": ["path"],
    },
}


def show(path: str, text: str, changed: set[int] | None = None, status: str = "added") -> str:
    """Show a file as the request does, as one hunk; lines that are not in `changed` are context."""
    lines = lines_of(text)
    rows = [
        f"{'+' if changed is None or number in changed else ' '}{number:>6} | {line}"
        for number, line in enumerate(lines, 1)
    ]
    head = f"@@ -0,0 +1,{len(lines)} @@"
    return "\n".join([f"### FILE {json.dumps(path)} {status}", head, *rows]) + "\n"


def show_earlier(*findings: Mapping[str, Any]) -> str:
    """Show findings of earlier reviews as the request does; what is not given is left empty."""
    empty = {"severity": "MAJOR", "category": "correctness", "explanation": "", "quote": "", "now": "", "thread": []}
    rows = [json.dumps({**empty, **finding}, ensure_ascii=False) for finding in findings]
    return "\n".join(["# Findings of earlier reviews", "", *rows])


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


@dataclass
class Conversation:
    """Asks over HTTP and keeps what was asked of its tools."""

    client: Anthropic
    files: Mapping[str, str]
    max_tokens: int = 16_000
    calls: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0

    def find(self, *shown: str, tools: bool = True) -> str:
        """Run the tool loop to its end, from a question of these blocks; give the report."""
        messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": block} for block in shown]}]
        offered: dict[str, Any] = {"tools": [READ_FILE]} if tools else {}
        while True:
            answer = self.client.messages.create(
                model=MODEL, max_tokens=self.max_tokens, messages=messages, system="Find problems.", **offered
            )
            self.turns += 1
            if answer.stop_reason != "tool_use":
                return "".join(block.text for block in answer.content if block.type == "text")
            messages.append({"role": "assistant", "content": answer.content})
            results = [self._run(block) for block in answer.content if block.type == "tool_use"]
            messages.append({"role": "user", "content": results})

    def extract(self, report: str, schema: dict[str, object] = SCHEMA) -> dict[str, Any]:
        """Ask for a report's content in the schema."""
        quoted = "\n".join(f"| {line}" for line in report.split("\n"))
        answer = self.client.messages.create(
            model=MODEL,
            max_tokens=self.max_tokens,
            messages=[{"role": "user", "content": f"Extract.\n<report>\n{quoted}\n</report>"}],
            output_config={"format": {"type": "json_schema", "schema": schema}},
        )
        return dict(json.loads("".join(block.text for block in answer.content if block.type == "text")))

    def review(self, shown: str) -> dict[str, Any]:
        """Find, then extract; every finding's quote is checked to be code of the lines that it names."""
        answer = self.extract(self.find(shown))
        added = {change.path: change.added for change in read_changes(shown)}
        for finding in answer["findings"]:
            lines = self.files[finding["path"]].split("\n")[finding["start_line"] - 1 : finding["end_line"]]
            said = "".join(finding["quote"].split())
            assert said
            assert said in "".join("".join(lines).split()), finding
            assert finding["start_line"] in added[finding["path"]], finding
        return answer

    def look_back(self, changes: str, *earlier: Mapping[str, Any]) -> dict[str, Any]:
        """Find with earlier findings, as a re-review does, then extract."""
        report = self.find("Facts.", f"# Its changes\n\n{changes}", show_earlier(*earlier), "Review these changes.")
        return self.extract(report, SCHEMA_WITH_EARLIER)

    def _run(self, block: Any) -> dict[str, Any]:
        self.calls.append(block.input)
        result = {"type": "tool_result", "tool_use_id": block.id}
        text = self.files.get(block.input["path"])
        if text is None:
            return {**result, "content": "no such file at the head", "is_error": True}
        lines = lines_of(text)
        start = block.input.get("start_line", 1)
        end = min(block.input.get("end_line", len(lines)), start + PAGE - 1, len(lines))
        title = f"FILE {json.dumps(block.input['path'])} lines {start}-{end} of {len(lines)}"
        rows = [f"{number:>6} | {lines[number - 1]}" for number in range(start, end + 1)]
        return {**result, "content": "\n".join([title, *rows])}
