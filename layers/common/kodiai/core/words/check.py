"""What the check run says."""

from kodiai.core.findings.delta import Delta
from kodiai.core.findings.verdict import Verdict
from kodiai.core.words.details import not_read, severities
from kodiai.core.words.finding import joined
from kodiai.core.words.review import still_open_list

_LISTED = 100
# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_LIST = 16_000

STARTED = ("Reading the changes", "The review is on its way.")
_TITLES: dict[Verdict, str] = {
    "address-before-merging": "Address before merging",
    "not-fully-reviewed": "Not fully reviewed",
    "nothing-to-read": "Nothing to read",
    "minor-items": "Ready to merge with minor items",
    "ready": "Ready to merge",
}


def reviewed(delta: Delta) -> tuple[str, str]:
    """Title and summary of a check run whose review was posted."""
    found = severities(delta.open_findings) or "none"
    return _TITLES[delta.verdict], f"Findings: {found}{not_read(delta.coverage)}. The review says more."


def nothing_to_say(last_head: str, delta: Delta) -> tuple[str, str]:
    """Title and summary where the changes were read and there is nothing to say about them in a review."""
    said = f"Nothing new since {last_head[:7]}{not_read(delta.coverage)}."
    return _TITLES[delta.verdict], _with_still_open(said, delta)


def unchanged(last_head: str, delta: Delta) -> tuple[str, str]:
    """Title and summary where every hunk that could be read was read before."""
    said = f"Every change of this pull request was reviewed at {last_head[:7]}."
    if not delta.coverage.is_whole:
        said = f"Nothing new since {last_head[:7]}{not_read(delta.coverage)}."
    title = "Nothing new to review" if delta.coverage.is_whole else _TITLES[delta.verdict]
    return title, _with_still_open(said, delta)


def _with_still_open(said: str, delta: Delta) -> str:
    """Add the list of what is still open, as far as a check run has room for it."""
    if not delta.still_open:
        return said
    rows = still_open_list(delta.still_open).split("\n")
    listed = rows[:_LISTED]
    while len("\n".join(listed)) > _LONGEST_LIST:
        listed.pop()
    more = [f"- and {len(rows) - len(listed)} more"] if len(listed) < len(rows) else []
    return joined(f"{said} Findings still open: {len(rows)}.", "\n".join([*listed, *more]))


def answered(head: str) -> str:
    """What is said where somebody asks for a review of what is reviewed already."""
    return f"Reviewed at {head[:7]}; nothing changed since. `full review` looks again."


def superseded(why: str) -> tuple[str, str]:
    """Title and summary where the review of this head was given up, for example "the head moved on to <sha>"."""
    return "Superseded", f"No review of this head: {why}."


def refused(reason: str) -> tuple[str, str]:
    """Title and summary where the person has to mend something first."""
    return "Not reviewed", reason


BROKEN = ("Not reviewed", "The review failed for a reason that is ours. It is looked into.")
LAST_TRY = ("Not reviewed", "The review failed several times. If the last try fails too, it is looked into.")
