"""The check run of a head, and how the one of a review ends."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.config.keys import FailOn
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.gate.gate import Conclusion, Result, conclusion, review_result
from kodiai.core.judge.delta import Delta
from kodiai.core.text.layout import joined
from kodiai.core.text.secrets import masked
from kodiai.core.words import check as words
from kodiai.core.words.finding import plain_text

# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_MESSAGE = 16_000
_LONGEST_TITLE = 255


@dataclass(frozen=True)
class Annotation:
    """A finding's place in the check run, on any line of the head."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str


@dataclass(frozen=True)
class Check:
    """The text of a head's check run. `conclusion` is None while the work goes on."""

    title: str
    summary: str
    conclusion: Conclusion | None = None
    annotations: tuple[Annotation, ...] = ()


def closing_check(title: str, summary: str, changes: Delta, fail_on: FailOn, handle: str) -> Check:
    """The check run of a review, with annotations for the open findings that have no comment."""
    result = review_result(changes, fail_on)
    ends = conclusion(result, fail_on)
    notes = tuple(annotation(each) for _, each in uncommented(changes))
    return Check(title, masked(joined(words.next_step(result, ends, handle, fail_on), summary)), ends, notes)


def unreviewed_check(result: Result, text: tuple[str, str], fail_on: FailOn, handle: str) -> Check:
    """The check run of a head that is not reviewed; `text` is its title and why."""
    ends = conclusion(result, fail_on)
    title, why = text
    return Check(title[:_LONGEST_TITLE], masked(joined(why, words.next_step(result, ends, handle, fail_on))), ends)


def uncommented(changes: Delta) -> list[tuple[str, Finding]]:
    """The open findings that have no inline comment, the most severe first."""
    new = [(kept.id, kept.finding) for kept in changes.new if not kept.inline]
    old = [(each.id, each.finding) for each in changes.still_open if each.known.comment_id is None]
    return sorted([*new, *old], key=lambda each: rank(each[1]))


def annotation(finding: Finding) -> Annotation:
    """The annotation of a finding that has no inline comment."""
    return Annotation(
        path=finding.path,
        start_line=finding.start_line,
        end_line=finding.end_line,
        level="warning" if finding.blocks else "notice",
        title=masked(f"[{finding.severity}] {finding.title}")[:_LONGEST_TITLE],
        message=masked(plain_text(finding))[:_LONGEST_MESSAGE],
    )
