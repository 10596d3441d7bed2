"""Properties of all recordings: examples of what a judge answers and of what people read."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from statistics import median

import pytest

from evals.case import Case, read_cases
from evals.case_files import RecordedFinding
from evals.judge import RuleJudge
from evals.recorded import ruling
from evals.result import PostedFinding
from evals.scoring import score
from kodiai.core.changes.patch import without_spaces
from tests.evals.made_up import pushed, reviewed

CASES = read_cases()


def recorded(case: Case) -> Iterator[tuple[int, RecordedFinding]]:
    """Every recorded finding with its push, counted from 0."""
    for at, push in enumerate(case.recording.pushes if case.recording else ()):
        for findings in push.reports.values():
            yield from ((at, finding) for finding in findings)


def is_in_file(case: Case, push: int, path: str, quote: str) -> bool:
    """Whether a file contains this code after a push, white space aside."""
    return bool(without_spaces(quote)) and without_spaces(quote) in without_spaces("\n".join(case.lines_of(path, push)))


def new_lines(case: Case, path: str, push: int) -> list[str]:
    """The lines that a push adds to a file or moves in it, without their white space."""
    before, after = ([without_spaces(line) for line in case.lines_of(path, at)] for at in (push - 1, push))
    edits = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [line for tag, _, _, first, end in edits if tag != "equal" for line in after[first:end]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_each_ruling_quotes_code_of_the_head_of_its_push(case: Case) -> None:
    """The engine accepts a ruling only with a line of code."""
    rulings = [(at, finding, ruling(0, finding, None)) for at, finding in recorded(case)]

    missing = [
        (at + 1, finding.title)
        for at, finding, said in rulings
        if not is_in_file(case, at, said["path"], said["quote"])
    ]

    assert missing == []
    assert case.recording is not None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_recorded_resolutions_agree_with_the_case(case: Case) -> None:
    """Each quotes code of the push's head, and the push added one of its lines."""
    assert case.recording is not None
    for at, push in enumerate(case.recording.pushes):
        for answer in push.earlier:
            if answer.resolved is not None:
                assert answer.resolved == (case.pushes[at].statuses[answer.id] == "resolved")
                assert is_in_file(case, at, answer.path, answer.quote), answer.id
                quoted = [without_spaces(line) for line in answer.quote.split("\n")]
                assert any(part in line for part in quoted for line in new_lines(case, answer.path, at)), answer.id


def test_kept_findings_are_true_and_written_for_people() -> None:
    """It has a title, a problem and a fix of the judge's own, which are short; what is dropped is not true."""
    kept = [finding for case in CASES for _, finding in recorded(case) if finding.is_kept]
    dropped = [finding for case in CASES for _, finding in recorded(case) if not finding.is_kept]

    words = [len(f"{finding.ruling.problem} {finding.ruling.fix}".split()) for finding in kept]

    assert [finding.title for finding in kept if not (finding.ruling.problem and finding.ruling.fix)] == []
    assert [finding.title for finding in kept if not finding.label] == []
    assert [finding.title for finding in dropped if finding.label and finding.fate != "same-as"] == []
    assert median(words) <= 50
    assert max(words) <= 65


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_kept_findings_are_the_expected_problems(case: Case) -> None:
    """Posted under the judge's titles, they match every expected problem once, and nothing else."""
    pushes: list[list[PostedFinding]] = [[] for _ in case.pushes]
    for at, finding in recorded(case):
        if finding.is_kept:
            said = {**finding.model_dump(), "title": ruling(0, finding, None)["title"], "id": f"{at}-{finding.title}"}
            pushes[at].append(
                PostedFinding(**{name: said[name] for name in PostedFinding.model_fields if name in said})
            )

    scored = score(case, reviewed(case.slug, *(pushed(*posted) for posted in pushes)), RuleJudge())

    assert [miss.expected.id for miss in scored.misses] == []
    assert [false.finding.title for false in scored.false] == []
