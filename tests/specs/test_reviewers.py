"""Several reviewers, one comment: what is reported, looked at again, and told."""

from collections.abc import Mapping
from typing import Any

from local.model import ModelRequest, Script, is_find, is_judge, reporting
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import Json, a_finding, a_report, judged, rules, texts

SEARCH = "def search(db, name):\n    return db.execute(f\"select * from orders where customer = '{name}'\")\n"
TABLE = "".join(f"row_{number} = {number}\n" for number in range(110))
FILES = {"src/auth/search.py": SEARCH, "src/table.py": TABLE}
BUDGET = 0.02
QUERY = "return db.execute(f\"select * from orders where customer = '{name}'\")"
ALL = ["behavior", "promises", "security"]


def about_the_query(title: str, explanation: str, **more: Any) -> Json:
    return a_finding(
        **{"path": "src/auth/search.py", "quote": QUERY, "title": title, "explanation": explanation, **more}
    )


WORDINGS = {
    "behavior": about_the_query(
        "A customer named O'Brien cannot be searched",
        "The quote in the name ends the SQL string early, and the query fails or does something else.",
    ),
    "security": about_the_query(
        "SQL injection through `name`",
        "`name` comes from outside and is put into the statement, so `' or '1'='1` returns every order.",
        severity="CRITICAL",
        category="security",
    ),
    "promises": about_the_query(
        "No test passes a name with a quote in it",
        "A name such as `x' --` changes the SQL that is executed; every present test uses plain names.",
        severity="MINOR",
        category="tests",
    ),
}


def panel(reports: Mapping[str, Json]) -> Script:
    """A model that reports by who is asked; a reviewer without a report has nothing to say."""
    return Script().when(is_find, lambda each: reporting(reports.get(ModelRequest(each).part)), always=True)


def body_of(opened: Opened) -> str:
    [review] = opened.reviews
    return str(review["body"])


def test_the_same_concern_in_three_readers_words_is_one_comment(stage: Stage) -> None:
    """The judge says that they are one; the other two are in the details."""
    injection = WORDINGS["security"]["title"]
    same = [
        rules(each["title"], fate="same-as", same_as=injection) for name, each in WORDINGS.items() if name != "security"
    ]
    stage.model.answers = judged(panel({name: a_report(each) for name, each in WORDINGS.items()}), *same)

    opened = stage.open(FILES)

    [comment] = opened.comments
    assert comment["body"].startswith("**[CRITICAL] SQL injection through `name`**")
    assert body_of(opened).count(" -- the same as “") == 2
    parts = [name for request in stage.questions if (name := ModelRequest(request).part)]
    assert (parts[0], parts[-1], sorted(parts[1:-1])) == ("behavior", "judge", sorted(ALL[1:]))
    # The first of the four writes what all have in common, the other three read it.
    used = opened.outcomes[-1]["model"]
    assert used["cache_read_tokens"] >= 2.5 * used["cache_write_tokens"]  # the judge has no use for the readers' role


def test_the_judge_is_shown_what_the_program_knows_about_the_code_of_each_finding(stage: Stage) -> None:
    """A file that parses, a name that is bound, code that is not there: by these facts it drops what is wrong."""
    claims = [
        about_the_query("The file does not compile", "There is a syntax error: the bracket is never closed."),
        about_the_query("`name` is not defined", "`name` is not defined anywhere, so this raises NameError."),
        about_the_query("The cursor leaks", "It is never closed.", quote="cursor = db.cursor()"),
    ]
    wrong = [
        rules(each["title"], fate="wrong", quote="def search(db, name):", why="The notes say so.") for each in claims
    ]
    stage.model.answers = judged(panel({"generalist": a_report(*claims)}), *wrong, confirms=True)

    opened = stage.open({"src/auth/search.py": SEARCH})

    judge = ModelRequest(next(filter(is_judge, stage.questions)))
    notes = {each["title"]: each["notes"] for each in judge.candidates}
    assert "src/auth/search.py parses." in notes["The file does not compile"]
    assert not any("bound nowhere" in note for note in notes["`name` is not defined"])
    assert notes["The cursor leaks"] == ["The quoted code stands nowhere in that file."]
    assert opened.comments == []
    for each in claims:
        assert f"{each['title']} -- wrong: The notes say so." in body_of(opened).replace("\\", "")


def test_a_pre_existing_problem_is_labeled_and_does_not_block(stage: Stage) -> None:
    """The judge says that it was; not where a changed line causes it, which the program looks up."""
    old = a_finding(
        path="README.md", start_line=1, end_line=1, quote="# Widgets", title="The name is wrong", severity="CRITICAL"
    )
    caused = {**old, "title": "It promises no search", "explanation": "Readers look in vain."}
    caused |= {"cause": {"path": "src/auth/search.py", "quote": QUERY}}
    was_there = [rules(each["title"], pre_existing=True) for each in (old, caused)]
    stage.model.answers = judged(panel({"generalist": a_report(old, caused)}), *was_there)

    opened = stage.open({"src/auth/search.py": SEARCH})

    assert body_of(opened).count("Older problem, does") == 1
    assert "\nOlder problem, does not block: A discount" in body_of(opened)
    assert ":red_circle: **Address before merging** -- 1 CRITICAL finding" in body_of(opened)


def test_the_reviewers_know_what_the_change_is_for(stage: Stage) -> None:
    """Its issue, its commits, the guidance of the base branch, and the code that it stands in; no boilerplate."""
    issue = stage.github.open_issue("Search by customer", "Names with an apostrophe have to be found too.")
    base = stage.commit({"AGENTS.md": "Every query takes parameters.\n"})
    changed = {"src/orders.py": "def total(prices):\n    return sum(prices) - 1\n"}
    stage.model.answers = judged(panel({}))
    head = stage.commit(changed, base, message="Take one off\n\nThe till counts it twice.")

    stage.open_at(head, base, body=f"Closes #{issue}\n\n- [ ] I have read the rules\n<!-- why -->")

    shown = texts(stage.questions[0])
    for words in ("apostrophe", "Every query takes parameters.", "The till counts it twice."):
        assert words in shown
    assert "I have read the rules" not in shown
    assert "<!-- why" not in shown


def test_a_review_stops_asking_when_the_budget_is_used_up(talk: Stage) -> None:
    """It reports what it has read as not verified, and who was not asked; the judge is not either.

    What blocks gets its comment all the same, the rest is listed.
    """
    long_story = {"explanation": "It is so. " * 2_000}
    blocking = {**WORDINGS["behavior"], **long_story}
    listed = about_the_query("No index is used", "It is slow.", severity="MEDIUM", category="performance")
    talk.model.answers = judged(panel({"behavior": a_report(blocking, {**listed, **long_story})}))

    opened = talk.open(FILES, config=f"budget:\n  perPullRequest: {BUDGET}\n")

    [comment] = opened.comments
    assert comment["body"].startswith(f"**[MAJOR] {blocking['title']}**\n")
    assert "Caveat: not verified: the budget `budget.perPullRequest` is used up." in comment["body"]
    assert "[MEDIUM] src/auth/search.py (2): No index is used\n" in unlinked(body_of(opened))
    assert "Caveat: not verified: the budget `budget.perPullRequest` is used up." in body_of(opened)
    assert "- Problem: no judge: the budget `budget.perPullRequest` is used up\n" in body_of(opened)
    assert not any(map(is_judge, talk.questions))
    missing = "; ".join(f"no {name} review: the budget `budget.perPullRequest` is used up" for name in ALL[1:])
    for path in FILES:
        assert f"- {path} -- {missing}" in body_of(opened)
