"""The standing of the team's rules: of many rulings one on each, and what becomes of the findings of rules."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import Config, ReviewConfig, TeamRule
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.source import Source
from kodiai.core.github.pull_request import LinkedIssue
from kodiai.core.judge.team_rules import TeamRulesStanding, team_rules_standing
from tests.builders import a_file, a_finding, a_known, reading
from tests.core.review_inputs import loaded, planned, remembered
from tests.tables import each_row

PATH, OTHER, SAME = "src/app.py", "src/till.py", "src/same.py"
LINES = ["def total(values):", "    return sum(values)"]
NOW = [
    a_file(path, patch="@@ -1,2 +1,2 @@\n def total(values):\n-    return 0\n+    return sum(values)")
    for path in (PATH, OTHER)
]
SOURCE = Source(reading({PATH: LINES, OTHER: LINES, SAME: LINES}), NOW, (PATH, OTHER, SAME))
RULE = TeamRule(id="no-sum", text="Nothing is summed up.", paths=("src/",), level="error")
SQL = TeamRule(id="has-rollback", text="Every migration has a rollback.", paths=("*.sql",))
ISSUE = LinkedIssue(3, "Totals", "An invoice shows it.", "octo/hello")


def ruling(result: Any, rule: str = "no-sum", **more: Any) -> TeamRuling:
    """A ruling; a failure shows the line that fails, unless it says otherwise."""
    shown = {"path": PATH, "quote": LINES[1]} if result == "fail" and "looked_at" not in more else {}
    return TeamRuling(**{"rule": rule, "result": result, "why": f"It is {result}", **shown, **more})


def failing(**more: Any) -> KnownFinding:
    """The open finding of a rule that failed before, by a line unless it has looked at files."""
    by_line = {"path": PATH, "quote": LINES[1], "start_line": 2, "end_line": 2}
    return a_known(a_finding(**{"category": "rule", "rule": "no-sum", "severity": "MAJOR", **by_line, **more}))


LACKING = {"quote": "", "looked_at": (PATH,)}


def standing(
    *rulings: TeamRuling,
    rules: Sequence[TeamRule] = (RULE,),
    before: Sequence[TeamRuling] = (),
    known: Sequence[KnownFinding] = (),
    unread: Sequence[str] = (),
    issues: Sequence[LinkedIssue] = (),
    linked_issue: Any = "note",
) -> TeamRulesStanding:
    """The standing after an incremental run: the last one saw another change of the files."""
    config = Config(review=ReviewConfig(rules=tuple(rules), linked_issue=linked_issue))
    snapshot = remembered([a_file(PATH, patch="@@ -1 +1 @@\n-a\n+b", blob="c" * 40)], config=config)
    assert snapshot is not None
    run = loaded(NOW, replace(snapshot, rulings=tuple(before)), known, config=config)
    run = replace(run, on_github=replace(run.on_github, issues=tuple(issues)))
    return team_rules_standing(planned(run), rulings, unread, SOURCE)


def results(found: TeamRulesStanding) -> dict[str, tuple[str, str]]:
    return {each.rule: (each.result, each.why) for each in found.rulings}


@each_row(
    ("given", "before", "unread", "result"),
    [
        (["pass", "fail"], [], [], ("fail", "It is fail")),
        (["not_applicable", "pass", "cannot_tell"], [], [], ("cannot_tell", "It is cannot_tell")),
        (["not_applicable", "pass"], [], [], ("pass", "It is pass")),
        (["not_applicable"], [], [], ("not_applicable", "It is not_applicable")),
        ([], ["pass"], [], ("pass", "It is pass")),
        (["pass"], ["fail"], [], ("pass", "It is pass")),
        ([], [], [], ("cannot_tell", "nobody has ruled on it")),
        (["pass"], [], [OTHER], ("cannot_tell", f"{OTHER} was not read")),
        (["not_applicable"], [], [OTHER], ("cannot_tell", f"{OTHER} was not read")),
        (["fail"], [], [OTHER], ("fail", "It is fail")),
        (["pass"], [], ["docs/unread.md"], ("pass", "It is pass")),
    ],
)
def test_the_worst_of_several_rulings_counts(
    given: list[str], before: list[str], unread: list[str], result: tuple[str, str]
) -> None:
    """Where nobody ruled the last one counts, and what was not read passes nothing."""
    found = standing(*map(ruling, given), before=[*map(ruling, before)], unread=unread)

    assert results(found) == {"no-sum": result}


def test_a_rule_without_a_changed_file_is_not_applicable() -> None:
    """Whatever a reader says of it."""
    found = standing(ruling("fail", "has-rollback"), rules=[SQL])

    assert results(found) == {"has-rollback": ("not_applicable", "no changed file is one that it is for")}
    assert found.failing == ()


@each_row(("level", "severity"), [("error", "MAJOR"), ("warning", "MEDIUM"), ("note", "MINOR")])
def test_a_failure_is_a_finding_of_the_rules_level(level: Any, severity: str) -> None:
    """At its line with the rule's text, or without a line under a file that was looked at."""
    rule = RULE.model_copy(update={"level": level})
    [shown] = standing(ruling("fail"), rules=[rule]).failing
    [lacking] = standing(ruling("fail", looked_at=("README.md", OTHER)), rules=[rule]).failing

    assert shown == Finding(
        severity=severity,  # type: ignore[arg-type]
        category="rule",
        kind="impact",
        path=PATH,
        start_line=2,
        end_line=2,
        title="Rule no-sum: It is fail",
        explanation="It is fail",
        problem="Nothing is summed up.",
        quote=LINES[1],
        rule="no-sum",
    )
    assert (lacking.path, lacking.quote, lacking.looked_at) == (OTHER, "", ("README.md", OTHER))


