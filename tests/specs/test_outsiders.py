"""Pull requests of people without write access: they cost nothing until somebody with write access asks."""

from collections.abc import Iterator
from typing import Any

import pytest

from kodiai.core.events.job import OPERATOR
from local.github.state import Role
from local.model import Script, is_find
from tests.queued import job_of, put_into_queue
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import on_default_branch
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import answering, conversation, reactions, reply, say

PERMISSION = "GET /repos/{owner}/{repo}/collaborators/{username}/permission"
CHECKS = "POST /repos/{owner}/{repo}/check-runs"
WAITS = "its author has no write access, and nobody with write access asked for this review"
HOW = (
    "The author has no write access to this repository. Somebody who has it starts the review of this commit: with the"
    " comment `@kodiai review`, by requesting a review, or with “Re-run”."
)
ALWAYS = "review: {outsiders: always}\n"


@pytest.fixture
def public(stage: Stage) -> Iterator[Stage]:
    """The system with a public repository."""
    yield from _public(stage)


@pytest.fixture
def public_talk(talk: Stage) -> Iterator[Stage]:
    """The system that listens, with a public repository."""
    yield from _public(talk)


def _public(stage: Stage) -> Iterator[Stage]:
    stage.github.set_private(False)
    stage.model.answers = answering(findings=(a_finding(),))
    yield stage
    stage.github.set_private(True)


def open_as(stage: Stage, login: str, role: Role = "read", config: str = "{}", **more: Any) -> Opened:
    """A pull request of somebody in this role."""
    stage.github.set_role(login, role)
    return stage.open({**DISCOUNT, f"{len(stage.github.state.pulls)}.txt": "1\n"}, config=config, author=login, **more)


def last(opened: Opened) -> tuple[str, str]:
    """The outcome of the last try at a job of it, and the reason."""
    line = opened.outcomes[-1]
    return line["outcome"], line["reason"]


def test_an_outsiders_pull_request_waits_and_says_so_once(public: Stage) -> None:
    """The check run of the head says how to start the review; there is no comment, and the model is asked nothing.

    One call asks who may write. Another event on the same head changes nothing.
    """
    asked, permissions = public.asked, public.sent(PERMISSION)

    waiting = open_as(public, "stranger")

    assert last(waiting) == ("skipped", WAITS)
    assert public.sent(PERMISSION) - permissions == 1
    check = waiting.check
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert (check["output"]["title"], check["output"]["summary"]) == ("Waits for a request", HOW)

    waiting.close_and_reopen("stranger")

    assert last(waiting) == ("skipped", WAITS)
    assert waiting.check["id"] == check["id"]
    assert (waiting.reviews, conversation(waiting), public.asked) == ([], [], asked)


def test_somebody_with_write_access_starts_it_and_each_push_waits_again(public: Stage) -> None:
    """The review takes the check run over. What is pushed later was seen by nobody who asked."""
    waiting = open_as(public, "stranger")
    check = waiting.check

    public.github.rerequest_check(check["id"], login="octocat")
    public.settle()

    assert last(waiting)[0] == "completed"
    assert len(waiting.reviews) == 1
    assert (waiting.check["id"], waiting.check["output"]["title"]) == (
        check["id"],
        "Address before merging · 1 major",
    )

    waiting.push(public.commit({"more.py": "x = 1\n"}, waiting.head))

    assert last(waiting) == ("skipped", WAITS)
    assert waiting.check["output"]["summary"] == HOW

    waiting.ask_for_review()

    assert last(waiting)[0] == "completed"
    assert waiting.check["output"]["title"] == "Address before merging · 1 major"


def test_a_label_that_is_required_starts_it_if_its_setter_may_write(public: Stage) -> None:
    """A label that an automation sets by the files that changed is nobody's request."""
    config = "review: {labels: {only: [ready]}}\n"
    waiting = open_as(public, "stranger", config=config)
    assert waiting.check["conclusion"] == "skipped"

    public.github.label(waiting.number, "ready", login="labeler[bot]")
    public.settle()
    assert last(waiting) == ("skipped", WAITS)

    public.github.unlabel(waiting.number, "ready", login="octocat")
    public.github.label(waiting.number, "ready", login="octocat")
    public.settle()
    assert len(waiting.reviews) == 1


