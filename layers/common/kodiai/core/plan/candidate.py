"""A candidate: a reported finding that is judged, and the decision about it."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.finding import Finding
from kodiai.core.memory.remembered import RememberedFinding

Fate = Literal["keep", "wrong", "not-from-this-change", "not-worth-it", "same-as", "known", "unwanted"]

UNDECIDED = "undecided"
"""The fate of a finding that may be a dismissed one, of which nobody has said whether it is."""


@dataclass(frozen=True)
class Candidate:
    """A reported finding at the lines of its code.

    `number` is its place in the run, from 1. `quote_found` is whether its quote is in the code; `introduced` whether
    the change touches its lines or its cause, `is_all_new` whether nothing of its code was there before. `depends_on`
    is the title of another one without which it does not hold. `notes` are facts about its code.
    `overlapping` are the ids of earlier findings about the same lines; `presumed` is the one of them that it is by
    path, code and category, unless the judge says that it is another problem. `beside` are the dismissed ones of its
    category that are near to its lines: it is new only if the judge says that it is none of them.
    `precedents` are earlier findings like it that were dismissed often enough for it to be unwanted.
    """

    number: int
    reviewer: str
    finding: Finding
    quote_found: bool = True
    introduced: bool = True
    is_all_new: bool = False
    depends_on: str | None = None
    notes: tuple[str, ...] = ()
    overlapping: tuple[str, ...] = ()
    presumed: str | None = None
    beside: tuple[str, ...] = ()
    precedents: tuple[RememberedFinding, ...] = ()


@dataclass(frozen=True)
class JudgeDecision:
    """The decision about one candidate.

    `finding` is posted and remembered if it is kept. `known` is the id of the earlier finding that it is.
    `reason` says why it is not kept, or what was not verified. An undecided one has to be judged again.
    """

    candidate: Candidate
    outcome: Literal["kept", "repeated", "suppressed", "undecided"]
    fate: Fate | Literal["unjudged"]
    finding: Finding
    known: str | None = None
    reason: str = ""
