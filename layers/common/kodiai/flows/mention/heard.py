"""Heard: what somebody said, with what has to be known to act on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.config import Config
from kodiai.core.conversation.comment import Permission
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.conversation.stance import author_settles
from kodiai.core.events.job import Mention
from kodiai.core.findings.known import KnownFinding, Past, Status
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.threads import reply_told
from kodiai.flows.world import World


@dataclass(frozen=True)
class Heard:
    """What somebody said on a pull request.

    `handles` are ours here, `permission` is what GitHub says of who said it.
    `known` is the finding that the thread is about, with its `history`, None where it is about none.
    `root` is the comment that the thread is known by, None where that was not looked up.
    """

    mention: Mention
    standing: PullRequestSnapshot
    config: Config
    handles: frozenset[str]
    permission: Permission
    known: KnownFinding | None
    history: tuple[Past, ...]
    bot_login: str
    root: int | None = None

    @property
    def by(self) -> str:
        """Who said it."""
        return self.mention.sender

    @property
    def key(self) -> str:
        """Its name."""
        return self.mention.said.key

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.standing.pull_request

    @property
    def may_write(self) -> bool:
        """Whether who said it may write to the repository."""
        return self.permission in ("write", "admin")

    @property
    def handle(self) -> str:
        """How people call us."""
        return self.bot_login.removesuffix("[bot]")

    @property
    def thread(self) -> int | None:
        """The comment under which a thread is answered, None outside of threads."""
        said = self.mention.said
        return self.root or said.reply_to or said.id if said.surface == "thread" else None

    def can_be_decided(self, known: KnownFinding) -> bool:
        """Whether a finding is open, or is not because an earlier try has decided it by this very comment."""
        return known.status == "open" or known.decided == self.key

    def is_first_to_say(self, world: World) -> bool:
        """Whether it is us, and no review that has read the same reply, who say what was made of it."""
        return world.talk.tells(reply_told(str(self.mention.said.id)), self.key)

    @property
    def may_settle(self) -> bool:
        """Whether who said it may decide about the thread's finding: the author about what is MEDIUM or below."""
        author = self.pull_request.author
        return self.may_write or (self.known is not None and author_settles(self.by, self.known.finding, author=author))

    @property
    def could_decide(self) -> bool:
        """Whether what they say about the finding is worth reading: they may settle it, or it is about their code."""
        return self.may_settle or self.by == self.pull_request.author

    def decision(self, status: Status | None, why: str, *, resolved_thread: bool = False) -> PersonDecision:
        """What they decided about a finding by saying it."""
        return PersonDecision(
            by=self.by,
            key=self.key,
            status=status,
            why=why,
            head=self.pull_request.head,
            reply=str(self.mention.said.id) if self.mention.said.surface == "thread" else None,
            resolved_thread=resolved_thread,
        )

    @property
    def requests_for_changes(self) -> tuple[str, ...]:
        """Our reviews that ask for changes."""
        return tuple(review.id for review in self.standing.reviews if review.requests_changes)

    def resolve_threads(self, world: World, findings: Sequence[KnownFinding]) -> frozenset[str]:
        """Resolve the threads of findings, where GitHub lets us; the findings whose threads are resolved."""
        ids = {known.id for known in findings}
        theirs = [thread for thread in self.standing.threads if thread.finding in ids]
        done = {thread.finding for thread in theirs if thread.resolved_by == self.bot_login}  # by an earlier try
        threads = {thread.id: thread.finding for thread in theirs if thread.can_resolve and not thread.is_resolved}
        resolved = world.github.resolve_threads(tuple(threads)) if threads else frozenset()
        return frozenset(done.union(threads[thread] for thread in resolved))
