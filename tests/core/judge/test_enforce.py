"""Rulings are checked against the code, and every candidate gets a decision."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kodiai.core.findings.finding import Finding, Severity
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.findings.source import Source
from kodiai.core.judge.enforce import JudgeContext, complaints, decide, let_go, merged
from kodiai.core.judge.ruling import Confirmation, Ruling
from kodiai.core.memory.rule import Rule
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from tests.builders import a_finding, a_remembered, reading
from tests.core.examining import KEEP
from tests.tables import each_row

ID = "F-000000000001"
LINES = ["total = price", "return total", "guard(total)", "# never zero"]
SOURCE = Source(reading({"a.py": LINES}), (), ("a.py",))


def candidate(number: int = 1, **more: Any) -> Candidate:
    wanted = {"path": "a.py", "start_line": 2, "end_line": 2, "quote": "return total", **more.pop("finding", {})}
    return Candidate(number, "behavior", a_finding(**wanted), **more)


SAID = {
    **KEEP,
    "path": "a.py",
    "quote": "return total",
    "title": "The total is wrong",
    "problem": "An order of two costs one.",
    "fix": "Add both.",
}


def ruling(number: int = 1, **more: Any) -> Ruling:
    return Ruling.model_validate({"number": number, **SAID, **more})


def prior(status: FindingStatus = "open", place: tuple[int, int] | None = (2, 2), **more: Any) -> PriorFinding:
    finding = a_finding(**{"path": "a.py", "start_line": 2, "end_line": 2, "quote": "return total", **more})
    return PriorFinding(KnownFinding(ID, finding, status, "7", settled_by="ann"), place)


def context(
    *prior: PriorFinding, kept: Mapping[int, Finding] | None = None, rules: Sequence[Rule] = ()
) -> JudgeContext:
    earlier, by_id = {each.id: each for each in prior}, {rule.id: rule for rule in rules}
    return JudgeContext(SOURCE, earlier, kept or {}, by_id)


def decided(
    *rulings: Ruling, candidates: tuple[Candidate, ...] = (), shown: JudgeContext | None = None
) -> tuple[JudgeDecision, ...]:
    """The decisions about these candidates, or about as many as there are rulings."""
    given = candidates or tuple(candidate(number) for number in range(1, len(rulings) + 1))
    return decide(given, {each.number: each for each in rulings}, shown or context(), "it was silent")


@each_row(
    ("reported", "ruled", "kind", "becomes"),
    [
        ("MINOR", "CRITICAL", "impact", "MEDIUM"),
        ("MEDIUM", "CRITICAL", "impact", "MAJOR"),
        ("MAJOR", "CRITICAL", "impact", "CRITICAL"),
        ("CRITICAL", "MINOR", "impact", "MINOR"),
        ("MAJOR", "MAJOR", "impact", "MAJOR"),
        ("MAJOR", "CRITICAL", "preference", "MEDIUM"),
    ],
)
def test_severity_rises_by_one_step_at_most(reported: Severity, ruled: Severity, kind: str, becomes: Severity) -> None:
    """It may fall as far as it likes; a preference never blocks, whatever is ruled."""
    [kept] = decided(ruling(severity=ruled, kind=kind), candidates=(candidate(finding={"severity": reported}),))

    assert (kept.finding.severity, kept.finding.blocks) == (becomes, becomes in ("CRITICAL", "MAJOR"))


@each_row("quote", ["", "nowhere(at_all)"])
@each_row(("severity", "caveat"), [("MAJOR", True), ("CRITICAL", True), ("MEDIUM", False)])
def test_a_severe_finding_without_evidence_is_kept_with_a_caveat(quote: str, severity: Severity, caveat: bool) -> None:
    """A missing quote costs a caveat, never the finding."""
    [kept] = decided(ruling(quote=quote, severity=severity))

    assert kept.outcome == "kept"
    assert (kept.finding.caveat == "no line of code was quoted that shows it") is caveat


MINOR = {"severity": "MINOR"}
UNPROVEN = "not verified: what was quoted against it is no line of code that prevents it"


@each_row(
    ("said", "finding", "outcome", "fate", "reason"),
    [
        (None, {}, "kept", "unjudged", "not verified: it was silent"),
        (ruling(fate="wrong", quote="never_written()"), {}, "kept", "unjudged", UNPROVEN),
        (ruling(fate="wrong", quote="guard(total)", why="It is guarded."), {}, "suppressed", "wrong", "It is guarded."),
        (ruling(fate="not-worth-it", why=""), MINOR, "suppressed", "not-worth-it", "not worth it"),
    ],
)
def test_a_finding_is_dropped_only_by_a_ruling_and_a_quote_that_is_in_the_code(
    said: Ruling | None, finding: dict[str, Any], outcome: str, fate: str, reason: str
) -> None:
    """Silence or an invented reason drops nothing; the finding is posted as not verified."""
    one = candidate(finding=finding)

    [found] = decided(*([said] if said else []), candidates=(one,))

    assert (found.outcome, found.fate, found.reason) == (outcome, fate, reason)
    assert found.finding.caveat == (reason if outcome == "kept" else None)


def same(number: int, same_as: int) -> Ruling:
    return ruling(number, fate="same-as", same_as=same_as)


@each_row(
    ("rulings", "outcomes"),
    [
        ([ruling(1), same(2, 1), same(3, 2)], ["kept", "suppressed", "suppressed"]),
        ([ruling(1, fate="wrong", quote="guard(total)"), same(2, 1)], ["suppressed", "kept"]),
        ([same(1, 2), same(2, 1)], ["kept", "suppressed"]),
        ([same(1, 1)], ["kept"]),
        ([same(1, 40)], ["suppressed"]),  # an earlier conversation of the run has kept it
        ([same(1, 41)], ["kept"]),
        ([ruling(fate="known", known="F-0000000000ff")], ["kept"]),
    ],
)
def test_nothing_hides_behind_what_is_not_there(rulings: list[Ruling], outcomes: list[str]) -> None:
    """A chain that ends at a dropped finding, in a circle or at an invented number or id loses nothing."""
    shown = context(kept={40: a_finding(title="Kept before")})

    assert [each.outcome for each in decided(*rulings, shown=shown)] == outcomes


def test_a_merged_finding_has_the_worst_severity_of_both() -> None:
    """Nothing severe hides behind something small."""
    first, _ = decided(
        ruling(1, severity="MINOR"),
        ruling(2, fate="same-as", same_as=1, severity="CRITICAL"),
        candidates=(candidate(1, finding={"severity": "MINOR"}), candidate(2, finding={"severity": "CRITICAL"})),
    )

    assert first.finding.severity == "CRITICAL"


@each_row(
    ("dismissed", "severity", "outcome"),
    [
        (prior("wont_fix", None, quote="return total_of(order)", severity="MAJOR"), "MAJOR", "suppressed"),
        (prior("wont_fix", None, quote="return total_of(order)", severity="MEDIUM"), "MAJOR", "kept"),
        (prior("wont_fix", severity="MEDIUM"), "MAJOR", "suppressed"),
    ],
)
def test_a_dismissed_finding_is_not_reported_again(dismissed: PriorFinding, severity: Severity, outcome: str) -> None:
    """Nor on edited code, unless it is more severe there; the same code rated higher is the same."""
    [decision] = decided(ruling(fate="known", known=ID, severity=severity), shown=context(dismissed))

    assert decision.outcome == outcome
    assert outcome == "kept" or decision.reason == "dismissed by ann (won't fix)"


def gone(decision: JudgeDecision, said: Ruling, shown: JudgeContext) -> bool:
    return let_go([decision], {said.number: said}, shown) == [decision]


@each_row(
    ("given", "dismissed", "asks"),
    [
        ({"severity": "CRITICAL"}, prior("wont_fix", (1, 1), quote="total = price", severity="CRITICAL"), True),
        ({"severity": "MEDIUM"}, prior("wont_fix", (1, 1), quote="total = price", severity="MEDIUM"), False),
        ({"severity": "MEDIUM", "category": "security"}, prior("wont_fix", (1, 1), quote="total = price"), True),
        ({"severity": "CRITICAL"}, prior("wont_fix", None, quote="return total_of(order)", severity="CRITICAL"), True),
        ({"severity": "CRITICAL"}, prior("wont_fix", severity="CRITICAL"), False),
        ({"severity": "CRITICAL"}, prior("wont_fix", severity="CRITICAL", category="style"), True),
        ({"severity": "CRITICAL"}, prior("wont_fix", severity="MEDIUM"), False),
        ({"severity": "CRITICAL"}, prior("wont_fix", quote="return total_of(order)", severity="MEDIUM"), True),
    ],
)
def test_a_dismissal_at_other_lines_covers_a_blocker_only_by_a_second_ruling(
    given: Mapping[str, Any], dismissed: PriorFinding, asks: bool
) -> None:
    """A private key next to a dismissed example key is another problem; the same one in other words is not."""
    said, shown = ruling(fate="known", known=ID, severity=given["severity"]), context(dismissed)

    [decision] = decided(said, candidates=(candidate(finding=given),), shown=shown)

    assert (decision.outcome, decision.known, gone(decision, said, shown)) == ("suppressed", ID, asks)


@each_row(
    ("said", "given", "asks"),
    [
        ({"fate": "wrong", "quote": "guard(total)"}, {}, True),
        ({"fate": "not-worth-it", "quote": "guard(total)"}, {}, True),
        ({"fate": "not-from-this-change"}, {"introduced": False}, True),
        ({"fate": "keep", "severity": "MEDIUM"}, {}, True),
        ({"fate": "keep", "kind": "preference"}, {}, True),
        ({"fate": "unwanted", "unwanted": "R-1"}, {}, True),
        ({"fate": "keep", "severity": "CRITICAL"}, {}, False),
        ({"fate": "not-from-this-change"}, {}, True),
        ({"fate": "keep", "pre_existing": True}, {"introduced": False}, False),
        ({"fate": "keep", "pre_existing": True}, {}, True),
        ({"fate": "keep", "severity": "MAJOR"}, {"finding": {"severity": "CRITICAL"}}, False),
        ({"fate": "wrong", "quote": "guard(total)"}, {"finding": {"severity": "MEDIUM"}}, False),
        ({"fate": "wrong", "quote": "guard(total)"}, {"finding": {"kind": "preference"}}, False),
        ({"fate": "known", "known": ID, "severity": "MINOR"}, {}, False),
    ],
)
def test_a_blocker_is_let_go_only_by_a_second_ruling(
    said: Mapping[str, Any], given: Mapping[str, Any], asks: bool
) -> None:
    """Whatever the first ruling calls it; what still blocks, or never did, is not asked about."""
    shown, ruled = context(prior(), rules=[RULE]), ruling(**said)

    [decision] = decided(ruled, candidates=(candidate(**given),), shown=shown)

    assert gone(decision, ruled, shown) == asks


def test_a_blocker_that_is_merged_into_something_small_is_let_go_too() -> None:
    """A critical problem does not become a small one because it is called the same."""
    said = {1: ruling(1, severity="MINOR"), 2: ruling(2, fate="same-as", same_as=1, severity="MINOR")}
    both = candidate(1, finding={"severity": "MINOR"}), candidate(2, finding={"severity": "CRITICAL"})

    small = decided(*said.values(), candidates=both)
    severe = decided(ruling(1), said[2], candidates=(candidate(1), both[1]))

    assert [each.candidate.number for each in let_go(small, said, context())] == [2]
    assert let_go(severe, {**said, 1: ruling(1)}, context()) == []


def denied(said: Ruling, second: Confirmation | str, one: Candidate, *earlier: PriorFinding) -> JudgeDecision:
    [decision] = decide((one,), {1: said}, context(*earlier), denied={1: second})
    return decision


def test_a_finding_without_a_second_ruling_stays_with_both_reasons() -> None:
    """In its reviewer's words and with its severity, whether the second one does not agree or there is none."""
    said = ruling(fate="wrong", quote="guard(total)", why="It is guarded.")
    against = denied(said, Confirmation(number=1, confirmed=False, why="Zero passes."), candidate())
    missing = denied(said, "the model was busy", candidate())

    assert (
        (against.outcome, against.finding.severity) == (missing.outcome, missing.finding.severity) == ("kept", "MAJOR")
    )
    assert against.finding.caveat == "not verified: two rulings on it do not agree"
    assert (
        against.reason
        == "two rulings on it do not agree; first ruling: wrong, It is guarded.; second ruling: Zero passes."
    )
    assert merged([decided(ruling(2), candidates=(candidate(2),))[0], against])[1] == against  # and is merged into none
    assert missing.finding.caveat == "not verified: there is no second ruling: the model was busy"
    assert missing.reason == "there is no second ruling: the model was busy; first ruling: wrong, It is guarded."


