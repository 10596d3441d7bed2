"""The first steps of a mention and its decisions, over ports held in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kodiai.core.conversation.commands import COMMANDS
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.errors import Refused, Retry
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import CommentPayload, Permission, Reaction
from kodiai.core.outcome import Outcome
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.review import PublishActions
from kodiai.flows.mention.commands import RUN
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.load import load
from kodiai.flows.mention.permit import Heard, permit
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.pull_request_ports import Deadline
from tests.builders import PARSER, a_comment_payload, a_finding, a_known, a_mention, a_pull_request, a_reply, a_thread
from tests.core.panel import Clock
from tests.core.review_inputs import SETTINGS
from tests.tables import each_row

US, ROOT, ABOVE = "kodiai[bot]", 10, 11
FINDING, CLOSED = a_known(comment_id=str(ROOT)), a_known(id="F-ba9876543210", status="fixed", resolved_thread=True)
NONE: Mapping[str, KnownFinding] = {}


@dataclass
class Scene:
    """Ann's comment in a thread below our comment, with its conversation store and its pull request.

    `right` is what ann may do, None where GitHub does not say. `trouble` is raised by each change of a thread.
    """

    text: str = "won't fix"
    reply_to: int = ROOT
    attempt: int = 1
    findings: Mapping[str, KnownFinding] = field(default_factory=lambda: {str(ROOT): FINDING})
    is_answered: bool = False
    is_held: bool = False
    reviews: bool = False
    config: bytes | None = None
    author: str = "octocat"
    right: Permission | None = "write"
    is_there: bool = True
    trouble: Exception | None = None
    calls: list[str] = field(default_factory=list)
    decided: list[PersonDecision] = field(default_factory=list)

    def session(self) -> MentionSession:
        comment = a_comment_payload(self.text, surface="thread", id=12, reply_to=self.reply_to)
        deadline = Deadline(DeliveryAttempt("us", 0, 60, self.attempt, 5), Clock())
        ports = {"conversation": self, "github": self, "parser": PARSER, "deadline": deadline, "settings": SETTINGS}
        nothing = {"embeddings": None, "index": None, "memory": None}
        return MentionSession(a_mention(comment), cast(Any, SimpleNamespace(**ports, **nothing, bot_login=US)))

    def heard(self) -> Heard | Outcome:
        """The comment after its first two steps, or how it ended."""
        with self.session() as session:
            return permit(load(session), session)
        return session.outcome

    def is_under_review(self) -> bool:
        return self.reviews

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[HistoryEntry, ...]] | None:
        self.calls.append(f"finding at {comment_id}")
        return (self.findings[comment_id], ()) if comment_id in self.findings else None

    def claim(self, key: str, owner: str, until: float) -> bool:
        self.calls.append(f"claim {key} for {owner} until {until}")
        if self.is_held:
            raise Retry("another attempt is at it")
        return not self.is_answered

    def release(self, key: str, owner: str) -> None:
        self.calls.append(f"release {key} of {owner}")

    def decide(self, _: str, decision: PersonDecision) -> bool:
        self.decided.append(decision)
        return True

    reopen = decide

    def is_first_to_post(self, _: str, key: str) -> bool:
        return key == "thread-12"

    def snapshot(self, *, briefly: bool = False) -> PullRequestSnapshot:
        assert briefly
        ours = a_thread(a_reply("Hm.", id=str(ABOVE)), comment_id=str(ROOT), can_resolve=True, finding=FINDING.id)
        closed = a_thread(comment_id="78", resolved_by=US, can_resolve=True, finding=CLOSED.id)
        return PullRequestSnapshot(a_pull_request(author=self.author), self.config, (ours, closed), ())

    def permission(self, login: str) -> Permission:
        assert login == "ann"
        if self.right is None:
            raise Refused("not permitted")
        return self.right

    def react(self, comment: CommentPayload, content: Reaction) -> bool:
        self.calls.append(f"{content} on {comment.key}")
        return self.is_there

    def update_threads(self, _: PublishActions) -> Any:
        assert self.trouble is not None
        raise self.trouble


@each_row(
    ("scene", "looked_up"),
    [(Scene(), ["finding at 10"]), (Scene("@kodiai won't fix", reply_to=ABOVE), ["finding at 11", "finding at 10"])],
)
def test_a_comment_is_claimed_for_the_attempt_and_given_back(scene: Scene, looked_up: list[str]) -> None:
    """Its finding is looked up before that, because most comments are about none.

    GitHub's replies name the first comment of their thread as a rule; a mention is worth a second look.
    """
    found = scene.heard()

    assert isinstance(found, Heard)
    context = found.context
    assert (context.finding, context.thread, context.parsed.meaning) == (FINDING, ROOT, "wont_fix")
    claimed = [looked_up[0], "claim thread-12 for us until 60", *looked_up[1:]]
    assert [call for call in scene.calls if "eyes" not in call] == [*claimed, "release thread-12 of us"]


NOBODY = "the comment mentions nobody, and its thread is not about a finding of ours"
NOTHING = "the comment asks us for nothing"
BOTH = ["claim", "release"]
UNUSABLE = b"budget: {perPullRequest: much}\n"


@each_row(
    ("scene", "reason", "calls"),
    [
        (Scene("Hm.", findings=NONE), NOBODY, []),
        (Scene("Hm?", is_answered=True), "the comment was answered before", ["claim"]),
        (Scene("@bob, see?", findings=NONE), NOTHING, BOTH),
        (Scene("@bob won't fix", reply_to=ABOVE), NOTHING, BOTH),
        (Scene("Hm.", reply_to=99, findings=NONE, reviews=True), NOTHING, BOTH),
        (Scene(findings=NONE, reviews=True, attempt=5), NOTHING, BOTH),
        (
            Scene("@kodiai why?", config=b"mention: {enabled: false}\n"),
            "mentions are turned off in .kodiai.yml",
            BOTH,
        ),
        (Scene("@kodiai why?", is_there=False), "the comment was deleted", ["claim", "eyes", "release"]),
        (Scene(config=UNUSABLE), "the settings cannot be followed", BOTH),
    ],
)
def test_a_comment_that_asks_us_for_nothing_ends_there(scene: Scene, reason: str, calls: list[str]) -> None:
    """With the reason; a comment that was not claimed is not given back, and nobody else learns of the settings."""
    found = scene.heard()

    assert isinstance(found, Outcome)
    assert (found.reason, found.facts["key"]) == (reason, "thread-12")
    assert [call.split()[0] for call in scene.calls if "finding" not in call] == calls


@each_row(
    ("scene", "is_released"),
    [
        (Scene(is_held=True), False),
        (Scene(findings=NONE, reviews=True), True),
        (Scene("@kodiai won't fix", findings=NONE, reviews=True), True),
    ],
)
def test_a_comment_is_tried_again_while_another_attempt_holds_it_or_its_thread_is_new(
    scene: Scene, is_released: bool
) -> None:
    """The review that began the thread is not complete; another attempt's claim is not given back."""
    with pytest.raises(Retry):
        scene.heard()

    assert (scene.calls[-1] == "release thread-12 of us") is is_released


