"""Extract: a report in prose is turned into data by a cheap model, and whatever is lost on the way is counted."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from kodiai.core.findings.report import (
    ReadReport,
    Report,
    UnreadableReport,
    numbered,
    read_object,
    read_report,
    readable,
)
from kodiai.core.findings.verification import Verdict, Verdicts
from kodiai.flows.answers import Answers
from kodiai.flows.review.conversation import MOST_TOKENS
from kodiai.ports import Answer, Question
from kodiai.prompts.load import load

T = TypeVar("T")


@dataclass(frozen=True)
class Extractor:
    """The model that turns prose into data."""

    answers: Answers
    model: str

    def report(self, prose: str, form: type[Report]) -> ReadReport:
        """Read a reviewer's report. A finding that is missing is asked for once more, then counted as unreadable.

        Raises UnreadableReport.
        """
        numbers = numbered(prose)
        read = self._ask("extract", prose, form, read_report)
        missing = _missing(numbers, read)
        if not missing:
            return _with_losses(read, numbers)
        try:
            again = self._ask("extract", prose, form, read_report, only=missing)
        except UnreadableReport:
            return _with_losses(read, numbers)
        more = tuple(found for found in again.report.findings if found.number in missing)
        whole = read.report.model_copy(update={"findings": (*read.report.findings, *more)})
        return _with_losses(replace(read, report=whole), numbers)

    def verdicts(self, prose: str, numbers: Collection[int]) -> tuple[Verdict, ...]:
        """Read a verification's answers, one for each number; what is missing is asked for once more.

        Raises UnreadableReport.
        """
        read = self._ask("extract_verdicts", prose, Verdicts, _read_verdicts)
        missing = sorted(set(numbers) - {verdict.number for verdict in read})
        told = set(numbered(prose))
        if missing and told.intersection(missing):
            read = (*read, *self._ask("extract_verdicts", prose, Verdicts, _read_verdicts, only=missing))
        return tuple({verdict.number: verdict for verdict in reversed(read)}.values())

    def _ask(
        self,
        prompt: str,
        prose: str,
        form: type[BaseModel],
        read: Callable[[str], T],
        only: Sequence[int] = (),
    ) -> T:
        """Have it turned into data; an answer that is not what was asked for is asked for once more."""
        quoted = "\n".join(f"| {line}" for line in prose.split("\n"))
        wish = f"\n\nTake over only these: {', '.join(f'Finding {number}' for number in only)}." if only else ""
        question = Question(
            model=self.model,
            system=[{"type": "text", "text": load(prompt)}],
            messages=[{"role": "user", "content": [{"type": "text", "text": f"<report>\n{quoted}\n</report>{wish}"}]}],
            max_tokens=MOST_TOKENS,
            schema=form.model_json_schema(),
        )

        def is_readable(answer: Answer) -> bool:
            try:
                read(answer.text)
            except UnreadableReport:
                return False
            return True

        try:
            return read(self.answers.to(question, usable=is_readable, is_owed=True).text)
        except UnreadableReport:
            return read(self.answers.to(question, usable=is_readable, is_owed=True).text)


def _missing(numbers: Sequence[int], read: ReadReport) -> list[int]:
    """The findings of the prose that are not in the data; none where the data does not name its numbers."""
    found = [finding.number for finding in read.report.findings]
    if not numbers or (found and all(number is None for number in found)):
        return []
    return [number for number in numbers if number not in found]


def _with_losses(read: ReadReport, numbers: Sequence[int]) -> ReadReport:
    """Count what of the prose is not in the data."""
    if not numbers:
        return read
    found = [finding.number for finding in read.report.findings]
    unnumbered = sum(number is None for number in found)
    lost = max(sum(number not in found for number in numbers) - unnumbered, 0)
    return replace(read, unreadable_findings=lost)


def _read_verdicts(text: str) -> tuple[Verdict, ...]:
    entries: list[Any] = read_object(text, "verdicts")["verdicts"]
    return readable(Verdict, entries)
