"""Extract: have a cheap model turn a report in prose into data, and count what is lost on the way."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.findings.report import (
    Findings,
    FollowUpReport,
    ReadReport,
    Report,
    UnreadableReport,
    numbered,
    read_report,
)
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import MOST_TOKENS
from kodiai.prompts.load import load


@dataclass(frozen=True)
class Extractor:
    """The model that turns prose into data."""

    answers: ModelAnswers
    model: str

    def report(self, prose: str, form: type[Findings], ids: Collection[str] = ()) -> ReadReport:
        """Read a reviewer's report, which may answer about the earlier findings with these ids.

        A missing finding or answer is asked for once more, then counted as unreadable.
        Raises UnreadableReport.
        """
        numbers, named = numbered(prose), [each for each in sorted(ids) if each in prose]
        read = self._ask(prose, form)
        missing, unanswered = _missing(numbers, read), _unanswered(named, read)
        if missing or unanswered:
            only = [*(f"Finding {number}" for number in missing), *unanswered]
            with suppress(UnreadableReport):
                again = self._ask(prose, form if unanswered else Findings, only)
                findings = tuple(each for each in again.report.findings if each.number in missing)
                earlier = tuple(each for each in again.earlier if each.finding in unanswered)
                report = read.report.model_copy(update={"findings": (*read.report.findings, *findings)})
                read = replace(read, report=report, earlier=(*read.earlier, *earlier))
        return replace(
            read,
            unreadable_findings=len(_missing(numbers, read)) if numbers else read.unreadable_findings,
            unreadable_answers=len(_unanswered(named, read)) if named else read.unreadable_answers,
        )

    def _ask(self, prose: str, form: type[Findings], only: Sequence[str] = ()) -> ReadReport:
        """Have the report turned into data; an answer that cannot be read is asked for once more."""
        quoted = "\n".join(f"| {line}" for line in prose.split("\n"))
        wish = f"\n\nThis time take only these: {', '.join(only)}." if only else ""
        question = ModelRequest(
            model=self.model,
            system="".join(map(load, _prompts(form))),
            messages=(user_message(f"<report>\n{quoted}\n</report>{wish}"),),
            max_tokens=MOST_TOKENS,
            schema=form.model_json_schema(mode="serialization"),
        )
        try:
            return read_report(self.answers.to(question, usable=_is_readable, is_owed=True).text)
        except UnreadableReport:
            return read_report(self.answers.to(question, usable=_is_readable, is_owed=True).text)


def _is_readable(answer: ModelAnswer) -> bool:
    try:
        read_report(answer.text)
    except UnreadableReport:
        return False
    return True


def _prompts(form: type[Findings]) -> tuple[str, ...]:
    """The parts of the prompt that describe the fields of this form, and no others."""
    summary = ("extract_summary",) if issubclass(form, Report) else ()
    earlier = ("extract_earlier",) if issubclass(form, FollowUpReport) else ()
    return ("extract", *summary, *earlier)


def _missing(numbers: Sequence[int], read: ReadReport) -> list[int]:
    """The numbered findings of the prose that are not in the data; one without a number stands for one of them."""
    found = [finding.number for finding in read.report.findings]
    return [number for number in numbers if number not in found][found.count(None) :]


def _unanswered(ids: Sequence[str], read: ReadReport) -> list[str]:
    """The earlier findings that the prose names and the data does not answer about."""
    found = {answer.finding for answer in read.earlier}
    return [each for each in ids if each not in found]
