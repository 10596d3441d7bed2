"""The tab "Bot activity": each run with its scope, cost and findings; the status and the ledger."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kodiai.core.config.spending import Spending
from kodiai.core.findings.known import Evidence
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.review.review import Review, ReviewComment, ThreadAction
from local.github.views import node_id
from tests.builders import a_known, followed, kept
from tests.local.page.activity_scene import BEGAN, MODEL, Scene, event, figures, results, titled
from tests.tables import each_row


def test_a_run_shows_its_scope_and_its_cost(scene: Scene) -> None:
    comments = (ReviewComment("src/app.py", 12, None, "text"),)
    guid = scene.delivered()
    run = scene.records_run(guid, staged={"review": Review("COMMENT", "text", comments)}, review_id="77")

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("p", "lead").text == (
        "Scope: full (first review). Posted a review with 1 inline comment (COMMENT). View review"
    )
    assert shown.one("p", "lead").one("a")["href"] == f"/acme/widgets/pull/{scene.number}#pullrequestreview-77"
    told = figures(shown)
    assert told.pop("Started")
    assert told == {
        "Commits": "aaaaaaa..bbbbbbb",
        "Scope": "full (first review)",
        "Depth": "lite",
        "Files read": "2 of 3",
        "Files still to read": "1",
        "Hunks reviewed": "4 of 5",
        "Reviewers": "generalist, correctness",
        "Earlier findings rechecked": "1",
        "Findings verified": "4, 1 not verified",
        "Findings suppressed": "2 wrong, 1 not worth it",
        "Verdict": "Address before merging",
        "Memory": "2 recalled by words alone (offline), 1 rule, 3 written; unavailable: no answer within 3 seconds",
        "Models": MODEL,
        "Tokens": "2 calls, 5,000 tokens in (4,000 from cache), 300 out",
        "Cost": "$0.0123",
        "Duration": "about 5 s",
    }
    read, skipped = shown.all("ul", "paths")
    assert read.texts("li") == ["src/app.py", "src/orders.py"]
    assert skipped.texts("li") == ["poetry.lock lock file"]


@each_row(("facts", "words"), [
    ({"verdict": "no-verdict", "unread": 0}, "Offline checks only: no verdict"),
    ({"verdict": "ci-red", "unread": 0}, "CI is red"),
    ({"verdict": "not-fully-reviewed", "unread": 1}, "Not fully reviewed"),
    ({"verdict": "nothing-to-read", "unread": 0}, "Nothing to read"),
    ({"verdict": "ready", "unread": 0}, "Ready to merge"),
])  # fmt: skip
def test_the_verdict_of_the_last_run_is_that_of_the_pull_request(
    scene: Scene, facts: Mapping[str, Any], words: str
) -> None:
    """The verdict without open findings names unread files, or the missing model."""
    run = scene.records_run(scene.delivered(), facts=facts)

    page = scene.page()

    assert figures(page.by_id(f"run-{run.id}"))["Verdict"] == words
    assert page.by_id("activity-status").one("p").text.endswith(f" Verdict: {words}.")


SUPERSEDED = "the head moved on to ccccccc"


@each_row(("given", "title", "lead"), [
    (
        {"facts": {"mode": "incremental", "reason": "since-aaaaaaa"}}, "incremental",
        "Scope: incremental (since aaaaaaa). No review was posted: nothing new to report.",
    ),
    (
        {"staged": {"review": Review("REQUEST_CHANGES", "text", ())}, "status": "running", "ended": None},
        "full in progress",
        "Scope: full (first review). About to post a review with no inline comments (REQUEST_CHANGES).",
    ),
    (
        {"status": "superseded", "staged": {"facts": {}}, "without_facts": True, "ended_why": SUPERSEDED},
        "superseded", SUPERSEDED,
    ),
])  # fmt: skip
def test_a_run_without_a_posted_review_says_why(scene: Scene, given: dict[str, Any], title: str, lead: str) -> None:
    given, without_facts = dict(given), "without_facts" in given
    given.pop("without_facts", None)
    run = scene.records_run(scene.delivered(), **given)
    if without_facts:
        scene.ledger.kept_runs[-1] = replace(run, staged=None, facts={})

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("h4").text == f"Run {run.id} {title}"
    assert shown.one("p", "lead").text == lead


def test_every_finding_of_a_run_is_shown_with_its_result_and_its_reason(scene: Scene) -> None:
    place = "src/app.py:12"
    names = "new body fixed dismissed again worse stays untouched dropped listed"
    new, body, fixed, dismissed, again, worse, stays, untouched, dropped, listed = (
        titled(f"Problem {name}") for name in names.split()
    )
    evidence = Evidence("src/app.py", "return 0")
    was = [
        followed(fixed, "resolved", {"evidence": evidence, "comment_id": "21"}, why="The total is set first."),
        followed(dismissed, "dismissed", why="ann decided so"),
        followed(again, "reopened", why="the code is as it was"),
        followed(worse, "raised", why="It is read in a loop now."),
        followed(stays, why="The line was moved, not fixed."),
    ]
    staged = {
        "findings": (kept(new), kept(body, inline=False)),
        "updates": tuple(was),
        "thread_actions": (
            ThreadAction("t", was[3].id, say="It is **worse** now."),
            ThreadAction("t", was[0].id, resolve=True),
        ),
        "suppressed": (
            SuppressedFinding(dropped, "The first line returns.", "wrong"),
            SuppressedFinding(listed, "a linter says it", "not-worth-it"),
        ),
    }
    scene.records_run(scene.delivered())
    run = scene.records_run(scene.delivered(), staged=staged, facts={"threads_resolved": [was[0].id]})
    scene.records(*(each.known for each in was), a_known(untouched))
    scene.records(
        a_known(new, id=kept(new).id, comment_id=node_id("PRRC", 31)), a_known(body, comment_id=None), at=BEGAN + 15
    )

    shown = scene.page().by_id(f"run-{run.id}")

    evidence_shown = "Evidence in src/app.py: return 0"
    no_evidence = "no evidence of a fix, and no decision"
    assert results(shown) == {
        "New": [
            f"MAJOR Problem new {place} inline comment",
            f"MAJOR Problem body {place} no inline comment",
        ],
        "Resolved": [
            f"MAJOR Problem fixed {place} fixed in the code; thread resolved The total is set first. {evidence_shown}"
        ],
        "Dismissed": [f"MAJOR Problem dismissed {place} dismissed by ann (won't fix) ann decided so"],
        "Reopened": [f"MAJOR Problem again {place} the code is as it was"],
        "More severe": [
            f"MAJOR Problem worse {place} was MEDIUM It is read in a loop now. Reply in its thread: It is worse now."
        ],
        "Still open": [
            f"MAJOR Problem stays {place} The line was moved, not fixed.",
            f"MAJOR Problem untouched {place} {no_evidence}",
        ],
        "Suppressed": [
            f"MAJOR Problem dropped {place} wrong The first line returns.",
            f"MAJOR Problem listed {place} not worth it a linter says it",
        ],
    }
    address = f"/acme/widgets/pull/{scene.number}#discussion_r"
    links = {link.text: link["href"] for link in shown.all("a")}
    assert (links["Problem new"], links["Problem fixed"]) == (f"{address}31", f"{address}21")
    assert "Problem body" not in links
    assert shown.one("ul", "counts").texts("li")[0] == "2 new"


def test_a_run_does_not_show_findings_of_later_runs(scene: Scene) -> None:
    early, late = titled("Early"), titled("Late")
    first = scene.records_run(scene.delivered(), staged={"findings": (kept(early),)})
    second = scene.records_run(scene.delivered(), staged={"findings": (kept(late),)})
    back = scene.records_run(scene.delivered(), staged={"findings": (kept(early),)})
    scene.records(a_known(early, id=kept(early).id), a_known(late, id=kept(late).id))

    page = scene.page()

    assert {title: len(found) for title, found in results(page.by_id(f"run-{first.id}")).items()} == {"New": 1}
    assert list(results(page.by_id(f"run-{second.id}"))) == ["New", "Still open"]
    assert "it was resolved and is back" in results(page.by_id(f"run-{back.id}"))["New"][0]


def test_the_status_is_shown_in_plain_words(scene: Scene) -> None:
    scene.records_run(scene.delivered())
    scene.records(
        a_known(titled("Open")),
        a_known(titled("Fixed"), status="fixed"),
        a_known(titled("Dismissed"), status="wont_fix", settled_by="ann"),
    )
    scene.ledger.kept_records.append({"pk": "PR#acme/widgets#1", "sk": "STATE", "paused_by": "ann"})
    scene.ledger.spent = Spending(0.25, 0.5, 1.5, 2.5)

    status = scene.page().by_id("activity-status")

    assert status.one("dl").texts("dd") == [
        "1 1 blocking",
        "1",
        "1",
        "$0.25 $1.50 in this repository this month",
    ]
    head = scene.github.state.pulls[scene.number].head_sha
    assert status.one("p").text == (
        f"Last completed review: bbbbbbb (the head is now {head[:7]}). Verdict: Address before merging. "
        "Reviews are paused by ann; a review can still be requested."
    )


def test_the_ledger_is_shown_with_each_findings_history_and_the_raw_records(scene: Scene) -> None:
    known = a_known(titled("Dismissed"), status="wont_fix", settled_by="ann")
    scene.records(known)
    scene.ledger.kept_records += [
        {"pk": "p", "sk": "STATE", "turns": 1},
        {"pk": "p", "sk": "LONG", "text": "x" * 5_000},
    ]

    page = scene.page()

    assert [each.text.partition("UTC ")[2] for each in page.by_id(f"activity-{known.id}").one("ol").all("li")] == [
        "bbbbbbb open: reported",
        "bbbbbbb won't fix: ann decided",
    ]
    state, long = page.by_id("activity-records").all("details", "record")
    assert (state.one("summary").text, json.loads(state.one("pre").text)) == ("STATE", {"turns": 1})
    assert long.one("pre").text.endswith("more characters")


def test_a_run_without_its_delivery_and_its_findings_is_shown_all_the_same(scene: Scene) -> None:
    scene.ledger.is_readable = False
    run = scene.records_run("from-elsewhere")

    page = scene.page()

    shown = event(page, "from-elsewhere")
    assert shown.one("h3").text == "Somebody requested a review (the delivery is not in the log)"
    assert shown.one("section", "run")["id"] == f"run-{run.id}"
    assert "the findings of earlier reviews cannot be read" in page.by_id("activity-status").text
