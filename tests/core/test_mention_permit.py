"""What somebody who writes a comment may do, and why they are not answered."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from kodiai.core.config import read_config
from kodiai.core.conversation.comment import Permission, Reaction
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.errors import Refused
from kodiai.core.events.attempt import DeliveryAttempt
from kodiai.core.events.job import CommentPayload, Mention
from kodiai.core.findings.finding import SEVERITIES, Severity
from kodiai.core.outcome import Ended
from kodiai.core.pull_request import PullRequestSnapshot
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter, permit
from kodiai.flows.pull_request_ports import Deadline
from tests.builders import a_finding, a_pull_request
from tests.core.review_inputs import SETTINGS
from tests.core.test_answers import Clock

NOT_NAMED = "`mention.allowedUsers` in `.kodiai.yml` does not name ann, so I may not answer."
UNCONFIRMED = "GitHub does not confirm that ann may read this repository, so I may not answer."
UNUSABLE = (
    "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is mended:"
    ' `budget.perPullRequest` must be a number, not `"much"`.'
)


@dataclass
class Site:
    """GitHub, which says what ann may do (None: it does not say), and what it was asked to put under her comment."""

    permits: Permission | None = "write"
    is_there: bool = True
    reactions: list[str] = field(default_factory=list)

    def permission(self, login: str) -> Permission:
        assert login == "ann"
        if self.permits is None:
            raise Refused("not permitted")
        return self.permits

    def react(self, said: CommentPayload, content: Reaction) -> bool:
        self.reactions.append(f"{content} on {said.key}")
        return self.is_there


def permitted(site: Any, text: str = "@kodiai why?", *, config: str = "", author: str = "octocat") -> Commenter:
    """What ann may do, who wrote this in the conversation of somebody's pull request."""
    said = CommentPayload(surface="conversation", id=5, node_id="N", reply_to=None, text=text, at=1, title="T")
    ours = handles("kodiai[bot]", ())
    context = MentionContext(
        mention=Mention(delivery="d", repository="octo/app", number=7, installation=1, sender="ann", said=said),
        snapshot=PullRequestSnapshot(a_pull_request(author=author), None),
        config=read_config(config.encode()),
        handles=ours,
        parsed=parse_comment(text, ours),
        finding=None,
        history=(),
        thread=None,
        deadline=Deadline(DeliveryAttempt("us", 0, 60, 1, 5), Clock()),
        settings=SETTINGS,
    )
    return permit(context, site)


@pytest.mark.parametrize(
    ("permission", "author", "decides"),
    [
        ("admin", "octocat", SEVERITIES),
        ("write", "octocat", SEVERITIES),
        ("read", "octocat", ()),
        ("none", "octocat", ()),
        ("read", "ann", ("MEDIUM", "MINOR")),
        ("write", "ann", SEVERITIES),
    ],
)
def test_who_may_write_decides_and_the_author_what_is_not_severe(
    permission: Permission, author: str, decides: tuple[Severity, ...]
) -> None:
    """Nobody else does."""
    commenter = permitted(Site(permission), author=author)

    may_decide = tuple(each for each in SEVERITIES if commenter.may_decide(a_finding(severity=each)))

    assert may_decide == decides
    assert commenter.may_write is (permission in ("admin", "write"))


@pytest.mark.parametrize(
    ("config", "permission", "refusal"),
    [
        ("", "read", None),
        ("", "none", UNCONFIRMED),
        ("", None, UNCONFIRMED),
        ("mention: {allowedUsers: [bob]}\n", "admin", NOT_NAMED),
        ("mention: {allowedUsers: []}\n", "admin", NOT_NAMED),
        ("mention: {allowedUsers: [ANN]}\n", "read", None),
        ("budget: {perPullRequest: much}\n", "admin", UNUSABLE),
    ],
)
def test_who_may_not_be_answered_is_told_why(config: str, permission: Permission | None, refusal: str | None) -> None:
    """It fails closed: where GitHub does not say, and where what restricts cannot be read."""
    assert permitted(Site(permission), config=config).refusal == refusal


def test_who_mentions_us_sees_that_it_was_read() -> None:
    """By a reaction, also where they are refused; who does not mention us sees nothing."""
    called, refused, silent = Site(), Site("none"), Site()

    permitted(called)
    permitted(refused)
    permitted(silent, "Hm.")

    assert (called.reactions, refused.reactions) == (["eyes on conversation-5"], ["eyes on conversation-5"])
    assert silent.reactions == []


@pytest.mark.parametrize(
    ("site", "text", "config", "reason"),
    [
        (Site(is_there=False), "@kodiai why?", "", "it was deleted"),
        (Site(), "won't fix", "budget: {perPullRequest: much}\n", "the settings cannot be followed"),
    ],
)
def test_nothing_more_is_done_about_what_is_gone_or_cannot_be_followed(
    site: Site, text: str, config: str, reason: str
) -> None:
    """Nobody who did not mention us is told anything of the settings."""
    with pytest.raises(Ended) as ended:
        permitted(site, text, config=config)

    assert (ended.value.outcome.status, ended.value.outcome.reason) == ("skipped", reason)
