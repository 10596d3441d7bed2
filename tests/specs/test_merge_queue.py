"""The merge queue: the check run of its commits says what the reviews of its pull requests say."""

import pytest

from local.github.failures import forbidden_field
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, SHELF
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import say
from tests.specs.test_gate import GATE, Seen, seen


@pytest.fixture
def queue(talk: Stage) -> Stage:
    """A system whose model finds nothing."""
    talk.model.answers = says(a_report())
    return talk


def two(stage: Stage) -> tuple[Opened, Opened]:
    """Two reviewed pull requests into a branch with a merge queue, which requires our check and that of CI."""
    branch = f"line-{len(stage.github.state.pulls)}"
    base = stage.commit({".kodiai.yml": GATE, "branch.txt": branch}, branch=branch)
    heads = [stage.commit(files, base) for files in (DISCOUNT, SHELF)]
    first, second = (Opened(stage, stage.github.open_pull_request(head, branch)) for head in heads)
    stage.settle()
    stage.github.require_check(branch, "Kodiai", "build")
    stage.github.use_merge_queue(branch)
    for each in (first, second):
        stage.github.report_check(each.head, "build", "success")
    return first, second


def put_into_queue(*pulls: Opened) -> None:
    """Put pull requests into the queue, and wait until their commits have what they get."""
    for each in pulls:
        each.stage.github.enqueue(each.number)
    pulls[0].stage.settle()


def build(opened: Opened) -> None:
    """CI passes for the commit of a pull request in the queue."""
    opened.stage.github.report_check(commit_of(opened), "build", "success")
    opened.stage.settle()


def commit_of(opened: Opened) -> str:
    """The newest commit of a pull request in the queue."""
    groups = opened.stage.github.state.groups.values()
    return next(group.head for group in reversed(groups) if group.number == opened.number)


def in_queue(opened: Opened) -> Seen:
    """Our check run of that commit."""
    [found] = [check for check in opened.checks(commit_of(opened)) if check["name"] == "Kodiai"]
    return Seen(found["conclusion"], found["output"]["title"], found["output"]["summary"])


def state(opened: Opened) -> str:
    """Whether a pull request is open, closed or merged."""
    pull = opened.get(f"/pulls/{opened.number}")
    return "merged" if pull["merged_at"] else str(pull["state"])


def mirrors(opened: Opened) -> list[str]:
    """The commits that the ledger has for a pull request."""
    item = opened.stage.table.get_item(Key={"pk": opened.partition, "sk": "STATE"})["Item"]
    return sorted(item.get("mirrors", ()))


def test_the_queue_merges_what_the_reviews_let_pass(queue: Stage) -> None:
    """Each commit says what its own pull request says, without a question to the model."""
    first, second = two(queue)
    asked = queue.asked

    put_into_queue(first, second)

    ready = "Ready to merge · nothing found in 1 file"
    assert in_queue(first)[:2] == ("success", ready)
    assert in_queue(second)[:2] == ("success", ready)
    assert f"- [#{second.number}]({second.web}/pull/{second.number}): {ready}" in in_queue(second).summary

    build(second)
    build(first)

    assert (state(first), state(second), queue.asked) == ("merged", "merged", asked)
    assert mirrors(first) == mirrors(second) == []


def test_a_blocker_that_is_found_in_the_queue_drops_its_pull_request(queue: Stage) -> None:
    """A review that ends while the commit waits for CI; the other pull request is merged without it."""
    first, second = two(queue)
    put_into_queue(first, second)
    queue.model.answers = says(a_report(a_finding()))

    say(first, "@kodiai full review")

    assert seen(first).conclusion == "failure"
    assert state(first) == "open"
    [dropped] = [group for group in queue.github.state.groups.values() if group.number == first.number]
    assert dropped.ended == "dequeued"
    assert in_queue(first)[:2] == ("failure", "Address before merging · 1 major")
    assert in_queue(second)[:2] == ("success", "Ready to merge · nothing found in 1 file")

    build(second)

    assert (state(first), state(second)) == ("open", "merged")
    assert mirrors(first) == []


def test_a_commit_for_which_others_are_merged_too_shows_the_worst_of_them(queue: Stage) -> None:
    """One passing commit is enough for all entries ahead of it there."""
    first, second = two(queue)
    queue.github.use_merge_queue(queue.github.state.pulls[first.number].base_ref, "HEADGREEN")
    put_into_queue(first, second)
    assert in_queue(second)[0] == "success"
    queue.model.answers = says(a_report(a_finding()))
    commit = commit_of(second)

    say(first, "@kodiai full review")

    [check] = [each for each in queue.github.state.checks_of(commit) if each.name == "Kodiai"]
    assert (check.conclusion, check.title) == ("failure", f"#{first.number}: Address before merging · 1 major")


def test_a_head_that_nobody_reviewed_does_not_pass_the_queue(queue: Stage) -> None:
    """Its webhook was lost, or the App was installed later."""
    first, _ = two(queue)
    queue.table.delete_item(Key={"pk": first.partition, "sk": "STATE"})

    put_into_queue(first)

    assert in_queue(first)[:2] == ("action_required", "The latest commit is not reviewed")


def test_a_queue_that_may_not_be_read_has_the_pull_requests_that_its_branch_names(queue: Stage) -> None:
    """An owner may not have accepted the permission yet."""
    first, second = two(queue)
    put_into_queue(first)
    queue.github.fail_next("POST /graphql mergeQueue", forbidden_field("mergeQueue"), times=1)

    put_into_queue(second)

    assert in_queue(second)[:2] == ("success", "Ready to merge · nothing found in 1 file")


def test_a_review_that_is_asked_for_on_a_commit_of_the_queue_shows_the_newest_standing(queue: Stage) -> None:
    """“Review again” and “Re-run” are for the pull request."""
    first, _ = two(queue)
    put_into_queue(first)
    [check] = [check for check in queue.github.state.checks.values() if check.head == commit_of(first)]

    queue.github.rerequest_check(check.id)
    queue.settle()

    assert in_queue(first).conclusion == "success"
