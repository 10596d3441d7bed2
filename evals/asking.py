"""What a request to the model asks: of which pull request, in which part, about what."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from local.model import Request

Json = dict[str, Any]
Part = str
"""The reviewer who is asked, "verification", or "all" where the request names nobody."""

VERIFICATION = "verification"
ALL = "all"
_PULL_REQUEST = "# The pull request, as its author describes it"
_EARLIER = "# Findings of earlier reviews"
_TO_VERIFY = "# Findings to verify"
_PART = "# Your part: "


@dataclass(frozen=True)
class Where:
    """Which push of which case, of the case's pull requests the how many-th; a push is counted from 0."""

    case: str
    repeat: int
    push: int


class Course:
    """Where each pull request stands, by its title; told by who pushes, asked by who answers, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, Where] = {}

    def move(self, title: str, where: Where) -> None:
        """Note that this pull request is there now."""
        with self._lock:
            self._places[title] = where

    def where(self, title: str | None) -> Where | None:
        """Say where it is, None where nobody said."""
        with self._lock:
            return self._places.get(title) if title is not None else None


@dataclass(frozen=True)
class Asking:
    """A request, understood. An extraction has a `report` and a `schema`, all others have a `title` and a `part`.

    `earlier` and `to_verify` are the findings that are asked back, and those that are to be verified.
    """

    kind: Literal["find", "verify", "extract"]
    title: str | None = None
    part: Part = ALL
    earlier: tuple[Json, ...] = ()
    to_verify: tuple[Json, ...] = ()
    report: str = ""
    schema: Mapping[str, Any] | None = None


def understand(request: Request) -> Asking:
    """Tell what a request asks, by its blocks' headings."""
    schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
    texts = list(_texts(request))
    if schema is not None:
        return Asking("extract", report=_report("\n".join(texts)), schema=schema)
    part = texts[-1].partition("\n")[0].removeprefix(_PART).strip() if _is_part(texts) else ALL
    to_verify = tuple(_objects(texts, _TO_VERIFY))
    return Asking(
        kind="verify" if part == VERIFICATION or to_verify else "find",
        title=next((one.get("title") for one in _objects(texts, _PULL_REQUEST)), None),
        part=part,
        earlier=tuple(_objects(texts, _EARLIER)),
        to_verify=to_verify,
    )


def _is_part(texts: list[str]) -> bool:
    return bool(texts) and texts[-1].startswith(_PART)


def _texts(request: Request) -> Iterator[str]:
    """The texts of the conversation's first turn, block by block."""
    messages = request.get("messages") or [{"content": ""}]
    content = messages[0]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    yield from (block["text"] for block in blocks if block.get("type") == "text")


def _objects(texts: Iterable[str], heading: str) -> Iterator[Json]:
    """The JSON objects, one a line, of the block that begins with this heading."""
    for text in texts:
        first, _, rest = text.partition("\n")
        if first.strip() == heading:
            yield from (json.loads(line) for line in rest.split("\n") if line.startswith("{"))


def _report(text: str) -> str:
    """The lines between `<report>` and `</report>`, without the mark that each of them bears."""
    lines = text.split("\n")
    if "<report>" not in lines:
        return text
    begun = lines[lines.index("<report>") + 1 :]
    end = begun.index("</report>") if "</report>" in begun else len(begun)
    return "\n".join(line.removeprefix("|").removeprefix(" ") for line in begun[:end])
