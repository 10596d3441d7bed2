"""Judge: which of the candidates are told, where, and why the others are not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.findings.finding import Finding, lines_apart
from kodiai.core.findings.sift import Candidate, Dropped, Sifted
from kodiai.core.findings.verification import Verification

# Farther apart they are two problems of one kind.
_SAME_PLACE_LINES = 10

Verify = Literal["blocking", "all", "none"]


@dataclass(frozen=True)
class Kept:
    """A finding that is told. `inline` is whether GitHub takes it as a comment on its lines.

    `hunk` is the key of the hunk that its lines stand in, None where they stand in none.
    """

    id: str
    finding: Finding
    inline: bool
    hunk: str | None = None


@dataclass(frozen=True)
class Judgement:
    """Every reported finding is in one of the three.

    `kept` has the gravest first.
    `repeated` are those that were told before and are still open, by the id under which they were told.
    """

    kept: tuple[Kept, ...]
    dropped: tuple[Dropped, ...]
    repeated: Mapping[str, Finding] = field(default_factory=dict)


def to_verify(sifted: Sifted, verify: Verify) -> tuple[Candidate, ...]:
    """The candidates that need a second look before they are told, the gravest first.

    Those that would block, and those that only do not because they were there before.
    """
    if verify == "none":
        return ()
    return tuple(each for each in sifted.candidates if verify == "all" or each.finding.is_grave)


def judge(
    sifted: Sifted,
    verifications: Mapping[str, Verification],
    *,
    takes_comment: Callable[[str, int, int], bool],
    max_comments: int,
) -> Judgement:
    """Keep or drop each candidate, which no second look has rejected, as far as the cap goes.

    `verifications` are by candidate's id; one that needed none has none. Of two of which the second look says that
    they tell of the same problem the graver one is told, where both are about the same place.
    What could not be verified is told where it blocks, with that caveat, and else held back.
    `takes_comment(path, start, end)` says whether these lines of the head stand in a hunk.
    """
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for candidate in sifted.candidates:
        finding, reason = _weighed(candidate.finding, verifications.get(candidate.id))
        twin = next((each for each in kept if _is_same(each, candidate, verifications)), None)
        if reason is None and twin is not None:
            reason = f"the second look finds it to be the same as what is said of {twin.finding.place}"
        if reason is None and len(kept) >= max_comments:
            reason = f"over the cap of {max_comments} comments"
        if reason is None:
            kept.append(Kept(candidate.id, finding, takes_comment(finding.path, finding.start_line, finding.end_line)))
        else:
            dropped.append(Dropped(finding, reason))
    return Judgement(tuple(kept), (*dropped, *sifted.dropped), sifted.repeated)


def _is_same(kept: Kept, candidate: Candidate, verifications: Mapping[str, Verification]) -> bool:
    one, other = kept.finding, candidate.finding
    if one.path != other.path or lines_apart(one, other) > _SAME_PLACE_LINES:
        return False
    said = {(name, found.same_as) for name, found in verifications.items()}
    return (kept.id, candidate.id) in said or (candidate.id, kept.id) in said


def _weighed(finding: Finding, verification: Verification | None) -> tuple[Finding, str | None]:
    """The finding as it is told, and why it is not."""
    if verification is None or verification.outcome == "verified":
        return finding, None
    if not finding.blocks:
        return finding, f"it could not be verified: {verification.why}"
    caveats = [text for text in (finding.caveat, f"a second look could not settle it: {verification.why}") if text]
    return finding.model_copy(update={"caveat": "; ".join(caveats)}), None
