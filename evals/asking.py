"""What a request to the model asks: of which pull request, in which part, about what."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from local.model import Request, part, report, texts

Json = dict[str, Any]
Part = str
"""The reviewer who is asked, "verification", or "all" where the request names nobody."""

VERIFICATION = "verification"
ALL = "all"
_PULL_REQUEST = "# The pull request, as its author describes it"
_EARLIER = "# Findings of earlier reviews"
_TO_VERIFY = "# Findings to verify"


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
    if schema is not None:
        return Asking("extract", report=report(request), schema=schema)
    shown = texts(request)
    reviewer = part(request) or ALL
    to_verify = tuple(_objects(shown, _TO_VERIFY))
    return Asking(
        kind="verify" if reviewer == VERIFICATION or to_verify else "find",
        title=next((one.get("title") for one in _objects(shown, _PULL_REQUEST)), None),
        part=reviewer,
        earlier=tuple(_objects(shown, _EARLIER)),
        to_verify=to_verify,
    )


def _objects(shown: Iterable[str], heading: str) -> Iterator[Json]:
    """The JSON objects, one a line, of the block that begins with this heading."""
    for text in shown:
        first, _, rest = text.partition("\n")
        if first.strip() == heading:
            yield from (json.loads(line) for line in rest.split("\n") if line.startswith("{"))
