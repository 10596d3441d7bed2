"""What a mention's first steps load, claim and permit, over ports held in memory."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.core.events.job import DeliveryAttempt, Mention
from kodiai.core.findings.finding import SEVERITIES, Severity
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import CommentPayload, Permission, Reaction
from kodiai.core.outcome import Ended, Outcome
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.flows.mention.load import MentionContext, load
from kodiai.flows.mention.permit import Commenter, permit
from kodiai.flows.pull_request_ports import Deadline
from tests.builders import PARSER, a_comment_payload, a_finding, a_known, a_mention, a_pull_request, a_reply, a_thread
from tests.core.panel import Clock
from tests.core.review_inputs import SETTINGS
from tests.tables import each_row

ROOT, ABOVE = 10, 11
FINDING = a_known(comment_id=str(ROOT))
ATTEMPT = DeliveryAttempt("us", 0, 60, 1, 5)


@dataclass
class Store:
    """The conversation as far as it is known: the findings by comment, and the claims that were asked for."""

    findings: Mapping[str, KnownFinding] = field(default_factory=lambda: {str(ROOT): FINDING})
    is_served: bool = False
    is_held: bool = False
    reviews: bool = False
    calls: list[str] = field(default_factory=list)

    def is_under_review(self) -> bool:
        return self.reviews

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[HistoryEntry, ...]] | None:
        self.calls.append(f"finding at {comment_id}")
        return (self.findings[comment_id], ()) if comment_id in self.findings else None

    def claim(self, key: str, owner: str, until: float) -> bool:
        self.calls.append(f"claim {key} for {owner} until {until}")
        if self.is_held:
            raise Retry("another try is at it")
        return not self.is_served

    def release(self, key: str, owner: str) -> None:
        self.calls.append(f"release {key} of {owner}")


@dataclass
class Site:
    """A pull request with one thread of ours, in which somebody has replied.

    `permits` is what ann may do (None: GitHub does not say), `reactions` are those to her comment.
    """

    config: bytes | None = None
    author: str = "octocat"
    permits: Permission | None = "write"
    is_there: bool = True
    reactions: list[str] = field(default_factory=list)

    def snapshot(self, *, briefly: bool = False) -> PullRequestSnapshot:
        assert briefly
        thread = a_thread(a_reply("Hm.", id=str(ABOVE)), comment_id=str(ROOT))
        return PullRequestSnapshot(a_pull_request(author=self.author), self.config, (thread,), ())

    def permission(self, login: str) -> Permission:
        assert login == "ann"
        if self.permits is None:
            raise Refused("not permitted")
        return self.permits

    def react(self, said: CommentPayload, content: Reaction) -> bool:
        self.reactions.append(f"{content} on {said.key}")
        return self.is_there


def said_below(text: str, reply_to: int | None = ROOT) -> Mention:
    """What ann wrote in a thread."""
    return a_mention(a_comment_payload(text, surface="thread", id=12, reply_to=reply_to))


def loaded(
    mention: Mention,
    store: Any,
    site: Any = Site(),  # noqa: B008
    attempt: DeliveryAttempt = ATTEMPT,
) -> MentionContext | Outcome:
    """What is loaded, or why nothing is."""
    try:
        with ExitStack() as on_exit:
            return load(mention, on_exit, store, site, PARSER, Deadline(attempt, Clock()), SETTINGS, "kodiai[bot]")
    except Ended as ended:
        return ended.outcome


def test_a_comment_is_claimed_for_the_invocation_and_given_back() -> None:
    """Its finding is looked up before that, for most comments are about none."""
    store = Store()

    found = loaded(said_below("won't fix"), store)

    assert isinstance(found, MentionContext)
    assert (found.finding, found.thread, found.parsed.meaning) == (FINDING, ROOT, "wont_fix")
    assert store.calls == ["finding at 10", "claim thread-12 for us until 60", "release thread-12 of us"]


@pytest.mark.parametrize(("text", "is_found"), [("@kodiai why?", True), ("@bob won't fix", False)])
def test_a_reply_that_names_another_reply_stands_in_the_thread_of_that_one(text: str, is_found: bool) -> None:
    """GitHub's replies name the first comment of their thread, as a rule; a mention is worth a second look."""
    found = loaded(said_below(text, reply_to=ABOVE), Store())

    if is_found:
        assert isinstance(found, MentionContext)
        assert (found.finding, found.thread) == (FINDING, ROOT)
    else:
        assert found == Outcome("read", "nothing is said to us", {"key": "thread-12", "understood": "words"})


