"""Posted findings are not posted again: in other words, on other lines, after edits, after people dismissed them."""

import pytest

from local.model import Step
from tests.specs.adversaries import ABSENT, EVERY_PUSH, SILENT, dismiss, judge, model, opened_on, push_on, threads
from tests.specs.conftest import Opened, Stage
from tests.specs.material.means import BUG, NAMES, NEXT, code, first, found, known, name_in, reworded
from tests.specs.scripts import Json, an_answer

PATH = "src/means.py"
CODE = code()
KNOWS = judge(known, confirms=True)


def standing(opened: Opened) -> tuple[int, dict[str, int]]:
    """The number of inline comments, each of another finding, and the number of findings by status."""
    assert sorted(set(threads(opened))) == sorted(threads(opened))
    now = [known.status for known in opened.ledger.findings()]
    return len(threads(opened)), {status: now.count(status) for status in now}


def push_reported(opened: Opened, text: str, findings: list[Json], judged: Step, **report: object) -> None:
    push_on(opened, {PATH: text}, model(findings, judged, **report))


def test_five_pushes_of_other_words_leave_eight_findings_eight(stage: Stage) -> None:
    """On other lines each time, though the reviewer answers about half of the findings only, and without a judge.

    Code alone tells a finding that quotes the next line too. Without a judge the quoted lines decide: those that are
    the same, or hold them, in another category too. It holds where the code that was complained about is edited.
    """
    stage.model.answers = model(first(PATH, CODE), judge())
    opened = opened_on(stage, {}, {PATH: CODE}, EVERY_PUSH)
    assert standing(opened) == (8, {"open": 8})

    text = f"{CODE}LIMIT = 0\n"
    further = [found(PATH, text, name, "The mean of $ divides by zero", NEXT) for name in NAMES]
    push_reported(opened, text, further, judge())
    assert standing(opened) == (8, {"open": 8})

    text = f"{CODE}LIMIT = 1\n"
    answered = [
        an_answer(each.id, "NOT_ADDRESSED", path=PATH, quote=each.finding.quote)
        for each in opened.ledger.findings()
        if name_in(each.finding.quote) in NAMES[:4]
    ]
    push_reported(opened, text, reworded(PATH, text), KNOWS, earlier=answered)
    assert standing(opened) == (8, {"open": 8})

    text = f"{CODE}LIMIT = 2\n"
    same_lines = reworded(PATH, text, wordings=(0, 1, 2, 4))
    other_category = [
        found(PATH, text, name, "$ can be brought down", BUG, category="reliability", severity="CRITICAL")
        for name in NAMES
    ]
    push_reported(opened, text, [*same_lines, *other_category], ABSENT)
    assert standing(opened) == (8, {"open": 8})

    text = f"{CODE}LIMIT = 3\n".replace("sum(", "math.fsum(")
    push_reported(opened, text, reworded_at(3, text), KNOWS)
    assert standing(opened) == (8, {"open": 8})

    text = f"{CODE}LIMIT = 4\n".replace("sum(", "math.fsum(")
    about = [each | {"quote": each["quote"].replace("total_", "sum_of_")} for each in reworded_at(4, text)]
    push_reported(opened, text.replace("total_", "sum_of_"), about, KNOWS)
    assert standing(opened) == (8, {"open": 8})


def reworded_at(number: int, text: str) -> list[Json]:
    """One wording of each, quoting lines as they stand in a text."""
    bare = text.replace("math.fsum(", "sum(")
    return [
        each | {"quote": each["quote"].replace("sum(", "math.fsum(") if "math.fsum(" in text else each["quote"]}
        for each in reworded(PATH, bare, wordings=[number])
    ]


def test_dismissed_findings_are_not_raised_again_in_other_words(stage: Stage) -> None:
    """Forty times: half of it on code that stands as it stood, half on code whose lines were edited."""
    still, edited = "src/still.py", "src/edited.py"
    old = {still: code(NAMES[:4]), edited: code(NAMES[4:])}
    stage.model.answers = model([*first(still, old[still], NAMES[:4]), *first(edited, old[edited], NAMES[4:])], judge())
    opened = opened_on(stage, {}, dict(old))
    assert standing(opened) == (8, {"open": 8})
    dismiss(opened)

    after = old[edited].replace("total_", "sum_of_")
    about = [
        each | {"quote": each["quote"].replace("total_", "sum_of_")}
        for each in reworded(edited, old[edited], NAMES[4:])
    ]
    push_on(opened, {edited: after}, model([*reworded(still, old[still], NAMES[:4]), *about], KNOWS))

    assert standing(opened) == (8, {"wont_fix": 8})
    assert len(opened.reviews) == 1


@pytest.mark.parametrize(
    ("judged", "is_known"),
    [(KNOWS, True), (judge(known), False), (judge(), False), (SILENT, False), (ABSENT, False)],
    ids=["knows it", "knows it once", "keeps all", "silent", "absent"],
)
def test_dismissed_findings_are_not_raised_again_on_the_lines_next_to_them(
    stage: Stage, judged: Step, *, is_known: bool
) -> None:
    """Critical findings in other words, on each line of their functions, which comments have pushed down.

    If nobody says for certain whether they are the dismissed ones, they are judged again, and nothing is green.
    """
    stage.model.answers = model([{**each, "severity": "CRITICAL"} for each in first(PATH, CODE)], judge())
    opened = opened_on(stage, {}, {PATH: CODE})
    dismiss(opened)

    text = f"# Means of prices.\n\n{CODE}"
    lines = [line.strip().replace("ant", "$") for line in code(["ant"]).split("\n") if line]
    shifted = [
        found(PATH, text, name, f"$ fails without values, by line {number}", line, severity="CRITICAL")
        for name in NAMES
        for number, line in enumerate(lines)
    ]
    push_on(opened, {PATH: text}, model([*shifted, *reworded(PATH, text)], judged))

    assert standing(opened) == (8, {"wont_fix": 8})
    assert (opened.check["conclusion"] == "success") is is_known
    assert ("To be judged again:" in opened.reviews[-1]["body"]) is not is_known
