"""Findings of earlier reviews, restored from what we wrote on GitHub, where the ledger does not have them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.markers import PRE_EXISTING, finding_facts, reply_kind
from kodiai.core.github.comment import Opening, Thread, of_people
from kodiai.core.text.markdown import as_meant

_FORMER_LABEL = "Pre-existing, not brought by this change:"
"""PRE_EXISTING in comments of earlier versions."""

_HEADING = re.compile(r"\*\*\[(?P<severity>[A-Z]+)\] (?P<title>.+?)\*\*(?=\s|\Z)")
# The text that a person reads first ends at a fold or the marker, and a suggestion may stand in it.
_END = re.compile(r"^(?:<details>|<!-- kodiai:)", re.MULTILINE)
_SUGGESTION = re.compile(r"^(`{3,})suggestion$", re.MULTILINE)
_UNMARKED = {"severity": "MEDIUM", "category": "correctness", "kind": "impact"}
"""The facts of a finding whose marker, of an older release, does not have them."""


def restored(
    threads: Iterable[Thread], listed: Mapping[str, Finding], files: Sequence[ChangedFile]
) -> tuple[KnownFinding, ...]:
    """Restore findings from our comments and from our newest review's body (`listed`, by id).

    The newest of two threads about one finding counts. If a finding has a thread and is listed, the list has the place
    of its code, since the comment is on its cause.
    `files` are those of the pull request as it is now. All are open; `closed_by_us` finds those that we closed.
    """
    by_path = {file.path: file for file in files}
    ordered = sorted(threads, key=lambda thread: int(thread.comment_id))
    found = {
        thread.finding: _from_thread(thread, thread.opening, listed.get(thread.finding), by_path)
        for thread in ordered
        if thread.opening is not None
    }
    others = (KnownFinding(name, finding, "open", None) for name, finding in listed.items() if name not in found)
    return (*found.values(), *others)


def closed_by_us(known: KnownFinding, thread: Thread | None, us: str) -> KnownFinding:
    """Close a restored finding that we closed: we resolved its thread, or said in it that it is fixed or conceded.

    It is for findings that nobody else decided about. `us` is our own login.
    """
    if thread is None:
        return known
    said = next((what for what in reversed(_said(thread)) if what in ("fixed", "conceded")), None)
    by_us = thread.resolved_by == us
    if said is None and not by_us:
        return known
    return replace(known, status="conceded" if said == "conceded" else "fixed", resolved_thread=by_us)


def _from_thread(
    thread: Thread, opening: Opening, listed: Finding | None, files: Mapping[str, ChangedFile]
) -> KnownFinding:
    finding = listed or _finding(opening)
    file = files.get(finding.path) if opening.lines else None
    hunk = file.section_at(finding.start_line, finding.end_line) if file else None
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
    """The finding of a comment, as far as the comment shows it."""
    body = opening.body.replace("\r\n", "\n")
    heading = _HEADING.match(body)
    rest = _without_suggestion(body[heading.end() :] if heading else body)
    end = _END.search(rest)
    told = (rest[: end.start()] if end else rest).strip()
    text = as_meant(told.removeprefix(PRE_EXISTING).removeprefix(_FORMER_LABEL).strip())
    start_line, end_line = opening.lines or opening.original_lines
    shown = {
        "path": opening.path,
        "start_line": start_line,
        "end_line": end_line,
        "title": as_meant(heading["title"]) if heading else text.partition("\n")[0],
        "explanation": text,
        "problem": text,
        "quote": _commented_code(opening),
    }
    stated = {"severity": heading["severity"]} if heading else {}
    try:
        return Finding.model_validate({**_UNMARKED, **stated, **finding_facts(body), **shown})
    except ValidationError:
        return Finding.model_validate({**_UNMARKED, **shown})


def _without_suggestion(text: str) -> str:
    found = _SUGGESTION.search(text)
    return text[: found.start()] + text[found.end() :].partition(f"\n{found[1]}\n")[2] if found else text


def _commented_code(opening: Opening) -> str:
    """The commented lines as they were then: the last ones of the hunk on the new side."""
    start, end = opening.original_lines
    rows = opening.hunk.removesuffix("\n").split("\n")
    return "\n".join([row[1:] for row in rows if row[:1] in ("", " ", "+")][-(end - start + 1) :])


def _said(thread: Thread) -> list[str]:
    """The kinds of our replies in a thread, oldest first."""
    return [said for reply in thread.replies if reply.is_ours and (said := reply_kind(reply.body)) is not None]


def _heard(thread: Thread) -> str | None:
    """The last reply of a person before ours, which we have read."""
    ours = [at for at, reply in enumerate(thread.replies) if reply.is_ours]
    before = of_people(thread.replies[: ours[-1]]) if ours else []
    return before[-1].id if before else None
