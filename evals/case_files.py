"""The formats of a case's files: case.yaml, the problems to find; recorded.yaml, a model's recorded answers."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from kodiai.core.findings.finding import Category, Kind, Severity
from kodiai.core.findings.report import EarlierVerdict
from kodiai.core.judge.ruling import FIX_WORDS, PROBLEM_WORDS
from kodiai.core.plan.reviewers import Reviewer
from kodiai.core.text.layout import TITLE_CHARACTERS, short_title

Fate = Literal["kept", "below-floor", "same-as", "wrong", "not-from-this-change", "not-worth-it"]
"""The judge's decision on a reported finding: see evals/README.md."""


def _in_order(lines: tuple[int, int]) -> tuple[int, int]:
    if not 1 <= lines[0] <= lines[1]:
        raise ValueError("lines are counted from 1, the first one first")
    return lines


Lines = Annotated[tuple[int, int], AfterValidator(_in_order)]
"""The first and the last line, on the new side of the push's head, from 1, both included."""


class _FileModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_FileModel):
    """A place in the code; without a path it is anywhere, for data sets without places."""

    path: str | None = None
    lines: Lines | None = None


class Expected(Place):
    """A problem that a push adds and a review should find; `mechanism` says what goes wrong and when.

    `also` are other places where a finding may report it, for example if cause and effect are far apart.
    """

    also: tuple[Place, ...] = ()
    id: str
    category: Category
    severity: Severity
    mechanism: str


class Forbidden(Place):
    """A plausible statement that would be wrong here."""

    mechanism: str


class Push(_FileModel):
    """One push. `delete` are paths that it removes, `head` its commit if the case has a clone.

    `accepted` are true problems that need not be found.
    `statuses` are the statuses that problems of earlier pushes should have after this one.
    """

    message: str = ""
    head: str | None = None
    delete: tuple[str, ...] = ()
    expected: tuple[Expected, ...] = ()
    accepted: tuple[Expected, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    statuses: dict[str, Literal["resolved", "still_open"]] = Field(default_factory=dict)


class Clone(_FileModel):
    """A repository on this machine that has a case's commits; the path is relative to the case's folder."""

    path: str
    base: str


class CaseDefinition(_FileModel):
    """A pull request and its problems. `clean` is whether it has none."""

    title: str = Field(min_length=1)
    description: str | None = ""
    language: str
    clean: bool = False
    clone: Clone | None = None
    pushes: tuple[Push, ...]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if contradictions := [*self._contradictions()]:
            raise ValueError("; ".join(contradictions))
        return self

    def _contradictions(self) -> Iterator[str]:
        if not self.pushes:
            yield "there is no push"
        expected = [one.id for push in self.pushes for one in push.expected]
        accepted = [one.id for push in self.pushes for one in push.accepted]
        if self.clean == bool(expected):
            yield "a clean case expects nothing" if self.clean else "a case that is not clean expects something"
        if self.clean and not any(push.forbidden for push in self.pushes):
            yield "a clean case says what is forbidden"
        if len({*expected, *accepted}) < len(expected) + len(accepted):
            yield "two problems have the same id"
        known: set[str] = set()
        for number, push in enumerate(self.pushes, 1):
            if unknown := sorted(push.statuses.keys() - known):
                yield f"push {number} gives statuses of problems that no earlier push adds: {', '.join(unknown)}"
            known |= {one.id for one in push.expected}
            if self.clone is None and any(
                one.path is None or one.lines is None for one in (*push.expected, *push.accepted)
            ):
                yield f"push {number} expects something without a path or lines"
            if (self.clone is None) == (push.head is not None):
                yield f"push {number} needs a head where there is a clone, and only there"


class RecordedCause(_FileModel):
    """Changed code that causes a problem on unchanged lines."""

    path: str
    quote: str


def _words(most: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text.split()) > most:
            raise ValueError(f"at most {most} words")
        return text

    return AfterValidator(check)


class RecordedRuling(_FileModel):
    """The judge's ruling on a finding; empty fields take the finding's own values, cut to their limits.

    `quote` is a line of `path` as evidence: the line with the problem, or the line that prevents it.
    """

    path: str | None = None
    quote: str | None = None
    why: str = ""
    title: Annotated[str, Field(max_length=TITLE_CHARACTERS)] | None = None
    problem: Annotated[str, _words(PROBLEM_WORDS)] | None = None
    fix: Annotated[str, _words(FIX_WORDS)] = ""
    severity: Severity | None = None
    kind: Kind | None = None


class RecordedFinding(_FileModel):
    """A finding that a reviewer reported, with a person's label; `expects` is the id of its problem.

    `same_as` is the kept finding of the push that says the same: its title, or the problem that it is about.
    """

    label: bool
    expects: str | None = None
    fate: Fate
    same_as: str | None = None
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
    pre_existing: bool = False
    ruling: RecordedRuling = RecordedRuling()

    @property
    def is_kept(self) -> bool:
        """Whether the judge keeps it; the settings may still hide it."""
        return self.fate in ("kept", "below-floor")

    @property
    def titles(self) -> frozenset[str]:
        """Its titles: the reviewer's and the judge's."""
        return frozenset({self.title, self.ruling.title or short_title(self.title)})

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.fate == "same-as") != (self.same_as is not None):
            raise ValueError("same_as is for what is the same as another finding")
        if self.fate == "wrong" and not (self.ruling.quote and self.ruling.why):
            raise ValueError("what is wrong has a ruling with a quote and a why")
        return self


class RecordedEarlier(_FileModel):
    """A reviewer's verdict on a problem that was posted in an earlier push; `id` is the expected problem's.

    `resolved` is the judge's decision if the answer is ADDRESSED, with the same evidence.
    """

    id: str
    answer: EarlierVerdict
    path: str = ""
    quote: str = ""
    why: str = ""
    severity: Severity | None = None
    concedes: bool = False
    resolved: bool | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.answer == "ADDRESSED") != (self.resolved is not None):
            raise ValueError("the judge decides about what is ADDRESSED: resolved is for that, and needed there")
        return self


class RecordedPush(_FileModel):
    """A model's recorded answers for one push, by reviewer."""

    reports: dict[Reviewer, tuple[RecordedFinding, ...]] = Field(default_factory=dict)
    earlier: tuple[RecordedEarlier, ...] = ()


class Recording(_FileModel):
    """A model's recorded answers for a case, push by push."""

    pushes: tuple[RecordedPush, ...] = ()
