"""Claims of a fix: never believed where the code is as it was, always where it is fixed, and never for ever."""

from collections.abc import Iterable, Sequence

from local.model import Script, Step
from tests.specs.adversaries import at, by_title, judge, model, opened_on, push_on, statuses
from tests.specs.conftest import Opened, Stage
from tests.specs.material.claims import FIXED, UNCHANGED, WITHOUT_EFFECT, Edit
from tests.specs.scripts import Json, an_answer


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


def test_only_what_the_code_fixes_is_resolved_whatever_a_reviewer_claims(stage: Stage) -> None:
    """Code decides almost all, even with a judge that agrees to everything; the judge decides what needs meaning.

    What was resolved is open again where the same code is reported again, in the same or in other words, under its
    id. Evidence of a push before the last one resolves nothing: the finding was open with that line in the code.
    """
    edits = {edit.name: edit for edit in (*UNCHANGED, *FIXED)}
    by_meaning = [edit.name for edit in UNCHANGED if edit.by_meaning]
    refused, agreed = by_meaning[::2], by_meaning[1::2]
    opened = opened_with(stage, list(edits.values()))
    before = {known.finding.title: known.id for known in opened.ledger.findings()}
    after = {
        path: text for edit in edits.values() for path, text in edit.files({edit.file: edit.after, **edit.now}).items()
    }

    push_on(opened, after, claiming(opened, edits.values(), judge(resolved=lambda title: title not in refused)))

    now = statuses(opened, list(edits))
    assert stage.outcome()["asked_back"] == len(edits)
    assert [edit.name for edit in UNCHANGED if now[edit.name] != "open"] == agreed
    assert [edit.name for edit in FIXED if now[edit.name] != "fixed"] == []

    guard, changed, old = edits["guard"], edits["changed"], edits["old_line"]
    guarded, undone = str(after[guard.file]), changed.of(changed.before)
    again = [
        at(guard.file, guarded, guard.of(guard.bug), "An empty order has a discount"),
        at(changed.file, undone, changed.of(changed.bug), "changed"),
    ]
    added = str(after[old.file]).splitlines()[-1]
    assert added not in old.of(old.before)
    more = {guard.file: f"{guarded}N = 1\n", changed.file: f"{undone}N = 1\n", old.file: f"{after[old.file]}N = 1\n"}
    claimed = an_answer(before["old_line"], path=old.file, quote=added)
    push_on(opened, more, model(again, judge(), earlier=[claimed]))

    standing = {known.id: known.status for known in opened.ledger.findings()}
    assert set(standing) == set(before.values())
    assert [standing[before[name]] for name in ("guard", "changed", "old_line")] == ["open"] * 3


def test_code_that_is_only_written_differently_resolves_nothing_even_if_the_judge_agrees(stage: Stage) -> None:
    """A formatter's work, statements that do nothing, and a change that concerns other code are no evidence."""
    opened = opened_with(stage, WITHOUT_EFFECT)
    after = {
        path: text for edit in WITHOUT_EFFECT for path, text in edit.files({edit.file: edit.after, **edit.now}).items()
    }

    push_on(opened, after, claiming(opened, WITHOUT_EFFECT, judge(resolved=lambda _: True)))

    now = statuses(opened, [edit.name for edit in WITHOUT_EFFECT])
    assert stage.outcome()["asked_back"] == len(WITHOUT_EFFECT)
    assert {name for name, status in now.items() if status != "open"} == {
        edit.name for edit in WITHOUT_EFFECT if edit.by_meaning
    }