def test_a_finding_that_may_be_a_dismissed_one_is_new_only_if_the_judge_says_so() -> None:
    """Otherwise it is judged again: without a ruling, with one that leaves it open, and without a second one."""
    dismissed = prior("wont_fix", (1, 1), quote="total = price")
    near, shown = candidate(beside=(ID,)), context(dismissed)
    known = ruling(fate="known", known=ID)

    [silent] = decide((near,), {}, shown, "the model was busy")
    [open_still] = decided(ruling(), candidates=(near,), shown=shown)
    [another] = decided(ruling(different_from=[ID]), candidates=(near,), shown=shown)
    unanswered = denied(known, "the model was busy", candidate(), dismissed)
    contradicted = denied(known, Confirmation(number=1, confirmed=False), near, dismissed)

    assert [each.outcome for each in (silent, open_still, unanswered)] == ["undecided"] * 3
    assert silent.reason == f"it may be {ID}, which was dismissed, and the model was busy"
    assert [*complaints(near, ruling(), shown, [1])] == [
        f"it may be {ID}, which was dismissed: name it as known, or as different_from"
    ]
    assert (another.outcome, another.fate) == ("kept", "keep")
    assert (contradicted.outcome, contradicted.finding.caveat) == (
        "kept",
        "not verified: two rulings on it do not agree",
    )


