"""The recorded answers to the requests of readers and of the judge, without the engine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.case import Case, read_cases
from evals.progress import Position, Progress
from evals.recorded import RecordedAnswers
from local.model import Reply
from tests.evals.made_up import DEFECT, DISCOUNTED, INVENTED, expected, recorded, write_both, write_case
from tests.local.model.judging import a_candidate, a_claim, a_judge_request, read_rulings
from tests.tables import each_row

Json = dict[str, Any]
TITLE = "The discount is added instead of taken off"
FINISHED: list[tuple[str, Json]] = [("finish", {})]


def a_find(part: str | None, *blocks: str, title: str = "Give a discount") -> Json:
    """A request as the engine puts it together: the pull request, its changes, more, and whose part it is."""
    described = json.dumps({"repository": "acme/widgets", "number": 1, "title": title, "description": "{}"})
    texts = [f"# The pull request, as its author describes it\n\n{described}", "# Its changes\n\n### FILE", *blocks]
    texts += [f"# Your part: {part}\n\nLook."] if part else ["Review these changes."]
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}]}


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

    def says(self, request: Json) -> list[tuple[str, Any]]:
        """The calls of an answer: names and inputs."""
        said = self.answers.answer(request)
        assert isinstance(said, Reply)
        return [(block["name"], block["input"]) for block in said.content]

    def rules(self, request: Json) -> Json:
        said = self.answers.answer(request)
        assert isinstance(said, Reply)
        return read_rulings(said.content)


@pytest.fixture
def recorded_cases(tmp_path: Path) -> RecordedCases:
    return RecordedCases(write_both(tmp_path))


@each_row(
    ("part", "titles"),
    [
        ("generalist", [TITLE, INVENTED["title"]]),
        ("security", []),
        (None, [TITLE, INVENTED["title"]]),
    ],
)
def test_each_reader_reports_its_own_findings(
    recorded_cases: RecordedCases, part: str | None, titles: list[str]
) -> None:
    """A request that names no part gets everybody's; what is refused is left as it is."""
    request = a_find(part)
    refused = [{"role": "assistant", "content": "…"}, {"role": "user", "content": "Not finished."}]

    *reported, last = recorded_cases.says(request)
    again = recorded_cases.says({"messages": [*request["messages"], *refused]})

    assert [(name, each["title"]) for name, each in reported] == [("report_finding", title) for title in titles]
    assert [last] == again == FINISHED


def test_earlier_findings_are_rechecked_as_recorded(recorded_cases: RecordedCases) -> None:
    """They are found by the title under which they were posted; a finding without a recording gets no answer."""
    asked = [
        {"finding": "F-1", "title": "The discount is added instead of taken off"},
        {"finding": "F-2", "title": "?"},
    ]
    earlier = "\n".join(["# Findings of earlier reviews", "", *map(json.dumps, asked)])
    recorded_cases.at(1)

    [(name, answer), *last] = recorded_cases.says(a_find("generalist", earlier))

    assert (name, answer["finding"], answer["answer"]) == ("answer_earlier", "F-1", "ADDRESSED")
    assert answer["quote"] == "return sum(prices) - discount"
    assert last == recorded_cases.says(a_find("generalist")) == FINISHED


def in_the_shop(number: int, title: str, **more: Any) -> Json:
    return a_candidate(number, path="shop/orders.py", title=title, **more)


def test_the_judge_rules_on_recorded_findings_by_path_and_title(recorded_cases: RecordedCases) -> None:
    """Fields that the recording leaves out come from the finding; an unrecorded candidate gets no ruling."""
    shown = [in_the_shop(3, TITLE), in_the_shop(4, INVENTED["title"]), a_candidate(5, path="other.py", title=TITLE)]

    answer = recorded_cases.rules(a_judgement(*shown))

    assert list(answer) == ["rule"]
    assert answer["rule"][0] == {
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
    wrong = answer["rule"][1]
    assert (wrong["number"], wrong["fate"], wrong["quote"]) == (4, "wrong", "def total(prices, discount=0):")
    assert len(answer["rule"]) == 2


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
        return [(one["fate"], one["same_as"]) for one in recorded_cases.rules(request)["rule"]]

    assert ruled(a_judgement(second, first)) == [("same-as", 1), ("keep", None)]
    assert ruled(a_judgement(second, kept=[before])) == [("same-as", 9)]
    assert ruled(a_judgement(second)) == [("keep", None)]
    [offered] = recorded_cases.rules(a_judgement(in_the_shop(1, "Why not subtract?")))["rule"]
    assert (offered["fate"], offered["severity"], offered["offer_replacement"]) == ("keep", "MINOR", True)
    assert offered["problem"] == recorded()["explanation"]


def test_a_claimed_resolution_is_decided_as_recorded(recorded_cases: RecordedCases) -> None:
    """The recorded answer is the evidence; an unrecorded finding stays open."""
    claims = [a_claim("F-1", title=TITLE), a_claim("F-2", title="?")]
    recorded_cases.at(1)

    answer = recorded_cases.rules(a_judgement(claims=claims))

    assert answer == {
        "resolve": [
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

    assert recorded_cases.says(a_find("generalist")) == FINISHED


def test_recorded_findings_of_a_push_are_listed_by_reviewer(recorded_cases: RecordedCases) -> None:
    """A run needs them to report the fate of each."""
    said = recorded_cases.answers.findings(Position("python/discount", 1, 0), ["generalist", "security"])

    assert [one.title for one in said] == [TITLE, INVENTED["title"]]
    assert recorded_cases.answers.findings(Position("python/discount", 1, 9), ["generalist"]) == []
