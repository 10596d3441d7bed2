"""What a request to the model asks: of which pull request, in which part, about what."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from local.model import Request, is_extract, is_judge, part, report, rows, texts

Json = dict[str, Any]
Kind = Literal["find", "judge", "extract", "other"]
Part = str
"""The reviewer who is asked, "judge", or "all" where the request names nobody."""

ALL = "all"
_PULL_REQUEST = "# The pull request, as its author describes it"
_EARLIER = "# Findings of earlier reviews"
_CANDIDATES = "# Candidates"
_KEPT_ALREADY = "# Kept already"
_SAID_TO_BE_RESOLVED = "# Said to be resolved"


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
    """A request, understood. An extraction has a `report`, all others but the unknown ones a `title` and a `part`.

    `earlier` are the earlier findings to recheck. The judge is shown `candidates`, those that another conversation
    about the same changes kept, and the earlier findings that are said to be resolved.
    `schema` is what an answer has to fit, None for prose.
    """

    kind: Kind
    title: str | None = None
    part: Part = ALL
    earlier: tuple[Json, ...] = ()
    candidates: tuple[Json, ...] = ()
    kept_already: tuple[Json, ...] = ()
    said_to_be_resolved: tuple[Json, ...] = ()
    report: str = ""
    schema: Mapping[str, Any] | None = None


def understand(request: Request) -> Asking:
    """Tell what a request asks, by its schema and by its blocks' headings."""
    schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
    if is_extract(request):
        return Asking("extract", report=report(request), schema=schema)
    shown = texts(request)
    kind: Kind = "judge" if is_judge(request) else "find" if schema is None else "other"
    return Asking(
        kind=kind,
        title=next((one.get("title") for one in rows(shown, _PULL_REQUEST)), None),
        part=part(request) or ALL,
        earlier=tuple(rows(shown, _EARLIER)),
        candidates=tuple(rows(shown, _CANDIDATES)),
        kept_already=tuple(rows(shown, _KEPT_ALREADY)),
        said_to_be_resolved=tuple(rows(shown, _SAID_TO_BE_RESOLVED)),
        schema=schema,
    )
