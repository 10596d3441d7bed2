"""A job, and the message that it travels in."""

import json
import re
from typing import Any

import pytest

from kodiai.core.errors import Broken
from kodiai.core.events.job import MOST_NAMED, ForgetJob, ItemKey, Job, RerunJob, read_review_job
from tests.tables import each_row

OF: dict[str, Any] = {
    "repository": "octo/hello",
    "repository_id": 11,
    "owner_id": 1,
    "installation": 123,
    "sender": "octocat",
}
HEAD = "a1b2c3d4" * 5
GIVEN: dict[str, Any] = {
    "delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "kind": "review",
    **OF,
    "number": 7,
    "trigger": "synchronize",
    "head": HEAD,
    **dict.fromkeys(("label", "requested", "outsider")),
    "by_bot": False,
}
RERUN = RerunJob(delivery="guid", head=HEAD, **OF)


@each_row(
    "changed",
    [
        {},
        {"installation": None},
        {"sender": "renovate[bot]", "by_bot": True},
        {"outsider": "stranger"},
        {"number": 2**40},
        {"trigger": "full_review", "head": None},
        {"trigger": "review_requested", "head": None, "requested": "kodiai[bot]"},
        {"trigger": "labeled", "head": None, "label": "needs review 👀"},
        {"trigger": "review_requested", "head": None, "sender": "(operator)", "preview": True},
    ],
)
def test_a_job_survives_its_message(changed: dict[str, Any]) -> None:
    """The review reads the job as ingest sends it."""
    job = Job(**GIVEN | changed)

    assert json.loads(job.to_message()) == GIVEN | changed
    assert Job.from_message(job.to_message()) == job


@each_row(
    ("body", "where"),
    [
        ("", "JSON"),
        ("nonsense", "JSON"),
        ("[" * 100_000, "JSON"),
        ("null", "JSON"),
        ("[]", "JSON"),
        (json.dumps(GIVEN | {"number": "7"}), "number"),
        (json.dumps(GIVEN | {"number": 0}), "number"),
        (json.dumps(GIVEN | {"number": True}), "number"),
        (json.dumps(GIVEN | {"trigger": "exploded"}), "trigger"),
        (json.dumps(GIVEN | {"kind": "mention"}), "kind"),
        (json.dumps(GIVEN | {"repository": "octo/../other"}), "repository"),
        (json.dumps(GIVEN | {"repository": "octo/.."}), "repository"),
        (json.dumps(GIVEN | {"repository": "hello"}), "repository"),
        (json.dumps(GIVEN | {"repository": "octo/hello\n"}), "repository"),
        (json.dumps(GIVEN | {"delivery": "with a space"}), "delivery"),
        (json.dumps(GIVEN | {"more": 1}), "more"),
        (json.dumps({name: value for name, value in GIVEN.items() if name != "sender"}), "sender"),
    ],
)
def test_a_message_that_is_not_exactly_a_job_is_broken(body: str, where: str) -> None:
    """It goes to the dead-letter queue with the field's name, and nothing is done on a guess."""
    with pytest.raises(Broken) as raised:
        Job.from_message(body)

    assert str(raised.value) == f"The message is not a job: {where}."


def test_a_continued_job_counts_on_from_its_delivery_and_waits_for_nothing() -> None:
    """Its name follows from the first one's, so that a job that is done twice is continued once."""
    job = Job(**GIVEN)
    on = job.continued()
    third = on.continued().continued()

    assert on == job.continued() == Job.from_message(on.to_message())
    assert (on.delivery, on.deduplication_id, on.head) == (f"{job.delivery}.1", f"{job.delivery}.1", None)
    assert [(each.origin, each.continuations) for each in (job, on, third)] == [
        (job.delivery, count) for count in (0, 1, 3)
    ]


def test_one_job_waits_on_for_all_pushes_that_one_push_has_overtaken() -> None:
    """SQS drops the others by their name; what waits on once more keeps a name of its own, or it would be dropped."""
    one, other = (Job(**GIVEN | {"delivery": delivery}) for delivery in ("one", "other"))
    newer, newest = "b" * 40, "c" * 40

    first, second = one.overtaken_by(newer), other.overtaken_by(newer)

    assert (first.delivery, first.head) == ("one.1", newer)
    assert first.deduplication_id == second.deduplication_id == f"head-{newer}"
    assert first.overtaken_by(newest).deduplication_id == "one.2"
    assert first.overtaken_by(newest).head == newest


