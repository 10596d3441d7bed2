"""Load: read the finding, the pull request and the settings that a comment is about, if it is for us."""

from contextlib import ExitStack, suppress
from dataclasses import dataclass

from kodiai.core.code.parser import CodeParser
from kodiai.core.config.keys import Config
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.errors import Retry
from kodiai.core.events.job import Mention
from kodiai.core.findings.known import FindingStatus, HistoryEntry, KnownFinding
from kodiai.core.github.comment import CommentPayload, may_mention, thread_of_reply
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.outcome import Ended
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.run import UnreadableFindings
from kodiai.flows.pull_request_ports import Deadline
from kodiai.ports import ConversationStore, GitHub


@dataclass(frozen=True)
class MentionContext:
    """A comment with its pull request and its thread, and the time and the settings for answering it.

    `bot_login` is the login under which we write.
    `handles` are the names by which we are mentioned in this repository.
    `finding` is the finding of the thread, with its `history`; None if the thread is about no finding of ours.
    `thread` is the id of the thread's first comment, None outside of threads.
    """

    mention: Mention
    snapshot: PullRequestSnapshot
    config: Config
    handles: frozenset[str]
    parsed: ParsedComment
    finding: KnownFinding | None
    history: tuple[HistoryEntry, ...]
    thread: int | None
    parser: CodeParser
    deadline: Deadline
    settings: DeploymentSettings
    bot_login: str

    @property
    def comment(self) -> CommentPayload:
        """The comment as it was written."""
        return self.mention.said

    @property
    def key(self) -> str:
        """The comment's name in the conversation store."""
        return self.comment.key

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.snapshot.pull_request

    @property
    def requests_for_changes(self) -> tuple[str, ...]:
        """Our reviews that request changes, by id."""
        return tuple(review.id for review in self.snapshot.reviews if review.requests_changes)

    def can_be_decided(self, finding: KnownFinding) -> bool:
        """Whether a finding is open, or an earlier attempt at this very comment has closed it."""
        return finding.status == "open" or finding.decided == self.key

    def decision(self, status: FindingStatus | None, why: str, *, resolved_thread: bool = False) -> PersonDecision:
        """What the comment decides about a finding."""
        return PersonDecision(
            by=self.mention.sender,
            key=self.key,
            status=status,
            why=why,
            head=self.pull_request.head,
            reply=str(self.comment.id) if self.comment.surface == "thread" else None,
            resolved_thread=resolved_thread,
        )


def load(
    mention: Mention,
    on_exit: ExitStack,
    conversation: ConversationStore,
    github: GitHub,
    parser: CodeParser,
    deadline: Deadline,
    settings: DeploymentSettings,
    bot_login: str,
) -> MentionContext:
    """Load what a comment is about, and claim it for this attempt as soon as it may be for us; given back on exit.

    Raises Ended if it is not for us or was answered before, and Retry while another attempt holds it, or while the
    review that began its thread is not complete.
    """
    comment = mention.said
    thread = (comment.reply_to or comment.id) if comment.surface == "thread" else None
    # Read first: a run that completes after that has its findings in what is read next.
    is_under_review = comment.reply_to is not None and conversation.is_under_review()
    finding, history = _finding(comment.reply_to, conversation)
    may_be_early = finding is None and is_under_review
    if finding is None and not may_be_early and not may_mention(comment.text):
        raise Ended("read", "nobody is called, and the thread is not ours", {"key": comment.key})
    if not conversation.claim(comment.key, deadline.attempt.owner, until=deadline.attempt.deadline):
        raise Ended("skipped", "it was served before", {"key": comment.key})
    on_exit.callback(conversation.release, comment.key, deadline.attempt.owner)
    snapshot = github.snapshot(briefly=True)
    if may_be_early and not deadline.attempt.is_last and _is_ours(thread, snapshot):
        raise Retry("the review that began the thread is not complete")
    config = snapshot.settings()
    if not config.mention.enabled:
        raise Ended("skipped", "mentions are turned off in .kodiai.yml", {"key": comment.key})
    ours = handles(bot_login, config.mention.aliases)
    parsed = parse_comment(comment.text, ours)
    above = thread_of_reply(str(comment.reply_to), snapshot.threads)
    if finding is None and parsed.mentioned and above is not None:
        thread = int(above.comment_id)
        finding, history = _finding(thread, conversation)
    context = MentionContext(
        mention, snapshot, config, ours, parsed, finding, history, thread, parser, deadline, settings, bot_login
    )
    if not parsed.mentioned and not _is_about_finding(context):
        facts = {"key": comment.key, "understood": parsed.words}
        raise Ended("read", "nothing is said to us", facts)
    return context


def _finding(
    comment: int | None, conversation: ConversationStore
) -> tuple[KnownFinding | None, tuple[HistoryEntry, ...]]:
    """The finding of the thread that a comment began, with its history, as far as the ledger can be read."""
    with suppress(UnreadableFindings):
        return (comment and conversation.finding_at(str(comment))) or (None, ())
    return None, ()


def _is_ours(thread: int | None, snapshot: PullRequestSnapshot) -> bool:
    return any(each.comment_id == str(thread) for each in snapshot.threads)


def _is_about_finding(context: MentionContext) -> bool:
    """Whether a reply that does not mention us may say something about a finding: an open one, or to reopen it."""
    parsed, finding = context.parsed, context.finding
    if finding is None:
        return False
    return parsed.reopens or (context.can_be_decided(finding) and (parsed.meaning is not None or parsed.says_more))
