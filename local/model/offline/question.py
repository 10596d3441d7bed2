"""What a request asks of the offline reviewer.

A new kind of question is one more class here, recognised in `understand`, and one more case in the reviewer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local.model.answers import Request
from local.model.offline.changes import Change, read_changes
from local.model.offline.earlier import Earlier, read_earlier
from local.model.offline.reading import READ_FILE, FileRead, files_read
from local.model.offline.talk import CONVERSATION, THREAD, Told, left_out, read_told
from local.model.request_rules import as_blocks, turns
from local.model.tokens import parts_of


@dataclass(frozen=True)
class Find:
    """Look for problems in changes, and at what has become of earlier findings.

    `again` is whether only what changed since the last review is shown.
    `leads` is whether nobody else of those who are asked about these changes sums them up.
    `read` is what the tools have given so far, after `turns` answers of ours; `tokens` is the whole conversation.
    """

    changes: Sequence[Change]
    again: bool
    leads: bool
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
class Judge:
    """Decide about candidates, and about findings that are said to be resolved: each as the request shows it.

    `kept_already` are candidates that another conversation about the same changes kept.
    """

    candidates: Sequence[Mapping[str, Any]]
    kept_already: Sequence[Mapping[str, Any]]
    said_to_be_resolved: Sequence[Mapping[str, Any]]
    max_tokens: int


@dataclass(frozen=True)
class Read:
    """Say what becomes of a finding by what somebody replied to it."""

    reply: str
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True)
class Talk:
    """Answer somebody, in a thread or in the conversation, about the findings that are shown.

    `more` is how many open findings there are beside them, `read` what the tools have given so far.
    """

    in_thread: bool
    findings: Sequence[Told]
    more: int
    read: Mapping[str, FileRead]
    may_read: bool


@dataclass(frozen=True)
class Unknown:
    """Anything else."""


Question = Find | Extract | Judge | Read | Talk | Unknown
_SINCE = "# Its changes since the last review"
_CHANGES = ("# Its changes", "### FILE ")
_CANDIDATES = "# Candidates"
_KEPT = "# Kept already"
_SAID_TO_BE_RESOLVED = "# Said to be resolved"
_PART = "# Your part: "
_ANSWER = "answer"
_JUDGE = "judge"
_SUMS_UP = "# You also sum up"
_FINDING, _REPLY = "# The finding\n", "\n# The reply\n"


def understand(request: Request) -> Question:
    """Tell which question a request is."""
    if is_judge(request):
        candidates, kept, claims = (rows(texts(request), each) for each in (_CANDIDATES, _KEPT, _SAID_TO_BE_RESOLVED))
        return Judge(candidates, kept, claims, request["max_tokens"])
    if is_extract(request):
        schema = request["output_config"]["format"]["schema"]
        return Extract(report(request), schema, request["max_tokens"])
    if is_reading(request):
        return Read(replied(request), request["output_config"]["format"]["schema"], request["max_tokens"])
    if is_answer(request):
        said = texts(request)[-2]
        return Talk(said.startswith(THREAD), read_told(said), left_out(said), files_read(request), _may_read(request))
    if is_find(request):
        answered = sum(1 for role, _ in turns(request) if role == "assistant")
        tokens = sum(part.tokens for part in parts_of(request))
        changes, earlier = _changes(request), read_earlier(texts(request))
        return Find(
            changes=changes,
            again=any(text.startswith(_SINCE) for text in texts(request)),
            leads=not part(request) or _SUMS_UP in texts(request)[-1],
            earlier=earlier,
            read=files_read(request),
            turns=answered,
            tokens=tokens,
            may_read=_may_read(request),
            max_tokens=request["max_tokens"],
        )
    return Unknown()


def is_find(request: Request) -> bool:
    """Whether the request asks to find problems in changes, or to look at earlier findings, that it shows."""
    shown = bool(_changes(request) or read_earlier(texts(request)))
    return not _schema(request) and not is_judge(request) and not is_answer(request) and shown


def is_answer(request: Request) -> bool:
    """Whether the request asks to answer what somebody said in a thread or in the conversation."""
    shown = texts(request)[-2:-1]
    return not _schema(request) and part(request) == _ANSWER and any(_is_talk(text) for text in shown)


def _is_talk(text: str) -> bool:
    return text.partition("\n")[0] in (THREAD, CONVERSATION)


def part(request: Request) -> str:
    """Whose part the request asks for: a reviewer's name, "judge" or "answer", empty where it names none."""
    last = (texts(request) or [""])[-1]
    return last.removeprefix(_PART).partition("\n")[0].strip() if last.startswith(_PART) else ""


def is_extract(request: Request) -> bool:
    """Whether the request asks to put a reviewer's report into a schema."""
    return bool(_schema(request)) and "<report>" in _user_text(request).split("\n")


def is_reading(request: Request) -> bool:
    """Whether the request asks what somebody decides about a finding by a reply."""
    shown = _user_text(request)
    return bool(_schema(request)) and shown.startswith(_FINDING) and _REPLY in shown


def replied(request: Request) -> str:
    """The reply that the request asks about."""
    return str(json.loads(_user_text(request).rpartition(_REPLY)[2])["said"])


def is_judge(request: Request) -> bool:
    """Whether the request asks to decide about candidates, or about what is said to be resolved."""
    return not _schema(request) and part(request) == _JUDGE


def _schema(request: Request) -> Mapping[str, Any] | None:
    form = (request.get("output_config") or {}).get("format") or {}
    return form.get("schema")


def _may_read(request: Request) -> bool:
    offered = any(tool.get("name") == READ_FILE for tool in request.get("tools", []))
    return offered and request.get("tool_choice", {}).get("type") != "none"


def texts(request: Request) -> list[str]:
    """The texts of the conversation's first turn, block by block."""
    first = as_blocks(request["messages"][0]["content"])
    return [block["text"] for block in first if block["type"] == "text"]


def _user_text(request: Request) -> str:
    """The text of the conversation's first turn, each block from a line of its own."""
    return "\n".join(texts(request))


def rows(texts: Sequence[str], heading: str) -> list[Any]:
    """Read the JSON objects, one a line, of the block that begins with this line; none where there is no such block."""
    blocks = (text.split("\n") for text in texts)
    lines = [line for first, *rest in blocks if first.strip() == heading for line in rest]
    return [json.loads(line) for line in lines if line.startswith("{")]


def _changes(request: Request) -> list[Change]:
    return read_changes("\n".join(text for text in texts(request) if text.startswith(_CHANGES)))


def report(request: Request) -> str:
    """The lines between `<report>` and `</report>`, without the mark that each of them bears."""
    lines = _user_text(request).split("\n")
    opening = lines.index("<report>")
    closing = lines.index("</report>", opening) if "</report>" in lines[opening:] else len(lines)
    return "\n".join(line.removeprefix("|").removeprefix(" ") for line in lines[opening + 1 : closing])
