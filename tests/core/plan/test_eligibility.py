"""Whether a pull request is reviewed at all, and the reason where it is not."""

from typing import Any

import pytest

from kodiai.core.changes.snapshot import SeenFile, Snapshot
from kodiai.core.config.keys import Config, LabelsConfig, ReviewConfig, TriggersConfig
from kodiai.core.events.job import Trigger
from kodiai.core.plan.eligibility import (
    ASKED_FOR,
    Reviewed,
    event_skip_reason,
    foreign_event_reason,
    pull_request_skip_reason,
    trigger_skip_reason,
)
from kodiai.core.review.run import Run, again_at
from tests.builders import a_job, a_pull_request
from tests.tables import each_row

EVERY: tuple[Trigger, ...] = (
    *("opened", "reopened", "ready_for_review", "review_requested", "synchronize"),
    *("labeled", "unlabeled", "edited", "rerequested", "full_review"),
)
ALL_ON = ReviewConfig()
BY_ITSELF = tuple(trigger for trigger in EVERY if trigger not in ASKED_FOR)


def reason(trigger: Trigger, config: ReviewConfig = ALL_ON, **given: Any) -> str | None:
    of_reviews = {
        name: given.pop(name) for name in ("is_served", "left_unread", "is_too_soon", "paused_by") if name in given
    }
    reviewed = Reviewed(given.pop("completed_head", None), **of_reviews)
    pull_request = a_pull_request(**{"head": "a" * 40, **given})
    is_closed = pull_request.state == "closed"
    return pull_request_skip_reason(trigger, config, pull_request, is_closed=is_closed) or trigger_skip_reason(
        trigger, config, pull_request, reviewed
    )


@each_row("trigger", EVERY)
def test_an_open_pull_request_is_reviewed(trigger: Trigger) -> None:
    """Whatever led to it, where every trigger is on; also after another head was reviewed. Its end ends the work."""
    assert reason("closed") == "the pull request is closed"
    assert reason(trigger) is None
    assert reason(trigger, completed_head="b" * 40) is None


