"""A review that did not see everything is never green, whoever failed."""

from local.model import ModelRequest, Request, Script, is_extract, is_find, json_reply, refusal, text
from tests.specs.adversaries import UNREADABLE, is_lead, judge, model, opened_on
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report

VERDICT = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
FILES = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
LONG = {"src/orders.py": FILES["src/orders.py"] + "".join(f"N_{number} = {number}\n" for number in range(120))}


def greens(opened: Opened) -> list[str]:
    """What of the review would let somebody merge it unread."""
    body, check = opened.reviews[-1]["body"], opened.checks(opened.head)[0]
    found = {
        "approved": "APPROVED" in [review["state"] for review in opened.reviews],
        "green verdict": ":green_circle:" in body or "Ready to merge" in body,
        "green check": check["conclusion"] == "success",
    }
    return [what for what, is_so in found.items() if is_so]


def test_a_report_whose_extraction_is_cut_short_each_time_is_not_green(stage: Stage) -> None:
    """Its files count as not read, and the body says so."""
    cut = text('{"what_changed": "Orders", "findings": [', "max_tokens")
    stage.model.answers = Script(otherwise=model([a_finding()], judge())).when(is_extract, cut, always=True)

    opened = opened_on(stage, {}, FILES, VERDICT)

    assert greens(opened) == []
    assert ":yellow_circle: **Not fully reviewed**" in opened.reviews[-1]["body"]


def test_a_review_in_which_one_reviewer_declines_is_not_green(stage: Stage) -> None:
    """Though all the others read every file and found nothing."""

    def declines(request: Request) -> bool:
        return is_find(request) and ModelRequest(request).part == "correctness"

    stage.model.answers = Script(otherwise=model((), judge())).when(declines, refusal(), always=True)

    opened = opened_on(stage, {}, LONG, VERDICT)

    assert greens(opened) == []
    assert ":yellow_circle: **Not fully reviewed**" in opened.reviews[-1]["body"]


def test_a_report_of_which_no_finding_can_be_read_is_not_green(stage: Stage) -> None:
    """There was something to say about its files."""
    findings = [a_finding(severity="TERRIBLE"), {"title": "Only a title"}, a_finding(path=None)]
    report = json_reply({**a_report(), "findings": findings})
    stage.model.answers = Script(otherwise=model((), judge())).when(is_extract, report, always=True)

    opened = opened_on(stage, {}, FILES, VERDICT)

    assert greens(opened) == []
    assert "reported findings could not be read" in opened.reviews[-1]["body"]


def test_a_report_of_which_a_part_became_no_data_is_not_green(stage: Stage) -> None:
    """Whatever its form and its language: only where all of it became data is the change approved."""
    titles = ("Der Rabatt wird addiert", "Die Summe ist zu klein", "Der Preis wird gerundet", "Eine Zeile fehlt")
    four = [a_finding(title=title, explanation=f"{title}, bei jeder Bestellung.", severity="MINOR") for title in titles]
    sections = [f"### Befund {n}\n{each['title']}\n\n{each['explanation']}\n" for n, each in enumerate(four, 1)]
    found: list[tuple[list[str], list[str]]] = []
    for kept in (four[:0], four[:1], four):
        # Other prose for each: what was extracted once is not asked for again.
        prose = text("\n".join([f"# {len(kept)}\n\nOrders take a discount.\n", *sections]))
        answers = Script(otherwise=model(kept, judge())).when(is_lead, prose, always=True)
        stage.model.answers = answers

        opened = opened_on(stage, {}, FILES, VERDICT)

        found.append(([review["state"] for review in opened.reviews], greens(opened)))
        is_unread = "1 passage of the generalist report became no data" in opened.reviews[-1]["body"]
        assert is_unread == (kept != four)

    assert found == [(["COMMENTED"], []), (["COMMENTED"], []), (["APPROVED"], ["approved", "green verdict"])]


def test_a_blocker_is_posted_and_blocks_though_the_judge_cannot_be_read(stage: Stage) -> None:
    """Nobody refuted it; it says that it was not verified."""
    stage.model.answers = model([a_finding()], UNREADABLE)

    opened = opened_on(stage, {}, FILES, VERDICT)

    assert greens(opened) == []
    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]
    assert "Caveat: not verified" in opened.comments[0]["body"]


def test_a_review_with_a_judge_that_writes_lines_into_paths_is_not_green(stage: Stage) -> None:
    """Its evidence is found, so that a blocker blocks without a caveat."""

    def rule(_candidate: dict[str, object], _earlier: object) -> dict[str, object]:
        return {"path": "src/orders.py:1"}

    stage.model.answers = model([a_finding()], judge(rule))

    opened = opened_on(stage, {}, FILES, VERDICT)

    assert greens(opened) == []
    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]
    assert "Caveat" not in opened.comments[0]["body"]
