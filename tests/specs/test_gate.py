"""The gate: what the check run of a head concludes, by what happened and by `failOn`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from kodiai.core.words.conversation import NOTHING_BLOCKS
from local.github.failures import server_error
from local.model import Request, Script, failure, is_find, is_judge, refusal
from tests.git_repository import Files
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, REVIEWS
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import conversation, reply, say

GATE = "review:\n  check:\n    failOn: MAJOR\n"
NEVER = "review:\n  check:\n    failOn: never\n"
OPENED = "The check lets this commit pass; it looks at the next push again. The findings stay open."
STEP = "In an emergency, somebody with write access lets this commit pass with `@kodiai break glass <why>`."


class Seen(NamedTuple):
    """The part of a check run that a person sees."""

    conclusion: str | None
    title: str
    summary: str


def seen(opened: Opened, head: str | None = None) -> Seen:
    """The newest check run of a commit, the pull request's head unless given."""
    [check] = [each for each in opened.checks(head or opened.head) if each["name"] == "Kodiai"]
    return Seen(check["conclusion"], check["output"]["title"], check["output"]["summary"])


def alone(stage: Stage) -> Files:
    """A change, with a file that makes its head one of its own."""
    return {**DISCOUNT, f"{len(stage.github.state.pulls)}.txt": "1\n"}


def open_gated(stage: Stage, more: str = "", *, gate: str = GATE, **given: Any) -> Opened:
    """A pull request into a branch with these settings."""
    return stage.open(alone(stage), config=gate + more, **given)


SKIPPED: list[tuple[str, dict[str, Any], str]] = [
    ("", {"author": "renovate[bot]"}, "renovate[bot] is a bot that review.bots does not include"),
    ("", {"title": "Bump [no-review]"}, "the title says [no-review]"),
    ("  labels:\n    ignore: [wip]\n", {"labels": ["wip"]}, "labels.ignore names wip"),
    ("  labels:\n    only: [ready]\n", {}, "its labels are not in labels.only"),
    ("  skipAuthors: [Octocat]\n", {}, "skipAuthors names octocat"),
    ("  baseBranches: [release]\n", {}, "baseBranches does not name "),
    ("  triggers:\n    onOpened: false\n", {}, "onOpened is off"),
    ("  enabled: false\n", {}, "reviews are turned off in .kodiai.yml"),
]


@pytest.mark.parametrize("gate", [GATE, NEVER])
@pytest.mark.parametrize(("more", "given", "why"), SKIPPED, ids=[row[2] for row in SKIPPED])
def test_a_pull_request_that_the_settings_exclude_passes_and_says_why(
    stage: Stage, gate: str, more: str, given: dict[str, Any], why: str
) -> None:
    """A required check that is never reported is waited for without end."""
    opened = open_gated(stage, more, gate=gate, **given)

    conclusion, title, summary = seen(opened)
    assert (conclusion, title.startswith(f"Skipped: {why}")) == ("skipped", True)
    assert summary.startswith(f"Not reviewed: {why.split(' [', maxsplit=1)[0]}")
    assert (opened.reviews, stage.asked) == ([], 0)


def test_a_head_that_nobody_wants_read_shows_the_newest_reason_once(talk: Stage) -> None:
    """A push during a pause, and one where pushes are not read. A request has it read, in the same check run."""
    talk.model.answers = says(a_report())
    opened = open_gated(talk, "  triggers:\n    onSynchronize: false\n")
    assert seen(opened).conclusion == "success"

    opened.push(talk.commit({"a.txt": "a\n"}, opened.head))

    skipped = opened.check
    assert seen(opened)[:2] == ("skipped", "Skipped: onSynchronize is off")

    say(opened, "@kodiai pause")
    opened.close_and_reopen()

    assert opened.check["id"] == skipped["id"]
    assert seen(opened)[:2] == ("skipped", "Skipped: paused by ann")

    say(opened, "@kodiai review")

    assert (opened.check["id"], seen(opened).conclusion) == (skipped["id"], "success")


@pytest.mark.parametrize("kept", ["labels", "title"])
def test_a_closed_gate_is_not_opened_by_a_reason_to_skip(stage: Stage, kept: str) -> None:
    """A reviewed head keeps its conclusion."""
    stage.model.answers = says(a_report(a_finding()))
    opened = open_gated(stage, "  labels:\n    ignore: [wip]\n")
    assert seen(opened).conclusion == "failure"

    if kept == "labels":
        stage.github.label(opened.number, "wip")
    else:
        stage.github.state.pulls[opened.number].title = "Orders [no-review]"
    opened.close_and_reopen()

    assert seen(opened).conclusion == "failure"


