"""The recorded answers to the requests of reviewers, of the extraction and of the judge, without the engine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.case import Case, read_cases
from evals.progress import Position, Progress
from evals.recorded import NOTHING, RecordedAnswers
from kodiai.core.findings.report import Report, finding_numbers, read_report
from local.model import Reply
from tests.evals.made_up import DEFECT, DISCOUNTED, INVENTED, expected, recorded, write_both, write_case
from tests.local.model.judging import a_candidate, a_claim, a_judge_request, read_answer

Json = dict[str, Any]
TITLE = "The discount is added instead of taken off"


def a_find(part: str | None, *blocks: str, title: str = "Give a discount") -> Json:
    """A request as the engine puts it together: the pull request, its changes, more, and whose part it is."""
    described = json.dumps({"repository": "acme/widgets", "number": 1, "title": title, "description": "{}"})
    texts = [f"# The pull request, as its author describes it\n\n{described}", "# Its changes\n\n### FILE", *blocks]
    texts += [f"# Your part: {part}\n\nLook."] if part else ["Review these changes."]
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}]}


def an_extract(report: str) -> Json:
    """A request that turns a report into data."""
    quoted = "\n".join(f"| {line}" for line in report.split("\n"))
    return {
        "messages": [{"role": "user", "content": f"<report>\n{quoted}\n</report>"}],
    }


def a_judgement(*candidates: Json, claims: Sequence[Json] = (), kept: Sequence[Json] = ()) -> Json:
    """A request to the judge about the made-up pull request."""
    described = json.dumps({"title": "Give a discount"})
    before = [f"# The pull request, as its author describes it\n\n{described}"]
    before += ["\n".join(["# Kept already", *map(json.dumps, kept)])] if kept else []
    return a_judge_request(candidates, claims, *before)


class RecordedCases:
    """Recorded answers to the made-up cases, and their progress."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.progress = Progress()
        self.answers = RecordedAnswers(cases, self.progress)
        self.at(0)

    def at(self, push: int) -> None:
        self.progress["Give a discount"] = Position("python/discount", 1, push)

    def says(self, request: Json) -> str:
        said = self.answers.answer(request)
        assert isinstance(said, Reply)
        return "".join(block["text"] for block in said.content)

    def data(self, report: str) -> Any:
        return json.loads(self.says(an_extract(report)))


@pytest.fixture
def recorded_cases(tmp_path: Path) -> RecordedCases:
    return RecordedCases(write_both(tmp_path))


@pytest.mark.parametrize(
    ("part", "titles"),
    [
        ("generalist", [TITLE]),
        ("correctness", ["The cache is never emptied"]),
        ("security", []),
        (None, [TITLE, "The cache is never emptied"]),
    ],
)
def test_each_reviewer_reports_its_own_findings_under_numbered_headings(
    recorded_cases: RecordedCases, part: str | None, titles: list[str]
) -> None:
    """A request that names no part gets everybody's; what is reported comes back whole from the extraction."""
    report = recorded_cases.says(a_find(part))

    data = recorded_cases.data(report)

    assert finding_numbers(report) == tuple(range(1, len(titles) + 1))
    assert (report == NOTHING) == (not titles)
    assert [finding["title"] for finding in data["findings"]] == titles
    assert set(data) == {"earlier", *Report.model_fields}
    assert len(read_report(json.dumps(data)).report.findings) == len(titles)


def test_earlier_findings_are_rechecked_as_recorded(recorded_cases: RecordedCases) -> None:
    """They are found by the title under which they were posted; a finding without a recording gets no answer."""
    asked = [
        {"finding": "F-1", "title": "The discount is added instead of taken off"},
        {"finding": "F-2", "title": "?"},
    ]
    earlier = "\n".join(["# Findings of earlier reviews", "", *map(json.dumps, asked)])
    recorded_cases.at(1)

    data = recorded_cases.data(recorded_cases.says(a_find("generalist", earlier)))

    assert data["findings"] == []
    assert [(one["finding"], one["answer"], one["quote"]) for one in data["earlier"]] == [
        ("F-1", "ADDRESSED", "return sum(prices) - discount")
    ]
    assert recorded_cases.says(a_find("generalist")) == NOTHING


def in_the_shop(number: int, title: str, **more: Any) -> Json:
    return a_candidate(number, path="shop/orders.py", title=title, **more)


