"""Read: have one reviewer read a batch of changes, and its report turned into data."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.findings.accounting import NOTHING, unaccounted
from kodiai.core.findings.report import (
    EarlierAnswer,
    ParsedReport,
    Report,
    UnreadableReport,
    finding_numbers,
    read_report,
)
from kodiai.core.model.messages import ModelAnswer, ModelRequest, Text, user_message
from kodiai.core.plan.material import listed_row, part_block, rows_block
from kodiai.core.plan.plan import Batch
from kodiai.core.plan.reviewers import Reviewer
from kodiai.core.text.layout import counted
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import MOST_TOKENS, Reader, converse
from kodiai.flows.model.tool_tokens import Subject
from kodiai.flows.review.wishes import wishes
from kodiai.prompts.load import load
from kodiai.prompts.pitfalls import pitfalls

_TRIES = 2
_EMPTY = Report(what_changed="", strengths=(), suggestions=(), findings=())


@dataclass(frozen=True)
class ReviewerReport:
    """One reviewer's report about a batch.

    `failed` is why there is no report, and `over_budget` whether that is the money; `lost` says what of it could not be
    read.
    """

    reviewer: Reviewer
    report: Report | None
    failed: str = ""
    lost: tuple[str, ...] = ()
    earlier: tuple[EarlierAnswer, ...] = ()
    over_budget: bool = False


def read(reader: Reader, batch: Batch, name: Reviewer, first: ReviewerReport | None = None) -> ReviewerReport:
    """Have a reviewer read a batch, after the lead's report (`first`). Raises OutOfTime and other failures."""
    try:
        answer = converse(
            reader,
            _blocks(batch, name, first),
            batch.material.not_in_key,
            about=Subject(batch.material.blocks, batch.look_up_tokens),
        )
    except OverBudget as why:
        return ReviewerReport(name, None, str(why), over_budget=True)
    return _extracted(reader.answers, answer, batch, name)


def why_unread(readings: Sequence[ReviewerReport]) -> str:
    """Why a batch does not count as read in full, "" if it does."""
    if readings[0].report is None and len({each.failed for each in readings}) == 1:
        return readings[0].failed
    missing = (f"no {each.reviewer} review: {each.failed}" for each in readings if each.report is None)
    return "; ".join(dict.fromkeys([*missing, *(lost for each in readings for lost in each.lost)]))


def _blocks(batch: Batch, name: Reviewer, first: ReviewerReport | None) -> list[Text]:
    """The material and the pitfalls, the same for all; then the lists for this reviewer; last its own part."""
    blocks, prompts = [*batch.material.blocks], [f"reviewers/{name}"]
    if languages := [load(each).strip() for each in pitfalls(file.path for file in batch.files)]:
        blocks.append(Text("\n\n".join(languages), ends_prefix=True))
    if name == batch.lead:
        prompts.append("sum_up")
        if batch.earlier is not None:
            blocks.append(batch.earlier)
            prompts.append("look_back")
    asked = batch.rechecked if name == batch.lead else ()
    listed = [row for known, row in batch.posted.items() if known not in asked]
    if first is not None and first.report is not None:
        listed += [listed_row(each.finding) for each in first.report.findings]
    if listed:
        blocks.append(rows_block("Already reported", listed))
        prompts.append("already_reported")
    return [*blocks, part_block(name, [*map(load, prompts), *wishes(batch)])]


def _extracted(answers: ModelAnswers, answer: ModelAnswer, batch: Batch, name: Reviewer) -> ReviewerReport:
    """Turn a reviewer's answer into data."""
    if answer.stop_reason == "refusal":
        return ReviewerReport(name, None, "the model declined")
    if not answer.text.strip():
        return ReviewerReport(name, None, f"the model gave no report ({answer.stop_reason})")
    cut = () if answer.stop_reason == "end_turn" else (f"the {name} report was cut short",)
    sums_up, looks_back = name == batch.lead, name == batch.lead and batch.earlier is not None
    may_be_empty = not looks_back and (batch.again or not sums_up)
    # Such a report need not be turned into data: most parts of most changes are in order.
    if may_be_empty and answer.text.strip(" .\n").upper() == NOTHING:
        return ReviewerReport(name, _EMPTY, lost=cut)
    summary, earlier = ["extract_summary"] if sums_up else [], ["extract_earlier"] if looks_back else []
    try:
        data = _extract(answers, answer.text, [*summary, *earlier], batch.rechecked if looks_back else ())
    except UnreadableReport:
        return ReviewerReport(name, None, "the report could not be read")
    report = data.report if sums_up else _EMPTY.model_copy(update={"findings": data.report.findings})
    about = tuple(answer for answer in data.earlier if answer.finding in batch.rechecked)
    return ReviewerReport(name, report, lost=(*cut, *_losses(data, name)), earlier=about)


