"""The second review continues the first: what is new, what is resolved, what is still open."""

import re

from tests.git_repository import Files
from tests.review_form import review_faults
from tests.review_form.reading import unlinked
from tests.specs.conftest import Stage
from tests.specs.moods import DISCOUNT, SHELF, TOKENS, TREES
from tests.specs.pushing import (
    EDITED,
    FIXED,
    NOTES,
    ON_PUSH,
    opened_with_finding,
    push,
    shown,
    statuses,
    the_finding,
)
from tests.specs.scripts import a_finding, a_report, an_answer, rules, says


def summary(body: str) -> str:
    """A review's body without its details and its marker, which hold ids and figures."""
    return re.sub(r"\n\n<details><summary>Review Details.*", "", body, flags=re.DOTALL)


def test_a_finding_that_the_code_fixes_is_resolved_and_is_back_only_with_its_code(stage: Stage) -> None:
    """The delta says so, its thread gets a reply, the verdict turns, and the older summary is collapsed.

    Reported again, it is posted only where the fix is gone: what the judge calls wrong changes nothing; code that is
    broken again is posted with a comment of its own.
    """
    opened = opened_with_finding(stage)
    first = opened.head

    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))

    old, new = opened.reviews
    root, told = opened.comments
    assert summary(new["body"]) == (
        ":green_circle: **Blockers resolved** · ready to merge · 1 resolved\n\n"
        "<details><summary>Kodiai Re-Review Summary</summary>\n\n"
        f"## Re-review -- Changes since {first[:7]}\n\n"
        "## What Changed\n\n- Orders take a discount.\n\n"
        "## Resolved Findings\n\n"
        f":white_check_mark: [MAJOR] [src/orders.py]({root['html_url']}): The discount is added -- resolved\n\n"
        "## Verdict Update\n\n:green_circle: **Blockers resolved** -- Ready to merge\n\n</details>"
    )
    assert review_faults(new["body"]) == []
    assert statuses(opened) == ["fixed"]
    assert (told["in_reply_to_id"], told["body"].split("\n")[0]) == (root["id"], f"Fixed in {opened.head[:7]}.")
    assert opened.check["conclusion"] == "success"
    assert stage.github.state.reviews[old["id"]].minimized == "outdated"
    assert stage.github.state.reviews[new["id"]].minimized is None
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 1, "still_open": 0, "settled": 0}

    finding = the_finding(opened)
    again = a_finding(quote="return sum(prices) - discount", title="The discount is added, it seems", severity="MEDIUM")
    wrong = rules(again["title"], fate="wrong", quote="def total(prices, discount):", why="It is subtracted.")

    push(opened, {"src/orders.py": "# Totals.\n" + str(FIXED["src/orders.py"])}, a_report(again), wrong)

    assert (statuses(opened), len(opened.reviews)) == (["fixed"], 2)

    push(
        opened,
        {"src/orders.py": "# Sums.\n" + str(DISCOUNT["src/orders.py"])},
        a_report(a_finding(start_line=3, end_line=3)),
    )

    assert (statuses(opened), len(opened.reviews)) == (["open"], 3)
    assert the_finding(opened) == finding
    assert ":new: [MAJOR] src/orders.py (3): The discount is added\n" in unlinked(opened.reviews[2]["body"])
    assert len([comment for comment in opened.comments if comment.get("in_reply_to_id") is None]) == 2


