"""The judge's answer: a ruling on each candidate, a resolution for each finding that a reviewer says is resolved."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from kodiai.core.findings.finding import Kind, Severity
from kodiai.core.findings.report import read_object, valid_entries
from kodiai.core.plan.candidate import Fate
from kodiai.core.text.layout import TITLE_CHARACTERS

PROBLEM_WORDS = 45
FIX_WORDS = 20


def _listed(names: object) -> object:
    """Read one name, or null, as a list."""
    return () if names is None else (names,) if isinstance(names, str) else names


class Ruling(BaseModel):
    """The judge's ruling on one candidate, by its number.

    `same_as` is the number of the candidate that one change fixes together with this one, `known` the id of the
    earlier finding that it is, `different_from` are the ids of those on the same code, or beside, that it is not.
    `unwanted` are the ids of the rule, or of the precedents, by which the maintainers do not want it.
    `quote` is a line of `path` that shows it: where it goes wrong, or what prevents it. `why` is the reason.
    `title`, `problem` and `fix` are the texts that people read.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    fate: Fate
    same_as: int | None = None
    known: str | None = None
    different_from: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    unwanted: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    path: str = ""
    quote: str = ""
    why: str = ""
    severity: Severity
    kind: Kind = "impact"
    pre_existing: bool = False
    title: str = ""
    problem: str = ""
    fix: str = ""
    offer_replacement: bool = False


class Resolution(BaseModel):
    """Whether an earlier finding is resolved; `quote` is the line of `path` that shows it."""

    model_config = ConfigDict(frozen=True)

    finding: str
    resolved: bool
    path: str
    quote: str
    why: str


class Confirmation(BaseModel):
    """The second ruling on a candidate that the first one lets go: whether it agrees, and why."""

    model_config = ConfigDict(frozen=True)

    number: int
    confirmed: bool
    why: str = ""


def long_texts(ruling: Ruling) -> list[str]:
    """Name the texts that are over their limits, with the limits."""
    return [
        *([f"title over {TITLE_CHARACTERS} characters"] if len(ruling.title) > TITLE_CHARACTERS else []),
        *([f"problem over {PROBLEM_WORDS} words"] if len(ruling.problem.split()) > PROBLEM_WORDS else []),
        *([f"fix over {FIX_WORDS} words"] if len(ruling.fix.split()) > FIX_WORDS else []),
    ]


def read_rulings(text: str) -> tuple[dict[int, Ruling], tuple[Resolution, ...]]:
    """Read the judge's answer; one bad entry does not cost the others. Raises UnreadableReport."""
    data = read_object(text, "rulings")
    rulings = valid_entries(Ruling, data["rulings"])
    return {each.number: each for each in reversed(rulings)}, valid_entries(Resolution, data.get("resolutions"))


def read_confirmations(text: str) -> dict[int, Confirmation]:
    """Read the second ruling; of two answers about a candidate the one that does not agree. Raises UnreadableReport."""
    found = valid_entries(Confirmation, read_object(text, "confirmations")["confirmations"])
    return {each.number: each for each in sorted(found, key=lambda each: not each.confirmed)}