def test_a_draft_does_not_pass_before_it_is_reviewed(stage: Stage) -> None:
    """GitHub may merge it in the moment in which it is ready. Settings that exclude it then are shown."""
    stage.model.answers = says(a_report(a_finding()))
    opened, labeled = (open_gated(stage, "  labels:\n    ignore: [wip]\n", draft=True) for _ in range(2))
    assert seen(opened)[:2] == ("action_required", "Waiting: the pull request is a draft")
    check = opened.check

    stage.github.ready(opened.number)
    stage.github.label(labeled.number, "wip")
    stage.github.ready(labeled.number)
    stage.settle()

    assert (opened.check["id"], seen(opened).conclusion) == (check["id"], "failure")
    assert seen(labeled)[:2] == ("skipped", "Skipped: labels.ignore names wip")


def test_words_in_a_strangers_title_open_no_gate(stage: Stage) -> None:
    """Without a gate they are followed."""
    stage.github.set_role("reader", "read")
    title = "Orders [no-review]"

    gated, free = (open_gated(stage, gate=gate, author="reader", title=title) for gate in (GATE, NEVER))

    assert (seen(gated).conclusion, seen(free).conclusion) == ("action_required", "skipped")
    assert "remove it from the title" in seen(gated).summary


def declines(stage: Stage) -> None:
    """The model gives no answer."""
    stage.model.answers = Script(otherwise=says(a_report())).when(is_find, refusal(), always=True)


def breaks(stage: Stage) -> None:
    """The API refuses the request, and would refuse it again."""
    stage.model.answers = Script(otherwise=says(a_report())).when(is_find, failure(400, "messages: no"), always=True)


def fails(stage: Stage) -> None:
    """GitHub takes the review at no attempt."""
    stage.github.fail_next(REVIEWS, server_error(503), times=5)


def nothing(_: Stage) -> None:
    """Nothing is wrong with the world."""


USED_UP = (
    "The budget `budget.perPullRequest` is used up: $0.00 of $0.00 were spent.\n\n"
    "Once that is fixed, comment `@kodiai review`, or press “Review again”."
)
TROUBLES = ("declines", "breaks", "fails", "keys", "budget")
UNREVIEWED: list[tuple[str, Callable[[Stage], None], str, str]] = [
    ("", declines, "Not fully reviewed", ""),
    ("", breaks, "Not reviewed", ""),
    ("", fails, "Not reviewed", ""),
    ("  skipPaths: 7\n", nothing, "Not reviewed", "skipPaths"),
    (
        "budget:\n  perPullRequest: 0\n",
        nothing,
        "Not reviewed",
        USED_UP,
    ),
]


@pytest.mark.parametrize(("gate", "conclusion"), [(GATE, "action_required"), (NEVER, "neutral")])
@pytest.mark.parametrize("row", UNREVIEWED, ids=TROUBLES)
def test_a_head_that_should_have_been_reviewed_and_was_not_does_not_pass(
    stage: Stage, gate: str, conclusion: str, row: tuple[str, Callable[[Stage], None], str, str]
) -> None:
    """Neutral would let the merge through; the check run says why, and what to do next."""
    more, trouble, title, why = row
    stage.model.answers = says(a_report())
    trouble(stage)

    opened = open_gated(stage, more, gate=gate)

    found = seen(opened)
    assert (found.conclusion, found.title.startswith(title)) == (conclusion, True)
    assert (STEP in found.summary) == (gate == GATE)
    assert why in found.summary
    assert [review for review in opened.reviews if trouble is not declines] == []


@pytest.mark.parametrize(
    ("config", "conclusion"),
    [("- no mapping\n", "action_required"), ("review:\n  check:\n    failOn: blocker\n", "failure")],
)
def test_a_gate_that_nobody_understands_is_closed(stage: Stage, config: str, conclusion: str) -> None:
    """In a file that cannot be read there may be one."""
    stage.model.answers = says(a_report(a_finding()))

    assert seen(stage.open(alone(stage), config=config)).conclusion == conclusion


def test_a_head_that_a_push_overtakes_does_not_pass(stage: Stage) -> None:
    """A push back to it has it reviewed, in the same check run."""
    base = stage.commit({".kodiai.yml": GATE})
    head = stage.commit(alone(stage), base)
    later = stage.commit({"later.txt": "1\n"}, head)

    def push(_: Request) -> None:
        stage.model.answers = says(a_report())
        stage.github.push(max(stage.github.state.pulls), later)

    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_judge, push)
    opened = stage.open_at(head, base)

    assert seen(opened, head)[:2] == ("cancelled", "Superseded")
    assert seen(opened, later).conclusion == "failure"


def test_a_decision_of_a_person_changes_the_check_run_at_once(talk: Stage) -> None:
    """A blocker that is dismissed no longer closes the gate, and one that is reopened does; no model is asked."""
    talk.model.answers = says(a_report(a_finding()))
    opened = open_gated(talk)
    asked = talk.asked

    reply(opened, "@kodiai resolve")
    dismissed = seen(opened)
    reply(opened, "@kodiai reopen")

    assert (dismissed.conclusion, seen(opened).conclusion) == ("success", "failure")
    assert (talk.asked, len(opened.reviews)) == (asked, 1)


