"""What a case's two sheets say: case.yaml, what has to be found; recorded.yaml, what a model said."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from kodiai.core.findings.finding import Category, Kind, Severity
from kodiai.core.findings.report import EarlierVerdict

Reviewer = Literal["generalist", "correctness", "security", "performance", "tests", "documentation"]
Fate = Literal["told", "duplicate", "not-grounded", "claim", "rejected", "preference", "below-floor"]
"""What the engine has to make of what a model said: see evals/README.md."""


def _in_order(lines: tuple[int, int]) -> tuple[int, int]:
    if not 1 <= lines[0] <= lines[1]:
        raise ValueError("lines are counted from 1, the first one first")
    return lines


Lines = Annotated[tuple[int, int], AfterValidator(_in_order)]
"""The first and the last line, on the new side of the push's head, from 1, both included."""


class _Sheet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_Sheet):
    """Where something stands; without a path anywhere, as where a data set does not tell."""

    path: str | None = None
    lines: Lines | None = None


class Expected(Place):
    """A problem that a push brings and that has to be found; `mechanism` is what goes wrong when."""

    id: str
    category: Category
    severity: Severity
    mechanism: str


class Forbidden(Place):
    """A plausible statement that would be wrong here."""

    mechanism: str


class Push(_Sheet):
    """One push. `delete` are paths that it removes, `head` its commit where the case is one of a clone.

    `statuses` says of problems of earlier pushes what has to be said of them after this one.
    """

    message: str = ""
    head: str | None = None
    delete: tuple[str, ...] = ()
    expected: tuple[Expected, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    statuses: dict[str, Literal["resolved", "still_open"]] = Field(default_factory=dict)


class Clone(_Sheet):
    """A repository on this machine that has a case's commits; the path is relative to the case's folder."""

    path: str
    base: str


class CaseSheet(_Sheet):
    """A pull request, and what has to be said of it. `clean` is whether that is nothing at all."""

    title: str = Field(min_length=1)
    description: str | None = ""
    language: str
    clean: bool = False
    clone: Clone | None = None
    pushes: tuple[Push, ...]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if complaints := [*self._complaints()]:
            raise ValueError("; ".join(complaints))
        return self

    def _complaints(self) -> Iterator[str]:
        if not self.pushes:
            yield "there is no push"
        expected = [one.id for push in self.pushes for one in push.expected]
        if self.clean == bool(expected):
            yield "a clean case expects nothing" if self.clean else "a case that is not clean expects something"
        if self.clean and not any(push.forbidden for push in self.pushes):
            yield "a clean case says what is forbidden"
        if len(set(expected)) < len(expected):
            yield "two expected problems have the same id"
        known: set[str] = set()
        for number, push in enumerate(self.pushes, 1):
            if unknown := sorted(push.statuses.keys() - known):
                yield f"push {number} gives statuses of what no earlier push brings: {', '.join(unknown)}"
            known |= {one.id for one in push.expected}
            if self.clone is None and any(one.path is None or one.lines is None for one in push.expected):
                yield f"push {number} expects something without a path or lines"
            if (self.clone is None) == (push.head is not None):
                yield f"push {number} needs a head where there is a clone, and only there"


class RecordedCause(_Sheet):
    """Changed code that causes a problem on unchanged lines."""

    path: str
    quote: str


class RecordedVerdict(_Sheet):
    """What the second, strict look said, with the line that shows it."""

    valid: bool
    actionable: bool
    specific: bool
    valuable: bool
    path: str = ""
    quote: str = ""
    why: str = ""


class RecordedFinding(_Sheet):
    """What a model reported, with the label that a person put on it; `expects` is the problem that it tells."""

    label: bool
    expects: str | None = None
    fate: Fate
    severity: Severity
    category: Category
    kind: Kind
    path: str
    start_line: int
    end_line: int
    title: str
    explanation: str
    quote: str
    replacement: str | None = None
    cause: RecordedCause | None = None
    verdict: RecordedVerdict | None = None


class RecordedEarlier(_Sheet):
    """What a model said of a problem that was told in an earlier push; `id` is the expected problem's."""

    id: str
    answer: EarlierVerdict
    path: str = ""
    quote: str = ""
    why: str = ""
    severity: Severity | None = None
    concedes: bool = False


class RecordedPush(_Sheet):
    """What a model said of one push, by reviewer."""

    reports: dict[Reviewer, tuple[RecordedFinding, ...]] = Field(default_factory=dict)
    earlier: tuple[RecordedEarlier, ...] = ()


class Recording(_Sheet):
    """What a model said of a case, push by push."""

    pushes: tuple[RecordedPush, ...] = ()
