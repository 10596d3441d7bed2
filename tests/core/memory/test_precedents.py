"""Dismissals make a finding unwanted if enough people dismissed findings like it, and never a severe one."""

import pytest

from kodiai.core.memory.precedents import by_precedents, by_rule, may_be_unwanted, precedents
from kodiai.core.memory.remembered import Neighbor
from kodiai.core.memory.rule import Rule
from tests.builders import a_finding, a_neighbor, a_remembered
from tests.tables import each_row

ANN = a_neighbor(12, "F-1", dismissed_by=("ann",))
BOB = a_neighbor(12, "F-2", dismissed_by=("bob",))
CID = a_neighbor(14, "F-3", dismissed_by=("cid",))
FIXED = [a_neighbor(number, outcome="fixed") for number in (20, 21, 22)]


TEN = [a_neighbor(number, dismissed_by=("ann",)) for number in range(1, 11)]
ACCEPTED = [a_neighbor(30 + number, accepted_by=("eve",)) for number in range(3)]


@each_row(
    ("case", "near", "found"),
    [
        ("three people on two pull requests, next to one that nobody dismissed", [ANN, a_neighbor(9), BOB, CID], 3),
        ("two people", [ANN, CID], 0),
        ("one of them twice, in capitals", [ANN, BOB, a_neighbor(14, dismissed_by=("Ann",))], 0),
        ("one pull request", [a_neighbor(12, dismissed_by=("ann", "bob", "cid"))], 0),
        ("as many were fixed", [ANN, BOB, CID, *FIXED], 0),
        ("two were fixed", [ANN, BOB, CID, *FIXED[:2]], 3),
        ("as many were accepted", [ANN, BOB, CID, *ACCEPTED], 0),
        ("acknowledged is no dismissal", [a_neighbor(n, outcome="acknowledged") for n in (1, 2, 3)], 0),
        ("nothing near", [], 0),
        ("the nearest ten must suffice", [*TEN, BOB, CID], 0),
        ("the nearest ten are shown", [BOB, CID, *TEN], 10),
    ],
)
def test_dismissals_by_three_people_on_two_pull_requests_suffice(case: str, near: list[Neighbor], found: int) -> None:
    """People count once each, however often they say it; findings that were accepted speak against it."""
    dismissed = [each.remembered for each in near if each.remembered.dismissed_by]

    assert precedents(near) == tuple(dismissed[:found]), case


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


def test_the_reason_names_who_dismissed_which_or_who_asked_for_the_rule() -> None:
    """At most three of them, and how many more; a long rule is cut."""
    many = [a_remembered(number, dismissed_by=("ann",)) for number in (1, 2, 3, 4, 5)]

    assert by_precedents([each.remembered for each in (ANN, BOB, CID)]) == (
        "dismissed before by ann, bob and cid: 12/F-1, 12/F-2, 14/F-3"
    )
    assert by_precedents(many) == "dismissed before by ann: 1/F-1, 2/F-1, 3/F-1 and 2 more"
    assert by_rule(Rule("R-1", "Ignore missing docstrings.", "ann", 3, 0)) == "R-1 of ann: Ignore missing docstrings."
    assert by_rule(Rule("R-1", "word " * 40, "ann", 3, 0)).endswith("word…")
