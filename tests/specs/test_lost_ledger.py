"""Without its ledger the reviewer goes on where its own marks on GitHub say that it was."""

from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF
from tests.specs.pushing import (
    EDITED,
    FIXED,
    NOTES,
    TILL,
    opened_at_cause,
    opened_with_finding,
    push,
    statuses,
    the_finding,
)
from tests.specs.scripts import a_finding, a_report, an_answer, says
from tests.specs.talking import forget, items

PRICES = "def total(prices, discount):"
OFF_DIFF = a_finding(path="README.md", start_line=1, end_line=1, title="The name is wrong", quote="# Widgets")


def lose(opened: Opened) -> None:
    """Empty the ledger of everything about this pull request."""
    assert items(opened, "")
    forget(opened, "")
    assert opened.ledger.findings() == ()


def test_a_head_that_our_review_names_is_not_reviewed_again(stage: Stage) -> None:
    """Nothing is asked and nothing is posted; somebody who asks by name is answered in one line."""
    opened = opened_with_finding(stage)
    lose(opened)
    asked = stage.asked

    opened.close_and_reopen()

    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == (
        "skipped",
        f"reviewed at {opened.head[:7]} already",
    )

    opened.ask_for_review()

    assert (stage.asked, len(opened.reviews), len(opened.comments)) == (asked, 1, 1)
    [answer] = opened.get(f"/issues/{opened.number}/comments")
    assert answer["body"].startswith(f"Reviewed at {opened.head[:7]}; nothing changed since.")


def test_a_finding_is_known_again_and_not_told_twice(stage: Stage) -> None:
    """A push that leaves its lines alone: everything is read, nothing is posted, the ledger has it again."""
    opened = opened_with_finding(stage, a_finding(category="reliability"))
    [before], root = opened.ledger.findings(), opened.comments[0]
    lose(opened)

    push(opened, NOTES, a_report(a_finding(category="reliability", title="Orders get dearer by their rebate")))

    [known] = opened.ledger.findings()
    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
    assert (known.id, known.status, known.comment_id) == (before.id, "open", str(root["id"]))
    assert known.hunk == before.hunk
    not_restored = {"quote", "reported_title"}
    assert known.finding.model_dump(exclude=not_restored) == before.finding.model_dump(exclude=not_restored)
    assert known.finding.quote.strip() == before.finding.quote.strip()
    assert (stage.outcome()["mode"], stage.outcome()["reason"]) == ("full", "snapshot-missing")
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 1, "settled": 0}
    assert "- [MAJOR] src/orders.py (2): The discount is added\n" in unlinked(opened.check["output"]["summary"])

    push(opened, {"src/notes.py": "x = 2\n"})

    assert (stage.outcome()["mode"], statuses(opened)) == ("incremental", ["open"])


def test_a_fixed_finding_is_resolved_all_the_same_and_only_once(stage: Stage) -> None:
    """The model is asked about it, though nobody knows how its code was, and its thread gets the reply.

    Where the App may not resolve, what it said in the thread tells it after the next loss.
    """
    opened = opened_with_finding(stage)
    finding = the_finding(opened)
    lose(opened)

    push(opened, FIXED, a_report(earlier=[an_answer(finding)]))

    assert (stage.outcome()["asked_back"], statuses(opened)) == (1, ["fixed"])
    assert ":white_check_mark: [MAJOR]" not in opened.reviews[0]["body"]
    assert opened.comments[1]["body"].startswith(f"Fixed in {opened.head[:7]}.")
    assert opened.check["conclusion"] == "success"

    lose(opened)
    reviews = len(opened.reviews)
    push(opened, NOTES, a_report(earlier=[an_answer(finding)]))

    assert (stage.outcome()["asked_back"], statuses(opened)) == (0, ["fixed"])
    assert (len(opened.reviews), len(opened.comments)) == (reviews, 2)


def test_a_thread_that_we_resolved_is_of_a_finding_that_is_fixed(talk: Stage) -> None:
    """With the permission it is resolved without a reply; a person who opens it again asks for the finding."""
    opened = opened_with_finding(talk)
    finding, root = the_finding(opened), opened.comments[0]["id"]

    push(opened, FIXED, a_report(earlier=[an_answer(finding)]))

    assert (len(opened.comments), statuses(opened)) == (1, ["fixed"])
    assert talk.github.state.resolutions[root].by == talk.github.bot_login
    run = opened.ledger.run(talk.outcome()["run"])
    assert run is not None
    assert run.facts["threads_resolved"] == [finding]

    lose(opened)
    push(opened, NOTES)

    [known] = opened.ledger.findings()
    assert (known.status, known.resolved_thread, len(opened.reviews)) == ("fixed", True, 2)

    talk.github.resolve_thread(root, resolved=False)
    push(opened, {"src/notes.py": "x = 2\n"})

    assert statuses(opened) == ["open"]


