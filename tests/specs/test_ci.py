"""CI as input: what other Apps say of the head stands in the verdict, and an approval waits until it is green."""

from typing import Any
from uuid import uuid4

from local.github.failures import forbidden_field
from local.model import Request, Script, is_find, is_judge
from tests.queued import job_of, put_into_queue
from tests.review_form import review_faults
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import FIXED, ON_PUSH, push, the_finding
from tests.specs.scripts import Json, a_finding, a_report, an_answer, says, texts

VERDICT = f"{ON_PUSH}  event: verdict\n"
GATED = f"{VERDICT}  check:\n    failOn: MAJOR\n"
MINOR = a_finding(severity="MINOR")
NOTE = {"path": "src/orders.py", "start_line": 2, "end_line": 2, "annotation_level": "failure", "title": "F632"}


def checked(stage: Stage, config: str = VERDICT, **checks: str | None) -> tuple[str, str]:
    """A head of which other Apps have reported these checks, and its base branch, which requires "build"."""
    branch = f"base-{len(stage.github.state.pulls)}"
    stage.repository.commit({".kodiai.yml": config}, stage.base, branch=branch)
    stage.github.require_check(branch, "build")
    head = stage.commit({**DISCOUNT, f"{branch}.txt": f"{branch}\n"})
    for check, conclusion in checks.items():
        stage.github.report_check(head, check, conclusion)
    return head, branch


def opened(stage: Stage, *findings: Json, config: str = VERDICT, **checks: str | None) -> Opened:
    """A reviewed pull request of which other Apps have reported these checks before."""
    stage.model.answers = says(a_report(*findings))
    return stage.open_at(*checked(stage, config, **checks))


def report(stage: Stage, head: str, conclusion: str | None) -> None:
    """Have another App report on the required check; wait until it has been dealt with."""
    stage.github.report_check(head, "build", conclusion)
    stage.settle()


def first_line(review: dict[str, Any]) -> str:
    return str(review["body"].partition("\n")[0])


def check(pull: Opened) -> tuple[str, str]:
    """The conclusion and the title of our newest check run."""
    [ours] = [each for each in pull.checks(pull.head) if each["name"] == "Kodiai"]
    return ours["conclusion"], ours["output"]["title"]


def test_a_red_required_check_stands_in_the_place_of_ready(talk: Stage) -> None:
    """In the first line, in the section, and in the check run, which passes nothing; nothing is approved."""
    pull = opened(talk, build="failure", lint="success")

    [review] = pull.reviews
    red = "CI is red (build) · nothing found in 2 files"
    assert first_line(review) == f":yellow_circle: **{red.replace(' ·', '** ·', 1)}"
    assert ":yellow_circle: **CI is red (build)** -- nothing found in 2 files" in review["body"]
    assert (review["state"], review_faults(review["body"])) == ("COMMENTED", [])
    assert "eady to merge" not in review["body"]
    assert check(pull) == ("neutral", red)


def test_a_red_check_that_is_not_required_stands_beside_the_verdict(talk: Stage) -> None:
    pull = opened(talk, build="success", lint="failure")

    [review] = pull.reviews
    counts = "nothing found in 2 files{} CI is red (lint, not required)"
    assert first_line(review) == f":green_circle: **Ready to merge** · {counts.format(' ·')}"
    assert f":green_circle: **Ready to merge** -- {counts.format(';')}" in review["body"]
    assert (review["state"], review_faults(review["body"])) == ("APPROVED", [])
    assert check(pull) == ("success", f"Ready to merge · {counts.format(' ·')}")


