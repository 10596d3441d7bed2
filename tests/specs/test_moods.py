"""The world's moods: whatever GitHub and the model do in the middle of a run, the author sees one review."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from local.github.answers import Answer
from local.github.trouble import (
    Trouble,
    expired_token,
    primary_limit,
    refusal,
    secondary_limit,
    server_error,
    slow,
    torn,
)
from local.model import OFFLINE_MODEL, Request, Script, failure, filled, is_extract, is_find
from tests.git_repository import Files
from tests.specs.conftest import FALLBACK, GITHUB_SECONDS, Opened, Stage, a_stage
from tests.specs.scripts import Json, a_finding, a_report, says

PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
FILES = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files"
TARBALL = "GET /repos/{owner}/{repo}/tarball/{ref}"
ARCHIVE = "GET /{owner}/{repo}/legacy.tar.gz/{ref}"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
COMMENTS = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"
UPDATES = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
TOKENS = "POST /app/installations/{installation_id}/access_tokens"

DISCOUNT: Files = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
SHELF: Files = {"src/stock.py": "def left(shelf):\n    return len(shelf) - 1\n"}
OFF_BY_ONE = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing")
NO_SUCH_LINE = {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"], "status": "422"}
NOT_FOUND = refusal(404, {"message": "Not Found", "status": "404"})
FORBIDDEN = refusal(403, {"message": "Resource not accessible by integration", "status": "403"})


def shows(path: str) -> Callable[[Request], bool]:
    """Picks the questions that show a file's changes to the model."""

    def picks(request: Request) -> bool:
        return is_find(request) and f"### FILE {path!r}".replace("'", '"') in str(request["messages"][0])

    return picks


def questions(stage: Stage, since: int, picks: Callable[[Request], bool]) -> int:
    """How many questions of a kind the model was asked after the first so many."""
    assert stage.machine.model is not None
    return sum(picks(recorded.body) for recorded in stage.machine.model.requests[since:])


def assert_reviewed_once(opened: Opened) -> None:
    """There is one review with its one comment, one check that says how it ended, one finding that knows its place."""
    [review] = opened.reviews
    assert "[MAJOR] src/orders.py (2): The discount is added" in review["body"]
    [comment] = opened.comments
    assert comment["line"] == 2
    assert (opened.check["status"], opened.check["output"]["title"]) == ("completed", "Address before merging")
    assert [known.comment_id for known in opened.ledger.findings()] == [str(comment["id"])]
    assert opened.dead == []


# ---- a push during the run


def test_after_a_push_only_the_batches_that_it_changed_are_read_again(stage: Stage) -> None:
    """What was answered about the others is kept, whichever head it was for; so is what the reports were turned into.

    Nothing is posted for the old head, and its check says why.
    """
    lines = [f"line {number} {'x' * 1_000}" for number in range(160)]
    large = "\n".join(lines)
    first = stage.commit({"src/auth/login.py": large, "src/stock.py": large})
    second = stage.commit({"src/stock.py": large + "\nthe end\n"}, first)

    def push_meanwhile(_: Request) -> None:
        stage.github.push(max(stage.github.state.pulls), second)

    finding = a_finding(path="src/auth/login.py", quote=lines[1], start_line=2, end_line=2)
    stage.model.answers = Script(otherwise=says(a_report(finding))).when(shows("src/stock.py"), push_meanwhile)
    asked = stage.asked

    opened = Opened(stage, stage.github.open_pull_request(first, stage.base))
    stage.settle()

    assert questions(stage, asked, shows("src/auth/login.py")) == 1
    assert questions(stage, asked, shows("src/stock.py")) == 2
    assert questions(stage, asked, is_extract) == 1
    [review] = opened.reviews
    assert review["commit_id"] == second
    assert [comment["path"] for comment in opened.comments] == ["src/auth/login.py"]
    [old] = opened.checks(first)
    assert (old["status"], old["output"]["title"]) == ("completed", "Superseded")
    assert old["output"]["summary"] == f"No review of this head: the head moved on to {second[:7]}."
    assert opened.checks(second)[0]["output"]["title"] == "Address before merging"


# ---- 422 on the review


def assert_told_without_comment(opened: Opened, *culprits: Json) -> None:
    """The body tells the findings, the check has a note on each, and the ledger knows that they have no comment."""
    [review] = opened.reviews
    assert opened.check["output"]["annotations_count"] == len(culprits)
    uncommented = {known.finding.title for known in opened.ledger.findings() if known.comment_id is None}
    assert uncommented == {culprit["title"] for culprit in culprits}
    for culprit in culprits:
        assert f"[MAJOR] {culprit['path']} (2): {culprit['title']}" in review["body"]


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
    stage.model.answers = Script(otherwise=says(report)).when(is_extract, land)
    opened = Opened(stage, stage.github.open_pull_request(head, base))
    stage.settle()
    return opened


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


# ---- access withdrawn