def _losses(data: ParsedReport, name: Reviewer) -> Iterator[str]:
    if data.unreadable_findings:
        yield f"{counted(data.unreadable_findings, 'reported finding')} could not be read"
    if data.unreadable_answers:
        yield f"{counted(data.unreadable_answers, 'answer')} about earlier findings could not be read"
    if data.unaccounted and not data.unreadable_findings and not data.unreadable_answers:
        yield f"{counted(len(data.unaccounted), 'passage')} of the {name} report became no data"


def _extract(answers: ModelAnswers, prose: str, more: Sequence[str], ids: Collection[str]) -> ParsedReport:
    """Have a cheap model turn a report into data; it may answer about the earlier findings with these ids.

    `more` name the prompts for what the report has besides findings.

    A finding, an answer or another passage that is missing is asked for once more, then counted as lost.
    Raises UnreadableReport.
    """
    numbers, named = finding_numbers(prose), [each for each in sorted(ids) if each in prose]
    read = _ask(answers, prose, more)
    unanswered = _unanswered(named, read)
    missing = [*(f"Finding {each}" for each in _missing(numbers, read)), *unanswered, *unaccounted(prose, read)]
    if missing:
        with suppress(UnreadableReport):
            read = _joined(read, _ask(answers, prose, [*more, "extract_again"], missing), unanswered)
    return replace(
        read,
        unaccounted=unaccounted(prose, read),
        unreadable_findings=len(_missing(numbers, read)) if numbers else read.unreadable_findings,
        unreadable_answers=len(_unanswered(named, read)) if named else read.unreadable_answers,
    )


def _joined(read: ParsedReport, again: ParsedReport, unanswered: Collection[str]) -> ParsedReport:
    """The report as it was read, with the missing passages."""
    first, second = read.report, again.report
    report = Report(
        findings=tuple(dict.fromkeys((*first.findings, *second.findings))),
        what_changed=first.what_changed or second.what_changed,
        strengths=tuple(dict.fromkeys((*first.strengths, *second.strengths))),
        suggestions=tuple(dict.fromkeys((*first.suggestions, *second.suggestions))),
    )
    earlier = (*read.earlier, *(each for each in again.earlier if each.finding in unanswered))
    return replace(again, report=report, earlier=earlier, nothing=(*read.nothing, *again.nothing))


def _ask(answers: ModelAnswers, prose: str, prompts: Sequence[str], missing: Sequence[str] = ()) -> ParsedReport:
    """Have the report turned into data, or what is `missing` of it; an unreadable answer is asked for once more."""
    asked = f"<report>\n{_quoted(prose)}\n</report>"
    if missing:
        passages = "\n\n".join(map(_quoted, missing))
        asked += f"\n\n<missing>\n{passages}\n</missing>"
    extractor = answers.models.role("extractor")
    question = ModelRequest(
        model=extractor.model,
        system="".join(map(load, ["extract", *prompts])),
        messages=(user_message(asked),),
        answer_tokens=MOST_TOKENS,
        effort=extractor.effort,
    )
    for _ in range(_TRIES):
        found = _data(answers.to(question, usable=lambda answer: _data(answer) is not None, is_owed=True))
        if found is not None:
            return found
    raise UnreadableReport("the report could not be turned into data")


def _quoted(text: str) -> str:
    return "\n".join(f"| {line}" for line in text.split("\n"))


def _data(answer: ModelAnswer) -> ParsedReport | None:
    with suppress(UnreadableReport):
        return read_report(answer.text)
    return None


def _missing(numbers: Sequence[int], read: ParsedReport) -> list[int]:
    """The numbered findings of the prose that are not in the data; one without a number stands for one of them."""
    found = [finding.number for finding in read.report.findings]
    return [number for number in numbers if number not in found][found.count(None) :]


def _unanswered(ids: Sequence[str], read: ParsedReport) -> list[str]:
    """The earlier findings that the prose names and the data does not answer about."""
    found = {answer.finding for answer in read.earlier}
    return [each for each in ids if each not in found]
