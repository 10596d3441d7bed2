"""Extract: a report in prose is turned into data by a cheap model, and whatever is lost on the way is counted."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from kodiai.core.findings.report import (
    Findings,
    FollowUpReport,
    ParsedReport,
    Report,
    UnreadableReport,
    finding_numbers,
    read_report,
)
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import MOST_TOKENS
from kodiai.prompts.load import load

T = TypeVar("T")


@dataclass(frozen=True)
class Extractor:
    """The model that turns prose into data."""

    answers: ModelAnswers
    model: str

    def report(self, prose: str, form: type[Findings], ids: Collection[str] = ()) -> ParsedReport:
        """Read a reviewer's report, which may answer about the earlier findings with these ids.

        A finding or an answer that is missing is asked for once more, then counted as unreadable.
        Raises UnreadableReport.
        """
        numbers, answered = finding_numbers(prose), [each for each in sorted(ids) if each in prose]
        read = self._ask(_prompts(form), prose, form, read_report)
        missing, silent = _missing(numbers, read), _unanswered(answered, read)
        if missing or silent:
            form = form if silent else Findings
            only = [*(f"Finding {number}" for number in missing), *silent]
            with suppress(UnreadableReport):
                again = self._ask(_prompts(form), prose, form, read_report, only=only)
                read = _with_more(read, again, missing, silent)
        return _with_losses(read, numbers, answered)

    def _ask(
        self,
        prompts: Sequence[str],
        prose: str,
        form: type[BaseModel],
        read: Callable[[str], T],
        only: Sequence[str] = (),
    ) -> T:
        """Have it turned into data; an answer that is not what was asked for is asked for once more."""
        quoted = "\n".join(f"| {line}" for line in prose.split("\n"))
        wish = f"\n\nThis time take only these: {', '.join(only)}." if only else ""
        question = ModelRequest(
            model=self.model,
            system="".join(map(load, prompts)),
            messages=(user_message(f"<report>\n{quoted}\n</report>{wish}"),),
            max_tokens=MOST_TOKENS,
            schema=form.model_json_schema(mode="serialization"),
        )

        def is_readable(answer: ModelAnswer) -> bool:
            try:
                read(answer.text)
            except UnreadableReport:
                return False
            return True

        try:
            return read(self.answers.to(question, usable=is_readable, is_owed=True).text)
        except UnreadableReport:
            return read(self.answers.to(question, usable=is_readable, is_owed=True).text)


def _prompts(form: type[Findings]) -> tuple[str, ...]:
    """The parts of the prompt that describe the fields of this form, and no others."""
    summary = ("extract_summary",) if issubclass(form, Report) else ()
    earlier = ("extract_earlier",) if issubclass(form, FollowUpReport) else ()
    return ("extract", *summary, *earlier)


def _missing(numbers: Sequence[int], read: ParsedReport) -> list[int]:
    """The findings of the prose that are not in the data; none where the data does not name its numbers."""
    found = [finding.number for finding in read.report.findings]
    if not numbers or (found and all(number is None for number in found)):
        return []
    return [number for number in numbers if number not in found]


def _unanswered(ids: Sequence[str], read: ParsedReport) -> list[str]:
    """The earlier findings that the prose names and the data does not answer about."""
    found = {answer.finding for answer in read.earlier}
    return [each for each in ids if each not in found]


def _with_more(read: ParsedReport, again: ParsedReport, missing: Sequence[int], silent: Sequence[str]) -> ParsedReport:
    """Add what was asked for again, and nothing else."""
    findings = tuple(found for found in again.report.findings if found.number in missing)
    earlier = tuple(answer for answer in again.earlier if answer.finding in silent)
    report = read.report.model_copy(update={"findings": (*read.report.findings, *findings)})
    return replace(read, report=report, earlier=(*read.earlier, *earlier))


def _with_losses(read: ParsedReport, numbers: Sequence[int], ids: Sequence[str]) -> ParsedReport:
    """Count what of the prose is not in the data."""
    if ids:
        read = replace(read, unreadable_answers=len(_unanswered(ids, read)))
    if not numbers:
        return read
    found = [finding.number for finding in read.report.findings]
    unnumbered = sum(number is None for number in found)
    lost = max(sum(number not in found for number in numbers) - unnumbered, 0)
    return replace(read, unreadable_findings=lost)
