"""Which of the findings that are reported now were told before: identity across pushes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.hunk import squeezed
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import fingerprint, quote_key
from kodiai.core.findings.likeness import likeness

# Below this the words of two findings have nothing to do with each other.
UNLIKE = 0.12
# So alike that a difference in the code they quote, or in their category, does not make two of them.
_ALIKE_ON_OTHER_CODE = 0.45
_ALIKE_IN_OTHER_CATEGORY = 0.5
_ALIKE_ON_PART = 0.2
_SHORTEST_PART = 8
_SAME_PLACE = 3


@dataclass(frozen=True)
class Told:
    """A finding as it was told before, under its path of today.

    `stands` is whether its quote is still in the file; `lines` are those on which it stands, None where that cannot
    be told. `is_answered` is whether the model has answered about it in this run, `is_mended` whether it has shown
    code that mends it.
    """

    id: str
    finding: Finding
    stands: bool
    lines: tuple[int, int] | None = None
    is_answered: bool = False
    is_mended: bool = False


@dataclass(frozen=True)
class Matches:
    """By place in the list of the reported: the id of the told finding that it is, or that it only echoes.

    Each told finding is matched once; what says it again in the same report is an echo.
    """

    same: Mapping[int, str]
    echoes: Mapping[int, str]


def match(told: Sequence[Told], reported: Sequence[Finding]) -> Matches:
    """Find which reported finding is which told one: the surest pairs first, then the nearest."""
    pairs = sorted(
        (
            (-score, abs(each.finding.start_line - finding.start_line), at, number)
            for at, finding in enumerate(reported)
            for number, each in enumerate(told)
            if (score := sameness(each, finding)) is not None
        ),
    )
    same: dict[int, str] = {}
    echoes: dict[int, str] = {}
    for _, _, at, number in pairs:
        if at not in same and told[number].id not in same.values():
            same[at] = told[number].id
    for _, _, at, number in pairs:
        if at not in same and at not in echoes and likeness(told[number].finding, reported[at]) >= UNLIKE:
            echoes[at] = told[number].id
    return Matches(same, echoes)


def sameness(told: Told, reported: Finding) -> float | None:
    """How surely a reported finding is one that was told before, None where it is another one.

    A new title, other lines or a new path make no other finding of it; two findings on one line are two.
    The same code elsewhere in the file is another one. Where the code was edited the words have to be alike.
    """
    known = told.finding
    if known.path != reported.path or _is_elsewhere(told, reported):
        return None
    code, alike = _same_code(known, reported), likeness(known, reported)
    same_category = known.category == reported.category
    same_title = fingerprint(known.title) == fingerprint(reported.title)

    def enough(least: float) -> bool:
        return alike >= least or same_title

    # Who has just answered about a finding and speaks of that code in quite other words means another one.
    least = UNLIKE if told.is_answered else 0
    if code == 1 and enough(least if same_category else _ALIKE_IN_OTHER_CATEGORY):
        return 2 + alike + same_category
    if code and enough(_ALIKE_ON_PART if same_category else _ALIKE_IN_OTHER_CATEGORY):
        return 1 + alike + same_category
    if not (told.stands or told.is_mended) and same_category and enough(_ALIKE_ON_OTHER_CODE):
        return alike + same_category
    return None


def _is_elsewhere(told: Told, reported: Finding) -> bool:
    """Whether it is about other lines than those where the told one stands, or where the mended one stood."""
    if told.is_mended:
        return abs(told.finding.start_line - reported.start_line) > _SAME_PLACE
    if told.lines is None:
        return False
    start, end = told.lines
    return reported.start_line > end or start > reported.end_line


def _same_code(one: Finding, other: Finding) -> float:
    """1 where both quote the same code, a half where one quotes a part of the other's, else 0."""
    if quote_key(one.quote) == quote_key(other.quote):
        return 1
    shorter, longer = sorted((squeezed(one.quote), squeezed(other.quote)), key=len)
    return 0.5 if len(shorter) >= _SHORTEST_PART and shorter in longer else 0
