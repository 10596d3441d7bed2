"""The titles and summaries of the check run, and the answer to a request for a review that is done already."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from kodiai.core.config.keys import FailOn
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.gate.gate import PASSING, TABLE, Conclusion, Result
from kodiai.core.gate.standing import Standings
from kodiai.core.judge.delta import Delta
from kodiai.core.plan.eligibility import NO_REVIEW
from kodiai.core.text import markdown
from kodiai.core.text.layout import bullets, joined
from kodiai.core.words.links import Links
from kodiai.core.words.review import ListedFinding, open_list
from kodiai.core.words.verdict import and_not_read, headline, headline_again, read_of, unread_files

_MOST_LISTED = 100
# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_LIST = 15_000
_MOST_BYTES = 4 * _LONGEST_LIST
_MOST_BYTES_OF_ALL = 64_000  # what is to be done next comes before it
_RULES_HEADING = "**Team rules**"

LOCKED = "The conversation of this pull request is locked"

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


def unchanged(last_head: str, delta: Delta, links: Links) -> tuple[str, str]:
    """Title and summary where every hunk that could be read was read before.

    The title is the verdict where a finding blocks or CI is red, and where the head is the reviewed one.
    """
    if not delta.coverage.is_whole or delta.verdict == "no-verdict":
        return nothing_to_say(last_head, delta, links)
    sentence = f"Every change of this pull request was reviewed at {last_head[:7]}."
    is_quiet = links.head != last_head and delta.verdict != "address-before-merging" and not delta.ci.is_red
    return "Nothing new to review" if is_quiet else headline(delta).plain, _summary(sentence, delta, links)


def with_team_rules(summary: str, lines: Sequence[str]) -> str:
    """The summary with the lines about the team's rules that do not fail, if there is room for them."""
    if not lines:
        return summary
    whole = joined(summary, _RULES_HEADING, bullets(lines))
    is_short = len(whole.encode()) <= _MOST_BYTES_OF_ALL
    return whole if is_short else joined(summary, f"{_RULES_HEADING}: there is no room for them here.")


def _summary(sentence: str, delta: Delta, links: Links) -> str:
    """A sentence, every open finding with its text as far as there is room, and the counts for programs."""
    findings = open_list(delta, links)
    rows = [f"- {each.line}" for each in findings]
    listed: list[str] = []
    for row in rows[:_MOST_LISTED]:
        if sum(map(len, listed)) + len(row) > _LONGEST_LIST:
            break
        listed.append(row)
    more = [f"- and {len(rows) - len(listed)} more"] if len(listed) < len(rows) else []
    told = "\n".join([*_explained(listed, findings), *more])
    return joined(sentence, unread_files(delta.coverage), told, _counts(delta))


def _explained(lines: Sequence[str], findings: Sequence[ListedFinding]) -> list[str]:
    """The lines of findings, with their texts as far as there is room."""
    room = _MOST_BYTES - sum(len(line.encode()) for line in lines)
    told = []
    for line, each in zip(lines, findings, strict=False):
        row = bullets([joined(each.line, each.explanation)])
        more = len(row.encode()) - len(line.encode())
        told.append(row if more <= room else line)
        room -= more if more <= room else 0
    return told


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


def without_review(why: str, summary: str, *, has_findings: bool = True) -> str:
    """The summary where no review could be posted, below the reason; `why` is a clause, for example LOCKED."""
    return joined(f"{why}, so the {'findings are' if has_findings else 'review is'} here.", summary)


def moved_on(head: str) -> str:
    """The reason for which a run gives up for a newer one."""
    return f"the head moved on to {head[:7]}"


def superseded(why: str) -> tuple[str, str]:
    """Title and summary where the review of this head was given up; `why` is, for example, `moved_on`."""
    return TABLE["superseded"].title, f"No review of this head: {why}."


def skipped(reason: str, handle: str, *, may_ask: bool) -> tuple[str, str]:
    """Title and summary where the settings exclude the pull request; `may_ask` is whether a request changes that."""
    ask = f"To have it reviewed all the same, comment `@{handle} review`." if may_ask else ""
    return f"{TABLE['skipped'].title}: {reason}", joined(
        f"Not reviewed: {markdown.line(reason)}. This does not block merging.", ask
    )


