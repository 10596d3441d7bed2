"""A reviewer's report whose extraction loses nothing: prose with headings, and all of it as one line of JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
_DATA = "Data: "


class NoReport(ValueError):
    """The text is no whole report of this form."""


def a_report(
    what_changed: str = "", findings: Sequence[Mapping[str, Any]] = (), earlier: Sequence[Mapping[str, Any]] = ()
) -> Json:
    """Give a report as data, its findings numbered."""
    return {
        "what_changed": what_changed,
        "strengths": [],
        "suggestions": [],
        "findings": [{"number": number, **finding} for number, finding in enumerate(findings, 1)],
        "earlier": list(earlier),
    }


def write_report(report: Mapping[str, Any]) -> str:
    """Write a report; the data are ASCII, so that no code, quote mark or line end in them can end the line."""
    headings = [f"### Finding {finding['number']}: {_line(finding['title'])}" for finding in report["findings"]]
    return "\n\n".join(["# Report", *headings, f"{_DATA}{json.dumps(report)}"])


def read_report(text: str) -> Json:
    """Read a report back, word for word. Raises NoReport for any other text, and for one that was cut short."""
    last = text.strip().rpartition("\n")[2]
    try:
        report = json.loads(last.removeprefix(_DATA)) if last.startswith(_DATA) else None
    except ValueError:
        report = None
    if not isinstance(report, dict):
        raise NoReport("the text ends with no line of data")
    return report


def _line(text: str) -> str:
    return " ".join(text.split())
