"""The findings of a review against those of the last one, and whether there is news."""

from dataclasses import replace

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.judge.delta import WHOLE, Delta, ReviewVerdict, Update, verdict
from kodiai.core.plan.update import FindingUpdate
from tests.builders import a_delta, a_finding, a_known, followed
from tests.tables import each_row

BLOCKING = a_finding()
CRITICAL = a_finding(severity="CRITICAL")
MEDIUM = a_finding(severity="MEDIUM", title="No test fails without it")
MINOR = a_finding(severity="MINOR", title="The name says little")
PREFERENCE = a_finding(kind="preference", severity="MAJOR", title="A generator reads better")
CONCEDED = {"status": "conceded"}


def test_every_finding_is_in_its_list_the_most_severe_first() -> None:
    """A finding that was closed before and stays so is in none; a concession is resolved, a decision dismisses."""
    stays, raised, reopened = followed(MINOR), followed(CRITICAL, "raised"), followed(MEDIUM, "reopened")
    resolved, conceded = followed(MEDIUM, "resolved"), followed(BLOCKING, "resolved", CONCEDED)
    dismissed = followed(MINOR, "dismissed")
    closed = FindingUpdate(a_known(status="wont_fix"), a_known(status="wont_fix"))

    delta = a_delta([MINOR, CRITICAL], stays, closed, dismissed, resolved, raised, conceded, reopened)

    assert [kept.finding for kept in delta.new] == [CRITICAL, MINOR]
    assert delta.still_open == (raised, reopened, stays)
    assert delta.resolved == (conceded, resolved)
    assert delta.dismissed == (dismissed,)
    assert delta.counts == {"new": 2, "resolved": 2, "still_open": 3, "settled": 1}
    assert list(delta.open_findings) == sorted([MINOR, CRITICAL, CRITICAL, MEDIUM, MINOR], key=rank)


FIXED = followed(BLOCKING, "resolved")


@each_row(
    ("case", "new", "before", "update", "blockers"),
    [
        ("nothing before, nothing now", [], [], "still-ready", (0, 0)),
        ("something minor before, and now", [MINOR], [followed(MEDIUM)], "still-ready", (0, 0)),
        ("a preference blocks nothing", [PREFERENCE], [followed(PREFERENCE)], "still-ready", (0, 0)),
        ("a new blocker", [BLOCKING, MINOR], [], "new-blockers", (1, 0)),
        ("a new one, another resolved", [BLOCKING], [followed(CRITICAL, "resolved")], "new-blockers", (1, 0)),
        ("a new one, another still open", [BLOCKING], [followed(CRITICAL)], "new-blockers", (1, 1)),
        ("still open", [], [followed(BLOCKING), followed(CRITICAL)], "blockers-still-open", (0, 2)),
        ("all resolved, minor ones left", [MINOR], [FIXED, followed(MEDIUM)], "blockers-resolved", (0, 0)),
        ("dismissed by people", [], [followed(BLOCKING, "dismissed")], "blockers-resolved", (0, 0)),
        ("conceded", [], [followed(BLOCKING, "resolved", CONCEDED)], "blockers-resolved", (0, 0)),
        ("raised to a blocker", [], [followed(BLOCKING, "raised")], "new-blockers", (1, 1)),
        ("a blocker, raised", [], [followed(CRITICAL, "raised")], "blockers-still-open", (0, 1)),
    ],
)
def test_the_verdict_names_the_transition_over_all_that_is_open(
    case: str, new: list[Finding], before: list[FindingUpdate], update: Update, blockers: tuple[int, int]
) -> None:
    """It names new blockers first, then earlier ones, then that there were any."""
    delta = a_delta(new, *before)

    assert (delta.update, (delta.new_blockers, delta.earlier_blockers)) == (update, blockers), case


PARTLY, NOTHING = Coverage(7, 1), Coverage(0, 0)
NAMED = Coverage(7, 0, (("a.png", "binary file"),))
HIDDEN = Coverage(7, 0, hidden=(("a.js", "it has a NUL character"),))