def test_a_finding_on_the_lines_of_an_open_one_is_that_one_unless_the_judge_says_otherwise() -> None:
    """A second comment on the same lines needs somebody to say that it is another problem."""
    overlapping, shown = candidate(overlapping=(ID,)), context(prior())

    [silent] = decide((overlapping,), {}, shown, "it was silent")
    [another] = decided(ruling(), candidates=(overlapping,), shown=shown)

    assert (silent.outcome, silent.known) == ("repeated", ID)
    assert (another.outcome, another.known) == ("kept", None)


@pytest.mark.parametrize(
    ("is_all_new", "severity", "outcome", "pre_existing"),
    [(True, "CRITICAL", "kept", False), (False, "CRITICAL", "kept", True), (False, "MEDIUM", "suppressed", True)],
)
def test_a_pre_existing_problem_is_posted_only_if_it_is_severe(
    is_all_new: bool, severity: Severity, outcome: str, pre_existing: bool
) -> None:
    """It never blocks; code that the change writes in every word was not there before, whatever is said."""
    [decision] = decided(
        ruling(pre_existing=True, severity=severity),
        candidates=(candidate(is_all_new=is_all_new, finding={"severity": severity}),),
    )

    assert decision.outcome == outcome
    if outcome == "kept":
        assert decision.finding.pre_existing is pre_existing
        assert decision.finding.blocks is not pre_existing