def waits_for_request(handle: str) -> tuple[str, str]:
    """Title and summary where the author has no write access, and somebody who has it has to start the review."""
    return TABLE["waiting"].title, (
        "The author has no write access to this repository. Somebody who has it starts the review of this commit:"
        f" with the comment `@{handle} review`, by requesting a review, or with “Re-run”."
    )


DRAFT = (TABLE["draft"].title, "The review starts when it is marked as ready for review.")
UNTRUSTED_SKIP = (
    f"Waiting: {NO_REVIEW}",
    "Only people with write access skip a review with [no-review], and the author has none: remove it from the title.",
)


def refused(reason: str) -> tuple[str, str]:
    """Title and summary where the person has to fix something first."""
    return TABLE["refused"].title, reason


BROKEN = (TABLE["failed"].title, "The review failed because of an error in Kodiai. Its operators get an alarm.")
LAST_TRY = (
    TABLE["failed"].title,
    "The review failed several times. The last attempt is under way; if it fails, this stays.",
)


_AIMS: Mapping[Result, str] = {
    "draft": "To have it reviewed now",
    "in-part": "The review says why. To have the rest read",
    "refused": "Once that is fixed",
    "failed": "To try again",
}


def next_step(result: Result, conclusion: Conclusion, handle: str, fail_on: FailOn) -> str:
    """The next step after a check run, "" if there is none."""
    again = f"{_AIMS.get(result, 'To try again')}, comment `@{handle} review`, or press “Review again”."
    opens = f"In an emergency, somebody with write access lets this commit pass with `@{handle} break glass <why>`."
    if conclusion == "failure":
        rules, severe = "a rule of the level `error` fails", f"a blocking finding of {fail_on} or above is open"
        reasons = {"rules": rules, "CRITICAL": f"{severe}, or {rules}"}  # such a rule is a MAJOR finding
        closed = f"This check fails while {reasons.get(fail_on, severe)}."
        lets = f"override the rule with `@{handle} override <id> <why>`"
        or_else = lets if fail_on == "rules" else "have it dismissed in its thread"
        return f"{closed} Fix it, or {or_else}. {opens}"
    if result == "draft" and conclusion == "action_required":
        return again
    if conclusion == "action_required":
        return opens if result == "waiting" else f"{again} {opens}"
    return again if result in ("refused", "failed") else ""


def opened(title: str, summary: str, by: str, why: str) -> tuple[str, str]:
    """Title and summary of a head that a person lets pass."""
    said = f"**Overridden by {by}** with `break glass`: {markdown.line(why)}"
    return f"Overridden by {by} · {title}", joined(
        said, "Findings stay open, and the next push is checked again.", summary
    )


def shared_head(shown: Standings, repository_url: str) -> tuple[str, str]:
    """Title and summary of a commit that is the head of several pull requests: the worst counts of those known."""
    rows = _standings(shown, repository_url)
    number = shown.worst[0] if shown.worst is not None else min(shown.known)
    if len(shown.known) == 1:
        return shown.known[number].title, rows
    sentence = (
        "Several pull requests have this commit as their head, and the check shows the worst result among them. "
        "A new commit gets a check of its own."
    )
    return f"#{number}: {shown.known[number].title}", joined(sentence, rows)


def merge_group(shown: Standings, repository_url: str) -> tuple[str, str]:
    """Title and summary of a commit of a merge queue."""
    sentence = "This commit of the merge queue combines these pull requests, and the check says what theirs say."
    rows = _standings(shown, repository_url)
    found = shown.worst
    if shown.conclusion is None or found is None:
        return f"Waits for the review of {', '.join(f'#{each}' for each in shown.pending)}", joined(sentence, rows)
    number, conclusion = found
    title = shown.known[number].title
    step = (
        ""
        if conclusion in PASSING
        else f"See what [#{number}]({repository_url}/pull/{number}) needs, and put it into the queue again."
    )
    return f"#{number}: {title}" if len(shown.known) > 1 else title, joined(sentence, rows, step)


def _standings(shown: Standings, repository_url: str) -> str:
    said = {
        **{number: each.title for number, each in shown.known.items()},
        **dict.fromkeys(shown.pending, "the review is in progress"),
    }
    return "\n".join(
        f"- [#{number}]({repository_url}/pull/{number}): {markdown.line(said[number])}" for number in sorted(said)
    )
