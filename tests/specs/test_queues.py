"""Jobs that cannot be done are put aside with their reason, and nobody waits for those of one stranger."""

import threading

from local.github.answers import ApiResponse
from local.github.failures import PlannedFailure, refusal, server_error
from local.model import Request, Script, failure, is_judge
from tests.queued import put_into_queue
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, FILES, REVIEWS, SHELF, UPDATES, shows, until
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says

REFUSED_BY_THE_MODEL = "the model refused the request: 400 messages: too much of it"


def tries(opened: Opened) -> list[tuple[str, str, int]]:
    """Trigger, outcome and attempt of every try, oldest first."""
    return [(line["trigger"], line["outcome"], line["attempt"]) for line in opened.outcomes]


def said_in_check(opened: Opened) -> tuple[str, str, str]:
    """Status, conclusion and title of the head's one check run."""
    check = opened.check
    return check["status"], check["conclusion"], check["output"]["title"]


def a_model_that_refuses(times: int = 1) -> Script:
    """A question that the API refuses, however often it is sent; `times` is until the cause is gone."""
    refused = [failure(400, "messages: too much of it")] * times
    return Script(otherwise=says(a_report(a_finding()))).when(is_judge, *refused)


def test_a_poison_message_takes_no_innocent_one_along(stage: Stage) -> None:
    """It lies between two jobs of one pull request, while others are reviewed: all of them are done at the first try.

    The poison is among the dead letters, where its reason can be read. Pull requests that are opened at the same time
    are different groups of the queue: neither waits for the other, each gets its own review.
    """
    under_way, go_on = threading.Event(), threading.Event()

    def hold(_: Request) -> None:
        under_way.set()
        assert go_on.wait(60)

    base = stage.commit({".kodiai.yml": ON_PUSH})
    heads = [stage.commit({**DISCOUNT, f"src/{name}.py": "x = 1\n"}, base) for name in ("held", "free")]
    pushed = stage.commit({"src/more.py": "x = 2\n"}, heads[0])
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(shows("src/held.py"), hold)

    sick = Opened(stage, stage.github.open_pull_request(heads[0], base))
    assert under_way.wait(60)
    put_into_queue(stage.machine, "hello", sick.group, f"poison-for-{sick.number}")
    stage.github.push(sick.number, pushed)
    well = Opened(stage, stage.github.open_pull_request(heads[1], base))
    assert stage.github.settle()
    go_on.set()
    stage.settle()

    [letter] = sick.dead
    assert (letter.body, letter.outcome, letter.attempts) == ("hello", "broken", 1)
    assert letter.reason == "The message is not a job: JSON."
    assert tries(well) == [("opened", "completed", 1)]
    assert tries(sick)[:2] == [("opened", "superseded", 1), ("synchronize", "completed", 1)]
    assert [review["commit_id"] for review in sick.reviews] == [pushed]
    assert [review["commit_id"] for review in well.reviews] == [heads[1]]
    assert [len(each.comments) for each in (sick, well)] == [1, 1]


def test_a_job_that_is_broken_is_put_aside_at_once_until_its_cause_is_gone(stage: Stage) -> None:
    """Trying again would not help: the dead letter has the reason, the check says that nobody need wait.

    Nothing is lost by an operator who puts it back too early. Once the cause is gone, the run goes on where it broke
    off, in the check that it had, and the letter is gone.
    """
    stage.model.answers = a_model_that_refuses(times=2)

    opened = stage.open(DISCOUNT)

    [letter] = opened.dead
    check, asked = opened.check, stage.asked
    assert (letter.outcome, letter.attempts, letter.reason) == ("broken", 1, REFUSED_BY_THE_MODEL)
    assert opened.outcomes[0]["buried"]
    assert said_in_check(opened) == ("completed", "neutral", "Not reviewed")
    assert opened.reviews == []

    opened.redrive()

    assert [letter.reason for letter in opened.dead] == [REFUSED_BY_THE_MODEL]
    assert said_in_check(opened) == ("completed", "neutral", "Not reviewed")

    opened.redrive()

    assert tries(opened) == [("opened", "broken", 1), ("opened", "broken", 1), ("opened", "completed", 1)]
    assert stage.asked - asked == 2
    assert len(opened.reviews) == len(opened.comments) == 1
    assert opened.check["id"] == check["id"]
    assert said_in_check(opened) == ("completed", "neutral", "Address before merging · 1 major")
    assert opened.dead == []