def test_the_judge_rules_on_recorded_findings_by_path_and_title(recorded_cases: RecordedCases) -> None:
    """Fields that the recording leaves out come from the finding; an unrecorded candidate gets no ruling."""
    shown = [in_the_shop(3, TITLE), in_the_shop(4, INVENTED["title"]), a_candidate(5, path="other.py", title=TITLE)]

    answer = read_answer(recorded_cases.says(a_judgement(*shown)))

    assert answer["resolutions"] == []
    assert answer["rulings"][0] == {
        "number": 3,
        "fate": "keep",
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": "shop/orders.py",
        "quote": "return sum(prices) + discount",
        "why": "The sum and the discount are added up.",
        "severity": "MAJOR",
        "kind": "impact",
        "pre_existing": False,
        "title": TITLE,
        "problem": "A discount of 5 makes an order of 100 cost 105.",
        "fix": "Subtract the discount.",
        "offer_replacement": False,
    }
    wrong = answer["rulings"][1]
    assert (wrong["number"], wrong["fate"], wrong["quote"]) == (4, "wrong", "def total(prices, discount=0):")
    assert len(answer["rulings"]) == 2


def test_a_duplicate_names_the_number_of_its_original(tmp_path: Path) -> None:
    """The original is in this conversation or an earlier one; without it the duplicate is kept."""
    again = recorded(title="Discounts raise the price", fate="same-as", same_as="discount-added", ruling={})
    hidden = recorded(title="Why not subtract?", severity="MINOR", fate="below-floor", replacement="", ruling={})
    said = {"pushes": [{"reports": {"generalist": [recorded()], "security": [again, hidden]}}]}
    sheet = {**DEFECT, "pushes": [{"expected": [expected()]}]}
    write_case(tmp_path, "python/discount", sheet, {"shop/orders.py": DISCOUNTED}, said=said)
    recorded_cases = RecordedCases(read_cases(tmp_path))
    first, second = in_the_shop(1, TITLE), in_the_shop(2, "Discounts raise the price")
    before = {"number": 9, "path": "shop/orders.py", "lines": "2", "title": TITLE}

    def ruled(request: Json) -> list[tuple[str, int | None]]:
        return [(one["fate"], one["same_as"]) for one in json.loads(recorded_cases.says(request))["rulings"]]

    assert ruled(a_judgement(second, first)) == [("same-as", 1), ("keep", None)]
    assert ruled(a_judgement(second, kept=[before])) == [("same-as", 9)]
    assert ruled(a_judgement(second)) == [("keep", None)]
    [offered] = json.loads(recorded_cases.says(a_judgement(in_the_shop(1, "Why not subtract?"))))["rulings"]
    assert (offered["fate"], offered["severity"], offered["offer_replacement"]) == ("keep", "MINOR", True)
    assert offered["problem"] == recorded()["explanation"]


def test_a_claimed_resolution_is_decided_as_recorded(recorded_cases: RecordedCases) -> None:
    """The recorded answer is the evidence; an unrecorded finding stays open."""
    claims = [a_claim("F-1", title=TITLE), a_claim("F-2", title="?")]
    recorded_cases.at(1)

    answer = read_answer(recorded_cases.says(a_judgement(claims=claims)))

    assert answer == {
        "rulings": [],
        "resolutions": [
            {
                "finding": "F-1",
                "resolved": True,
                "path": "shop/orders.py",
                "quote": "return sum(prices) - discount",
                "why": "The discount is taken off now.",
            },
            {"finding": "F-2", "resolved": False, "path": "", "quote": "", "why": "Nothing was recorded of it."},
        ],
    }


def test_an_unknown_pull_request_has_no_recorded_answers(recorded_cases: RecordedCases) -> None:
    """The stand-in then fails visibly; a push after the last recorded one has nothing to report."""
    assert recorded_cases.answers.answer(a_find("generalist", title="Another one")) is None
    assert recorded_cases.answers.answer({"messages": [{"role": "user", "content": "Hello"}]}) is None

    recorded_cases.at(7)

    assert recorded_cases.says(a_find("generalist")) == NOTHING
    assert recorded_cases.data("Somebody else's report.\n### Finding 1")["findings"] == []


def test_recorded_findings_of_a_push_are_listed_by_reviewer(recorded_cases: RecordedCases) -> None:
    """A run needs them to report the fate of each."""
    said = recorded_cases.answers.findings(Position("python/discount", 1, 0), ["correctness", "security"])

    assert [one.title for one in said] == ["The cache is never emptied"]
    assert recorded_cases.answers.findings(Position("python/discount", 1, 9), ["correctness"]) == []