@pytest.mark.parametrize(
    ("text", "store", "config", "reason", "calls"),
    [
        ("Hm.", Store(findings={}), None, "nobody is called, and the thread is not ours", []),
        ("Hm?", Store(is_served=True), None, "it was served before", ["claim"]),
        ("@bob, see?", Store(findings={}), None, "nothing is said to us", ["claim", "release"]),
        (
            "@kodiai why?",
            Store(),
            b"mention: {enabled: false}\n",
            "mentions are turned off in .kodiai.yml",
            ["claim", "release"],
        ),
    ],
)
def test_what_is_not_for_us_ends_there(
    text: str, store: Store, config: bytes | None, reason: str, calls: list[str]
) -> None:
    """With the reason; what was not claimed is not given back."""
    found = loaded(said_below(text), store, Site(config))

    assert isinstance(found, Outcome)
    assert found.reason == reason
    assert [call.split()[0] for call in store.calls if "finding" not in call] == calls


def test_a_comment_that_another_attempt_holds_stays_with_it() -> None:
    """It is delivered again, and nothing is given back that is not ours."""
    store = Store(is_held=True)

    with pytest.raises(Retry):
        loaded(said_below("won't fix"), store)

    assert "release thread-12 of us" not in store.calls


@pytest.mark.parametrize("text", ["won't fix", "@kodiai won't fix"])
def test_a_reply_waits_for_the_review_that_began_its_thread(text: str) -> None:
    """At the last attempt it is read as it is: the next review hears it."""
    store, last = Store(findings={}, reviews=True), replace(ATTEMPT, attempt=5)

    with pytest.raises(Retry, match="is not complete"):
        loaded(said_below(text), store)

    assert store.calls[-1] == "release thread-12 of us"
    assert isinstance(loaded(said_below(text), store, attempt=last), MentionContext) == text.startswith("@")


def test_a_reply_between_people_waits_for_no_review() -> None:
    found = loaded(said_below("Hm.", reply_to=99), Store(findings={}, reviews=True))

    assert found == Outcome("read", "nothing is said to us", {"key": "thread-12", "understood": "words"})


NOT_NAMED = "`mention.allowedUsers` in `.kodiai.yml` does not name ann, so I may not answer."
UNCONFIRMED = "GitHub does not confirm that ann may read this repository, so I may not answer."
UNUSABLE = (
    "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed:"
    ' `budget.perPullRequest` must be a number, not `"much"`.'
)


def permitted(site: Site, text: str = "@kodiai why?") -> Commenter:
    """What ann may do, who wrote this in the thread of a finding."""
    context = loaded(said_below(text), Store(), site)
    assert isinstance(context, MentionContext)
    return permit(context, cast(Any, site))


@each_row(
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
    commenter = permitted(Site(author=author, permits=permission))

    may_decide = tuple(each for each in SEVERITIES if commenter.may_decide(a_finding(severity=each)))

    assert may_decide == decides
    assert commenter.may_write is (permission in ("admin", "write"))


@each_row(
    ("config", "permission", "refusal"),
    [
        (b"", "read", None),
        (b"", "none", UNCONFIRMED),
        (b"", None, UNCONFIRMED),
        (b"mention: {allowedUsers: [bob]}\n", "admin", NOT_NAMED),
        (b"mention: {allowedUsers: []}\n", "admin", NOT_NAMED),
        (b"mention: {allowedUsers: [ANN]}\n", "read", None),
        (b"budget: {perPullRequest: much}\n", "admin", UNUSABLE),
    ],
)
def test_who_may_not_be_answered_is_told_why(config: bytes, permission: Permission | None, refusal: str | None) -> None:
    """It fails closed: where GitHub does not say, and where what restricts cannot be read."""
    assert permitted(Site(config, permits=permission)).refusal == refusal


def test_who_mentions_us_sees_that_it_was_read() -> None:
    """By a reaction, also where they are refused; who does not mention us sees nothing."""
    called, refused, silent = Site(), Site(permits="none"), Site()

    permitted(called)
    permitted(refused)
    permitted(silent, "Hm.")

    assert (called.reactions, refused.reactions) == (["eyes on thread-12"], ["eyes on thread-12"])
    assert silent.reactions == []


@pytest.mark.parametrize(
    ("site", "text", "reason"),
    [
        (Site(is_there=False), "@kodiai why?", "it was deleted"),
        (Site(b"budget: {perPullRequest: much}\n"), "won't fix", "the settings cannot be followed"),
    ],
)
def test_nothing_more_is_done_about_what_is_gone_or_cannot_be_followed(site: Site, text: str, reason: str) -> None:
    """Nobody who did not mention us is told anything about the settings."""
    with pytest.raises(Ended) as ended:
        permitted(site, text)

    assert (ended.value.outcome.status, ended.value.outcome.reason) == ("skipped", reason)