def test_a_kept_finding_is_posted_in_the_judges_words() -> None:
    """Title, problem, fix and severity are the judge's; the mechanism stays the reviewer's.

    A replacement goes unless the judge offers it, and a finding without its quote moves to the judge's evidence.
    """
    with_one = candidate(finding={"replacement": "return total * 2"})
    lost = candidate(quote_found=False, finding={"quote": "return totals", "start_line": 40, "end_line": 40})

    [kept], [offered] = (
        decided(ruling(), candidates=(with_one,)),
        decided(ruling(offer_replacement=True), candidates=(with_one,)),
    )
    [moved] = decided(ruling(quote="guard(total)"), candidates=(lost,))

    words = {name: SAID[name] for name in ("title", "problem", "fix")}
    assert (kept.outcome, kept.fate) == ("kept", "keep")
    assert kept.finding == with_one.finding.model_copy(update={**words, "replacement": None})
    assert offered.finding.replacement == "return total * 2"
    assert (moved.finding.start_line, moved.finding.quote, moved.finding.caveat) == (3, "guard(total)", None)


def test_long_texts_are_cut_at_a_sentence() -> None:
    """The judge was asked for shorter ones first."""
    problem = f"{'word ' * 19}end. {'more ' * 30}end."

    [kept] = decided(ruling(title="A very long title " * 8, problem=problem, fix="word " * 30))

    assert len(kept.finding.title) <= 80
    assert kept.finding.title.endswith("…")
    assert kept.finding.problem == f"{'word ' * 19}end."
    assert len(kept.finding.fix.split()) == 10