def test_a_job_that_is_broken_is_put_aside_though_its_check_cannot_tell(stage: Stage) -> None:
    """The operators learn of it, and of its own reason; what comes behind it is done."""
    stage.model.answers = a_model_that_refuses()
    stage.github.fail_next(UPDATES, refusal(403, {"message": "Resource not accessible by integration"}))

    opened = stage.open(DISCOUNT, config=ON_PUSH)

    [letter] = opened.dead
    assert letter.reason == REFUSED_BY_THE_MODEL

    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))

    assert tries(opened) == [("opened", "broken", 1), ("synchronize", "completed", 1)]
    assert len(opened.reviews) == 1


def test_a_job_that_fails_at_every_try_is_put_aside_after_the_last(stage: Stage) -> None:
    """Five tries span 26 minutes; then the dead letter has the last reason, and the check says that it is over.

    Put back when the trouble is over, it leads to the review, in the same check.
    """
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(FILES, PlannedFailure(ApiResponse(200, [{"filename": "src/orders.py"}])), times=2)
    stage.github.fail_next(REVIEWS, server_error(503), times=3)

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [
        *[("opened", "crashed", attempt) for attempt in (1, 2)],
        *[("opened", "retry", attempt) for attempt in (3, 4, 5)],
    ]
    assert stage.waits.over == [10, 50, 250, 1250]
    [letter] = opened.dead
    assert (letter.outcome, letter.attempts, letter.reason) == ("retry", 5, "GitHub is busy: 503 Server Error")
    assert said_in_check(opened) == ("completed", "neutral", "Not reviewed")
    assert opened.reviews == []

    opened.redrive()

    assert tries(opened)[5:] == [("opened", "completed", 1)]
    assert len(opened.reviews) == len(opened.comments) == 1
    assert said_in_check(opened) == ("completed", "neutral", "Address before merging · 1 major")
    assert opened.dead == []


SHELF_PATH = next(iter(SHELF))
MORE_THAN_SLOTS = 6
"""Five pull requests are reviewed at the same time."""


def test_one_strangers_pull_requests_take_one_slot(stage: Stage) -> None:
    """More of them than there are slots, with pushes, leave room for a member's, and for a member's request.

    The stranger's own are reviewed afterwards, one after the other.
    """
    under_way, go_on = threading.Event(), threading.Event()
    held = []

    def hold(request: object) -> None:
        held.append(request)
        under_way.set()
        assert go_on.wait(60)

    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(shows(SHELF_PATH), hold, always=True)
    stage.github.set_role("stranger", "read")
    strangers = [
        Opened(
            stage,
            stage.github.open_pull_request(stage.commit({**SHELF, f"{at}.txt": "1\n"}), stage.base, author="stranger"),
        )
        for at in range(MORE_THAN_SLOTS)
    ]
    assert under_way.wait(60)
    stage.github.push(strangers[1].number, stage.commit({"a.txt": "2\n"}, strangers[1].head), login="stranger")

    try:
        member = Opened(stage, stage.github.open_pull_request(stage.commit(DISCOUNT), stage.base, author="ann"))
        until(lambda: bool(member.reviews))
        assert len(held) == 1

        stage.github.request_review(strangers[-1].number, login="ann")
        until(lambda: len(held) == 2)
    finally:
        go_on.set()
    stage.settle()
    assert [len(each.reviews) for each in strangers] == [1] * MORE_THAN_SLOTS
    order = [line.get("pull_request") for line in stage.outcomes if line["outcome"] == "completed"]
    assert [number for number in order if number in {each.number for each in strangers[:-1]}] == [
        each.number for each in strangers[:-1]
    ]