@pytest.mark.parametrize(
    ("route", "trouble"), [(PULL, NOT_FOUND), (PULL, FORBIDDEN), (TOKENS, NOT_FOUND), (TOKENS, FORBIDDEN)]
)
def test_without_access_from_the_start_nothing_is_written(stage: Stage, route: str, trouble: Trouble) -> None:
    """It is refused once and not tried again; the next event after access is back is dealt with at once."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert (opened.reviews, opened.checks(opened.head)) == ([], [])
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert_reviewed_once(opened)


@pytest.mark.parametrize(
    ("route", "trouble", "why"),
    [(TARBALL, NOT_FOUND, "Not Found"), (REVIEWS, FORBIDDEN, "Resource not accessible by integration")],
)
def test_access_that_is_withdrawn_in_the_middle_is_told_by_the_check(
    stage: Stage, route: str, trouble: Trouble, why: str
) -> None:
    """Nothing is posted; once access is back, the next event leads to the one review."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert opened.reviews == []
    assert (opened.check["status"], opened.check["output"]["title"]) == ("completed", "Not reviewed")
    assert why in opened.check["output"]["summary"]
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_where_not_even_the_check_may_be_written_the_run_waits_for_access(stage: Stage) -> None:
    """The next event carries it through: the review as it was written down, the check that was opened."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(REVIEWS, FORBIDDEN)
    stage.github.fail_next(UPDATES, FORBIDDEN)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert opened.reviews == []
    asked = stage.asked
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert stage.asked == asked
    assert_reviewed_once(opened)


@pytest.mark.parametrize("forbidden", [(COMMENTS, UPDATES), (UPDATES, UPDATES), (COMMENTS,), (UPDATES,)])
def test_access_that_is_withdrawn_behind_the_review_leads_to_no_second_one(
    stage: Stage, forbidden: tuple[str, ...]
) -> None:
    """Whatever of the rest could not be done: the next event finds the review and does only that."""
    stage.model.answers = says(a_report(a_finding()))
    for route in forbidden:
        stage.github.fail_next(route, NOT_FOUND)

    opened = stage.open(DISCOUNT)
    opened.ask_for_review()

    assert_reviewed_once(opened)


# ---- GitHub is ill


@pytest.mark.parametrize("trouble", [refusal(409, {"message": "Conflict"}), server_error(502), server_error(503)])
def test_a_review_that_github_is_too_ill_to_take_is_posted_by_the_next_try(stage: Stage, trouble: Trouble) -> None:
    """The model is not asked again."""
    stage.model.answers = says(a_report(a_finding()))
    asked = stage.asked
    stage.github.fail_next(REVIEWS, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [10]
    assert stage.asked - asked == 2
    assert_reviewed_once(opened)


def test_a_token_that_expires_in_the_middle_is_replaced(stage: Stage) -> None:
    """The next try gets one of its own, and goes on where the last one stopped."""
    stage.model.answers = says(a_report(a_finding()))
    asked, tokens = stage.asked, stage.sent(TOKENS)
    stage.github.fail_next(REVIEWS, expired_token())

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.sent(TOKENS) - tokens == 2
    assert stage.asked - asked == 2
    assert_reviewed_once(opened)


def test_an_answer_that_nobody_expects_is_tried_again_and_told(stage: Stage) -> None:
    """Something that nobody foresaw ends one try, not the review; the log has its trace."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(FILES, Trouble(Answer(200, [{"filename": "src/orders.py"}])))

    opened = stage.open(DISCOUNT)

    crashed, completed = opened.outcomes
    assert (crashed["outcome"], crashed["reason"]) == ("crashed", "KeyError: 'status'")
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    traces = [line for line in stage.machine.system.log_lines if line.get("message") == "crashed"]
    assert "changed_files" in traces[-1]["exception"]
    assert_reviewed_once(opened)


# ---- slow