def test_a_finding_is_resolved_by_code_alone(stage: Stage) -> None:
    """Claims of the model without code of the head that bears them out resolve nothing, nor does silence.

    Neither does the word of a reviewer with whom the judge does not agree, nor one that cannot be read: of that the
    review says that the file was not read in full. Two findings on one line are two: only one of them is resolved.
    """
    other = a_finding(
        title="A price may be missing",
        category="reliability",
        explanation="`sum` raises TypeError where a price is None, as drafts have it.",
    )
    opened = opened_with_finding(stage, a_finding(), other)
    added = next(known.id for known in opened.ledger.findings() if known.finding.title == a_finding()["title"])
    invented = an_answer(added, quote="return max(sum(prices) - discount, 0)")
    assert len(opened.comments) == 2

    push(opened, FIXED, a_report(earlier=[invented]))

    assert stage.outcome()["asked_back"] == 2
    assert statuses(opened) == ["open", "open"]

    push(
        opened,
        {"src/orders.py": f"{FIXED['src/orders.py']!s}N = 1\n"},
        a_report(earlier=[an_answer(added)]),
        resolves=False,
    )

    assert statuses(opened) == ["open", "open"]
    assert (len(opened.reviews), len(opened.comments)) == (1, 2)

    push(opened, {"src/orders.py": "def total(prices, discount):\n    return 0\n"})

    assert statuses(opened) == ["open", "open"]
    assert opened.check["conclusion"] == "neutral"
    assert opened.check["output"]["title"] == "Address before merging · 2 major"
    assert "- [MAJOR] src/orders.py (2): The discount is added\n" in unlinked(opened.check["output"]["summary"])

    push(opened, {"src/orders.py": f"{FIXED['src/orders.py']!s}N = 2\n"}, a_report(earlier=[an_answer(added, "FIXED")]))

    assert statuses(opened) == ["open", "open"]
    assert "- src/orders.py -- 1 answer about earlier findings could not be read" in opened.reviews[1]["body"]

    push(opened, {"src/orders.py": f"{FIXED['src/orders.py']!s}N = 3\n"}, a_report(earlier=[an_answer(added)]))

    by_title = {known.finding.title: known.status for known in opened.ledger.findings()}
    assert by_title == {"The discount is added": "fixed", "A price may be missing": "open"}
    assert ":red_circle: **Blockers still open** -- 1 earlier finding still blocks" in opened.reviews[2]["body"]


