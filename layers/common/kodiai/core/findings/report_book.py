"""The report book of one reader: each report is checked against the code when it comes, and nothing is lost."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.changes.show import show_lines
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import normalized_title, quote_key
from kodiai.core.findings.locate import locate, placed
from kodiai.core.findings.report import ANSWER, FINISH, REPORT, EarlierAnswer, Reported, ReportedFinding, Summary
from kodiai.core.findings.source import Source
from kodiai.core.findings.suggestion import offer
from kodiai.core.findings.team_rulings import CHECK_RULE, TeamRulings
from kodiai.core.json_object import JsonObject
from kodiai.core.model.tool import BadCall, Book, read_call
from kodiai.core.text.layout import counted

_AROUND = 4
_MOST_NEAREST = 16


@dataclass
class _Report:
    """A report by its number: the finding (None: its form is wrong), what it depends on, why it is refused, if so."""

    number: int
    title: object
    finding: Finding | None = None
    depends_on: int | None = None
    refusal: str = ""


@dataclass
class ReportBook(Book):
    """The reports, the answers about the `asked` earlier findings, and the summary of one reader.

    `source` and `change` are the files and the changes. `already` are findings that other readers reported.
    `why_not_resolved` says why the code that an answer quotes does not resolve its finding, None if it may.
    `rulings` takes those on the team's rules, None if there is none to rule on.
    A refused report can be corrected under its number. What never is goes on as it came: the judge decides.
    """

    advice = "Correct that, or finish again to leave it as it is."

    reviewer: str
    source: Source
    change: ChangedLines
    asked: Collection[str] = ()
    already: Sequence[Finding] = ()
    why_not_resolved: Callable[[EarlierAnswer], str | None] = lambda _: None
    rulings: TeamRulings | None = None
    summary: Summary | None = None
    _reports: list[_Report] = field(default_factory=list)
    _answers: dict[str, EarlierAnswer] = field(default_factory=dict)
    _refused_answers: set[str] = field(default_factory=set)
    _unreadable_answers: set[str] = field(default_factory=set)

    @property
    def findings(self) -> tuple[Reported, ...]:
        """The reported findings, refused ones too."""
        titles = {each.number: each.finding.title for each in self._reports if each.finding}
        return tuple(
            Reported(self.reviewer, each.finding, titles.get(each.depends_on or 0))
            for each in self._reports
            if each.finding is not None
        )

    @property
    def answers(self) -> tuple[EarlierAnswer, ...]:
        """The answers about earlier findings; of two about one the last."""
        return tuple(self._answers.values())

    @property
    def lost(self) -> Iterator[str]:
        """The reports and answers that nobody can read, in words."""
        if unreadable := sum(each.finding is None and bool(each.refusal) for each in self._reports):
            yield f"{counted(unreadable, 'reported finding')} could not be read"
        if unreadable := len(self._unreadable_answers - self._answers.keys()):
            yield f"{counted(unreadable, 'answer')} about earlier findings could not be read"

    def _calls(self) -> Mapping[str, Callable[[JsonObject], str]]:
        on_rules = {CHECK_RULE: self.rulings.take} if self.rulings is not None else {}
        return {REPORT: self._report, ANSWER: self._answer, FINISH: self._finish, **on_rules}

    def _report(self, given: JsonObject) -> str:
        report = self._entry(given)
        try:
            reported = read_call(ReportedFinding, given)
        except BadCall as why:
            report.refusal = report.refusal or f"its form is wrong: {why}"
            raise BadCall(f"Report {report.number} is refused: {why}") from why
        finding, is_found = placed(reported.finding, self.source)
        if twin := self._twin(finding, report):
            return self._dropped(report, twin)
        report.finding, report.depends_on = finding, reported.depends_on
        report.refusal = self._refusal(finding, is_found=is_found)
        if not report.refusal and reported.replacement is not None and finding.replacement is None:
            report.refusal = f"its quote is at lines {finding.lines}: give its lines and those of its replacement again"
        if report.refusal:
            raise BadCall(f"Report {report.number} is refused: {report.refusal}")
        return f"Recorded as report {report.number}, at {finding.path}, lines {finding.lines}."

    def _entry(self, given: JsonObject) -> _Report:
        """The report that a call corrects, by its number or its title, else a new one."""
        number, title = given.get("number"), given.get("title")
        if isinstance(number, int) and 1 <= number <= len(self._reports):
            return self._reports[number - 1]
        found = next((each for each in self._reports if each.refusal and each.title == title), None)
        if found is None:
            found = _Report(len(self._reports) + 1, title)
            self._reports.append(found)
        return found

    def _twin(self, finding: Finding, own: _Report) -> str | None:
        """The name of a finding that this one is, word for word, None if it is new; the more severe one counts."""
        for each in self._reports:
            if each is not own and each.finding is not None and _key(each.finding) == _key(finding):
                each.finding = min(each.finding, finding, key=rank)
                return f"report {each.number}"
        twins = [each for each in self.already if _key(each) == _key(finding) and rank(each) <= rank(finding)]
        return "a finding of a reader before you" if twins else None

    def _dropped(self, report: _Report, twin: str) -> str:
        """Take a report back that repeats another one; its number is not given again."""
        report.finding, report.refusal = None, ""
        if self._reports[-1] is report:
            self._reports.pop()
        return f"It is {twin} already: not recorded again."

    def _refusal(self, finding: Finding, *, is_found: bool) -> str:
        """The reason why a finding is not recorded as it is, "" if it is."""
        lines = self.source.read_lines(finding.path)
        if self.source.find(finding.path) is None:
            return f"there is no file {finding.path}"
        if not is_found:
            return f"its quote does not stand in {finding.path}.{_nearest(finding.path, lines, finding.start_line)}"
        cause = finding.cause
        if cause is not None and not self.change.has(cause.path, cause.quote):
            return f"the quote of its cause is on no changed line of {cause.path}"
        offered = offer(finding, lines or (), self.source.read_lines.parser)
        if offered.refused is None:
            return ""
        start = finding.replaces[0] if finding.replaces else finding.start_line
        return f"its replacement cannot be offered: {offered.refused}.{_nearest(finding.path, lines, start)}"

    def _answer(self, given: JsonObject) -> str:
        try:
            answer = read_call(EarlierAnswer, given)
        except BadCall:
            self._unreadable_answers |= {str(given.get("finding"))} & set(self.asked)
            raise
        if answer.finding not in self.asked:
            raise BadCall(f"{answer.finding} is none of the earlier findings that you are asked about")
        self._answers[answer.finding] = answer
        refusal = self._answer_refusal(answer)
        if refusal:
            self._refused_answers.add(answer.finding)
            raise BadCall(f"The answer about {answer.finding} is refused: {refusal}")
        self._refused_answers.discard(answer.finding)
        return f"Recorded about {answer.finding}."

    def _answer_refusal(self, answer: EarlierAnswer) -> str | None:
        if answer.answer in ("NOT_ADDRESSED", "CANNOT_TELL"):  # the finding stays open
            return None
        if answer.answer == "PARTIAL" and not (answer.title.strip() and answer.problem.strip() and answer.quote):
            return "what is left needs a title, a problem and a quote"
        path = self.source.find(answer.path) if answer.path else None
        if answer.path and path is None:
            return f"there is no file {answer.path}"
        lines = self.source.read_lines(path) if path is not None else None
        if answer.quote and path is not None and locate(answer.quote, path, None, self.source) is None:
            return f"its quote does not stand in {path}.{_nearest(path, lines, 1)}"
        return self.why_not_resolved(answer) if answer.answer == "ADDRESSED" else None

    def _finish(self, given: JsonObject) -> str:
        summary = read_call(Summary, given)
        said = super()._finish(given)
        self.summary = summary
        return said

    def _missing(self) -> Iterator[str]:
        if refused := [str(each.number) for each in self._reports if each.refusal]:
            yield f"refused and not corrected: report {', '.join(refused)}"
        if self._refused_answers:
            yield f"refused and not corrected: the answers about {', '.join(sorted(self._refused_answers))}"
        if unanswered := sorted(set(self.asked) - self._answers.keys()):
            yield f"no answer about {', '.join(unanswered)}"
        if self.rulings is not None:
            yield from self.rulings.missing()


def _key(finding: Finding) -> tuple[str, ...]:
    """The code that a finding is about, and what it says of it."""
    return finding.path, finding.category, quote_key(finding.quote), normalized_title(finding.title), finding.lines


def _nearest(path: str, lines: list[str] | None, line: int) -> str:
    """The lines around one of them, on rows of their own; "" if there is no such text file."""
    if not lines:
        return ""
    start = min(max(line - _AROUND, 1), len(lines))
    return f" It reads there:\n{show_lines(path, lines, start, min(start + _MOST_NEAREST, len(lines)))}"
