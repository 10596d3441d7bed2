"""GitHub finds no place for a comment, and refuses the whole review for it."""

from kodiai.core.findings.embedded import embedded_findings
from local.github.failures import refusal
from local.model import Request, Script, is_judge
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, NO_SUCH_LINE, OFF_BY_ONE, REVIEWS, SHELF
from tests.specs.scripts import Json, a_finding, a_report, says


def assert_told_without_comment(opened: Opened, *culprits: Json) -> None:
    """The body tells and lists the findings, the check notes each, and the ledger knows that they have no comment.

    They block and have no comment: their text stands before any fold.
    """
    [review] = opened.reviews
    visible = unlinked(review["body"]).partition("<details>")[0]
    assert opened.check["output"]["annotations_count"] == len(culprits)
    uncommented = {known.finding.title for known in opened.ledger.findings() if known.comment_id is None}
    assert uncommented == {culprit["title"] for culprit in culprits}
    assert {finding.title for finding in embedded_findings(review["body"]).values()} == uncommented
    for culprit in culprits:
        assert f"[MAJOR] {culprit['path']} (2): {culprit['title']}\n{culprit['explanation']}\n\n" in visible


def opened_on_moving_base(stage: Stage) -> Opened:
    """Two findings in a pull request of two commits, the first of which lands in the base before the review is posted.

    The head stays, but the comment on the first commit's file has lost its place.
    """
    base = stage.commit({"notes.txt": "Two commits.\n"})
    first = stage.commit(DISCOUNT, base)
    head = stage.commit(SHELF, first)

    def land(_: Request) -> None:
        stage.github.push(max(stage.github.state.pulls), head, base=first)

    report = a_report(a_finding(), OFF_BY_ONE)
    stage.model.answers = Script(otherwise=says(report)).when(is_judge, land)
    return stage.open_at(head, base)


def test_a_comment_that_lost_its_place_is_left_out_and_the_others_stay(stage: Stage) -> None:
    """GitHub refuses the whole review and names no culprit; the changes, read again, do."""
    before = stage.sent(REVIEWS)

    opened = opened_on_moving_base(stage)

    [comment] = opened.comments
    assert comment["path"] == "src/stock.py"
    assert_told_without_comment(opened, a_finding())
    assert stage.sent(REVIEWS) - before == 2
    assert [line["outcome"] for line in opened.outcomes] == ["completed"]


def test_a_review_goes_out_without_comments_where_no_culprit_can_be_found(stage: Stage) -> None:
    """The changes are as they were: any of the comments may be the one."""
    stage.model.answers = says(a_report(a_finding(), OFF_BY_ONE))
    before = stage.sent(REVIEWS)
    stage.refuse_next(REVIEWS, 422, NO_SUCH_LINE)

    opened = stage.open({**DISCOUNT, **SHELF})

    assert opened.comments == []
    assert_told_without_comment(opened, a_finding(), OFF_BY_ONE)
    assert stage.sent(REVIEWS) - before == 2


def test_a_review_is_posted_at_most_three_times(stage: Stage) -> None:
    """Whole, without the culprit, without any comment: then it stands."""
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, refusal(422, NO_SUCH_LINE), times=2)

    opened = opened_on_moving_base(stage)

    assert opened.comments == []
    assert_told_without_comment(opened, a_finding(), OFF_BY_ONE)
    assert stage.sent(REVIEWS) - before == 3