@each_row(
    ("case", "delta", "update"),
    [
        ("nothing found", a_delta(coverage=PARTLY), "not-fully-reviewed"),
        ("the blockers are gone", a_delta([], FIXED, coverage=PARTLY), "not-fully-reviewed"),
        ("a blocker is new", a_delta([BLOCKING], coverage=PARTLY), "new-blockers"),
        ("a blocker is open", a_delta([], followed(BLOCKING), coverage=PARTLY), "blockers-still-open"),
        ("read whole at last", a_delta(coverage_before=PARTLY), "fully-reviewed"),
        ("read whole, and fixed", a_delta([], FIXED, coverage_before=PARTLY), "blockers-resolved"),
        ("nothing to read", a_delta([], followed(MINOR), coverage=NOTHING), "nothing-to-read"),
        ("a picture, and fixed", a_delta([], FIXED, coverage=NAMED), "nothing-blocking"),
    ],
)
def test_an_unread_change_is_never_called_ready(case: str, delta: Delta, update: Update) -> None:
    """It is not called still ready either once it was read; what blocks comes first."""
    assert delta.update == update, case


@each_row(
    ("case", "delta", "says"),
    [
        ("nothing at all", a_delta(), False),
        ("only the same", a_delta([], followed(BLOCKING), followed(MINOR)), False),
        ("something new, however small", a_delta([PREFERENCE], followed(BLOCKING)), True),
        ("something resolved, however small", a_delta([], followed(MINOR, "resolved"), followed(BLOCKING)), True),
        ("one dismissed, the same verdict", a_delta([], followed(MINOR, "dismissed"), followed(MINOR)), False),
        ("the blocker dismissed, minor ones left", a_delta([], followed(BLOCKING, "dismissed"), followed(MINOR)), True),
        ("the last one dismissed", a_delta([], followed(BLOCKING, "dismissed")), False),
        ("raised to a blocker", a_delta([], followed(BLOCKING, "raised")), True),
        ("raised, the same verdict", a_delta([], followed(CRITICAL, "raised")), False),
        ("still not read whole", a_delta(coverage=PARTLY, coverage_before=Coverage(3, 5)), False),
        ("read whole at last", a_delta(coverage_before=PARTLY), True),
        ("not read whole any more", a_delta(coverage=PARTLY, coverage_before=Coverage(7, 0)), True),
        ("something to read at last", a_delta(coverage_before=NOTHING), True),
        ("something next to a picture", a_delta(coverage=NAMED, coverage_before=replace(NAMED, read=0)), True),
        ("a picture more", a_delta(coverage=NAMED, coverage_before=WHOLE), True),
        ("the same picture", a_delta(coverage=NAMED, coverage_before=NAMED), False),
        ("a blocker is back", a_delta([], followed(BLOCKING, "reopened"), followed(MINOR)), True),
    ],
)
def test_only_news_is_posted(case: str, delta: Delta, says: bool) -> None:
    """The same findings under the same verdict are not repeated on every push."""
    assert delta.is_news is says, case


def test_the_verdict_before_is_that_of_what_was_open_then() -> None:
    """It is computed with the earlier severities; closed findings did not count."""
    raised = followed(BLOCKING, "raised")
    was_closed = FindingUpdate(a_known(CRITICAL, status="fixed"), a_known(CRITICAL, status="fixed"))

    delta = a_delta([], raised, was_closed)

    assert (delta.verdict_before, delta.verdict) == ("minor-items", "address-before-merging")
    assert (a_delta([], was_closed).verdict_before, a_delta([MINOR]).verdict) == ("ready", "minor-items")


@each_row(
    ("found", "coverage", "result"),
    [
        ([*[MINOR] * 9, BLOCKING], WHOLE, "address-before-merging"),
        ([BLOCKING], PARTLY, "address-before-merging"),
        ([MINOR] * 9, WHOLE, "minor-items"),
        ([PREFERENCE], WHOLE, "minor-items"),
        ([], WHOLE, "ready"),
        ([], PARTLY, "not-fully-reviewed"),
        ([], Coverage(0, 1), "not-fully-reviewed"),
        ([], NOTHING, "nothing-to-read"),
        ([], NAMED, "nothing-blocking"),
        ([BLOCKING], NAMED, "address-before-merging"),
        ([], replace(NAMED, read=0), "nothing-to-read"),
        ([], HIDDEN, "not-fully-reviewed"),
        ([MINOR], NOTHING, "nothing-to-read"),
    ],
)
def test_one_severe_finding_with_impact_blocks(found: list[Finding], coverage: Coverage, result: ReviewVerdict) -> None:
    """No number of minor findings or preferences does; what was not read whole is never called ready."""
    assert verdict(found, coverage) == result