@each_row("trigger", EVERY)
@each_row(
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
    """A pull request that is closed, turned off, excluded by title or author, or reviewed at this very head."""
    assert reason(trigger, ALL_ON.model_copy(update=config), **given) == said


REVIEWED = {"completed_head": "a" * 40}
UNREAD = {**REVIEWED, "left_unread": True}


@each_row("trigger", EVERY)
@each_row(
    ("case", "given", "begins"),
    [
        ("in full, or into another branch", REVIEWED, {"full_review", "edited"}),
        ("another head, once more", {"completed_head": "b" * 40, "is_served": True}, {*EVERY}),
        ("files are unread: where a person asks", UNREAD, {*ASKED_FOR, "edited"}),
        ("no event does that twice", {**UNREAD, "is_served": True}, set()),
        ("too soon: it would do the same again", {**UNREAD, "is_too_soon": True}, {"edited"}),
        ("too soon, and another head", {**UNREAD, "is_too_soon": True, "completed_head": "b" * 40}, {*EVERY}),
    ],
)
def test_a_head_that_is_reviewed_is_reviewed_again_only_where_that_brings_something(
    trigger: Trigger, case: str, given: dict[str, Any], begins: set[str]
) -> None:
    """Once for each event: a repeat of the one that led to the last review begins nothing."""
    assert reason(trigger, **given) == (None if trigger in begins else "reviewed at aaaaaaa already"), case


@each_row(
    ("given", "waits", "at"),
    [
        ({}, False, 4_600),
        ({"trigger": "review_requested"}, False, None),
        ({"reason": "no-prior-review"}, False, None),
        ({"base": "c" * 40}, False, None),
        ({"config": "another"}, False, None),
        ({}, True, None),
        ({"left_unread": 2}, True, None),
        ({"left_unread": 1}, True, 1_600),
        ({"left_unread": 1, "trigger": "rerequested"}, True, 1_600),
        ({"left_unread": 1, "base": "c" * 40}, True, None),
    ],
)
def test_the_same_review_of_a_head_is_done_again_after_a_while(
    given: dict[str, Any], waits: bool, at: float | None
) -> None:
    """An hour after a full review that was asked for, and ten minutes after a request that got nothing more read."""
    now: dict[str, Any] = {"trigger": "full_review", "reason": "requested", "base": "b" * 40, "left_unread": 0, **given}
    facts = {"reason": now["reason"]}
    last = Run(
        "run1", "a" * 40, now["base"], "completed", 900, facts=facts, ended=1_000, left_unread=now["left_unread"]
    )
    file = SeenFile("src/a.py", None, "c" * 40, (), left_out="the model declined" if waits else "")

    assert again_at(now["trigger"], last, Snapshot((file,), now.get("config", Config().key)), Config(), "b" * 40) == at


def test_three_events_are_a_person_asking_by_name() -> None:
    """A request gets an answer; no switch keeps a full review or the check run's button from working."""
    off = ReviewConfig(triggers=TriggersConfig(**dict.fromkeys(TriggersConfig.model_fields, False)))

    assert {"review_requested", "rerequested", "full_review"} == ASKED_FOR
    assert {trigger for trigger in ASKED_FOR if reason(trigger, off) is None} == {"rerequested", "full_review"}


@each_row(
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


@each_row(
    ("trigger", "switch", "said"),
    [
        ("opened", "on_opened", "onOpened is off"),
        ("reopened", "on_opened", "onOpened is off"),
        ("edited", "on_opened", "onOpened is off"),
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
        each: said if each == trigger or {each, trigger} <= {"opened", "reopened", "edited"} else None for each in EVERY
    }


LABELED = ALL_ON.model_copy(update={"labels": LabelsConfig(only=("Ready", "Security"), ignore=("wip",))})


@each_row(
    ("labels", "said"),
    [
        (("ready",), None),
        (("bug", "SECURITY"), None),
        ((), "its labels are not in labels.only"),
        (("bug",), "its labels are not in labels.only"),
        (("Ready", "WIP"), "labels.ignore names WIP"),
    ],
)
def test_labels_decide_what_is_reviewed_by_itself(labels: tuple[str, ...], said: str | None) -> None:
    """One that is to be ignored wins, an empty list names none; who asks by name is not asked for a label."""
    none = ALL_ON.model_copy(update={"labels": LabelsConfig(only=())})
    assert {reason(trigger, LABELED, labels=labels) for trigger in BY_ITSELF} == {said}
    assert {reason(trigger, LABELED, labels=labels) for trigger in ASKED_FOR} == {None}
    assert reason("opened", none, labels=labels) == "its labels are not in labels.only"


def test_only_pull_requests_into_the_named_branches_are_reviewed_by_themselves() -> None:
    """Without names into all of them; who asks by name is not asked for a branch."""
    named = ALL_ON.model_copy(update={"base_branches": ("main", "release/*")})

    assert {reason(trigger, named, base_ref="release/1.0") for trigger in EVERY} == {None}
    assert {reason(trigger, named, base_ref="topic") for trigger in BY_ITSELF} == {"baseBranches does not name topic"}
    assert {reason(trigger, named, base_ref="topic") for trigger in ASKED_FOR} == {None}


@each_row(
    ("bots", "author", "said"),
    [
        (False, "renovate[bot]", "renovate[bot] is a bot that review.bots does not include"),
        (("dependabot[bot]",), "renovate[bot]", "renovate[bot] is a bot that review.bots does not include"),
        (("Renovate[bot]",), "renovate[bot]", None),
        (True, "renovate[bot]", None),
        (True, "Kodiai[bot]", "Kodiai[bot] is us"),
        (("kodiai[bot]",), "kodiai[bot]", "kodiai[bot] is us"),
    ],
)
def test_a_bots_pull_request_is_reviewed_by_itself_where_the_settings_say_so(
    bots: bool | tuple[str, ...], author: str, said: str | None
) -> None:
    """Our own never is, or we would review what we wrote."""
    config = ALL_ON.model_copy(update={"bots": bots})

    assert event_skip_reason(a_job(by_bot=True), config, author=author, bot_login="kodiai[bot]") == said
    assert event_skip_reason(a_job(), config, author=author, bot_login="kodiai[bot]") is None


@each_row(
    ("trigger", "label", "said"),
    [
        ("labeled", "READY", None),
        ("labeled", "wip", "labels.only does not name wip"),
        ("labeled", "bug", "labels.only does not name bug"),
        ("unlabeled", "Wip", None),
        ("unlabeled", "ready", "labels.ignore does not name ready"),
    ],
)
def test_a_label_that_decides_nothing_leads_to_nothing(trigger: Trigger, label: str, said: str | None) -> None:
    """Else every label would begin the review that a draft or a switch has kept from beginning.

    Without settings none leads to anything.
    """

    def of(config: ReviewConfig) -> str | None:
        return event_skip_reason(a_job(trigger=trigger, label=label), config, author="ann", bot_login="us")

    assert of(LABELED) == said
    assert of(ReviewConfig()) is not None


@pytest.mark.parametrize(
    ("sender", "requested", "said"),
    [
        ("Kodiai[bot]", None, "Kodiai[bot] did this: we do not act on what we did ourselves"),
        ("ann", "ben", "the review of ben was requested, not ours"),
        ("ann", "KODIAI[bot]", None),
        ("ann", None, None),
    ],
)
def test_our_own_acts_and_requests_to_others_are_not_ours(sender: str, requested: str | None, said: str | None) -> None:
    """Or we would answer ourselves forever. GitHub's logins do not tell capitals from small letters."""
    job = a_job(trigger="review_requested", sender=sender, requested=requested)

    assert foreign_event_reason(job, "kodiai[bot]") == said
