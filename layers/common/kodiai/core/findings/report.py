"""A reader's report: the forms of the tools by which it reports findings, answers about earlier ones, and finishes."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from kodiai.core.findings.finding import Cause, Finding, Kind, ReportedCategory, Severity
from kodiai.core.model.tool import tool

REPORT, ANSWER, FINISH = "report_finding", "answer_earlier", "finish"


class ReportedReplacement(BaseModel):
    """Lines to put in place of others of the finding's file; the lines are 1-based, both included."""

    model_config = ConfigDict(frozen=True)

    start_line: int
    end_line: int
    text: str = Field(description="The new lines, complete and with their indentation.")


class ReportedFinding(BaseModel):
    """A finding as a reader reports it; `number` is that of a report which it corrects."""

    model_config = ConfigDict(frozen=True)

    title: str
    path: str
    start_line: int
    end_line: int
    severity: Severity
    category: ReportedCategory
    kind: Kind
    quote: str = Field(description="The code that is wrong, copied exactly, from those lines or from removed ones.")
    mechanism: str
    fix: str
    older: bool = Field(False, description="True if the problem was there before, and the change makes it no worse.")
    cause: Cause | None = Field(None, description="The changed line that causes it, if the quoted lines are unchanged.")
    depends_on: int | None = Field(None, description="The number of the report without which this one does not hold.")
    replacement: ReportedReplacement | None = None
    number: int | None = Field(None, description="Only to correct a report: its number.")

    @property
    def finding(self) -> Finding:
        """The finding that is reported."""
        own = self.model_dump(include={*Finding.model_fields} & {*ReportedFinding.model_fields} - {"replacement"})
        new = self.replacement
        return Finding(
            **own,
            explanation=self.mechanism,
            pre_existing=self.older,
            replacement=new.text if new else None,
            replaces=(new.start_line, new.end_line) if new else None,
        )


@dataclass(frozen=True)
class Reported:
    """A reported finding with the name of its reader; `depends_on` is the title of the one that it depends on."""

    reviewer: str
    finding: Finding
    depends_on: str | None = None


EarlierVerdict = Literal["ADDRESSED", "PARTIAL", "NOT_ADDRESSED", "CANNOT_TELL"]


class EarlierAnswer(BaseModel):
    """A reader's answer about one finding of an earlier review; `quote` is current code of `path` that shows it.

    If it is partly fixed, `title` and `problem` are the words for what is left.

    `severity` is given where the problem has become more severe, `concedes` is true where an argument against it is
    right.
    """

    model_config = ConfigDict(frozen=True)

    finding: str
    answer: EarlierVerdict
    path: str = ""
    quote: str = ""
    why: str
    severity: Severity | None = None
    concedes: bool = False
    title: str = ""
    problem: str = ""


class Summary(BaseModel):
    """The summary with which a reader finishes; only the one who sums up the change fills it."""

    model_config = ConfigDict(frozen=True)

    what_changed: str = ""
    strengths: tuple[str, ...] = ()


REPORT_TOOLS = (
    tool(REPORT, "Report one finding. It is checked at once, and recorded under a number or refused.", ReportedFinding),
    tool(ANSWER, "Answer about one finding of an earlier review. It is checked at once.", EarlierAnswer),
    tool(
        FINISH,
        "Finish your part, in the same turn as your last reports; if one is refused, you are asked again.",
        Summary,
    ),
)