def test_only_the_hunks_that_changed_are_asked_about(stage: Stage) -> None:
    """Reviewed hunks are named, not shown, and their findings are neither asked back nor posted again."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open({**DISCOUNT, **SHELF, "README.md": "# Widgets\n\nMore.\n"}, config=ON_PUSH)
    asked = stage.asked

    push(opened, {"src/stock.py": "def left(shelf):\n    return len(shelf)\n"})

    said = stage.outcome()
    assert (said["mode"], said["hunks_asked"], said["hunks_total"]) == ("incremental", 1, 3)
    text = shown(opened, asked)
    assert '### FILE "src/stock.py"' in text
    assert '### FILE "src/orders.py"' not in text
    assert '"files_reviewed_before": ["README.md", "src/orders.py"]' in text
    assert "Findings of earlier reviews" not in text
    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 1, ["open"])


def test_new_findings_are_told_beside_what_is_still_open(stage: Stage) -> None:
    """The delta form: the new one in full, the old one counted and listed, never in the main body."""
    opened = opened_with_finding(stage)
    first = opened.head
    new = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing", severity="CRITICAL")

    push(opened, SHELF, a_report(new, what_changed="Shelves are counted."))

    old, _ = opened.comments
    there = f"{opened.web}/blob/{opened.head}/src/stock.py?plain=1#L2"
    assert summary(opened.reviews[1]["body"]) == (
        ":red_circle: **New blockers found** · 1 new · 1 still open\n\n"
        "<details><summary>Kodiai Re-Review Summary</summary>\n\n"
        f"## Re-review -- Changes since {first[:7]}\n\n"
        "## What Changed\n\n- Shelves are counted.\n\n"
        f"## New Findings\n\n:new: [CRITICAL] [src/stock.py (2)]({there}): One is missing\n\n"
        "## Still Open\n\n1 still open.\n\n<details><summary>Show</summary>\n\n"
        f"- [MAJOR] [src/orders.py]({old['html_url']}): The discount is added\n\n</details>\n\n"
        "## Verdict Update\n\n"
        ":red_circle: **New blockers found** -- Address 1 new finding and 1 that was open before\n\n</details>"
    )
    assert review_faults(opened.reviews[1]["body"]) == []
    assert [comment["path"] for comment in opened.comments] == ["src/orders.py", "src/stock.py"]


def test_a_model_that_says_everything_in_other_words_adds_nothing(stage: Stage) -> None:
    """A reworded title, moved lines and a renamed file make no other finding: as many threads as before.

    Where the line itself was edited, the judge says which finding it is.
    """
    opened = opened_with_finding(stage)
    renamed: Files = {"src/orders.py": None, "src/tills.py": "\n\n" + str(EDITED["src/orders.py"])}

    push(opened, renamed, a_report(a_finding(title="割引が足されている", path="src/tills.py")))

    assert len(opened.ledger.findings()) == 1
    assert (len(opened.comments), len(opened.reviews)) == (1, 1)

    edited = a_finding(title="Rebates raise totals", path="src/tills.py", quote="return sum(prices) + abs(discount)")
    push(
        opened,
        {"src/tills.py": "def total(prices, discount):\n    return sum(prices) + abs(discount)\n"},
        a_report(edited),
        rules(edited["title"], fate="known", known=the_finding(opened)),
    )

    assert (statuses(opened), len(opened.comments), len(opened.reviews)) == (["open"], 1, 1)


def test_without_prior_findings_the_first_form_is_used_and_silence_is_kept(stage: Stage) -> None:
    """A clean change is ready to merge: no comment, a green verdict and a green check.

    Nothing new, nothing resolved, nothing open: nothing is posted; something new: as in a first review.
    """
    stage.model.answers = says(a_report())
    opened = stage.open(DISCOUNT, config=ON_PUSH)

    [review] = opened.reviews
    assert ":green_circle: **Ready to merge** -- nothing found in 1 file" in review["body"]
    assert "## Observations" not in review["body"]
    assert (opened.comments, opened.check["conclusion"]) == ([], "success")

    push(opened, NOTES)

    assert len(opened.reviews) == 1
    assert (opened.check["conclusion"], opened.check["output"]["title"]) == (
        "success",
        "Ready to merge · nothing found in 2 files",
    )

    push(opened, SHELF, a_report(a_finding(path="src/stock.py", quote="return len(shelf) - 1")))

    body = unlinked(opened.reviews[1]["body"])
    assert body.startswith(
        ":red_circle: **Address before merging** · 1 major\n\n<details><summary>Kodiai Review Summary</summary>"
    )
    assert "[MAJOR] src/stock.py (2): The discount is added\n" in body


def test_findings_that_are_merely_still_open_are_posted_where_the_repository_wants_it(stage: Stage) -> None:
    """By `review.repeatOpen: comment`; else the check alone tells of them."""
    opened = opened_with_finding(stage, config=ON_PUSH + "  repeatOpen: comment\n")

    push(opened, NOTES)

    assert len(opened.reviews) == 2
    assert ":red_circle: **Blockers still open** -- 1 earlier finding still blocks" in opened.reviews[1]["body"]


def test_a_finding_that_became_more_severe_is_raised_and_its_thread_says_why_once(stage: Stage) -> None:
    """The verdict counts it as new; later pushes say nothing more."""
    opened = opened_with_finding(stage, a_finding(severity="MEDIUM"))
    worse = an_answer(the_finding(opened), "NOT_ADDRESSED", severity="CRITICAL", why="It is charged twice now.")
    worse["quote"] = "return sum(prices) + discount"

    push(opened, EDITED, a_report(earlier=[worse]))
    push(opened, {"src/orders.py": str(EDITED["src/orders.py"]) + "MORE = 6\n"}, a_report(earlier=[worse]))

    assert [known.finding.severity for known in opened.ledger.findings()] == ["CRITICAL"]
    _, told = opened.comments
    assert told["body"].startswith("This is **CRITICAL** now.\n\nIt is charged twice now.\n\n<!-- kodiai:reply ")
    assert len(opened.reviews) == 2
    assert ":red_circle: **New blockers found** -- Address 1 new finding" in opened.reviews[1]["body"]


def test_a_push_reads_nothing_of_the_last_head_that_is_as_it_was(stage: Stage) -> None:
    """However many earlier findings there are to ask about: new files, theirs, and old ones come with one request."""
    files = {f"src/part_{at}.py": f"def part_{at}(rows):\n    return rows[{at}]\n" for at in range(8)}
    found = [
        a_finding(path=path, quote=f"return rows[{at}]", title=f"There may be no row {at}")
        for at, path in enumerate(files)
    ]
    opened = opened_with_finding(stage, *found, files=files)

    edited = {"src/part_3.py": "def part_3(rows):\n    return rows\n"}
    for pushed in ({"AGENTS.md": "Take rows as they come.\n"}, edited):
        before, asked = len(stage.github.requests), len(stage.questions)
        push(opened, pushed)

        routes = [seen.route for seen in stage.github.requests[before:] if seen.route != TOKENS]
        assert not [route for route in routes if "/contents/" in route or "/git/blobs/" in route]
        assert (routes.count(TREES), routes.count("POST /graphql")) == (1, 3)
        assert len(routes) <= 10
    assert "-       |     return rows[3]\n+     2 |     return rows\n" in shown(opened, asked)
