"""The judge's rulings on candidates and on what is said to be resolved: the forms of the tools by which it rules."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kodiai.core.findings.finding import Kind, Severity
from kodiai.core.model.tool import tool
from kodiai.core.plan.candidate import Fate
from kodiai.core.text.layout import TITLE_CHARACTERS

RULE, RESOLVE, CONFIRM = "rule", "resolve", "confirm"
PROBLEM_WORDS = 25
FIX_WORDS = 10


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

    finding: str = Field(description="Its id.")
    resolved: bool
    path: str = ""
    quote: str = ""
    why: str = ""


class Confirmation(BaseModel):
    """The second ruling on a candidate that the first one lets go: whether it agrees, and why."""

    model_config = ConfigDict(frozen=True)

    number: int
    confirmed: bool
    why: str = ""


RULING_TOOLS = (
    tool(RULE, "Rule on one candidate. For the judge only.", Ruling),
    tool(RESOLVE, "Rule on one finding that is said to be resolved. For the judge only.", Resolution),
    tool(CONFIRM, "Rule a second time on one candidate. For the second ruling only.", Confirmation),
)


def long_texts(ruling: Ruling) -> list[str]:
    """Name the texts that are over their limits, with the limits."""
    return [
        *([f"title over {TITLE_CHARACTERS} characters"] if len(ruling.title) > TITLE_CHARACTERS else []),
        *([f"problem over {PROBLEM_WORDS} words"] if len(ruling.problem.split()) > PROBLEM_WORDS else []),
        *([f"fix over {FIX_WORDS} words"] if len(ruling.fix.split()) > FIX_WORDS else []),
    ]