def test_decisions_from_before_the_loss_stay(stage: Stage) -> None:
    """By a reply or by resolving the thread: it is not raised again, though its lines were edited.

    How a reply was understood stands below it, and is not said again after a second loss.
    """
    prices = a_finding(title="The prices are not checked", quote=PRICES, start_line=1, end_line=1)
    opened = opened_with_finding(stage, a_finding(), prices)
    roots = {comment["line"]: comment["id"] for comment in opened.comments}
    stage.github.set_role("ann", "write")
    stage.github.resolve_thread(roots[1], login="ann")
    stage.github.reply(roots[2], "Won't fix, by design.", login="ann")

    for number in range(2):
        lose(opened)
        push(
            opened,
            {**EDITED, "src/notes.py": f"x = {number}\n"},
            a_report(a_finding(title="Orders get dearer by their rebate"), {**prices, "title": "Nobody checks prices"}),
        )

    decided = {known.finding.title: (known.status, known.settled_by) for known in opened.ledger.findings()}
    assert decided == {
        "The discount is added": ("wont_fix", "ann"),
        "The prices are not checked": ("dismissed", "ann"),
    }
    assert (len(opened.reviews), len(opened.comments)) == (1, 4)
    assert opened.check["conclusion"] == "success"


def test_an_argument_is_answered_once_with_code_and_never_twice(stage: Stage) -> None:
    """The finding stays open; a second argument is not answered, nor the first one again.

    Without the ledger our answer in the thread carries what it was.
    """
    opened = opened_with_finding(stage)
    root = opened.comments[0]["id"]
    stage.github.set_role("ann", "write")
    said = ["Discounts are negative here.", "It really is what the shop wants, look at the price list."]
    stage.github.reply(root, said[0], login="ann")
    stands = an_answer(the_finding(opened), "NOT_ADDRESSED", quote="return sum(prices) + discount", why="They are not.")
    readings = dict.fromkeys(said, "disagrees")

    push(opened, NOTES, a_report(earlier=[stands]), readings=readings)

    [answer] = [comment["body"] for comment in opened.comments if "kodiai:reply" in comment["body"]]
    assert answer.startswith("It still stands, as far as the code shows:\n\nThey are not.")

    stage.github.reply(root, said[1], login="ann")
    push(opened, {"src/notes.py": "x = 2\n"}, a_report(earlier=[stands]), readings=readings)
    lose(opened)
    push(opened, {"src/notes.py": "x = 3\n"}, a_report(earlier=[stands]), readings=readings)

    assert (len(opened.comments), statuses(opened)) == (4, ["open"])
    assert opened.ledger.findings()[0].argued


def test_marks_that_somebody_else_wrote_are_not_believed(stage: Stage) -> None:
    """Neither a copied review that names today's head nor a copied comment."""
    github, told = stage.github, opened_with_finding(stage)
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config="review:\n  triggers:\n    onOpened: false\n")
    copied = told.reviews[0]["body"].replace(told.head, opened.head)
    github.review(opened.number, "COMMENT", copied, login="mallory")
    github.comment_on_line(opened.number, "src/orders.py", 2, told.comments[0]["body"], login="mallory")

    opened.ask_for_review()

    assert stage.outcome()["reason"] == "no-prior-review"
    ours = [comment["line"] for comment in opened.comments if comment["user"]["login"] == github.bot_login]
    assert ours == [2]


def test_a_finding_that_stands_in_the_body_only_is_known_again_next_to_new_ones(stage: Stage) -> None:
    """It is listed there, hidden, by every review that leaves it open; what the newest one lists counts.

    The body says what is restored.
    """
    opened = opened_with_finding(stage, OFF_DIFF, a_finding())
    before = {known.finding.title: known for known in opened.ledger.findings()}
    lose(opened)

    push(opened, SHELF, a_report(OFF_DIFF, a_finding(), OFF_BY_ONE))

    assert [comment["path"] for comment in opened.comments] == ["src/orders.py", "src/stock.py"]
    body = unlinked(opened.reviews[1]["body"])
    assert "[MAJOR] src/orders.py (2): The discount is added" in body
    assert "[MAJOR] src/stock.py (2): One is missing" in body
    assert "- Problem: the earlier reviews are not in the ledger: 2 findings restored from GitHub" in body

    lose(opened)
    push(opened, NOTES, a_report(OFF_DIFF, a_finding()))

    known = {known.finding.title: known for known in opened.ledger.findings()}
    assert len(opened.reviews) == 2
    assert {title: each.status for title, each in known.items()} == dict.fromkeys(
        ["The name is wrong", "The discount is added", "One is missing"], "open"
    )
    assert known["The name is wrong"].id == before["The name is wrong"].id
    assert known["The name is wrong"].comment_id is None
    assert known["The name is wrong"].finding.quote == "# Widgets"


def test_a_finding_that_is_commented_at_its_cause_is_restored_with_its_own_place(stage: Stage) -> None:
    """Its comment stands elsewhere: the body lists where its code is, and so does every later one while it is open."""
    opened = opened_at_cause(stage)
    [before], [comment] = opened.ledger.findings(), opened.comments

    for files in (SHELF, NOTES):
        lose(opened)
        push(opened, files, a_report(TILL, OFF_BY_ONE))

        [known] = [each for each in opened.ledger.findings() if each.id == before.id]
        assert (known.status, known.comment_id) == ("open", str(comment["id"]))
        assert (known.finding.path, known.finding.lines) == ("src/till.py", "5")
        assert known.finding.quote == before.finding.quote
        assert (len(opened.reviews), len(opened.comments), len(opened.ledger.findings())) == (2, 2, 2)
