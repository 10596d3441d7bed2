"""The rules that the readers rule on: which batch, when again, and what they are shown of them."""

from dataclasses import replace
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import Config, ReviewConfig, TeamRule
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.github.pull_request import LinkedIssue
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.team_rules import asked_rules, files_of, is_overridden
from tests.builders import a_finding, a_known
from tests.core.review_inputs import file, loaded, remembered
from tests.tables import each_row

ONE, TWO = file("src/a.py", "@@ -1 +1 @@\n-a\n+b"), file("db/1.sql", "@@ -1 +1 @@\n-a\n+c")
MOVED = file("src/new.py", "@@ -1 +1 @@\n-a\n+d", previous_path="db/old.sql", status="renamed")
SQL = TeamRule(id="has-rollback", text="Every migration has a rollback.", paths=("*.sql",))
ANY = TeamRule(id="has-notes", text="Every change has a note.")
ISSUE = LinkedIssue(3, "Totals", "An invoice shows it.", "octo/hello")


def ruled(rule: str, result: Any, criterion: str = "") -> TeamRuling:
    return TeamRuling(rule=rule, result=result, why="It is so", criterion=criterion)


def failed(rule: str, status: FindingStatus) -> KnownFinding:
    return a_known(a_finding(category="rule", rule=rule), status=status)


def an_input(
    files: list[ChangedFile], *before: TeamRuling, known: tuple[KnownFinding, ...] = (), **given: Any
) -> ReviewInput:
    """A run with both rules after one with these rulings; `issues` are those that the pull request closes."""
    issues = given.pop("issues", ())
    review = ReviewConfig(rules=(SQL, ANY), **given)
    snapshot = remembered([file("src/a.py", "@@ -1 +1 @@\n-x\n+y")])
    assert snapshot is not None
    run = loaded(files, replace(snapshot, rulings=before), known, config=Config(review=review))
    return replace(run, on_github=replace(run.on_github, issues=issues))


def names(run: ReviewInput, *batches: list[ChangedFile], offline: bool = False) -> list[list[str]]:
    asked = asked_rules(run, batches, offline=offline)
    return [[rule.id for rule in each.rules] if each is not None else [] for each in asked]


def test_a_rule_is_for_the_batches_that_have_files_of_it() -> None:
    """All its changed files are named to each; the old path of a moved file counts, and skipped files do not."""
    run = an_input([ONE, TWO, MOVED])

    both = ["has-rollback", "has-notes"]
    assert names(run, [ONE], [TWO], [MOVED]) == [["has-notes"], both, both]
    assert files_of(SQL, run) == ["db/1.sql", "db/old.sql"]
    assert files_of(SQL, an_input([ONE, TWO], skip_paths=("db/",))) == []
    assert names(run, [ONE], offline=True) == [[]]
    assert asked_rules(run, [], offline=False) == []


@each_row(
    ("before", "status", "asked"),
    [
        ((), None, True),
        ([ruled("has-rollback", "fail")], "open", True),
        ([ruled("has-rollback", "fail")], "dismissed", False),
        ([ruled("has-rollback", "fail")], "wont_fix", False),
        ([ruled("has-rollback", "pass")], None, False),
        ([ruled("has-rollback", "cannot_tell")], None, False),
        ([ruled("has-rollback", "not_applicable")], None, False),
    ],
)
def test_a_rule_whose_files_are_not_read_is_asked_about_while_it_fails(
    before: list[TeamRuling], status: FindingStatus | None, asked: bool
) -> None:
    """The first batch is asked, as the fix may be in any file; what people let fail is not asked about."""
    known = (failed("has-rollback", status),) if status else ()
    run = an_input([ONE, TWO], *before, known=known)

    assert names(run, [ONE], [ONE]) == [["has-notes", *(["has-rollback"] if asked else [])], ["has-notes"]]
    assert is_overridden("has-rollback", run) == (status in ("dismissed", "wont_fix"))


def test_only_the_first_batch_is_asked_about_the_linked_issues() -> None:
    """With the criteria of earlier reviews; without an issue, or where it is off, nobody is."""
    unmet = ruled("issue-1", "fail", "An invoice shows it")
    both = [[ONE], [TWO]]
    first, second = asked_rules(an_input([ONE, TWO], unmet, issues=(ISSUE,)), both, offline=False)

    assert first is not None
    assert second is not None
    assert (first.criteria, second.criteria) == ({"issue-1": unmet}, None)
    assert first.rows[-1] == {"rule": "issue-1", "issue_asks_for": "An invoice shows it", "last_result": "fail"}
    for run in (an_input([ONE], unmet), an_input([ONE], unmet, issues=(ISSUE,), linked_issue="off")):
        [alone] = asked_rules(run, [[ONE]], offline=False)
        assert alone is not None
        assert alone.criteria is None


def test_a_reader_is_shown_the_first_of_many_files() -> None:
    """And how many more there are; of a rule for all files none."""
    many = [file(f"src/{number}.py", "@@ -1 +1 @@\n-a\n+b") for number in range(25)]
    many += [file(f"db/{number}.sql", "@@ -1 +1 @@\n-a\n+b") for number in range(25)]
    [asked] = asked_rules(an_input(many), [many], offline=False)

    assert asked is not None
    first, second = asked.rows
    assert (first["rule"], len(first["files"]), first["and_more_files"]) == ("has-rollback", 20, 5)
    assert second == {"rule": "has-notes", "text": ANY.text}