def test_jobs_of_one_pull_request_are_of_one_group_and_its_previews_of_another() -> None:
    """They are done one after the other; another pull request's are not in their way. The log tells previews apart."""
    preview = Job(**GIVEN | {"preview": True})

    assert Job(**GIVEN).group_id == "octo/hello#7"
    assert Job(**GIVEN | {"number": 8, "trigger": "opened"}).group_id == "octo/hello#8"
    assert preview.group_id == "octo/hello#7#preview"
    assert preview.facts == {"repository": "octo/hello", "pull_request": 7, "preview": True}


def test_a_long_name_is_cut_to_what_sqs_takes_and_stays_distinct() -> None:
    """Names of 39 and 100 characters do not fit in SQS's 128; what is cut off still tells groups apart."""
    long = "o" * 39 + "/" + "r" * 100
    groups = {Job(**GIVEN | {"repository": long, "number": number}).group_id for number in range(1, 200)}

    assert len(groups) == 199
    assert {len(group) for group in groups} == {128}
    assert all(re.fullmatch(r"[!-~]{1,128}", group) for group in groups)


def _forget(**more: Any) -> ForgetJob:
    given: dict[str, Any] = {"delivery": "guid", "owner": "octo", "owner_id": 1, "installation": 123, "sender": "ann"}
    return ForgetJob(trigger="repositories_removed", **given | more)


def test_jobs_of_the_queue_of_reviews_survive_their_messages() -> None:
    """Each is read as what it was; a message that is none is named as a review would be."""
    forget = _forget(repositories=(11,), after=ItemKey(pk="PR#11#7", sk="STATE"), again=True)

    assert read_review_job(forget.to_message()) == forget
    assert read_review_job(RERUN.to_message()) == RERUN
    assert read_review_job(Job(**GIVEN).to_message()) == Job(**GIVEN)
    with pytest.raises(Broken, match=r"^The message is not a job: .*number"):
        read_review_job('{"kind": "nonsense"}')


def test_a_rerun_leads_to_a_request_of_its_own_for_each_pull_request() -> None:
    """The same each time: SQS drops a repeat, and a review knows the delivery that began it."""
    request = RERUN.request(7)

    assert (request, request.origin) == (RERUN.request(7), "guid-7")
    assert (request.trigger, request.number, request.continued().delivery) == ("rerequested", 7, "guid-7.1")
    assert read_review_job(request.to_message()) == request


def test_the_largest_message_that_names_repositories_fits_into_sqs() -> None:
    """1 MiB, with the longest ids."""
    longest = 2**53 - 1

    forget = _forget(repositories=(longest,) * MOST_NAMED, after=ItemKey(pk="p" * 300, sk="s" * 300))

    assert len(forget.to_message().encode()) < 2**20
    with pytest.raises(ValueError, match="at most 2400 items"):
        _forget(repositories=(longest,) * (MOST_NAMED + 1))


def test_a_deletion_goes_on_where_it_stopped_and_looks_once_more() -> None:
    """Each message has a name of its own. Only those before the second look wait, as many as were asked for."""
    first = _forget()
    rest = first.continued(ItemKey(pk="a", sk="b"))
    waiting = rest.second_look(2)
    second = waiting.waited()
    more = second.continued(ItemKey(pk="c", sk="d"))

    jobs = (first, rest, waiting, second, more)
    assert [job.deduplication_id for job in jobs] == ["guid", "guid.1", "guid.2", "guid.3", "guid.4"]
    assert [job.after and job.after.pk for job in jobs] == [None, "a", None, None, "c"]
    assert [(job.waits, job.waits_left) for job in jobs] == [(False, 0), (False, 0), (True, 1), (True, 0), (False, 0)]


def test_deletions_of_one_owner_follow_each_other_and_do_not_wait_for_second_looks() -> None:
    """An owner's deletions take one place among the reviews; no group is that of a pull request."""
    first = _forget()

    assert (first.group_id, first.second_look(1).group_id) == ("octo#forget", "octo#again")
    assert _forget(owner="o" * 100).second_look(1).group_id == "o" * 100 + "#again"