def test_a_failure_whose_code_is_gone_is_none() -> None:
    """The ruling of an earlier review shows code that the head may not have any more."""
    found = standing(ruling("fail", quote="return 42"))

    why = "the code that broke it is gone, and nobody has ruled since"
    assert (found.failing, results(found)) == ((), {"no-sum": ("cannot_tell", why)})


@each_row(
    ("known", "now", "repeated", "resolved", "new"),
    [
        (failing(), ruling("fail"), True, False, 0),
        (failing(), ruling("pass", path=PATH, quote=LINES[0]), False, True, 0),
        (failing(), ruling("not_applicable"), False, True, 0),
        (failing(), ruling("cannot_tell"), False, False, 0),
        (failing(), ruling("fail", path=OTHER), True, False, 0),  # its code is where it was too
        (failing(quote="return 42"), ruling("fail", path=OTHER), False, True, 1),
        (failing(), ruling("fail", looked_at=(PATH,)), False, True, 1),
        (failing(**LACKING), ruling("fail", looked_at=(OTHER,)), True, False, 0),
        (failing(**LACKING), ruling("fail"), False, True, 1),
        (failing(rule="gone"), ruling("pass"), False, True, 0),
    ],
)
def test_an_open_finding_of_a_rule_stays_or_is_resolved_by_its_ruling(
    known: KnownFinding, now: TeamRuling, repeated: bool, resolved: bool, new: int
) -> None:
    """A rule that the settings have no more closes its finding; what nobody can tell leaves it open."""
    found = standing(now, known=[known])

    assert (known.id in found.repeated, known.id in found.resolved, len(found.failing)) == (repeated, resolved, new)
    said = {True: "NOT_ADDRESSED", False: "ADDRESSED"}
    assert [each.answer for each in found.answers.values()] == ([said[repeated]] if repeated or resolved else [])


@each_row(
    ("failed", "now", "result"),
    [
        (ruling("fail"), ruling("pass", path=PATH, quote=LINES[0]), "pass"),  # the run before saw another change of it
        (ruling("fail", path=SAME), ruling("pass", path=SAME, quote=LINES[0]), "fail"),
        (ruling("fail", path=SAME), ruling("not_applicable"), "fail"),
        (ruling("fail", path=SAME), ruling("pass", path=PATH, quote=LINES[0]), "pass"),
        (ruling("fail", path=SAME, quote="return 42"), ruling("not_applicable"), "not_applicable"),
        (ruling("fail", looked_at=(SAME,)), ruling("pass", looked_at=(SAME,)), "fail"),
        (ruling("fail", looked_at=("notes/",)), ruling("pass", looked_at=("notes/",)), "fail"),
        (ruling("fail", looked_at=("src/",)), ruling("pass", looked_at=(SAME,)), "pass"),
        (ruling("fail", looked_at=(SAME,)), ruling("pass", looked_at=("description",)), "pass"),
        (ruling("cannot_tell"), ruling("pass", path=SAME, quote=LINES[0]), "pass"),
    ],
)
def test_a_failure_ends_only_where_what_decides_it_has_changed(
    failed: TeamRuling, now: TeamRuling, result: str
) -> None:
    """A reader who changes its mind opens no gate: the code is gone, or a file that shows it is not as it was."""
    assert results(standing(now, before=[failed]))["no-sum"][0] == result


def test_a_level_that_was_changed_changes_the_open_finding() -> None:
    """It is the same finding, with the severity of now."""
    known = failing()
    lower = RULE.model_copy(update={"level": "note"})

    found = standing(ruling("fail"), rules=[lower], known=[known])

    assert (found.repeated[known.id].severity, found.failing) == ("MINOR", ())


@each_row("status", ["dismissed", "wont_fix", "acknowledged"])
def test_an_overridden_rule_makes_no_new_finding(status: Any) -> None:
    """Wherever it fails now; its ruling is still there to be seen."""
    known = replace(failing(quote="return 42"), status=status)

    found = standing(ruling("fail", path=OTHER), known=[known])

    assert (found.failing, found.repeated, results(found)) == ((), {}, {"no-sum": ("fail", "It is fail")})


def test_criteria_go_on_from_review_to_review() -> None:
    """The earlier ones keep their rulings and their place, and count as the level of linked issues."""
    before = [ruling("pass", "issue-1", criterion="A sum"), ruling("pass", "issue-2", criterion="An invoice")]
    now = [ruling("fail", "issue-2", criterion="An invoice", looked_at=(PATH,))]
    now += [ruling("not_applicable", "issue-3", criterion="Vouchers")]

    found = standing(*now, rules=[], before=before, issues=[ISSUE], linked_issue="warning")

    assert [(each.rule, each.result) for each in found.rulings] == [
        ("issue-1", "pass"),
        ("issue-2", "fail"),
        ("issue-3", "not_applicable"),
    ]
    [unmet] = found.failing
    assert (unmet.severity, unmet.title, unmet.problem) == ("MEDIUM", "Not done: An invoice", "It is fail")
    assert standing(*now, rules=[], before=before).rulings == ()
    assert standing(*now, rules=[], before=before, issues=[ISSUE], linked_issue="off").failing == ()


def test_a_full_review_asks_everything_again() -> None:
    """With other settings no earlier ruling counts."""
    other = remembered([a_file(PATH)], config=Config())
    assert other is not None
    run = loaded(NOW, replace(other, rulings=(ruling("pass"),)), config=Config(review=ReviewConfig(rules=(RULE,))))

    found = team_rules_standing(planned(run), (), (), SOURCE)

    assert results(found) == {"no-sum": ("cannot_tell", "nobody has ruled on it")}