def test_others_are_reviewed_at_once(public: Stage) -> None:
    """People with write access, and everybody where both branches' settings say so: without a call then."""
    permissions = public.sent(PERMISSION)

    assert len(open_as(public, "ann", "write").reviews) == 1
    assert public.sent(PERMISSION) - permissions == 1

    with on_default_branch(public, ALWAYS):
        assert len(open_as(public, "stranger", config=ALWAYS).reviews) == 1
    assert public.sent(PERMISSION) - permissions == 1
    assert last(open_as(public, "stranger", config=ALWAYS)) == ("skipped", WAITS)


def test_in_a_private_repository_everybody_is_reviewed_unless_the_settings_say_otherwise(stage: Stage) -> None:
    """Everybody who can read it was let in. No call asks what the author may do."""
    stage.model.answers = says(a_report(a_finding()))
    permissions = stage.sent(PERMISSION)

    assert len(open_as(stage, "reader").reviews) == 1
    assert stage.sent(PERMISSION) == permissions

    waiting = open_as(stage, "reader", config="review: {outsiders: request}\n")

    assert last(waiting) == ("skipped", WAITS)


def test_an_operator_asks_for_any_review(public: Stage) -> None:
    """The command line asks in the operator's name, with a token that GitHub may not tell who may write."""
    waiting, permissions = open_as(public, "stranger"), public.sent(PERMISSION)
    asked = job_of(public.github, waiting.number, delivery="by-hand", trigger="review_requested", sender=OPERATOR)

    put_into_queue(public.machine, asked.to_message(), asked.group_id, asked.deduplication_id)
    public.settle()

    assert len(waiting.reviews) == 1
    assert public.sent(PERMISSION) == permissions


def test_an_author_who_pushes_all_the_time_is_not_read_all_the_time(public: Stage) -> None:
    """A request goes on with a newer head a few times; then the newest head waits for another request."""
    waiting = open_as(public, "stranger")
    pushed: list[str] = []

    def push(_: object) -> None:
        pushed.append(public.commit({"more.py": f"x = {len(pushed)}\n"}, pushed[-1] if pushed else waiting.head))
        public.github.push(waiting.number, pushed[-1], login="stranger")

    public.model.answers = Script(otherwise=says(a_report())).when(is_find, push, always=True)
    waiting.ask_for_review()

    assert waiting.reviews == []
    assert len(pushed) == 4
    assert waiting.check["output"]["title"] == "Waits for a request"


def test_never_is_never(public: Stage) -> None:
    """A request of somebody with write access changes nothing, and the check run asks for none."""
    refused = open_as(public, "stranger", config="review: {outsiders: never}\n")
    refused.ask_for_review()

    assert last(refused) == ("skipped", "outsiders is never, and stranger has no write access")
    check = refused.check
    assert (refused.reviews, check["conclusion"]) == ([], "skipped")
    assert "review`" not in check["output"]["summary"]


def test_a_refusal_to_say_who_may_write_means_nobody(public: Stage) -> None:
    """On doubt no."""
    public.refuse_next(PERMISSION, 403, {"message": "Must have push access"})

    assert last(open_as(public, "ann", "write")) == ("skipped", WAITS)


def test_an_outsiders_mention_costs_nothing_before_a_review(public_talk: Stage) -> None:
    """Their own request starts nothing, and a stranger on other people's pull requests gets no answer.

    The author of a reviewed pull request is answered, within the limit of turns.
    """
    waiting, asked = open_as(public_talk, "stranger"), public_talk.asked

    say(waiting, "@kodiai review", "stranger", "read")
    say(waiting, "@kodiai why?", "stranger", "read")

    refusal = (
        "stranger has no write access to this repository. Without it I answer only the author of a pull request, once"
        " it is reviewed."
    )
    assert (conversation(waiting), waiting.reviews, public_talk.asked) == ([refusal], [], asked)

    say(waiting, "@kodiai review", "ann", "write")
    assert len(waiting.reviews) == 1

    say(waiting, "@kodiai why?", "stranger", "read")
    say(waiting, "@kodiai review", "stranger", "read")
    assert len(conversation(waiting)) == 3
    assert conversation(waiting)[-1] == "`review` requires write access to this repository."

    asked = public_talk.asked
    comment = say(waiting, "@kodiai why?", "passer-by", "read")
    reply(waiting, "This is nonsense, is it not?", "passer-by", "read")
    assert public_talk.asked == asked
    assert "confused" not in reactions(waiting, comment)
    assert conversation(waiting)[-1].startswith("passer-by has no write access to this repository.")
