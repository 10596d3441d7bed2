"""The hidden marks by which we know again what we wrote; believed only in what our own login wrote.

A mark is the last line of its text: what a text quotes before that, in code too, is none.
"""

import re

_REVIEW = re.compile(r"\n<!-- kodiai:review run=(?P<run>[\w-]+) head=[0-9a-f]{40,64} -->\s*\Z", re.ASCII)
_REPLY = re.compile(r"\n<!-- kodiai:reply run=(?P<run>[\w-]+) finding=(?P<id>F-[0-9a-f]{12}) -->\s*\Z", re.ASCII)
_ANSWER = re.compile(r"\n<!-- kodiai:answer to=(?P<key>[A-Za-z0-9-]{1,128}) -->\s*\Z", re.ASCII)
_ANY = re.compile(r"(?:\A|\n)<!-- kodiai:[a-z]+ [^\n]{0,300}-->\s*\Z", re.ASCII)
_FINDING = re.compile(r"\n<!-- kodiai:finding id=(?P<id>F-[0-9a-f]{12}) -->\s*\Z")


def review_marker(run: str, head: str) -> str:
    """Mark a review's body with the run that wrote it and the head that it read."""
    return f"<!-- kodiai:review run={run} head={head} -->"


def review_run(body: str) -> str | None:
    """Read which run wrote a review's body, None where it carries no marker."""
    found = _REVIEW.search(body)
    return found["run"] if found else None


def finding_marker(finding_id: str) -> str:
    """Mark an inline comment with its finding's id."""
    return f"<!-- kodiai:finding id={finding_id} -->"


def finding_of(body: str) -> str | None:
    """Read which finding a comment is about, None where it carries no marker."""
    found = _FINDING.search(body)
    return found["id"] if found else None


def reply_marker(run: str, finding_id: str) -> str:
    """Mark what a run says in a finding's thread."""
    return f"<!-- kodiai:reply run={run} finding={finding_id} -->"


def reply_of(body: str) -> tuple[str, str] | None:
    """Read which run said it about which finding, None where it carries no marker."""
    found = _REPLY.search(body)
    return (found["run"], found["id"]) if found else None


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
