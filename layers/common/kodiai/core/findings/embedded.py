"""The findings without an inline comment, hidden as data in the body of the review that reports them.

They restore the findings where the ledger has lost them. The block is before the review's marker, the last line.
"""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain

from pydantic import ValidationError

from kodiai.core.findings.finding import Finding
from kodiai.core.text.layout import BODY_LIMIT
from kodiai.core.text.secrets import masked, masked_random

_TAIL = re.compile(
    r"\n(?:<!-- kodiai:findings\n(?P<rows>(?:\{[^\n]*\}\n)*)-->\n\n)?"
    r"(?P<marker><!-- kodiai:review [^\n]{1,200}-->)\s*\Z"
)
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "--": "\\u002d\\u002d"}
_LONGEST_TITLE = 300
_LONGEST_PROBLEM = 600
_LONGEST_QUOTE = 1_000


def with_embedded_findings(body: str, findings: Iterable[tuple[str, Finding]]) -> str:
    """Add findings, the most severe first, to those that a marked body holds; nothing in them ends the HTML comment.

    Secrets are masked. The last ones are left out where the body would be longer than GitHub takes.
    """
    tail = _TAIL.search(body)
    if tail is None:
        return body
    text, marker = body[: tail.start()], tail["marker"]

    def whole(rows: Iterable[str]) -> str:
        block = "\n".join(["<!-- kodiai:findings", *rows, "-->"])
        return f"{text}\n{block}\n\n{marker}"

    room = BODY_LIMIT - len(whole(()))
    rows = []
    for row in chain((tail["rows"] or "").splitlines(), (_row(name, finding) for name, finding in findings)):
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
    return whole(rows) if rows else f"{text}\n{marker}"


def embedded_findings(body: str) -> Mapping[str, Finding]:
    """Read the findings that a marked body holds, by id; what cannot be read is left out."""
    tail = _TAIL.search(body.replace("\r\n", "\n"))
    rows = (tail["rows"] or "") if tail else ""
    return dict(found for row in rows.splitlines() if (found := _read(row)) is not None)


def _row(finding_id: str, finding: Finding) -> str:
    facts = finding.model_dump(include={"severity", "category", "kind", "start_line", "end_line"})
    if finding.pre_existing:
        facts["pre_existing"] = True
    if finding.rule is not None:
        facts |= {"rule": finding.rule, "looked_at": [masked(each) for each in finding.looked_at]}
    texts = {
        "path": masked(finding.path),
        "title": masked_random(masked(finding.title))[:_LONGEST_TITLE],
        "problem": masked_random(masked(finding.problem_text))[:_LONGEST_PROBLEM],
        "quote": masked(finding.quote)[:_LONGEST_QUOTE],
    }
    if finding.fix:
        texts["fix"] = masked_random(masked(finding.fix))[:_LONGEST_PROBLEM]
    row = json.dumps({"id": finding_id, **facts, **texts}, separators=(",", ":"))
    for sign, escape in _ESCAPES.items():
        row = row.replace(sign, escape)
    return row


def _read(row: str) -> tuple[str, Finding] | None:
    try:
        facts = json.loads(row)
        finding_id = facts.pop("id")
        return str(finding_id), Finding.model_validate({**facts, "explanation": facts["problem"]})
    except (ValueError, KeyError, ValidationError):
        return None
