"""The result of a mention: what was done for a comment, and what is still to be done."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kodiai.core.findings.known import KnownFinding
from kodiai.core.model.messages import Usage
from kodiai.flows.mention.understand import Understood


@dataclass(frozen=True)
class DraftRequest:
    """A change that is to be drafted: a fix of `findings`, or what somebody describes (`what`, Markdown)."""

    what: str = ""
    findings: tuple[KnownFinding, ...] = ()


@dataclass(frozen=True)
class MentionResult:
    """The result of a comment, or of one of its commands.

    `lines` are posted, `closed` are the ids of the findings that it closed, `review` is whether a review was begun,
    `acted` whether a command was carried out or a finding reopened, `refused` whether anything was refused.
    `note` says for the log what a reply decided. `needs_answer` is whether the model is still to answer, `drafts` are
    the changes that it is still to draft. `changes_check` is whether the check run of the head says something else now.
    """

    lines: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    review: bool = False
    acted: bool = False
    refused: bool = False
    note: str = ""
    needs_answer: bool = False
    drafts: tuple[DraftRequest, ...] = ()
    changes_check: bool = False


def line(text: str) -> MentionResult:
    """A result that is one line."""
    return MentionResult((text,))


def refused(why: str) -> MentionResult:
    """The result of a command that cannot be carried out."""
    return MentionResult((why,), refused=True)


def combined(results: Iterable[MentionResult]) -> MentionResult:
    """The results of several commands in one, in their order."""
    every = tuple(results)
    return MentionResult(
        lines=tuple(text for each in every for text in each.lines),
        closed=tuple(finding for each in every for finding in each.closed),
        review=any(each.review for each in every),
        refused=any(each.refused for each in every),
        note=next((each.note for each in every if each.note), ""),
        drafts=tuple(draft for each in every for draft in each.drafts),
        changes_check=any(each.changes_check for each in every),
    )


@dataclass(frozen=True)
class Drafted:
    """The lines about drafts, what they took, by model, and the ids of the proposals that were made."""

    lines: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    proposals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Acted:
    """A comment with what was done for it, and with what the model drafted."""

    understood: Understood
    result: MentionResult
    drafted: Drafted = field(default_factory=Drafted)
