"""Findings of earlier reviews, restored from what we wrote on GitHub, where the ledger does not have them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.conversation.comment import Opening, Thread, of_people
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.words.finding import PRE_EXISTING
from kodiai.core.words.markdown import as_meant
from kodiai.core.words.markers import finding_facts, reply_kind

_HEADING = re.compile(r"\*\*\[(?P<severity>[A-Z]+)\] (?P<title>.+?)\*\*(?=\s|\Z)")
# What follows the text that a person reads first: a fold, a suggestion, the marker.
_END = re.compile(r"^(?:<details>|`{3,}suggestion$|<!-- kodiai:)", re.MULTILINE)
_UNMARKED = {"severity": "MEDIUM", "category": "correctness", "kind": "impact"}
"""What a finding is taken for where its marker, of an older release, does not say."""


def restored(
    threads: Iterable[Thread], listed: Mapping[str, Finding], files: Sequence[ChangedFile]
) -> tuple[KnownFinding, ...]:
    """Restore the open findings that our comments, and our newest review's body (`listed`, by id), tell.

    The newest of two threads about one finding counts. What the list says of a finding with a thread is where its code
    is: the comment stands on its cause.
    `files` are those of the pull request as it is now. All are open: what ended one is for `ended` to say.
    """
    by_path = {file.path: file for file in files}
    ordered = sorted(threads, key=lambda thread: int(thread.comment_id))
    opened = {thread.finding: (thread, thread.opening) for thread in ordered if thread.opening is not None}
    found = {
        name: _from_thread(thread, listed.get(name) or _finding(opening), opening, by_path)
        for name, (thread, opening) in opened.items()
    }
    others = (KnownFinding(name, finding, "open", None) for name, finding in listed.items() if name not in found)
    return (*found.values(), *others)


def ended(known: KnownFinding, thread: Thread | None, us: str) -> KnownFinding:
    """Say how a restored finding stands on which nobody else has decided: closed where we closed it.

    We resolved its thread, or said in it that it is fixed or conceded. `us` is our own login.
    """
    if thread is None:
        return known
    said = next((what for what in reversed(_said(thread)) if what in ("fixed", "conceded")), None)
    by_us = thread.resolved_by == us
    if said is None and not by_us:
        return known
    return replace(known, status="conceded" if said == "conceded" else "fixed", resolved_thread=by_us)


def _from_thread(thread: Thread, finding: Finding, opening: Opening, files: Mapping[str, ChangedFile]) -> KnownFinding:
    file = files.get(finding.path) if opening.lines else None
    hunk = file.hunk_at(finding.start_line, finding.end_line) if file else None
    return KnownFinding(
        id=thread.finding,
        finding=finding,
        status="open",
        comment_id=thread.comment_id,
        hunk=hunk.key if hunk else None,
        heard=_heard(thread),
        argued="disputed" in _said(thread),
    )


def _finding(opening: Opening) -> Finding:
    """The finding of a comment, as far as it shows."""
    body = opening.body.replace("\r\n", "\n")
    heading = _HEADING.match(body)
    rest = body[heading.end() :] if heading else body
    end = _END.search(rest)
    text = as_meant((rest[: end.start()] if end else rest).strip().removeprefix(PRE_EXISTING).strip())
    start_line, end_line = opening.lines or opening.original_lines
    told = {
        "path": opening.path,
        "start_line": start_line,
        "end_line": end_line,
        "title": as_meant(heading["title"]) if heading else text.partition("\n")[0],
        "explanation": text,
        "problem": text,
        "quote": _commented_code(opening),
    }
    heard = {"severity": heading["severity"]} if heading else {}
    try:
        return Finding.model_validate({**_UNMARKED, **heard, **finding_facts(body), **told})
    except ValidationError:
        return Finding.model_validate({**_UNMARKED, **told})


def _commented_code(opening: Opening) -> str:
    """The lines that are commented on, as they were then: the last ones of the hunk on the new side."""
    start, end = opening.original_lines
    rows = opening.hunk.removesuffix("\n").split("\n")
    return "\n".join([row[1:] for row in rows if row[:1] in ("", " ", "+")][-(end - start + 1) :])


def _said(thread: Thread) -> list[str]:
    """What our runs have said in a thread, oldest first."""
    return [said for reply in thread.replies if reply.is_ours and (said := reply_kind(reply.body)) is not None]


def _heard(thread: Thread) -> str | None:
    """The last reply of a person before ours: that one we have read."""
    ours = [at for at, reply in enumerate(thread.replies) if reply.is_ours]
    before = of_people(thread.replies[: ours[-1]]) if ours else []
    return before[-1].id if before else None