NOT_FOUND = "the quote does not stand in the code at that path, or has no two letters or digits to find it by"
ITS_OWN = "the quote is the code that the candidate complains about, which cannot prevent it"


@each_row(
    ("said", "complaint"),
    [
        (same(1, 1), "same_as names 1, which is no other candidate"),
        (same(1, 9), "same_as names 9, which is no other candidate"),
        (ruling(fate="known", known="F-9"), "known names F-9, which is no earlier finding that was shown"),
        (ruling(fate="wrong", quote="no"), NOT_FOUND),
        (ruling(quote="no"), NOT_FOUND),
        (ruling(title="x" * 81), "title over 80 characters"),
        (ruling(problem="x " * 26), "problem over 25 words"),
        (ruling(fix="x " * 11), "fix over 10 words"),
        (ruling(problem=" "), "it has no title or no problem"),
        (ruling(quote="no", severity="MEDIUM"), None),
        (ruling(fate="wrong"), ITS_OWN),
        (
            ruling(fate="wrong", quote="# never zero"),
            "the quote is no code: a comment, a text or a removed line prevents nothing",
        ),
        (ruling(fate="wrong", quote="guard(total)"), None),
        (ruling(fate="not-worth-it"), ITS_OWN),
        (ruling(fate="not-from-this-change"), None),
        (ruling(), None),
    ],
)
def test_the_judge_is_told_which_rulings_cannot_be_followed(said: Ruling, complaint: str | None) -> None:
    """The judge is asked once more about exactly this."""
    assert list(complaints(candidate(), said, context(), [1, 2])) == ([complaint] if complaint else [])
    all_new = complaints(candidate(is_all_new=True), ruling(fate="not-from-this-change"), context(), [1, 2])
    assert list(all_new) == ["the change writes every name of its code"]


def test_without_a_judge_the_same_code_is_one_finding_and_all_say_so() -> None:
    """Same path, category and quoted code; two that the judge keeps are two, nothing severe hides in a small one."""
    other_words = candidate(2, finding={"severity": "CRITICAL", "title": "Other words"})
    candidates = (
        candidate(1, finding={"severity": "MEDIUM"}),
        other_words,
        candidate(3, finding={"category": "security"}),
    )
    some = (candidate(1), candidate(2), candidate(3), candidate(4, finding={"severity": "CRITICAL"}))

    decisions = merged(decide(candidates, {}, context(), "the model was busy"))
    with_more = merged(decided(ruling(1), ruling(2), candidates=some))

    assert [each.outcome for each in decisions] == ["suppressed", "kept", "kept"]
    assert {each.finding.caveat for each in decisions if each.outcome == "kept"} == {"not verified: the model was busy"}
    assert [each.outcome for each in with_more] == ["kept", "kept", "suppressed", "kept"]


