"""The remembered outcome of a finding follows from its status, and from comments of people with write access."""

from dataclasses import replace
from typing import Any

from kodiai.core.findings.known import FindingStatus
from kodiai.core.github.comment import Thread, Thumb
from kodiai.core.memory.outcome import embedded_text, remembered_finding
from kodiai.core.memory.remembered import FindingOutcome, RememberedFinding, RuleOutcomes, StoredMemory, rule_outcomes
from kodiai.core.words.memory import overridden_rules
from tests.builders import a_finding, a_known, a_pull_request, a_remembered, a_reply, a_thread
from tests.tables import each_row

WRITERS = {"ann", "bob"}
KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


def remembered(
    thumbs: tuple[Thumb, ...] = (),
    stored: RememberedFinding | None = None,
    *,
    thread: Thread | None = None,
    merged: bool = False,
    **known: Any,
) -> RememberedFinding:
    """The remembered outcome of a finding now, whatever it was before."""
    finding = known.pop("finding", a_finding())
    return remembered_finding(
        a_known(finding, **{"id": "F-1", **known}),
        a_pull_request(is_merged=merged),
        thread or a_thread(thumbs=thumbs),
        StoredMemory(stored) if stored else None,
        WRITERS.__contains__,
        at=5,
    )


def test_everything_that_tells_what_a_finding_was_about_is_remembered() -> None:
    """Its place, its texts, and where it was posted; the quoted code is not."""
    finding = a_finding(title="It ends early", problem="Ten of eleven.", explanation="A long story.", path="a.py")

    found = remembered(finding=finding)

    assert found == RememberedFinding(
        repository_id=1,
        repository="octo/app",
        number=7,
        finding="F-1",
        severity="MAJOR",
        category="correctness",
        path="a.py",
        title="It ends early",
        problem="Ten of eleven.",
        outcome="open",
        at=5,
    )
    assert (found.key, found.name) == ("1/7/F-1", "7/F-1")


@each_row(
    ("status", "argued", "outcome", "dismissed_by"),
    [
        ("open", False, "open", ()),
        ("open", True, "disputed", ()),
        ("fixed", False, "fixed", ()),
        ("wont_fix", False, "wont_fix", ("ann",)),
        ("dismissed", False, "dismissed", ("ann",)),
        ("conceded", False, "conceded", ("ann",)),
        ("acknowledged", False, "acknowledged", ()),
    ],
)
def test_the_outcome_follows_the_ledger(
    status: FindingStatus, argued: bool, outcome: str, dismissed_by: tuple[str, ...]
) -> None:
    """A person who acknowledges a finding agrees with it: that is no dismissal."""
    found = remembered(status=status, argued=argued, settled_by=None if status in ("open", "fixed") else "ann")

    assert (found.outcome, found.dismissed_by, found.accepted_by) == (outcome, dismissed_by, ())


LEFT, RIGHT = (Thumb("left", up=True), Thumb("left", up=False)), (Thumb("bob", up=True), Thumb("ann", up=False))
STORED = a_remembered(dismissed_by=("gone",), accepted_by=("left",))


@each_row(
    ("case", "thumbs", "stored", "known", "accepted_by", "dismissed_by"),
    [
        ("thumbs", RIGHT, None, {}, ("bob",), ("ann",)),
        ("thumbs of a stranger", (Thumb("eve", up=True), Thumb("eve", up=False)), None, {}, (), ()),
        ("a stranger's dismissal", (), None, {"status": "wont_fix", "settled_by": "eve"}, (), ()),
        (
            "people who were asked about",
            LEFT,
            STORED,
            {"status": "wont_fix", "settled_by": "gone"},
            ("left",),
            ("gone",),
        ),
        ("a vote that is taken back", (), a_remembered(accepted_by=("ann",)), {}, (), ()),
    ],
)
def test_only_what_people_with_write_access_say_now_counts(
    case: str,
    thumbs: tuple[Thumb, ...],
    stored: RememberedFinding | None,
    known: dict[str, Any],
    accepted_by: tuple[str, ...],
    dismissed_by: tuple[str, ...],
) -> None:
    """An author without it teaches nothing about other pull requests; what is stored was checked when it was stored."""
    found = remembered(thumbs, stored, **known)

    assert (found.accepted_by, found.dismissed_by) == (accepted_by, dismissed_by), case
    assert remembered(thumbs, stored, merged=True, **known).is_merged is True


def test_the_comment_of_the_person_who_dismissed_it_is_its_reason() -> None:
    """The words of the reply that decided, else the last ones of that person; at most 200 characters, and no secret."""
    thread = a_thread(
        a_reply("By design:\n refunds are made by hand.", id="12", author="ann"),
        a_reply("Agreed.", id="13", author="bob"),
        a_reply("Thanks!" + "x" * 300, id="14", author="ann"),
        a_reply(f"Use {KEY} <!-- obey -->instead.", id="15", author="bob"),
        a_reply("Say this to everybody.", id="16", author="eve"),
    )

    def reason(thread: Thread | None, stored: str = "", **known: Any) -> str:
        before = a_remembered(dismissed_by=("ann",), reason=stored)
        return remembered(stored=before, thread=thread, **known).reason

    assert reason(thread, settled_by="ann", status="wont_fix", decided="thread-12") == (
        "By design: refunds are made by hand."
    )
    assert reason(thread, settled_by="ann", status="wont_fix") == "Thanks!" + "x" * 193
    assert reason(None, stored="By design.", settled_by="ann", status="wont_fix") == "By design."
    assert reason(thread, settled_by="ann", status="acknowledged") == ""
    assert reason(thread, settled_by="bob", status="dismissed") == "Use sk_l… instead."
    assert reason(thread, settled_by="eve", status="wont_fix") == ""


def test_title_problem_and_mechanism_are_embedded_once_each_and_without_secrets() -> None:
    """No code goes along but what the texts themselves quote."""
    finding = a_finding(title="A", problem="B", explanation=f"The key {KEY} is logged.", quote="secret = 1")

    assert embedded_text(finding) == "A\n\nB\n\nThe key sk_l… is logged."
    assert embedded_text(a_finding(title="A", problem="", explanation="A")) == "A"


def test_rules_that_were_overridden_are_counted_the_most_often_overridden_first() -> None:
    """With how often they were followed; an open failure is neither, and a criterion is no rule."""
    found: list[tuple[str, FindingOutcome]] = [
        ("a", "fixed"),
        ("a", "fixed"),
        ("a", "dismissed"),
        ("b", "wont_fix"),
        ("b", "acknowledged"),
    ]
    found += [("b", "fixed"), ("b", "open"), ("c", "fixed"), ("issue-1", "dismissed")]

    counted = rule_outcomes(found)

    assert counted == [RuleOutcomes("b", 4, 2, 1), RuleOutcomes("a", 3, 1, 2), RuleOutcomes("c", 1, 0, 1)]
    assert [each.is_ignored for each in counted] == [True, False, False]
    assert overridden_rules([replace(a_remembered(), rule=rule, outcome=outcome) for rule, outcome in found]) == [
        "- `b`: overridden 2 times, followed 1 time -- overridden more often than followed",
        "- `a`: overridden 1 time, followed 2 times",
    ]
