"""The lines about the team's rules that do not fail: by result, and who has overridden which."""

from typing import Any

from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.findings.known import KnownFinding
from kodiai.core.words.team_rules import team_rules_lines
from tests.builders import a_finding, a_known
from tests.tables import each_row


def ruled(rule: str, result: Any, why: str = "It is so.", criterion: str = "") -> TeamRuling:
    return TeamRuling(rule=rule, result=result, why=why, criterion=criterion)


def overridden(by: str | None = "ann", reason: str | None = "It is a surcharge") -> dict[str, KnownFinding]:
    known = a_known(a_finding(rule="no-plus"), status="dismissed", settled_by=by, reason=reason)
    return {"no-plus": known, "issue-1": known}


def test_each_result_has_a_line_and_failures_have_none() -> None:
    """Rules by their ids, criteria by their words; a reason where it is not plain."""
    rulings = [
        ruled("a", "pass"),
        ruled("b", "cannot_tell"),
        ruled("c", "not_applicable"),
        ruled("d", "fail"),
        ruled("e", "pass"),
        ruled("issue-1", "pass", criterion="A total"),
        ruled("issue-2", "cannot_tell", criterion="An invoice"),
        ruled("issue-3", "not_applicable", "Left for later", criterion="Vouchers"),
        ruled("issue-4", "fail", criterion="Refunds"),
    ]

    assert team_rules_lines(rulings, {}) == [
        "Pass: `a`; `e`",
        "Done: A total",
        "Cannot tell: `b` (It is so)",
        "Cannot tell whether done: An invoice (It is so)",
        "Not applicable: `c` (It is so)",
        "Not asked for now: Vouchers (Left for later)",
    ]


@each_row(
    ("known", "lines"),
    [
        (
            overridden(),
            ["Overridden by ann: `no-plus`: It is a surcharge", "Overridden by ann: A sum: It is a surcharge"],
        ),
        (overridden(None, None), ["Overridden by somebody: `no-plus`", "Overridden by somebody: A sum"]),
        (
            overridden("@ann", "see @bob, <b>#1</b>"),
            [
                "Overridden by @\u2060ann: `no-plus`: see @\u2060bob, &lt;b>#1&lt;/b>",
                "Overridden by @\u2060ann: A sum: see @\u2060bob, &lt;b>#1&lt;/b>",
            ],
        ),
    ],
)
def test_an_override_is_shown_with_name_and_reason(known: dict[str, KnownFinding], lines: list[str]) -> None:
    """While the rule fails; once it passes, nobody overrides anything."""
    both = [ruled("no-plus", "fail"), ruled("issue-1", "fail", criterion="A sum")]

    assert team_rules_lines(both, known) == lines
    assert team_rules_lines([ruled("no-plus", "pass")], known) == ["Pass: `no-plus`"]


def test_the_words_of_a_ruling_are_disarmed_and_short() -> None:
    """Nobody is called, nothing is loaded, and a criterion of which nothing is seen has its id."""
    live = "@ann ![x](http://evil.example) <img src=x> [a](b)\n\n## Verdict\n\n"

    [done, unsure] = team_rules_lines(
        [ruled("issue-1", "pass", criterion="\0"), ruled("a", "cannot_tell", live + "word " * 900)], {}
    )

    assert done == "Done: `issue-1`"
    shown = "(@\u2060ann ![x\\](http:\\//evil.example) &lt;img src=x> [a\\](b) ## Verdict"
    assert unsure == f"Cannot tell: `a` {shown} {' '.join(['word'] * 13)}…)"


@each_row(("unchecked", "lines"), [(0, []), (1, ["1 rule not checked: rules need a model"])])
def test_without_a_model_the_rules_are_said_to_be_unchecked(unchecked: int, lines: list[str]) -> None:
    """The offline checks rule on none."""
    assert team_rules_lines([], {}, unchecked=unchecked) == lines
