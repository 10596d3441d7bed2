"""What is said to be resolved: never where the code is as it was, always where it is fixed, and never for ever."""

from collections.abc import Iterable, Sequence

import pytest

from local.model import Script, Step
from tests.specs.adversaries import at, by_title, judge, model, opened_on, push_on, statuses
from tests.specs.conftest import Opened, Stage
from tests.specs.material.claims import FIXED, START, TOUCHED, UNCHANGED, Edit
from tests.specs.scripts import Json, an_answer

TRUE = {edit.name for edit in FIXED}
CLAMPED = {"src/clamp.py": "def clamped(value):\n    return value\n"}
CALL = "def price(order):\n    return clamped(order.price)\n"


def finding(edit: Edit) -> Json:
    return at(edit.file, edit.of(edit.before), edit.of(edit.bug), edit.name)


def opened_with(stage: Stage, edits: Sequence[Edit]) -> Opened:
    """A reviewed pull request with a finding for each edit."""
    stage.model.answers = model(map(finding, edits), judge())
    base = {edit.file: edit.of(edit.base) for edit in edits if edit.base is not None}
    before = {path: text for edit in edits for path, text in edit.files({**edit.then, edit.file: edit.before}).items()}
    opened = opened_on(stage, base, before)
    assert set(statuses(opened, [edit.name for edit in edits]).values()) == {"open"}
    return opened


def claiming(opened: Opened, edits: Iterable[Edit], judged: Step) -> Script:
    """A model that calls each of these findings resolved."""
    ids = {title: known.id for title, known in by_title(opened).items()}
    said = [
        an_answer(ids[edit.name], path=edit.of(edit.path or edit.file), quote=edit.of(edit.quote)) for edit in edits
    ]
    return model((), judged, earlier=said)


@pytest.mark.parametrize("knows", [True, False])
def test_only_what_the_code_fixes_is_resolved_whatever_a_reviewer_claims(stage: Stage, knows: bool) -> None:
    """Code decides almost all, even with a judge that agrees to everything; the judge decides what needs meaning."""
    edits = (*UNCHANGED, *FIXED)
    opened = opened_with(stage, edits)
    after = {path: text for edit in edits for path, text in edit.files({edit.file: edit.after, **edit.now}).items()}

    agrees = judge(resolved=lambda title: not knows or title in TRUE)
    push_on(opened, after, claiming(opened, edits, agrees))

    now = statuses(opened, [edit.name for edit in edits])
    assert stage.outcome()["asked_back"] == len(edits)
    left_to_meaning = [edit.name for edit in UNCHANGED if edit.by_meaning and not knows]
    assert [edit.name for edit in UNCHANGED if now[edit.name] != "open"] == left_to_meaning
    assert [edit.name for edit in FIXED if now[edit.name] != "fixed"] == []


def test_what_was_resolved_is_open_again_where_it_is_reported_again(stage: Stage) -> None:
    """For the same code, in the same or in other words, under its id and not as another finding."""
    edits = [edit for edit in FIXED if edit.name in ("guard", "changed")]
    opened = opened_with(stage, edits)
    after = {edit.file: edit.of(str(edit.after)) for edit in edits}
    push_on(opened, after, claiming(opened, edits, judge()))
    assert set(statuses(opened, [edit.name for edit in edits]).values()) == {"fixed"}
    before = {known.id for known in opened.ledger.findings()}

    guard, changed = edits
    again = [
        at(guard.file, after[guard.file], guard.of(guard.bug), "An empty order has a discount"),
        at(changed.file, changed.of(changed.before), changed.of(changed.bug), "changed"),
    ]
    more = {guard.file: after[guard.file] + "N = 1\n", changed.file: changed.of(changed.before) + "N = 1\n"}
    push_on(opened, more, model(again, judge()))

    assert {known.id: known.status for known in opened.ledger.findings()} == dict.fromkeys(before, "open")


def test_an_open_finding_is_looked_at_again_where_a_changed_hunk_elsewhere_has_its_names(stage: Stage) -> None:
    """Though nothing of its own file changed: the fix may stand elsewhere. A hunk without its names asks nothing."""
    found = at("src/price.py", CALL, "return clamped(order.price)", "A price may be negative")
    stage.model.answers = model([found], judge())
    opened = opened_on(stage, {}, {"src/price.py": CALL, **CLAMPED, "src/other.py": "x = 1\n"})
    [known] = opened.ledger.findings()

    push_on(opened, {"src/other.py": "x = 2\n"}, model((), judge()))
    assert stage.outcome()["asked_back"] == 0

    fixed = an_answer(known.id, path="src/clamp.py", quote="return max(value, 0)")
    push_on(
        opened,
        {"src/clamp.py": CLAMPED["src/clamp.py"].replace("value\n", "max(value, 0)\n")},
        model((), judge(), earlier=[fixed]),
    )

    assert stage.outcome()["asked_back"] == 1
    assert [each.status for each in opened.ledger.findings()] == ["fixed"]


def test_evidence_of_a_push_before_the_last_one_resolves_nothing(stage: Stage) -> None:
    """The finding was open with that line in the code."""
    [edit] = [edit for edit in UNCHANGED if edit.name == "old_line"]
    opened = opened_with(stage, [edit])
    first = edit.of(START.replace("    return paid", "    fee = paid * 0\n    return paid"))
    push_on(opened, {edit.file: first}, model((), judge()))

    [known] = opened.ledger.findings()
    claimed = an_answer(known.id, path=edit.file, quote="fee = paid * 0")
    push_on(opened, {edit.file: f"{first}{TOUCHED.splitlines()[-1]}\n"}, model((), judge(), earlier=[claimed]))

    assert [each.status for each in opened.ledger.findings()] == ["open"]
