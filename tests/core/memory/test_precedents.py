"""Dismissals make a finding unwanted if enough people dismissed findings like it, and never a severe one."""

import pytest

from kodiai.core.memory.precedents import by_precedents, by_rule, may_be_unwanted, precedents
from kodiai.core.memory.rule import Rule
from tests.builders import a_finding, a_neighbor, a_remembered

ANN = a_neighbor(12, "F-1", dismissed_by=("ann",))
BOB = a_neighbor(12, "F-2", dismissed_by=("bob",))
CID = a_neighbor(14, "F-3", dismissed_by=("cid",))
FIXED = [a_neighbor(number, outcome="fixed") for number in (20, 21, 22)]


def test_three_people_on_two_pull_requests_suffice() -> None:
    """All dismissed neighbors are the precedents; those that nobody dismissed are not."""
    found = precedents([ANN, a_neighbor(9), BOB, CID])

    assert found == (ANN.remembered, BOB.remembered, CID.remembered)


def test_the_nearest_ten_are_shown() -> None:
    """And must suffice by themselves."""
    ten = [a_neighbor(number, dismissed_by=("ann",)) for number in range(1, 11)]

    assert precedents([*ten, BOB, CID]) == ()
    assert len(precedents([BOB, CID, *ten])) == 10


@pytest.mark.parametrize(
    "near",
    [
        pytest.param([ANN, CID], id="two people"),
        pytest.param([ANN, BOB, a_neighbor(14, dismissed_by=("Ann",))], id="one of them twice, in capitals"),
        pytest.param([a_neighbor(12, dismissed_by=("ann", "bob", "cid"))], id="one pull request"),
        pytest.param([ANN, BOB, CID, *FIXED], id="as many were fixed"),
        pytest.param(
            [ANN, BOB, CID, *(a_neighbor(30 + n, accepted_by=("eve",)) for n in range(3))], id="as many were accepted"
        ),
        pytest.param([a_neighbor(n, outcome="acknowledged") for n in (1, 2, 3)], id="acknowledged is no dismissal"),
        pytest.param([], id="nothing near"),
    ],
)
def test_fewer_do_not(near: list[object]) -> None:
    """People count once each, however often they say it; findings that were accepted speak against it."""
    assert precedents(near) == ()  # type: ignore[arg-type]


def test_two_accepted_neighbors_do_not_outweigh_three_dismissals() -> None:
    """Three let it pass, two do not."""
    assert len(precedents([ANN, BOB, CID, *FIXED[:2]])) == 3


@pytest.mark.parametrize(
    ("severity", "category", "may"),
    [
        ("MAJOR", "correctness", True),
        ("MINOR", "style", True),
        ("CRITICAL", "correctness", False),
        ("MINOR", "security", False),
    ],
)
def test_critical_and_security_findings_are_never_unwanted(severity: str, category: str, may: bool) -> None:
    """Whatever people dismissed, and whatever a rule says."""
    assert may_be_unwanted(a_finding(severity=severity, category=category)) is may


def test_the_reason_names_who_dismissed_which() -> None:
    """At most three of them, and how many more."""
    many = [a_remembered(number, dismissed_by=("ann",)) for number in (1, 2, 3, 4, 5)]

    assert by_precedents([each.remembered for each in (ANN, BOB, CID)]) == (
        "dismissed before by ann, bob and cid: 12/F-1, 12/F-2, 14/F-3"
    )
    assert by_precedents(many) == "dismissed before by ann: 1/F-1, 2/F-1, 3/F-1 and 2 more"


def test_the_reason_names_the_rule_and_who_asked_for_it() -> None:
    """A long rule is cut."""
    assert by_rule(Rule("R-1", "Ignore missing docstrings.", "ann", 3, 0)) == "R-1 of ann: Ignore missing docstrings."
    assert by_rule(Rule("R-1", "word " * 40, "ann", 3, 0)).endswith("word…")
