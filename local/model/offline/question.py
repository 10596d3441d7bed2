"""What a request asks of the offline reviewer.

A new kind of question is one more class here, recognised in `understand`, and one more case in the reviewer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local.model.answers import Request
from local.model.offline.changes import Change, read_changes
from local.model.offline.earlier import Earlier, is_about_earlier, read_earlier
from local.model.offline.reading import READ_FILE, FileRead, files_read
from local.model.request_rules import as_blocks, turns
from local.model.tokens import parts_of


@dataclass(frozen=True)
class Find:
    """Look for problems in changes, and at what has become of earlier findings.

    `again` is whether only what changed since the last review is shown.
    `read` is what the tools have given so far, after `turns` answers of ours; `tokens` is the whole conversation.
    """

    changes: Sequence[Change]
    again: bool
    earlier: Sequence[Earlier]
    read: Mapping[str, FileRead]
    turns: int
    tokens: int
    may_read: bool
    max_tokens: int


@dataclass(frozen=True)
class Extract:
    """Put a report into a JSON schema."""

    report: str
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True)
class Unknown:
    """Anything else."""


Question = Find | Extract | Unknown
_SINCE = "# Its changes since the last review"


def understand(request: Request) -> Question:
    """Tell which question a request is."""
    if is_extract(request):
        schema = request["output_config"]["format"]["schema"]
        return Extract(_report(_user_text(request)), schema, request["max_tokens"])
    if is_find(request):
        answered = sum(1 for role, _ in turns(request) if role == "assistant")
        may_read = _has_tool(request, READ_FILE) and request.get("tool_choice", {}).get("type") != "none"
        tokens = sum(part.tokens for part in parts_of(request))
        changes, earlier = _changes(request), read_earlier(_texts(request))
        return Find(
            changes=changes,
            again=any(text.startswith(_SINCE) for text in _texts(request)),
            earlier=earlier,
            read=files_read(request),
            turns=answered,
            tokens=tokens,
            may_read=may_read,
            max_tokens=request["max_tokens"],
        )
    return Unknown()


def is_find(request: Request) -> bool:
    """Whether the request asks to find problems in changes, or to look at earlier findings, that it shows."""
    return not _schema(request) and bool(_changes(request) or read_earlier(_texts(request)))


def is_extract(request: Request) -> bool:
    """Whether the request asks to put a report into a schema."""
    return bool(_schema(request)) and "<report>" in _user_text(request).split("\n")


def _schema(request: Request) -> Mapping[str, Any] | None:
    form = (request.get("output_config") or {}).get("format") or {}
    return form.get("schema")


def _has_tool(request: Request, name: str) -> bool:
    return any(tool.get("name") == name for tool in request.get("tools", []))


def _texts(request: Request) -> list[str]:
    """The texts of the conversation's first turn, block by block."""
    first = as_blocks(request["messages"][0]["content"])
    return [block["text"] for block in first if block["type"] == "text"]


def _user_text(request: Request) -> str:
    """The text of the conversation's first turn, each block from a line of its own."""
    return "\n".join(_texts(request))


def _changes(request: Request) -> list[Change]:
    return read_changes("\n".join(text for text in _texts(request) if not is_about_earlier(text)))


def _report(text: str) -> str:
    """The lines between `<report>` and `</report>`, without the mark that each of them bears."""
    lines = text.split("\n")
    opening = lines.index("<report>")
    closing = lines.index("</report>", opening) if "</report>" in lines[opening:] else len(lines)
    return "\n".join(line.removeprefix("|").removeprefix(" ") for line in lines[opening + 1 : closing])
