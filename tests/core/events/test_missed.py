"""Which event of an open pull request was missed, and the job that it would have led to."""

from dataclasses import replace

from kodiai.core.events.job import Job, Trigger
from kodiai.core.events.missed import KnownRuns, LastEvents, OpenPullRequest, missed_job, missed_trigger
from tests.builders import WIDGETS
from tests.tables import each_row

HEAD = "a" * 40
SINCE = 100.0
OLD = OpenPullRequest(
    repository=WIDGETS,
    number=7,
    id="PR_1",
    head=HEAD,
    draft=False,
    created_at=SINCE - 1,
    updated_at=SINCE + 9,
    author="ann",
    by_bot=False,
    association="MEMBER",
)
NEW = replace(OLD, created_at=SINCE)


@each_row(
    ("pull_request", "last", "was_reviewed", "expected"),
    [
        (NEW, LastEvents(), False, "opened"),
        (NEW, LastEvents(committed_at=SINCE), False, "opened"),
        (NEW, LastEvents(ready_at=SINCE), False, "ready_for_review"),
        (OLD, LastEvents(ready_at=SINCE), False, "ready_for_review"),
        (OLD, LastEvents(ready_at=SINCE - 1, committed_at=SINCE), False, "synchronize"),
        (OLD, LastEvents(committed_at=SINCE - 1), False, None),
        (OLD, LastEvents(), False, None),
        (NEW, LastEvents(ready_at=SINCE), True, None),
        (NEW, LastEvents(committed_at=SINCE), True, "synchronize"),
    ],
)
def test_only_what_happened_since_then_was_missed(
    pull_request: OpenPullRequest, last: LastEvents, was_reviewed: bool, expected: Trigger | None
) -> None:
    """A pull request of which a review exists is reviewed again for a push alone."""
    assert missed_trigger(pull_request, last, SINCE, was_reviewed=was_reviewed) == expected


def test_a_head_lacks_a_run_until_there_is_one_or_a_sweep_has_asked() -> None:
    """A head that is no draft any more is asked for again."""
    assert KnownRuns().lacks_run(OLD)
    assert KnownRuns(was_reviewed=True, heads=frozenset({"b" * 40})).lacks_run(OLD)
    assert KnownRuns(swept=f"{HEAD}-draft").lacks_run(OLD)
    assert not KnownRuns(heads=frozenset({HEAD})).lacks_run(OLD)
    assert not KnownRuns(is_under_way=True).lacks_run(OLD)
    assert not KnownRuns(swept=HEAD).lacks_run(OLD)
    assert not KnownRuns(swept=f"{HEAD}-draft").lacks_run(replace(OLD, draft=True))


def test_the_job_is_that_of_the_webhook_that_did_not_come() -> None:
    """Its author caused it, and it waits for no newer push. The same head has the same job."""
    job = missed_job(NEW, "opened", 5)

    assert job == Job(
        delivery=f"sweep-{WIDGETS.id}-7-{HEAD}",
        repository=WIDGETS.name,
        repository_id=WIDGETS.id,
        owner_id=WIDGETS.owner_id,
        number=7,
        installation=5,
        trigger="opened",
        sender="ann",
    )
    assert missed_job(NEW, "opened", 5) == job
    assert missed_job(replace(NEW, draft=True), "opened", 5).delivery == f"{job.delivery}-draft"


def test_the_job_of_a_bot_and_of_an_outsider_says_so() -> None:
    """The settings about them count, and an outsider's jobs are in one group."""
    bot = missed_job(replace(NEW, author="renovate[bot]", by_bot=True, association="NONE"), "opened", None)
    ghost = missed_job(replace(NEW, author=None, association="NONE"), "opened", None)

    assert (bot.by_bot, bot.outsider, bot.group_id) == (True, "renovate[bot]", f"{WIDGETS.name}@renovate[bot]")
    assert (ghost.sender, ghost.outsider) == ("ghost", None)
