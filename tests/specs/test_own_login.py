"""Our login is what GitHub says it is: nobody writes it down, and an App that is renamed goes on under its new name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.github.failures import server_error
from tests.specs.conftest import EVERYTHING, Stage, a_stage
from tests.specs.moods import DISCOUNT, REVIEWS
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding
from tests.specs.talking import answering, conversation, opened, outcome, say

APP = "GET /app"


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system whose App has a name of its own from the start."""
    with a_stage(tmp_path_factory.mktemp("renamed"), events=EVERYTHING) as stage:
        stage.github.rename_app("my-reviewer")
        yield stage
        assert stage.github.violations == []


def test_an_app_of_any_name_answers_to_it(renamed: Stage) -> None:
    """GitHub is asked once for each process of a function. A lost answer leads to no second review."""
    renamed.github.fail_next(REVIEWS, server_error(502, takes_effect=True))
    talk = opened(renamed, a_finding())
    renamed.model.answers = answering("Because.")

    say(talk, "@my-reviewer why?")
    say(talk, "@kodiai why?")

    assert len(talk.reviews) == 1
    assert (len(conversation(talk)), outcome(talk)[0]) == (1, "read")
    assert renamed.sent(APP) == 2


def test_events_that_are_not_ours_end_before_github_is_asked_for_anything(renamed: Stage) -> None:
    """A request for another reviewer, and a push of our own."""
    talk = opened(renamed, a_finding())
    before, github = len(renamed.github.requests), renamed.github

    github.request_review(talk.number, "ann")
    renamed.settle()
    asked = renamed.outcome()
    github.request_review(talk.number, login=github.bot_login)
    renamed.settle()
    own = renamed.outcome()

    assert (asked["outcome"], asked["reason"]) == ("skipped", "the review of ann was requested, not ours")
    assert own["reason"] == "my-reviewer[bot] did this: we do not act on what we did ourselves"
    assert len(github.requests) == before


def test_an_app_that_is_renamed_is_asked_again_before_anything_is_written(tmp_path: Path) -> None:
    """The attempt that finds out says why it stops; the next one knows the new login, and posts nothing twice."""
    with a_stage(tmp_path, events=EVERYTHING) as stage:
        first = opened(stage, a_finding())
        stage.github.rename_app("another-name")

        first.push(stage.commit({"src/notes.py": "x = 1\n"}, first.head))
        second = stage.open(DISCOUNT, config=ON_PUSH)

        reasons = [(line["outcome"], line["reason"]) for line in stage.outcomes]
        [(_, why)] = [each for each in reasons if each[0] == "retry"]
        assert why == "GitHub knows us as another-name[bot], not as kodiai[bot]: was the App renamed?"
        assert [outcome for outcome, _ in reasons] == ["completed", "retry", "completed", "completed"]
        assert [len(each.reviews) for each in (first, second)] == [1, 1]
        assert stage.sent(APP) == 2
