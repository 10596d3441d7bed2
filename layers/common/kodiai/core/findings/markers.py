"""The hidden markers by which we recognize our own texts; believed only in texts of our own login.

A marker is the last line of its text: one that is quoted before that, also in code, is none.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # ingest needs the markers, and starts faster without findings
    from kodiai.core.findings.finding import Finding

PRE_EXISTING = "Older problem, does not block:"
"""The first words of the comment on such a finding."""

ReplyKind = Literal["fixed", "partly", "open", "conceded", "disputed", "raised", "settled", "reopened", "kept"]
"""The kinds of a run's replies: it is fixed, in part or not, the argument is right or not, it became more severe, a
person decided or reopened it, the person who resolved the thread may not decide."""

_REVIEW = re.compile(r"\n<!-- kodiai:review run=(?P<run>[\w-]+) head=(?P<head>[0-9a-f]{40,64}) -->\s*\Z", re.ASCII)
_REPLY = re.compile(
    r"\n<!-- kodiai:reply run=(?P<run>[\w-]+) finding=(?P<id>F-[0-9a-f]{12})"
    r"(?: said=(?P<said>fixed|partly|open|conceded|disputed|raised|settled|reopened|kept))? -->\s*\Z",
    re.ASCII,
)
_ANSWER = re.compile(r"\n<!-- kodiai:answer to=(?P<key>[A-Za-z0-9-]{1,128}) -->\s*\Z", re.ASCII)
_ANY = re.compile(r"(?:\A|\n)<!-- kodiai:[a-z]+ [^\n]{0,300}-->\s*\Z", re.ASCII)
_FINDING = re.compile(
    r"\n<!-- kodiai:finding id=(?P<id>F-[0-9a-f]{12})(?P<facts>(?: [a-z_]{1,20}=[A-Za-z0-9_-]{1,40}){0,8}) -->\s*\Z"
)


def review_marker(run: str, head: str) -> str:
    """Mark a review's body with the run that wrote it and the head that it read."""
    return f"<!-- kodiai:review run={run} head={head} -->"


def review_run(body: str) -> str | None:
    """Read which run wrote a review's body, None where it has no marker."""
    found = _REVIEW.search(body)
    return found["run"] if found else None


def review_head(body: str) -> str | None:
    """Read which head a review is about, None where it has no marker."""
    found = _REVIEW.search(body)
    return found["head"] if found else None


def finding_marker(finding_id: str, finding: "Finding | None" = None) -> str:
    """Mark an inline comment with its finding's id, and with the facts that the comment does not show."""
    facts = ""
    if finding is not None:
        facts = f" severity={finding.severity} category={finding.category} kind={finding.kind}"
        facts += " pre_existing=true" if finding.pre_existing else ""
        facts += f" rule={finding.rule}" if finding.rule is not None else ""
    return f"<!-- kodiai:finding id={finding_id}{facts} -->"


def finding_facts(body: str) -> Mapping[str, str]:
    """Read the facts in the marker of a comment: severity, category, kind, pre_existing, rule.

    The marker of an older release has none.
    """
    found = _FINDING.search(body)
    return dict(fact.split("=") for fact in found["facts"].split()) if found else {}


def finding_of(body: str) -> str | None:
    """Read which finding a comment is about, None where it has no marker."""
    found = _FINDING.search(body)
    return found["id"] if found else None


def reply_marker(run: str, finding_id: str, kind: ReplyKind | None = None) -> str:
    """Mark a run's reply in a finding's thread."""
    return f"<!-- kodiai:reply run={run} finding={finding_id}{f' said={kind}' if kind else ''} -->"


def reply_of(body: str) -> tuple[str, str] | None:
    """Read which run replied about which finding, None where there is no marker."""
    found = _REPLY.search(body)
    return (found["run"], found["id"]) if found else None


def reply_kind(body: str) -> str | None:
    """Read the kind of a run's reply; None where there is no marker, or one of an older release."""
    found = _REPLY.search(body)
    return found["said"] if found else None


def answer_marker(key: str) -> str:
    """Mark the answer to one request; its key is the GUID of its webhook, or the comment, as in "thread-123"."""
    return f"<!-- kodiai:answer to={key} -->"


def answered_key(body: str) -> str | None:
    """Read which request is answered, None where the text carries no marker."""
    found = _ANSWER.search(body)
    return found["key"] if found else None


def is_marked(body: str) -> bool:
    """Whether a text ends with any marker of ours: then we wrote it, under any login."""
    return _ANY.search(body) is not None