def test_blockers_stay_the_first_thing(talk: Stage) -> None:
    """Also with a gate, which is about our findings; the names of a status and a check are shown once."""
    pull = opened(talk, a_finding(), config=GATED, build="timed_out")
    branch = pull.get(f"/pulls/{pull.number}")["base"]["ref"]
    [review] = pull.reviews
    assert first_line(review) == ":red_circle: **Address before merging** · 1 major · CI is red (build)"
    assert review["state"] == "CHANGES_REQUESTED"
    assert check(pull) == ("failure", "Address before merging · 1 major · CI is red (build)")

    fixed = talk.commit(FIXED, pull.head)
    for name in ("build", "a|b", "c", "d", "e"):
        talk.github.require_check(branch, name)
        talk.github.report_status(fixed, name, "error")
    talk.github.report_check(fixed, "build", "cancelled")
    talk.model.answers = says(a_report(earlier=[an_answer(the_finding(pull))]))
    pull.push(fixed)

    last = pull.reviews[-1]
    assert first_line(last).startswith(":yellow_circle: **CI is red (a|b, build, c and 2 more)** · ")
    assert ("Blockers resolved" in last["body"], review_faults(last["body"])) == (False, [])


def test_an_approval_is_given_when_the_required_check_is_green(talk: Stage) -> None:
    """Once, without a question to a model, and with the check run; the review with the findings stays as it is.

    Before that nothing of GitHub is read where nothing waits, and nothing is said while it is red.
    """
    pull = opened(talk, MINOR, config=GATED, build="failure")
    head, asked = pull.head, talk.asked
    report(talk, head, "failure")
    assert len(pull.reviews) == 1

    report(talk, head, "success")

    review, approval = pull.reviews
    assert (review["state"], approval["state"], approval["commit_id"]) == ("COMMENTED", "APPROVED", head)
    headline = ":yellow_circle: **Ready to merge with minor items** · 1 minor"
    assert approval["body"].startswith(f"{headline}\n\nCI is green now.\n\n<!-- kodiai:")
    assert review_faults(approval["body"]) == []
    assert check(pull) == ("neutral", "Ready to merge with minor items · 1 minor")
    assert talk.github.state.reviews[review["id"]].minimized is None
    requests = len(talk.github.requests)
    for conclusion in ("success", "failure", "success"):
        report(talk, head, conclusion)
    assert (len(talk.github.requests), talk.asked, len(pull.reviews)) == (requests, asked, 2)
    assert pull.outcomes[-1]["reason"] == "no review of the head waits for CI to become green"


def test_a_comment_only_repository_gets_the_check_run_alone(talk: Stage) -> None:
    pull = opened(talk, config=ON_PUSH, build="failure")

    report(talk, pull.head, "success")

    assert [review["state"] for review in pull.reviews] == ["COMMENTED"]
    assert check(pull) == ("success", "Ready to merge · nothing found in 2 files")


def test_a_push_that_mends_the_build_is_approved_once_it_is_green(talk: Stage) -> None:
    """Nothing is new to say of it, and CI has not ended when it is read."""
    pull = opened(talk, build="failure")
    push(pull, {"build.txt": "fixed\n"})
    report(talk, pull.head, None)
    assert [review["state"] for review in pull.reviews] == ["COMMENTED"]

    report(talk, pull.head, "success")

    assert [(review["state"], review["commit_id"]) for review in pull.reviews][1:] == [("APPROVED", pull.head)]


def test_every_pull_request_of_a_head_is_approved(talk: Stage) -> None:
    """A suite may name several; each has a job of its own, also if the webhook of the suite comes once more."""
    head, branch = checked(talk, build="failure")
    pulls = [talk.open_at(head, branch) for _ in range(2)]
    first, second = (pull.number for pull in pulls)
    with talk.sent_to(None):
        report(talk, head, "success")

    for _ in range(2):
        job = job_of(talk.github, first, delivery="suite", trigger="checks_completed", others=(second,))
        put_into_queue(talk.machine, job.to_message(), job.group_id, f"{uuid4()}")
        talk.settle()

    assert [[review["state"] for review in pull.reviews] for pull in pulls] == [["COMMENTED", "APPROVED"]] * 2


