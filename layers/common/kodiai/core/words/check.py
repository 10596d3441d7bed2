"""The titles and summaries of the check run, and the answer to a request for a review that is done already."""

import json
from datetime import UTC, datetime

from kodiai.core.findings.delta import Delta
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.words.finding import CI_IS_GREEN, joined
from kodiai.core.words.links import Links
from kodiai.core.words.review import open_list
from kodiai.core.words.verdict import and_not_read, ci_is_red, headline, headline_again, read_of, unread_files

_MOST_LISTED = 100
# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_LIST = 15_000

STARTED = ("Reading the changes", "The review is in progress.")


def reviewed(delta: Delta, links: Links, *, again: bool) -> tuple[str, str]:
    """Title and summary of a check run whose review was posted; `again` is whether that was a re-review."""
    first = headline_again(delta) if again else headline(delta)
    read = read_of(delta.coverage)
    return first.plain, _summary(f"{read[0].upper()}{read[1:]}.", delta, links)


def nothing_to_say(last_head: str, delta: Delta, links: Links) -> tuple[str, str]:
    """Title and summary where the changes were read and no review is posted about them."""
    sentence = f"Nothing new since {last_head[:7]}{and_not_read(delta.coverage)}."
    return headline(delta).plain, _summary(sentence, delta, links)


def ci_green(delta: Delta, links: Links) -> tuple[str, str]:
    """Title and summary where only CI is new, which was red."""
    return headline(delta).plain, _summary(CI_IS_GREEN, delta, links)


def unchanged(last_head: str, delta: Delta, links: Links) -> tuple[str, str]:
    """Title and summary where every hunk that could be read was read before."""
    if not delta.coverage.is_whole or delta.verdict == "no-verdict":
        return nothing_to_say(last_head, delta, links)
    sentence = f"Every change of this pull request was reviewed at {last_head[:7]}."
    title = ("Nothing new to review", *([ci_is_red(delta.ci)] if delta.ci.is_red else ()))
    return " · ".join(title), _summary(sentence, delta, links)


def _summary(sentence: str, delta: Delta, links: Links) -> str:
    """A sentence, every open finding on a line as far as there is room, and the counts for programs."""
    rows = [f"- {each.line}" for each in open_list(delta, links)]
    listed: list[str] = []
    for row in rows[:_MOST_LISTED]:
        if sum(map(len, listed)) + len(row) > _LONGEST_LIST:
            break
        listed.append(row)
    more = [f"- and {len(rows) - len(listed)} more"] if len(listed) < len(rows) else []
    return joined(sentence, unread_files(delta.coverage), "\n".join([*listed, *more]), _counts(delta))


def _counts(delta: Delta) -> str:
    """One line of JSON that people do not see."""
    findings = delta.open_findings
    counts = {
        "verdict": delta.verdict,
        **{severity.lower(): sum(each.severity == severity for each in findings) for severity in SEVERITIES},
        "blocking": sum(each.blocks for each in findings),
        "new": len(delta.new),
        "more_severe": delta.raised,
        "resolved": len(delta.resolved),
        "dismissed": len(delta.dismissed),
        "still_open": len(delta.still_open),
        "files_read": delta.coverage.read,
        "files_unread": delta.coverage.unread,
    }
    return f"<!-- kodiai:counts {json.dumps(counts)} -->"


def already_reviewed(head: str) -> str:
    """The answer to a request for a review of a head that is reviewed already."""
    return f"Reviewed at {head[:7]}; nothing changed since. `full review` looks again."


def reviewed_lately(head: str, again_at: float) -> str:
    """The answer to a request to do the same review again that was done a short while ago."""
    when = datetime.fromtimestamp(again_at, UTC)
    return (
        f"Reviewed at {head[:7]}, with the settings and the base of now. The same review is done again from"
        f" {when:%H:%M} UTC; after a push, or a change of the settings or the base, at once."
    )


def with_review(summary: str, href: str) -> str:
    """The summary after a link to the review that was posted."""
    return joined(f"[Review]({href})", summary)


def moved_on(head: str) -> str:
    """The reason for which a run gives up for a newer one."""
    return f"the head moved on to {head[:7]}"


def superseded(why: str) -> tuple[str, str]:
    """Title and summary where the review of this head was given up; `why` is, for example, `moved_on`."""
    return "Superseded", f"No review of this head: {why}."


def waits_for_request(handle: str) -> tuple[str, str]:
    """Title and summary where the author has no write access, and somebody who has it has to start the review."""
    return "Waits for a request", (
        "The author has no write access to this repository. Somebody who has it starts the review of this commit:"
        f" with the comment `@{handle} review`, by requesting a review, or with “Re-run”."
    )


def refused(reason: str) -> tuple[str, str]:
    """Title and summary where the person has to fix something first."""
    return "Not reviewed", reason


BROKEN = ("Not reviewed", "The review failed because of an error on our side. We are looking into it.")
LAST_TRY = ("Not reviewed", "The review failed several times. If the last attempt fails too, we look into it.")