def test_a_broken_glass_lets_the_commit_pass_and_no_later_one(talk: Stage) -> None:
    """For a blocker; the findings stay open, and who did it stands in the check run."""
    talk.model.answers = says(a_report(a_finding()))
    opened = open_gated(talk)
    assert seen(opened).conclusion == "failure"

    say(opened, "@kodiai break glass Production is down")

    found = seen(opened)
    assert found[:2] == ("neutral", "Overridden by ann · Address before merging · 1 major")
    assert found.summary.startswith("**Overridden by ann** with `break glass`: Production is down")
    [said] = conversation(opened)
    assert said.split("\n\n") == ["**Glass broken by ann**: Production is down", OPENED]

    opened.push(talk.commit({"more.txt": "1\n"}, opened.head))

    assert seen(opened).conclusion == "failure"


@pytest.mark.parametrize("waits", [True, False])
def test_a_broken_glass_lets_a_commit_pass_that_was_not_reviewed(talk: Stage, waits: bool) -> None:
    """One that waits for a request, or whose review was refused; the model is asked nothing."""
    talk.github.set_role("stranger", "read")
    author = "stranger" if waits else "octocat"
    opened = open_gated(talk, "  outsiders: request\n" if waits else "budget:\n  perPullRequest: 0\n", author=author)
    asked = talk.asked
    assert seen(opened).conclusion == "action_required"

    say(opened, "@kodiai break glass Production is down")

    assert seen(opened)[0] == "neutral"
    assert seen(opened).title.startswith("Overridden by ann · ")
    assert talk.asked == asked


def test_a_glass_without_a_closed_gate_is_not_broken(talk: Stage) -> None:
    """Nothing is stored that would open a later gate."""
    talk.model.answers = says(a_report())
    opened = open_gated(talk)

    say(opened, "@kodiai break glass Just in case")

    assert (seen(opened).conclusion, conversation(opened)) == ("success", [NOTHING_BLOCKS])


def share_a_head(stage: Stage, first: Any, second: Any) -> tuple[Opened, Opened]:
    """Two pull requests with the same head; the models of their reviews say these things."""
    one = stage.commit({".kodiai.yml": GATE})
    two = stage.commit(alone(stage), one)
    head = stage.commit({"three.txt": "3\n"}, two)
    stage.model.answers = first
    a = stage.open_at(head, one)
    stage.model.answers = second
    return a, stage.open_at(head, two)


def test_a_commit_shows_the_worst_of_the_pull_requests_that_share_it(stage: Stage) -> None:
    """Whichever review ends last; the summary names them all."""
    blocker, fine = says(a_report(a_finding())), says(a_report())

    first, second = share_a_head(stage, blocker, fine)

    found = seen(second)
    assert found[:2] == ("failure", f"#{first.number}: Address before merging · 1 major")
    assert f"- [#{first.number}](" in found.summary
    assert f"- [#{second.number}](" in found.summary

    stage.github.close(first.number)
    stage.settle()

    assert seen(second)[:2] == ("success", "Ready to merge · nothing found in 1 file")

    stage.github.reopen(first.number)
    stage.settle()

    assert seen(second).conclusion == "failure"

    first.push(stage.commit({"more.txt": "1\n"}, first.head))

    assert seen(second).conclusion == "success"


def test_a_pull_request_leaves_a_head_of_which_nothing_is_known_yet(stage: Stage) -> None:
    """The other one is still under review then."""
    base = stage.commit({".kodiai.yml": GATE})
    head = stage.commit(alone(stage), base)

    def open_and_close(_: Request) -> None:
        stage.model.answers = says(a_report())
        stage.github.close(stage.github.open_pull_request(head, base))

    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_judge, open_and_close)
    opened = stage.open_at(head, base)

    assert seen(opened)[:2] == ("failure", "Address before merging · 1 major")


def test_pull_requests_of_forks_share_their_heads_too(stage: Stage) -> None:
    """GitHub does not say which pull requests of forks have a commit; our check runs on it do."""
    base, other = (stage.commit({".kodiai.yml": GATE, "base.txt": f"{each}\n"}) for each in "ab")
    head = stage.commit(alone(stage), base)
    pulls = []
    for report, into in ((a_report(a_finding()), base), (a_report(), other), (a_report(), base)):
        stage.model.answers = says(report)
        pulls.append(stage.open_at(head, into, from_fork=True, author="stranger"))
        assert seen(pulls[0]).conclusion == "failure"

    stage.github.close(pulls[0].number)
    stage.settle()

    assert seen(pulls[0]).conclusion == "success"


def test_a_pull_request_that_is_not_reviewed_opens_no_gate_of_another_one(stage: Stage) -> None:
    """A bot's, for example, with the head of one that has a blocker."""
    stage.model.answers = says(a_report(a_finding()))
    base = stage.commit({".kodiai.yml": GATE})
    head = stage.commit(alone(stage), base)
    first = stage.open_at(head, base)

    stage.open_at(head, base, author="renovate[bot]")

    assert seen(first)[:2] == ("failure", f"#{first.number}: Address before merging · 1 major")
