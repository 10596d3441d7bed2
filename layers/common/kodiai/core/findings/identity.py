"""The identity of findings: names that stay, and when code alone tells that two are the same."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kodiai.core.changes.patch import without_spaces
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, KnownFinding

_WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No"})
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\u00ad]")
NEAR_LINES = 3
"""The distance within which a finding is the same: a model that quotes the next line means the same place."""


@lru_cache(maxsize=4096)  # each title is compared with many
def normalized_title(title: str) -> str:
    """Fold a title to its letters, marks and digits, in any script, with single spaces between.

    A title of signs or emoji only stays what it is.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", title)).casefold())
    kept = (char if unicodedata.category(char) in _WORD else " " for char in folded)
    return " ".join("".join(kept).split()) or " ".join(folded.split())


def quote_key(quote: str) -> str:
    """A key of quoted code, whatever its white space: 16 hex digits."""
    return hashlib.sha256(without_spaces(quote).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def finding_id(finding: Finding, occurrence: int = 1) -> str:
    """Name a finding by what it is about, so that a run that starts over gives it the same name.

    `occurrence` tells apart findings that are alike in all but their lines, counted from 1 in order of lines.
    """
    title = normalized_title(finding.title)
    parts = [finding.path, finding.category, quote_key(finding.quote), title, str(occurrence)]
    return "F-" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def finding_ids(findings: Sequence[Finding], taken: Collection[str]) -> list[str]:
    """Name each finding; those that are alike in all but their lines are counted in order of their lines."""
    alike: Counter[str] = Counter()
    ids = [""] * len(findings)
    used = {"", *taken}
    for at in sorted(range(len(findings)), key=lambda at: (findings[at].start_line, findings[at].end_line)):
        first = finding_id(findings[at])
        while ids[at] in used:
            alike[first] += 1
            ids[at] = finding_id(findings[at], alike[first])
        used.add(ids[at])
    return ids


@dataclass(frozen=True)
class PriorFinding:
    """A finding of an earlier review, under its present path.

    `place` is where its code is now, as 1-based first and last line; None if it is nowhere, or if that is not clear.
    `likely_place` is then where its code most likely is or was.
    """

    known: KnownFinding
    place: tuple[int, int] | None
    likely_place: tuple[int, int] | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return self.known.id

    @property
    def finding(self) -> Finding:
        """The finding itself."""
        return self.known.finding

    def overlaps(self, finding: Finding) -> bool:
        """Whether a finding is on one of the lines of this one's code."""
        return self.place is not None and self.place[0] <= finding.end_line and finding.start_line <= self.place[1]


def same_by_code(prior: PriorFinding, finding: Finding) -> bool:
    """Whether a reported finding is an earlier one, as far as path, place and title alone decide it.

    That is the same title for the same path: on the lines of the code, right next to them where other lines
    are quoted, or anywhere where the code was edited. The same code at another place is another finding.
    """
    if prior.finding.path != finding.path or normalized_title(finding.title) not in titles(prior.finding):
        return False
    if prior.place is None:
        return prior.finding.category == finding.category
    apart = max(prior.place[0], finding.start_line) - min(prior.place[1], finding.end_line)
    same_quote = quote_key(prior.finding.quote) == quote_key(finding.quote)
    return apart <= (0 if same_quote else NEAR_LINES)


def titles(finding: Finding) -> set[str]:
    """The titles of a finding as they are compared: as people read it, and in its reviewer's words."""
    return {normalized_title(title) for title in (finding.title, finding.reported_title) if title}


def has_same_code(prior: PriorFinding, finding: Finding) -> bool:
    """Whether it is of the same category and quotes the same code at the same place, or a part of it."""
    same_category = prior.finding.category == finding.category
    return same_category and on_same_lines(prior, finding) and _holds(prior.finding, finding)


def on_same_lines(prior: PriorFinding, finding: Finding) -> bool:
    """Whether both are about the same code: quoted lines that overlap, or one quote that holds the other."""
    if prior.finding.path != finding.path:
        return False
    return prior.overlaps(finding) if prior.place is not None else _holds(prior.finding, finding)


def is_dismissed_near(prior: PriorFinding, finding: Finding) -> bool:
    """Whether people dismissed it, and it is of the same category, in the same file and near to its lines."""
    place = prior.place or prior.likely_place
    if place is None or prior.known.status not in DECIDED_BY_PEOPLE or prior.finding.category != finding.category:
        return False
    near = range(finding.start_line - NEAR_LINES, finding.end_line + NEAR_LINES + 1)
    return prior.finding.path == finding.path and place[0] < near.stop and near.start <= place[1]


def _holds(one: Finding, other: Finding) -> bool:
    """Whether the quote of one of them holds that of the other; an empty one holds nothing."""
    code, others = without_spaces(one.quote), without_spaces(other.quote)
    return bool(code) and bool(others) and (code in others or others in code)
