"""Without its ledger the reviewer goes on where its own marks on GitHub say that it was."""

import pytest

from tests.git_repository import Files
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
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
from tests.specs.scripts import Json, a_finding, a_report, an_answer, says

OFF_DIFF = a_finding(path="README.md", start_line=1, end_line=1, title="The name is wrong", quote="# Widgets")


def lose(opened: Opened) -> None:
    """Empty the ledger of everything about this pull request."""
    machine = opened.stage.machine
    dynamodb, name = machine.aws.client("dynamodb"), machine.system.environment["KODIAI_TABLE"]
    lost = [item for item in dynamodb.scan(TableName=name)["Items"] if item["pk"]["S"] == f"PR#{opened.group}"]
    for item in lost:
        dynamodb.delete_item(TableName=name, Key={key: item[key] for key in ("pk", "sk")})
    assert lost
    assert opened.ledger.findings() == ()


def ask_again(opened: Opened) -> None:
    """Let GitHub say once more that there is something to review."""
    github = opened.stage.github
    github.close(opened.number)
    github.reopen(opened.number)
    opened.stage.settle()


def test_a_head_that_our_review_names_is_not_reviewed_again(stage: Stage) -> None:
    """Nothing is asked and nothing is posted; somebody who asks by name is answered in one line."""
    opened = opened_with_finding(stage)
    lose(opened)
    asked = stage.asked

    ask_again(opened)

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
    told = known.finding
    assert (told.severity, told.category, told.kind, told.path, told.lines, told.title) == (
        "MAJOR", "reliability", "impact", "src/orders.py", "2", "The discount is added",
    )  # fmt: skip
    assert told.explanation == before.finding.explanation
    assert told.quote.strip() == before.finding.quote.strip()
    assert (stage.outcome()["mode"], stage.outcome()["reason"]) == ("full", "snapshot-missing")
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 1, "settled": 0}
    assert "- [MAJOR] src/orders.py (2): The discount is added\n" in unlinked(opened.check["output"]["summary"])

    push(opened, {"src/notes.py": "x = 2\n"})

    assert (stage.outcome()["mode"], statuses(opened)) == ("incremental", ["open"])


def test_new_findings_are_told_beside_those_that_are_known_again(stage: Stage) -> None:
    """One more comment, and a body that says what is restored."""
    opened = opened_with_finding(stage)
    lose(opened)
    shelf = {"src/stock.py": "def left(shelf):\n    return len(shelf) - 1\n"}
    new = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing")

    push(opened, shelf, a_report(a_finding(), new))

    assert [comment["path"] for comment in opened.comments] == ["src/orders.py", "src/stock.py"]
    body = unlinked(opened.reviews[1]["body"])
    assert "[MAJOR] src/orders.py (2): The discount is added" in body
    assert "[MAJOR] src/stock.py (2): One is missing" in body
    assert "- Problem: the earlier reviews are not in the ledger: 1 finding restored from GitHub" in body


def test_what_is_fixed_is_resolved_all_the_same(stage: Stage) -> None:
    """The finding is asked back, though nobody knows how its code was, and its thread is told."""
    opened = opened_with_finding(stage)
    finding = the_finding(opened)
    lose(opened)

    push(opened, FIXED, a_report(earlier=[an_answer(finding)]))

    assert (stage.outcome()["asked_back"], statuses(opened)) == (1, ["fixed"])
    assert ":white_check_mark: [MAJOR]" not in opened.reviews[0]["body"]
    assert opened.comments[1]["body"].startswith(f"Fixed in {opened.head[:7]}.")
    assert opened.check["conclusion"] == "success"


def test_what_was_fixed_before_the_loss_is_not_told_as_fixed_again(stage: Stage) -> None:
    """Where the App may not resolve, what it said in the thread tells it."""
    opened = opened_with_finding(stage)
    finding = the_finding(opened)
    push(opened, FIXED, a_report(earlier=[an_answer(finding)]))
    lose(opened)

    push(opened, NOTES, a_report(earlier=[an_answer(finding)]))

    assert (stage.outcome()["asked_back"], statuses(opened)) == (0, ["fixed"])
    assert (len(opened.reviews), len(opened.comments)) == (2, 2)


