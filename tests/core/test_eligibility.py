"""Whether a pull request is reviewed at all, and the reason where it is not."""

from typing import Any

import pytest

from kodiai.core.config import ReviewConfig, TriggersConfig
from kodiai.core.eligibility import ASKED_FOR, untimely, unwanted
from kodiai.core.events.job import Trigger

EVERY: tuple[Trigger, ...] = (
    "opened",
    "reopened",
    "ready_for_review",
    "review_requested",
    "synchronize",
    "rerequested",
    "full_review",
)
ALL_ON = ReviewConfig(triggers=TriggersConfig(on_synchronize=True))


def reason(trigger: Trigger, config: ReviewConfig = ALL_ON, **given: Any) -> str | None:
    whole = {"title": "Stream the report", "author": "octocat", "state": "open"}
    event = {"draft": False, "head": "a" * 40, "completed_head": None, "is_served": False, "left_unread": False}
    of_whole = {name: given.get(name, value) for name, value in whole.items()}
    of_event = {name: given.get(name, value) for name, value in event.items()}
    return unwanted(trigger, config, **of_whole) or untimely(trigger, config, **of_event)


@pytest.mark.parametrize("trigger", EVERY)
def test_an_open_pull_request_is_reviewed(trigger: Trigger) -> None:
    """Whatever led to it, where every trigger is on; also after another head was reviewed."""
    assert reason(trigger) is None
    assert reason(trigger, completed_head="b" * 40) is None


@pytest.mark.parametrize("trigger", EVERY)
@pytest.mark.parametrize(
    ("given", "config", "said"),
    [
        ({"state": "closed"}, {}, "the pull request is closed"),
        ({}, {"enabled": False}, "reviews are turned off in .kodiai.yml"),
        ({"title": "[No-Review] wip"}, {}, "the title says [no-review]"),
        ({"author": "Octocat"}, {"skip_authors": ("octocat",)}, "skipAuthors names Octocat"),
        ({"completed_head": "a" * 40, "is_served": True}, {}, "reviewed at aaaaaaa already"),
    ],
)
def test_some_pull_requests_are_not_reviewed_whoever_asks(
    trigger: Trigger, given: dict[str, Any], config: dict[str, Any], said: str
) -> None:
    """What is closed, turned off, excluded by title or author, or reviewed at this very head."""
    assert reason(trigger, ALL_ON.model_copy(update=config), **given) == said


@pytest.mark.parametrize("trigger", EVERY)
def test_a_head_that_is_reviewed_is_reviewed_again_only_where_a_full_review_is_asked_for(trigger: Trigger) -> None:
    """Once for each event: a repeat of the one that led to the last review begins nothing."""
    again = reason(trigger, completed_head="a" * 40)

    assert again == (None if trigger == "full_review" else "reviewed at aaaaaaa already")
    assert reason(trigger, completed_head="b" * 40, is_served=True) is None


@pytest.mark.parametrize("trigger", EVERY)
def test_a_head_whose_review_left_files_unread_is_read_on_where_a_person_asks(trigger: Trigger) -> None:
    """No event by itself does it, and no event does it twice."""
    again = reason(trigger, completed_head="a" * 40, left_unread=True)

    assert again == (None if trigger in ASKED_FOR else "reviewed at aaaaaaa already")
    assert reason(trigger, completed_head="a" * 40, left_unread=True, is_served=True) == "reviewed at aaaaaaa already"


def test_three_events_are_a_person_asking_by_name() -> None:
    """Who asks is owed an answer; no switch keeps a full review or the check run's button from working."""
    off = ReviewConfig(triggers=TriggersConfig(on_opened=False, on_review_requested=False, on_ready_for_review=False))

    assert {"review_requested", "rerequested", "full_review"} == ASKED_FOR
    assert [trigger for trigger in EVERY if reason(trigger, off) is None] == ["rerequested", "full_review"]


def test_a_closed_pull_request_ends_the_work() -> None:
    """GitHub may still say that it is open."""
    assert reason("closed") == "the pull request is closed"


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        ("opened", "the pull request is a draft"),
        ("synchronize", "the pull request is a draft"),
        ("review_requested", None),
        ("rerequested", None),
        ("full_review", None),
    ],
)
def test_a_draft_is_reviewed_when_somebody_asks_for_it(trigger: Trigger, said: str | None) -> None:
    """Or always, where the repository wants it so."""
    assert reason(trigger, draft=True) == said
    assert reason(trigger, ALL_ON.model_copy(update={"drafts": True}), draft=True) is None


@pytest.mark.parametrize(
    ("trigger", "switch", "said"),
    [
        ("opened", "on_opened", "onOpened is off"),
        ("reopened", "on_opened", "onOpened is off"),
        ("ready_for_review", "on_ready_for_review", "onReadyForReview is off"),
        ("review_requested", "on_review_requested", "onReviewRequested is off"),
        ("synchronize", "on_synchronize", "onSynchronize is off"),
    ],
)
def test_each_trigger_can_be_turned_off(trigger: Trigger, switch: str, said: str) -> None:
    """It turns off nothing else, and the button of the check run always works."""
    triggers = ALL_ON.triggers.model_copy(update={switch: False})

    off = ALL_ON.model_copy(update={"triggers": triggers})

    assert {each: reason(each, off) for each in EVERY} == {
        each: said if each == trigger or {each, trigger} == {"opened", "reopened"} else None for each in EVERY
    }


def test_pushes_are_not_reviewed_unless_the_repository_wants_it() -> None:
    """The default of every repository without settings."""
    assert reason("synchronize", ReviewConfig()) == "onSynchronize is off"
    assert reason("opened", ReviewConfig()) is None
