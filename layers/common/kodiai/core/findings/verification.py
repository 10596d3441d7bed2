"""Verification: what a second, strict look says of a finding, and whether that is borne out by the code."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.ground import ReadLines, stands

Criterion = Literal["valid", "actionable", "specific", "valuable"]
CRITERIA: tuple[Criterion, ...] = ("valid", "actionable", "specific", "valuable")
_SHORTEST_QUOTE = 2


class Ruling(BaseModel):
    """The answer to one criterion; `quote` is a line of `path` at the head that shows it."""

    model_config = ConfigDict(frozen=True)

    yes: bool
    path: str = ""
    quote: str = ""
    why: str = ""


class Verdict(BaseModel):
    """The four answers about one finding: is it valid to the code, actionable, specific, valuable to the author.

    `same_as` is the number of another finding that tells of the same problem, None where there is none.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    same_as: int | None = None
    valid: Ruling
    actionable: Ruling
    specific: Ruling
    valuable: Ruling

    def ruling(self, criterion: Criterion) -> Ruling:
        """The answer to one of them."""
        ruling: Ruling = getattr(self, criterion)
        return ruling


class Verdicts(BaseModel):
    """The schema that the extraction is asked to fill after a verification."""

    model_config = ConfigDict(frozen=True)

    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Verification:
    """What became of the second look; `why` is a reason that a person is shown, empty where it is verified.

    `same_as` is the id of another finding that is said to tell of the same problem.
    """

    outcome: Literal["verified", "rejected", "unverified"]
    why: str = ""
    same_as: str | None = None


VERIFIED = Verification("verified")


def unproven(verdict: Verdict, finding: Finding, read_lines: ReadLines) -> tuple[Criterion, ...]:
    """The criteria whose answer quotes no code that stands at the head: an answer without a proof is none."""
    return tuple(name for name in CRITERIA if not _is_proven(verdict.ruling(name), finding, read_lines))


def verification(verdict: Verdict, finding: Finding, read_lines: ReadLines) -> Verification:
    """Hold a verdict against the code.

    One "no" rejects, where its quote stands in the code.
    A "yes" without such a quote is none, so it rejects too; a "no" without one decides nothing.
    """
    missing = unproven(verdict, finding, read_lines)
    noes = [name for name in CRITERIA if not verdict.ruling(name).yes]
    for name in noes:
        if name not in missing:
            why = verdict.ruling(name).why.strip()
            return Verification("rejected", f"not {name}: {why}" if why else f"not {name}")
    for name in missing:
        if verdict.ruling(name).yes:
            return Verification("rejected", f"not {name}: no code that is there was quoted to show it")
    return Verification("unverified", "what was quoted against it is not in the code") if noes else VERIFIED


def _is_proven(ruling: Ruling, finding: Finding, read_lines: ReadLines) -> bool:
    letters = sum(character.isalnum() for character in ruling.quote)
    return letters >= _SHORTEST_QUOTE and stands(ruling.quote, ruling.path or finding.path, read_lines)