def test_the_pull_request_of_a_fork_is_approved_at_its_next_event(talk: Stage) -> None:
    """GitHub names it in no check suite; somebody asks for a review, or presses "Re-run"."""
    talk.model.answers = says(a_report())
    head, branch = checked(talk)
    talk.github.report_status(head, "build", "failure")
    pull = talk.open_at(head, branch, from_fork=True)
    assert check(pull)[1].startswith("CI is red (build)")
    talk.github.report_status(head, "build", "success")
    talk.settle()
    asked = talk.asked

    pull.ask_for_review()
    pull.ask_for_review()

    assert [review["state"] for review in pull.reviews] == ["COMMENTED", "APPROVED"]
    assert (check(pull)[0], talk.asked) == ("success", asked)


def test_a_check_that_turns_green_during_the_review_is_red_in_it_and_given_after_it(talk: Stage) -> None:
    """The snapshot counts; the suite's webhook waits behind the review."""
    head, branch = checked(talk, build="failure")

    def turn_green(_: Request) -> None:
        talk.github.report_check(head, "build", "success")

    talk.model.answers = Script(otherwise=says(a_report())).when(is_find, turn_green, always=True)
    pull = talk.open_at(head, branch)

    assert [review["state"] for review in pull.reviews] == ["COMMENTED", "APPROVED"]
    assert first_line(pull.reviews[0]).startswith(":yellow_circle: **CI is red (build)**")


def test_reader_and_judge_see_the_checks_and_what_linters_say_of_changed_lines(talk: Stage) -> None:
    """As facts, in plain text without what nobody sees; what is said of other lines is not shown."""
    elsewhere = {**NOTE, "start_line": 1, "end_line": 1, "path": "README.md", "message": "Old."}
    (head, branch), long = checked(talk, build="success"), "x" * 400
    notes = [{**NOTE, "message": "Use \u202eone."}, {**NOTE, "message": long}, elsewhere]
    talk.github.report_check(head, "lint", "failure", annotations=notes)
    talk.model.answers = says(a_report(MINOR))
    talk.open_at(head, branch)

    shown = [texts(request) for request in talk.questions if is_find(request) or is_judge(request)]
    assert len(shown) >= 2
    for text in shown:
        section = text.split("# Its checks by other tools\n")[1].split("\n\n# ")[0]
        assert '{"check": "build", "result": "success", "required": true}' in section
        assert '{"check": "lint", "result": "failure", "required": false}' in section
        assert '"path": "src/orders.py", "lines": "2", "title": "F632", "message": "Use one."}' in section
        assert f'"message": "{"x" * 300}' in section
        assert "x" * 301 not in section
        assert "Old." not in section


def test_checks_that_may_not_be_read_change_nothing_and_are_named(talk: Stage) -> None:
    talk.github.fail_next("POST /graphql Snapshot", forbidden_field("statusCheckRollup"))

    pull = opened(talk, build="failure")

    [review] = pull.reviews
    assert first_line(review) == ":green_circle: **Ready to merge** · nothing found in 2 files"
    assert "not seen: checks of the head: not permitted" in review["body"]


def test_our_own_red_check_is_not_ci(talk: Stage) -> None:
    """A second look at a head on which our check failed finds no red check, though it is required."""
    pull = opened(talk, a_finding(), config=GATED, build="success")
    talk.github.require_check(pull.get(f"/pulls/{pull.number}")["base"]["ref"], "Kodiai")
    assert check(pull)[0] == "failure"

    push(pull, {"more.txt": "1\n"})

    assert "CI is red" not in check(pull)[1]


def test_a_review_makes_no_more_requests_for_its_checks(talk: Stage) -> None:
    """Nine at most, not counting those that each new process sends once: the review before has sent them."""
    opened(talk, build="success")
    before = len(talk.github.requests)
    opened(talk, a_finding(), build="failure", lint="failure")
    routes = [seen.route for seen in talk.github.requests[before:]]
    assert len([route for route in routes if "access_tokens" not in route]) <= 9, routes
