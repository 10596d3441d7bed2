"""A client of the stand-in as the review is one: shows changes, runs the tools, reads the report."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anthropic

from kodiai.core.changes.show import show_file
from kodiai.core.findings.report import ANSWER, FINISH, REPORT, EarlierAnswer, ReportedFinding, Summary
from kodiai.core.model.messages import ToolUse
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.model.look_up import look_up
from kodiai.flows.model.look_up_tools import LOOK_UPS
from tests.builders import PARSER, FilesTree, a_file

MODEL = "claude-haiku-4-5"
"""A model that thinks only on request, so that its answers have no more than their script says."""
THINKER = "claude-sonnet-5-5"
READ_FILES: Any = next(
    {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
    for tool in LOOK_UPS
    if tool.name == "read_files"
)


def show(path: str, text: str, changed: set[int] | None = None, status: str = "added") -> str:
    """Show a file as the request does, as one hunk; lines that are not in `changed` are context."""
    rows = [
        f"{'+' if changed is None or number in changed else ' '}{line}" for number, line in enumerate(lines_of(text), 1)
    ]
    old = sum(row.startswith(" ") for row in rows)
    patch = "\n".join([f"@@ -{1 if old else 0},{old} +1,{len(rows)} @@", *rows])
    return show_file(a_file(path, patch=patch, status=status))


def show_change(path: str, before: str, after: str) -> str:
    """Show how a file changed, as the request does."""
    patch = "\n".join(list(difflib.unified_diff(lines_of(before), lines_of(after), lineterm=""))[2:])
    return show_file(a_file(path, patch=patch))


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

    client: anthropic.Anthropic
    files: Mapping[str, str]
    max_tokens: int = 16_000
    calls: list[list[dict[str, Any]]] = field(default_factory=list)
    turns: int = 0

    def find(self, *shown: str, tools: bool = True) -> dict[str, Any]:
        """Run the tool loop to its end, from a question of these blocks; give what was reported until then."""
        messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": block} for block in shown]}]
        offered: dict[str, Any] = {"tools": [READ_FILES]} if tools else {}
        while True:
            answer = self.client.messages.create(
                model=MODEL, max_tokens=self.max_tokens, messages=messages, system="Find problems.", **offered
            )
            self.turns += 1
            uses = [block for block in answer.content if block.type == "tool_use"]
            if uses[-1].name == FINISH:
                return {
                    **Summary.model_validate(uses[-1].input).model_dump(),
                    "findings": [
                        ReportedFinding.model_validate(each.input).finding.model_dump()
                        for each in uses
                        if each.name == REPORT
                    ],
                    "earlier": [
                        EarlierAnswer.model_validate(each.input).model_dump() for each in uses if each.name == ANSWER
                    ],
                }
            messages.append({"role": "assistant", "content": answer.content})
            messages.append({"role": "user", "content": [self._run(block) for block in uses]})

    def review(self, *shown: str) -> dict[str, Any]:
        """Find; what a finding quotes is code of the line that it names."""
        answer = self.find(*shown)
        for finding in answer["findings"]:
            line = self.files[finding["path"]].split("\n")[finding["start_line"] - 1]
            assert finding["quote"].strip()
            assert finding["quote"] in line, finding
        return answer

    def look_back(self, changes: str, *earlier: Mapping[str, Any], diff: Mapping[str, str] | None = None) -> Any:
        """Find with earlier findings, as a re-review does; `diff` is that of a file that the changes do not show."""
        since = f"# Files of these findings, as they changed since their last review\n\n{json.dumps(diff)}"
        return self.find(
            "Facts.", f"# Its changes\n\n{changes}", since, show_earlier(*earlier), "Review these changes."
        )

    def _run(self, block: Any) -> dict[str, Any]:
        self.calls.append(block.input["files"])
        view = RepositoryView(FilesTree(self.files), PARSER)
        result = look_up(view, ToolUse(block.id, block.name, block.input))
        content = {"content": result.text, "is_error": result.is_error}
        return {"type": "tool_result", "tool_use_id": block.id, **content}


def titles(findings: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """The findings by line and title."""
    return [(each["start_line"], each["title"]) for each in findings]