@pytest.mark.parametrize(
    ("status", "outcome", "known"),
    [("open", "repeated", ID), ("wont_fix", "suppressed", ID), ("dismissed", "suppressed", ID), ("fixed", "kept", ID)],
)
def test_an_earlier_finding_is_known_by_the_judge_or_by_its_code(
    status: FindingStatus, outcome: str, known: str
) -> None:
    """An open one is repeated, a dismissed one is not raised again, and a fixed one may come back under its id.

    The same code and category is the earlier finding in whatever words, unless the judge says that it is another one.
    """
    earlier = context(prior(status))
    by_code = candidate(overlapping=(ID,), presumed=ID)

    [named] = decided(ruling(fate="known", known=ID), shown=earlier)
    [presumed] = decided(ruling(), candidates=(by_code,), shown=earlier)
    [another] = decided(ruling(different_from=ID), candidates=(by_code,), shown=earlier)

    assert (named.outcome, named.known) == (presumed.outcome, presumed.known) == (outcome, known)
    assert (another.outcome, another.known) == ("kept", None)


RULE = Rule("R-1", "Ignore missing tests.", "ann", 3, 0)
PRECEDENTS = (a_remembered(12, dismissed_by=("ann", "bob")), a_remembered(14, dismissed_by=("cid",)))


MORE = (*PRECEDENTS, a_remembered(15, dismissed_by=("dan",)))
BOTH_NAMES = ["12/F-1", "14/F-1"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("R-1", "R-1 of ann: Ignore missing tests."),
        (["R-1"], "R-1 of ann: Ignore missing tests."),
        (BOTH_NAMES, "dismissed before by ann, bob and cid: 12/F-1, 14/F-1"),
    ],
)
def test_an_unwanted_finding_is_dropped_by_a_rule_or_by_precedents(name: object, reason: str) -> None:
    """The reason is written by code, from the facts: it names the precedents that the judge called the same kind."""
    said, one = ruling(fate="unwanted", unwanted=name), candidate(precedents=MORE)

    [found] = decided(said, candidates=(one,), shown=context(rules=[RULE]))

    assert (found.outcome, found.fate, found.reason) == ("suppressed", "unwanted", reason)


@each_row(
    ("case", "given", "said"),
    [
        ("no such rule", {}, {"unwanted": "R-9"}),
        ("no name", {}, {"unwanted": None}),
        ("no precedent of it", {}, {"unwanted": ["9/F-9"]}),
        ("only two people dismissed that one", {}, {"unwanted": ["12/F-1"]}),
        ("critical", {"severity": "CRITICAL"}, {"unwanted": "R-1"}),
        ("raised", {"severity": "MAJOR"}, {"unwanted": "R-1", "severity": "CRITICAL"}),
        ("security", {"category": "security"}, {"unwanted": BOTH_NAMES}),
    ],
)
def test_a_finding_that_nothing_suppresses_stays(case: str, given: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """The judge is asked once more, and then the finding is posted as not verified."""
    one, shown = candidate(precedents=PRECEDENTS, finding=given), context(rules=[RULE])
    ruled = ruling(fate="unwanted", **said)

    [complaint] = complaints(one, ruled, shown, [1])
    [found] = decided(ruled, candidates=(one,), shown=shown)

    assert complaint == (
        f"unwanted names {', '.join(ruled.unwanted) or 'nothing'}: "
        "no rule, nor findings of its dismissed_before that enough people dismissed, may suppress it"
    ), case
    assert (found.outcome, found.reason) == ("kept", "not verified: no rule or earlier dismissal covers it"), case


def test_a_copy_of_an_unwanted_finding_is_unwanted_too_unless_it_is_severe() -> None:
    """One reviewer calls it a matter of tests, another one of security."""
    one, same = candidate(1), candidate(2)
    severe = candidate(3, finding={"category": "security"})
    said = ruling(1, fate="unwanted", unwanted="R-1"), *(ruling(n, fate="same-as", same_as=1) for n in (2, 3))

    found = decided(*said, candidates=(one, same, severe), shown=context(rules=[RULE]))

    assert [each.outcome for each in found] == ["suppressed", "suppressed", "kept"]
