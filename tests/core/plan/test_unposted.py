"""When a run goes on from a review that was not posted, and what it then reads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.keys import Config, ReviewConfig
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import Source
from kodiai.core.github.comment import Reply
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.carry import carry
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.plan.unposted import UnpostedAnswer, UnpostedReview
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.review.hear import hear
from tests.builders import PARSER, FilesTree, a_finding, a_known, a_reply, a_thread, added, an_answer, reading
from tests.core.review_inputs import LAST_HEAD, SETTINGS, loaded, planned, remembered
from tests.tables import each_row

ONE, TWO = added("src/one.py", "one = 1"), added("src/two.py", "two = 2")
BEFORE = remembered([])


def unposted(*files: ChangedFile, after_run: str | None = "run1", config: Config | None = None) -> UnpostedReview:
    return UnpostedReview("d" * 40, after_run, Snapshot.of(files, (config or Config()).key))


KEPT = unposted(ONE)
[SEEN] = KEPT.snapshot.files
LEFT = replace(KEPT, snapshot=replace(KEPT.snapshot, files=(replace(SEEN, left_out="over the budget"),)))
OTHER_SETTINGS = unposted(ONE, config=Config(review=ReviewConfig(max_comments=1)))


@each_row(
    ("case", "kept", "given", "read"),
    [
        ("what it did not read", KEPT, {}, {"src/two.py"}),
        ("a first review", unposted(ONE, after_run=None), {"is_first": True}, {"src/two.py"}),
        ("what it left unread", LEFT, {}, {"src/one.py", "src/two.py"}),
        ("after another review", unposted(ONE, after_run="run0"), {}, None),
        ("before any review", unposted(ONE, after_run=None), {}, None),
        ("by other settings", OTHER_SETTINGS, {}, None),
        ("for a person who wants everything", KEPT, {"trigger": "full_review"}, None),
    ],
)
def test_a_run_goes_on_from_a_review_that_was_not_posted(
    case: str, kept: UnpostedReview, given: dict[str, Any], read: set[str] | None
) -> None:
    """Compared with both, the posted one and that; where it does not count, all is read that the posted one did not."""
    before = None if "is_first" in given else BEFORE
    plan = planned(loaded([ONE, TWO], before, unposted=kept, **given))

    assert {file.path for file in plan.scope.files} == (read or {"src/one.py", "src/two.py"}), case
    assert (plan.input.unposted is None) == (read is None), case
    assert read is None or (plan.scope.mode, plan.scope.as_reviewed) == ("incremental", 2 - len(read)), case
    assert "is_first" not in given or plan.scope.reason == "since-ddddddd"


SUM, CALL, GUARD = "bill = sum(prices)", "bill = checked(prices)", "def checked(values):"
POSTED = {"bill": SUM, "guard": "x = 1"}
KNOWN = a_known(
    a_finding(path="src/bill.py", quote=SUM, start_line=1), id="F", hunk=added("src/bill.py", SUM).sections[0].key
)
SAID = an_answer(answer="ADDRESSED", path="src/guard.py", quote=GUARD)
EVIDENCE = Evidence("src/guard.py", GUARD)
NOTHING_SAID = Stance()
FIXED = FindingUpdate(replace(KNOWN, status="fixed", evidence=EVIDENCE), KNOWN, "resolved", SAID.why)


def planned_after(
    said: EarlierAnswer,
    files: Mapping[str, str] = {},
    replies: Sequence[Reply] = (),
    known: KnownFinding = KNOWN,
    posted: Mapping[str, str] = POSTED,
    stance: Stance = NOTHING_SAID,
) -> ReviewPlan:
    """The plan after a push gave files of src these lines, since a run that was not posted said this of a finding.

    `stance` is what people had said by then.
    """
    then = {"bill": CALL, "guard": GUARD}
    now = {name: line for name, line in {**then, **files}.items() if line}
    seen, read, there = ([added(f"src/{name}.py", line) for name, line in of.items()] for of in (posted, then, now))
    kept = replace(unposted(*read), answers=(UnpostedAnswer(said, replace(FIXED, stance=stance), EVIDENCE),))
    threads = [a_thread(*replies, finding="F")] if replies else []
    review_input = loaded(there, remembered(seen), [known], threads, unposted=kept)
    old = {(file.path, LAST_HEAD): [line.text for line in file.hunks[0].lines] for file in seen}
    tree = FilesTree({f"src/{name}.py": line for name, line in now.items()})
    view = RepositoryView(tree, PARSER, lambda path, head: old.get((path, head)))
    return plan_review(review_input, hear(review_input, None), view, SETTINGS)


@each_row("files", [{}, {"more": "x = 2"}])
@each_row("path", ["src/guard.py", "a/src/guard.py:1", "guard.py"])
def test_an_answer_about_an_earlier_finding_holds_where_its_code_is_as_it_was(path: str, files: dict[str, str]) -> None:
    """Nobody is asked about the finding; what resolves it is known."""
    plan = planned_after(SAID.model_copy(update={"path": path}), files)

    assert plan.rechecked == ()
    assert {name: (each.said, each.evidence) for name, each in plan.answered.items()} == {"F": (SAID, EVIDENCE)}


@each_row(
    ("case", "files"),
    [
        ("the code of the finding is edited", {"bill": CALL + "  # so"}),
        ("the code that the answer shows is edited", {"guard": GUARD + "  # so"}),
        ("that code is gone", {"guard": ""}),
        ("a new hunk mentions a name of the finding", {"more": "prices = []"}),
        ("a new hunk mentions a name of the answer's code", {"more": "checked = None"}),
    ],
)
def test_an_answer_is_asked_for_again_where_the_push_may_have_changed_it(case: str, files: dict[str, str]) -> None:
    """Then the code that the finding has, or its names, were touched."""
    plan = planned_after(SAID, files)

    assert [each.id for each in plan.rechecked] == ["F"], case
    assert plan.answered == {}


@pytest.mark.parametrize(("replies", "known"), [([a_reply("Fixed.")], KNOWN), ([], replace(KNOWN, argued=True))])
def test_an_answer_is_asked_for_again_once_people_have_said_something(
    replies: list[Reply], known: KnownFinding
) -> None:
    """Their comment may be an argument, and a decision made meanwhile counts."""
    plan = planned_after(SAID, {}, replies, known)

    assert ([each.id for each in plan.rechecked], plan.answered) == (["F"], {})


def test_an_answer_to_what_people_said_holds_while_they_say_nothing_more() -> None:
    """The posted review then answers their claim."""
    done, more = a_reply("Fixed."), a_reply("Fixed.", "otto")
    stance = planned_after(SAID, replies=[done]).stances["F"]

    assert stance.claim == "done"
    assert [*planned_after(SAID, replies=[done], stance=stance).answered] == ["F"]
    assert [*planned_after(SAID, replies=[done, more], stance=stance).answered] == []


@pytest.mark.parametrize("posted", [{"bill": SUM, "guard": "x = 1"}, {"bill": SUM}])
def test_the_reviewer_who_is_asked_again_sees_the_code_that_the_answer_went_by(posted: dict[str, str]) -> None:
    """It was read by the run that was not posted, and is not among the changes."""
    [batch] = planned_after(SAID, {"more": "prices = []"}, posted=posted).batches

    assert [file.path for file in batch.files] == ["src/more.py"]
    assert any(f"+{GUARD}" in block.text for block in batch.earlier)


@each_row(
    ("start", "replaces", "offered"),
    [
        (2, (1, 2), ("x", (4, 5))),
        (2, None, ("x", None)),
        (1, (1, 2), (None, None)),
    ],  # where in two lines it was is unknown
)
def test_a_replacement_moves_with_the_code_of_a_finding_that_was_not_posted(
    start: int, replaces: tuple[int, int] | None, offered: Any
) -> None:
    """A merge of the base branch moved it; where it would replace other lines, it is not offered."""
    lines = {"start_line": start, "end_line": 2, "replacement": "x", "replaces": replaces}
    found = a_finding(path="src/bill.py", quote=SUM, **lines)
    decision = JudgeDecision(Candidate(1, "behavior", found), "kept", "keep", found)
    run = loaded([ONE], BEFORE, unposted=replace(KEPT, decisions=(decision,)))
    source = Source(reading({"src/bill.py": ["", "", "", "bill = 0", SUM]}), [ONE], ["src/bill.py"])

    [held], _ = carry(run, source, PARSER, can_judge=True)

    assert (held.finding.lines, (held.finding.replacement, held.finding.replaces)) == ("5", offered)