UNCONFIRMED = "GitHub does not confirm that ann may read this repository, so I may not answer."
NOT_NAMED = "`mention.allowedUsers` in `.kodiai.yml` does not name ann, so I may not answer."
NOT_FOLLOWED = (
    "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed:"
    ' `budget.perPullRequest` must be a number, not `"much"`.'
)


@each_row(
    ("scene", "refusal", "decides"),
    [
        (Scene(right="admin"), None, "MAJOR MEDIUM"),
        (Scene(right="write"), None, "MAJOR MEDIUM"),
        (Scene(right="read"), None, ""),
        (Scene(right="read", author="ann"), None, "MEDIUM"),
        (Scene(right="none"), UNCONFIRMED, ""),
        (Scene(right=None), UNCONFIRMED, ""),
        (Scene(right="admin", config=b"mention: {allowedUsers: [bob]}\n"), NOT_NAMED, "MAJOR MEDIUM"),
        (Scene(right="admin", config=b"mention: {allowedUsers: []}\n"), NOT_NAMED, "MAJOR MEDIUM"),
        (Scene(right="read", config=b"mention: {allowedUsers: [ANN]}\n"), None, ""),
        (Scene(right="admin", config=UNUSABLE), NOT_FOLLOWED, "MAJOR MEDIUM"),
    ],
)
def test_a_commenter_who_may_not_be_answered_learns_why(scene: Scene, refusal: str | None, decides: str) -> None:
    """It fails closed where GitHub does not say, and where restrictions cannot be read. A mention gets a reaction."""
    scene.text = "@kodiai why?"

    found = scene.heard()

    assert isinstance(found, Heard)
    severities = ("MAJOR", "MEDIUM")
    may_decide = [each for each in severities if found.commenter.may_decide(a_finding(severity=each))]
    assert (found.commenter.refusal, may_decide) == (refusal, decides.split())
    assert scene.calls[-2:] == ["eyes on thread-12", "release thread-12 of us"]


def test_a_decision_counts_where_its_thread_may_not_be_touched() -> None:
    """The thread stays as it is; a GitHub that is busy is asked again by the queue."""

    def decisions(scene: Scene) -> Decisions:
        found = scene.heard()
        assert isinstance(found, Heard)
        return Decisions(found, scene.session())

    refused, busy = Scene(trouble=Refused("not permitted")), Scene(trouble=Retry("busy"))

    assert decisions(refused).close([FINDING], "conceded", "you are right") == (FINDING.id,)
    assert decisions(refused).reopen(CLOSED).lines[0].endswith(" The next review counts it again.")
    assert [decision.resolved_thread for decision in refused.decided] == [False, False]
    with pytest.raises(Retry):
        decisions(busy).close([FINDING], "conceded", "you are right")


def test_each_command_of_the_table_can_be_carried_out() -> None:
    """And nothing else can be."""
    assert list(RUN) == list(COMMANDS)
