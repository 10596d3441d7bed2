"""Several reviewers, one comment: what is reported, looked at again, and told."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from local.model import Request, Script, filled, is_extract, is_find, part, refusal, text
from local.model.offline.question import is_verify
from tests.specs.conftest import FALLBACK, Opened, Stage, a_stage
from tests.specs.scripts import Json, a_finding, a_report, a_verdict, confirming

SEARCH = "def search(db, name):\n    return db.execute(f\"select * from orders where customer = '{name}'\")\n"
TABLE = "".join(f"row_{number} = {number}\n" for number in range(110))
FILES = {"src/search.py": SEARCH, "src/table.py": TABLE}
QUERY = "return db.execute(f\"select * from orders where customer = '{name}'\")"
ALL = ["correctness", "security", "performance", "tests-and-documentation"]


def about_the_query(title: str, explanation: str, **more: Any) -> Json:
    return a_finding(**{"path": "src/search.py", "quote": QUERY, "title": title, "explanation": explanation, **more})


FOUR_WORDINGS = {
    "correctness": about_the_query(
        "A customer named O'Brien cannot be searched",
        "The quote in the name ends the SQL string early, and the query fails or does something else.",
    ),
    "security": about_the_query(
        "SQL injection through `name`",
        "`name` comes from outside and is put into the statement, so `' or '1'='1` returns every order.",
        severity="CRITICAL",
        category="security",
    ),
    "performance": about_the_query(
        "The statement is built anew for every name",
        "Interpolating the value into the SQL text keeps the database from using a prepared query.",
        severity="MEDIUM",
        category="performance",
    ),
    "tests-and-documentation": about_the_query(
        "No test passes a name with a quote in it",
        "A name such as `x' --` changes the SQL that is executed; every present test uses plain names.",
        severity="MINOR",
        category="tests",
    ),
}


def panel(reports: Mapping[str, Json]) -> Script:
    """A model that reports by who is asked; a reviewer without a report has nothing to say."""

    def find(request: Request) -> Any:
        report = reports.get(part(request))
        return text(f"### Finding 1\n{json.dumps(report)}" if report else "NOTHING TO REPORT")

    def extract(request: Request) -> Any:
        lines = request["messages"][0]["content"][0]["text"].split("\n")
        data = [line.removeprefix("| ") for line in lines if line.startswith("| {")]
        return filled(json.loads(data[0]) if data else a_report())

    return Script().when(is_find, find, always=True).when(is_extract, extract, always=True)


def body_of(opened: Opened) -> str:
    [review] = opened.reviews
    return str(review["body"])


def asked(stage: Stage, since: int) -> list[Request]:
    assert stage.machine.model is not None
    return [recorded.body for recorded in stage.machine.model.requests[since:]]


def test_the_same_concern_in_four_reviewers_words_is_one_comment(stage: Stage) -> None:
    """At its gravest; the other three are in the details with their reason."""
    stage.model.answers = confirming(panel({name: a_report(each) for name, each in FOUR_WORDINGS.items()}))
    since = stage.asked

    opened = stage.open(FILES)

    [comment] = opened.comments
    assert comment["body"].startswith("**[CRITICAL] SQL injection through `name`**")
    assert body_of(opened).count("-- the same as what is said of line 2") == 3
    assert f"- Reviewers: {', '.join(ALL)}; second look at 1 finding" in body_of(opened)
    parts = [name for request in asked(stage, since) if (name := part(request))]
    assert (parts[0], parts[-1], sorted(parts[1:-1])) == ("correctness", "verification", sorted(ALL[1:]))
    assert opened.outcomes[-1]["model"]["cache_read_tokens"] >= 4 * opened.outcomes[-1]["model"]["cache_write_tokens"]


def test_what_the_program_can_refute_is_not_told(stage: Stage) -> None:
    """Invented lines, a file that parses, a name that is there, a number that nobody has named; a bare wish is one."""
    claims = [
        about_the_query("The file does not compile", "There is a syntax error: the bracket is never closed."),
        about_the_query("`name` is not defined", "`name` is not defined anywhere, so this raises NameError."),
        about_the_query("Affected by CVE-2031-12345", "The driver is affected by CVE-2031-12345."),
        about_the_query("The cursor leaks", "It is never closed.", quote="cursor = db.cursor()"),
        about_the_query("Consider adding a retry", "Consider adding a retry for robustness.", severity="MAJOR"),
    ]
    report = a_report(*({**each, "number": number} for number, each in enumerate(claims, 1)))
    stage.model.answers = confirming(panel({"generalist": report}))

    opened = stage.open({"src/search.py": SEARCH})

    assert [comment["body"].split("\n")[0] for comment in opened.comments] == ["**[MEDIUM] Consider adding a retry**"]
    assert "\nOptional: Consider adding a retry for robustness." in body_of(opened)
    held = [line for line in body_of(opened).split("\n") if line.startswith("- [MAJOR]")]
    assert len(held) == 4
    assert "the quoted code is not in the file" in "".join(held)


def test_a_second_look_rejects_by_a_line_that_is_there_and_by_no_other(stage: Stage) -> None:
    """Its reason is in the details; a rejection that quotes what is not there leaves the finding, with a caveat."""
    there = {**a_verdict(1, QUERY, valid="`name` is an enumeration."), "number": 1}
    for name in ("valid", "actionable", "specific", "valuable"):
        there[name] = {**there[name], "path": "src/search.py"}
    invented = {**there, "valid": {**there["valid"], "quote": "name = Name(name)"}}

    def opened_with(verdict: Json) -> Opened:
        said = f"### Finding 1\n{json.dumps({'verdicts': [verdict]})}"
        script = panel({"generalist": a_report(FOUR_WORDINGS["security"])}).when(is_verify, text(said), always=True)
        stage.model.answers = confirming(script)
        return stage.open({"src/search.py": SEARCH})

    rejected, left = opened_with(there), opened_with(invented)

    assert rejected.comments == []
    assert "a second look rejects it: not valid: `name` is an enumeration." in body_of(rejected).replace("\\", "")
    [comment] = left.comments
    assert (
        "Not checked: a second look could not settle it: what was quoted against it is not in the code."
        in (comment["body"])
    )


def test_what_was_there_before_is_labelled_and_does_not_block(stage: Stage) -> None:
    """Unless a changed line causes it, which the program looks up."""
    old = a_finding(
        path="README.md", start_line=1, end_line=1, quote="# Widgets", title="The name is wrong", severity="CRITICAL"
    )
    caused = {**old, "title": "It promises no search", "explanation": "Readers look in vain."}
    caused |= {"cause": {"path": "src/search.py", "quote": QUERY}}
    stage.model.answers = confirming(panel({"generalist": a_report({**old, "number": 1})}))
    before = stage.open({"src/search.py": SEARCH})
    stage.model.answers = confirming(panel({"generalist": a_report(caused)}))
    by_us = stage.open({"src/search.py": SEARCH})

    assert "\nPre-existing, not brought by this change: A discount" in body_of(before)
    assert ":yellow_circle: **Ready to merge with minor items**" in body_of(before)
    assert "Pre-existing" not in body_of(by_us)
    assert ":red_circle: **Address before merging**" in body_of(by_us)


def test_a_reviewer_who_fails_is_named_and_the_others_are_told(stage: Stage) -> None:
    """The files count as not read, with the reason."""
    script = panel({"correctness": a_report(FOUR_WORDINGS["security"])})
    declines = Script(otherwise=confirming(script)).when(lambda request: part(request) == "security", refusal())
    stage.model.answers = declines

    opened = stage.open(FILES)

    assert len(opened.comments) == 1
    assert "- src/search.py -- no security review: the model declined" in body_of(opened)
    assert "- Coverage: read 0 of 2 files" in body_of(opened)


def test_the_reviewers_know_what_the_change_is_for(stage: Stage) -> None:
    """Its issue, its commits, the guidance of the base branch, and the code that it stands in; no boilerplate."""
    issue = stage.github.open_issue("Search by customer", "Names with an apostrophe have to be found too.")
    guided = stage.commit({"AGENTS.md": "Every query takes parameters.\n"})
    changed = {"src/orders.py": "def total(prices):\n    return sum(prices) - 1\n"}
    stage.model.answers = confirming(panel({}))
    since = stage.asked
    head = stage.commit(changed, guided, message="Take one off\n\nThe till counts it twice.")

    stage.github.open_pull_request(head, guided, body=f"Closes #{issue}\n\n- [ ] I have read the rules\n<!-- why -->")
    stage.settle()

    shown = "\n".join(block["text"] for block in asked(stage, since)[0]["messages"][0]["content"])
    for words in ("apostrophe", "Every query takes parameters.", "The till counts it twice."):
        assert words in shown
    assert "I have read the rules" not in shown
    assert "<!-- why" not in shown


def test_a_review_stops_asking_when_the_budget_is_used_up(tmp_path: Path) -> None:
    """It reports what it has read, and who was not asked."""
    price = {"input": 1.0, "output": 10.0, "cache_read": 1.0, "cache_write": 1.0}
    prices = {"models/prices": json.dumps({"offline-reviewer": price, FALLBACK: price})}
    with a_stage(tmp_path, parameters=prices) as priced:
        long_story = {**FOUR_WORDINGS["security"], "severity": "MEDIUM", "explanation": "It is so. " * 2_000}
        priced.model.answers = confirming(panel({"correctness": a_report(long_story)}))

        opened = priced.open(FILES, config="budget:\n  perPullRequest: 0.04\n")

        assert len(opened.comments) == 1
        missing = "no security, performance or tests-and-documentation review: the budget is used up"
        for path in FILES:
            assert f"- {path} -- {missing}" in body_of(opened)