def test_an_answer_that_is_slow_changes_nothing(stage: Stage) -> None:
    """As long as it comes within github/timeout-seconds."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(REVIEWS, slow(GITHUB_SECONDS / 4))

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_a_read_that_is_too_slow_is_sent_again_at_once(stage: Stage) -> None:
    """Reading does no harm. Takes as long as github/timeout-seconds."""
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(FILES)
    stage.github.fail_next(FILES, slow(GITHUB_SECONDS + 1))

    opened = stage.open(DISCOUNT)

    assert stage.sent(FILES) - before == 2
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_a_review_whose_answer_is_too_slow_is_found_by_the_next_try(stage: Stage) -> None:
    """It may stand though nobody heard so; the next try comes when GitHub must be done with it.

    Takes as long as github/timeout-seconds.
    """
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, slow(GITHUB_SECONDS + 1))

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [10]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


# ---- cut


@pytest.mark.parametrize(
    ("route", "trouble"),
    [
        (FILES, torn()),
        (FILES, Trouble(Answer(200, raw=b'[{"sha": "f00'))),
        (ARCHIVE, torn()),
        (ARCHIVE, Trouble(cuts=True)),
        (COMMENTS, torn()),
    ],
)
def test_a_read_that_is_cut_is_sent_again_at_once(stage: Stage, route: str, trouble: Trouble) -> None:
    """Half an answer is none."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_an_archive_that_ends_early_is_fetched_again_by_the_next_try(stage: Stage) -> None:
    """It came as a whole answer, and holds half an archive."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(ARCHIVE, Trouble(Answer(200, raw=b"\x1f\x8b\x08\x00", media_type="application/x-gzip")))

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert_reviewed_once(opened)


@pytest.mark.parametrize("trouble", [torn(), Trouble(Answer(200, raw=b'{"id": 21'), takes_effect=True)])
def test_a_review_whose_answer_is_cut_is_found_by_the_next_try(stage: Stage, trouble: Trouble) -> None:
    """It stands: it is not posted a second time."""
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


@pytest.mark.parametrize("picks", [is_find, is_extract])
def test_an_answer_of_the_model_that_is_cut_is_asked_for_again(stage: Stage, picks: Callable[[Request], bool]) -> None:
    """Only that one: what was heard before is kept."""
    broken = filled(a_report(a_finding())).torn()
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(picks, broken)
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert questions(stage, asked, picks) == 2
    assert stage.asked - asked == 3
    assert_reviewed_once(opened)


# ---- asked to wait


@pytest.mark.parametrize(
    ("route", "limit", "seconds"),
    [
        (PULL, lambda: secondary_limit(300), 300),
        (REVIEWS, lambda: secondary_limit(120, status=429), 120),
        (FILES, lambda: primary_limit(time.time() + 1_800), 1_800),
    ],
)
def test_a_wait_that_github_asks_for_is_the_queues_and_not_the_functions(
    stage: Stage, route: str, limit: Callable[[], Trouble], seconds: int
) -> None:
    """The message is hidden for so long, and the function is free meanwhile."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, limit())

    opened = stage.open(DISCOUNT)

    limited, completed = opened.outcomes
    assert limited["outcome"] == "retry"
    assert seconds - 60 < limited["after_seconds"] <= seconds
    assert limited["seconds"] < 60
    assert stage.waits.over == [limited["after_seconds"]]
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    assert_reviewed_once(opened)


def test_a_wait_that_the_model_asks_for_is_the_queues_and_not_the_functions(stage: Stage) -> None:
    """The same, and nothing that was answered is asked again."""
    report = a_report(a_finding())
    stage.model.answers = Script(otherwise=says(report)).when(is_extract, failure(429, retry_after=240))
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    limited, completed = opened.outcomes
    assert (limited["outcome"], limited["after_seconds"]) == ("retry", 240)
    assert limited["seconds"] < 60
    assert stage.waits.over == [240]
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    assert questions(stage, asked, is_find) == 1
    assert_reviewed_once(opened)


# ---- the model has no room


def overloaded(report: Json, *, until: int | None = None) -> Script:
    """A model that has no room, the first so many times or for ever; every other one reports."""
    refused = failure(529, retry_after=30)
    script = Script(otherwise=says(report))
    if until is None:
        return script.when(lambda request: request["model"] == OFFLINE_MODEL, refused, always=True)
    return script.when(lambda request: request["model"] == OFFLINE_MODEL, *[refused] * until)


def models_asked(stage: Stage, since: int) -> list[str]:
    assert stage.machine.model is not None
    return [recorded.body["model"] for recorded in stage.machine.model.requests[since:]]


def test_a_model_without_room_is_waited_for_once_and_then_replaced(stage: Stage) -> None:
    """The fallback model answers every question that the first has no room for, and the details name it."""
    stage.model.answers = overloaded(a_report(a_finding()))
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [30]
    assert models_asked(stage, asked) == [OFFLINE_MODEL, OFFLINE_MODEL, FALLBACK, OFFLINE_MODEL, FALLBACK]
    assert f"- Model: {FALLBACK}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)


def test_a_model_that_has_room_again_is_not_replaced(stage: Stage) -> None:
    """The second try asks it first."""
    stage.model.answers = overloaded(a_report(a_finding()), until=1)
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert models_asked(stage, asked) == [OFFLINE_MODEL] * 3
    assert f"- Model: {OFFLINE_MODEL}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)


def test_without_a_fallback_model_there_is_only_waiting(tmp_path: Path) -> None:
    """An operator who names none gets answers of the models that were chosen, however long it takes."""
    with a_stage(tmp_path, stack_parameters={"FallbackModel": ""}) as stage:
        stage.model.answers = overloaded(a_report(a_finding()), until=3)

        opened = stage.open(DISCOUNT)

        assert [line["outcome"] for line in opened.outcomes] == ["retry", "retry", "retry", "completed"]
        assert set(models_asked(stage, 0)) == {OFFLINE_MODEL}
        assert_reviewed_once(opened)