def test_a_thread_that_we_resolved_is_of_a_finding_that_is_fixed(trusted: Stage) -> None:
    """A person who opens it again asks for the finding."""
    opened = opened_with_finding(trusted)
    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))
    lose(opened)

    push(opened, NOTES)

    [known] = opened.ledger.findings()
    assert (known.status, known.resolved_thread, len(opened.reviews)) == ("fixed", True, 2)

    trusted.github.resolve_thread(opened.comments[0]["id"], resolved=False)
    push(opened, {"src/notes.py": "x = 2\n"})

    assert statuses(opened) == ["open"]


@pytest.mark.parametrize("resolved", [False, True])
def test_what_a_person_decided_before_the_loss_stays_decided(stage: Stage, *, resolved: bool) -> None:
    """By a reply or by resolving the thread: it is not raised again, though its lines were edited.

    How a reply was understood stands below it, and is not said again after a second loss.
    """
    opened = opened_with_finding(stage)
    root = opened.comments[0]["id"]
    stage.github.set_role("ann", "write")
    if resolved:
        stage.github.resolve_thread(root, login="ann")
    else:
        stage.github.reply(root, "Won't fix, by design.", login="ann")
    for number in range(2):
        lose(opened)

        push(
            opened,
            {**EDITED, "src/notes.py": f"x = {number}\n"},
            a_report(a_finding(title="Orders get dearer by their rebate")),
        )

    [known] = opened.ledger.findings()
    assert (known.status, known.settled_by) == ("dismissed" if resolved else "wont_fix", "ann")
    assert (len(opened.reviews), len(opened.comments)) == (1, 1 if resolved else 3)
    assert opened.check["conclusion"] == "success"


def test_an_argument_that_was_answered_before_the_loss_is_not_answered_again(stage: Stage) -> None:
    """Our answer in the thread carries what it was."""
    opened = opened_with_finding(stage)
    stage.github.set_role("ann", "write")
    said = "Discounts are negative here."
    stage.github.reply(opened.comments[0]["id"], said, login="ann")
    stands = an_answer(the_finding(opened), "NOT_ADDRESSED", quote="return sum(prices) + discount", why="They are not.")
    push(opened, NOTES, a_report(earlier=[stands]), readings={said: "disagrees"})
    assert len(opened.comments) == 3
    lose(opened)

    push(opened, {"src/notes.py": "x = 2\n"}, a_report(earlier=[stands]), readings={said: "disagrees"})

    assert (len(opened.comments), statuses(opened)) == (3, ["open"])
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


def test_a_finding_that_stands_in_the_body_only_is_known_again(stage: Stage) -> None:
    """It is listed there, hidden, by every review that leaves it open; what the newest one lists counts."""
    opened = opened_with_finding(stage, OFF_DIFF, a_finding())
    before = {known.finding.title: known for known in opened.ledger.findings()}
    push(opened, {"src/stock.py": "def left(shelf):\n    return len(shelf) - 1\n"}, a_report(
        a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing")
    ))  # fmt: skip
    assert len(opened.reviews) == 2
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
    new = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing")
    pushes: list[tuple[Files, Json, int]] = [
        (NOTES, a_report(TILL), 1),
        ({"src/stock.py": "def left(shelf):\n    return len(shelf) - 1\n"}, a_report(TILL, new), 2),
        ({"src/notes.py": "x = 2\n"}, a_report(TILL, new), 2),
    ]

    for files, report, reviews in pushes:
        lose(opened)
        push(opened, files, report)

        [known] = [each for each in opened.ledger.findings() if each.id == before.id]
        assert (known.status, known.comment_id) == ("open", str(comment["id"]))
        assert (known.finding.path, known.finding.lines) == ("src/till.py", "5")
        assert known.finding.quote == before.finding.quote
        assert (len(opened.reviews), len(opened.comments), len(opened.ledger.findings())) == (reviews, reviews, reviews)


def test_what_cannot_be_read_of_the_ledger_is_restored_too(stage: Stage) -> None:
    """The findings are written again, and can be read by the next run."""
    opened = opened_with_finding(stage)
    [before] = opened.ledger.findings()
    machine = stage.machine
    dynamodb, name = machine.aws.client("dynamodb"), machine.system.environment["KODIAI_TABLE"]
    key = {"pk": {"S": f"PR#{opened.group}"}, "sk": {"S": f"FINDING#{before.id}"}}
    dynamodb.update_item(
        TableName=name, Key=key, UpdateExpression="SET finding = :bad", ExpressionAttributeValues={":bad": {"S": "{}"}}
    )

    push(opened, NOTES, a_report(a_finding()))

    [known] = opened.ledger.findings()
    assert (known.id, known.status, known.comment_id) == (before.id, "open", before.comment_id)
    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
