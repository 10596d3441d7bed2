"""The hidden marks by which we know again what we wrote; believed only in what our own login wrote.

A mark is the last line of its text: what a text quotes before that, in code too, is none.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # the door needs the marks, and starts quicker without findings
    from kodiai.core.findings.finding import Finding

ReplyKind = Literal["fixed", "conceded", "disputed", "raised", "settled", "reopened", "kept"]
"""What a run says in a thread: that it is fixed, that the person is right or is not, that it became more severe,
how a person was understood who has decided or reopened it, that whoever resolved the thread may not decide."""

_REVIEW = re.compile(r"\n<!-- kodiai:review run=(?P<run>[\w-]+) head=(?P<head>[0-9a-f]{40,64}) -->\s*\Z", re.ASCII)
_REPLY = re.compile(
    r"\n<!-- kodiai:reply run=(?P<run>[\w-]+) finding=(?P<id>F-[0-9a-f]{12})"
    r"(?: said=(?P<said>fixed|conceded|disputed|raised|settled|reopened|kept))? -->\s*\Z",
    re.ASCII,
)
_ANSWER = re.compile(r"\n<!-- kodiai:answer to=(?P<key>[A-Za-z0-9-]{1,128}) -->\s*\Z", re.ASCII)
_ANY = re.compile(r"(?:\A|\n)<!-- kodiai:[a-z]+ [^\n]{0,300}-->\s*\Z", re.ASCII)
_FINDING = re.compile(
    r"\n<!-- kodiai:finding id=(?P<id>F-[0-9a-f]{12})(?P<facts>(?: [a-z_]{1,20}=[A-Za-z_-]{1,20}){0,8}) -->\s*\Z"
)


def review_marker(run: str, head: str) -> str:
    """Mark a review's body with the run that wrote it and the head that it read."""
    return f"<!-- kodiai:review run={run} head={head} -->"


def review_run(body: str) -> str | None:
    """Read which run wrote a review's body, None where it carries no marker."""
    found = _REVIEW.search(body)
    return found["run"] if found else None


def review_head(body: str) -> str | None:
    """Read which head a review is about, None where it carries no marker."""
    found = _REVIEW.search(body)
    return found["head"] if found else None


def finding_marker(finding_id: str, finding: "Finding | None" = None) -> str:
    """Mark an inline comment with its finding's id, and with what of the finding the comment does not show."""
    facts = ""
    if finding is not None:
        facts = f" severity={finding.severity} category={finding.category} kind={finding.kind}"
        facts += " pre_existing=true" if finding.pre_existing else ""
    return f"<!-- kodiai:finding id={finding_id}{facts} -->"


def finding_facts(body: str) -> Mapping[str, str]:
    """Read what the marker of a comment says of its finding beyond its id: severity, category, kind, pre_existing.

    The marker of an older release says nothing.
    """
    found = _FINDING.search(body)
    return dict(fact.split("=") for fact in found["facts"].split()) if found else {}


def finding_of(body: str) -> str | None:
    """Read which finding a comment is about, None where it carries no marker."""
    found = _FINDING.search(body)
    return found["id"] if found else None


def reply_marker(run: str, finding_id: str, said: ReplyKind | None = None) -> str:
    """Mark what a run says in a finding's thread."""
    return f"<!-- kodiai:reply run={run} finding={finding_id}{f' said={said}' if said else ''} -->"


def reply_of(body: str) -> tuple[str, str] | None:
    """Read which run said it about which finding, None where it carries no marker."""
    found = _REPLY.search(body)
    return (found["run"], found["id"]) if found else None


def reply_kind(body: str) -> str | None:
    """Read what a run says there, one of `ReplyKind`; None where it carries no marker, or one of an older release."""
    found = _REPLY.search(body)
    return found["said"] if found else None


def answer_marker(key: str) -> str:
    """Mark what answers one request; its key is the GUID of its webhook, or what was said, as in "thread-123"."""
    return f"<!-- kodiai:answer to={key} -->"


def answered_key(body: str) -> str | None:
    """Read which request is answered, None where the text carries no marker."""
    found = _ANSWER.search(body)
    return found["key"] if found else None


def is_marked(body: str) -> bool:
    """Whether a text ends with any mark of ours: then we wrote it, under whatever login."""
    return _ANY.search(body) is not None
