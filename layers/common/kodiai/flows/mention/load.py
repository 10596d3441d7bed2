"""Load: read the finding, the pull request and the settings that a comment is about, if it is for us."""

from contextlib import suppress
from dataclasses import dataclass

from kodiai.core.config.keys import Config
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.errors import Retry
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import may_mention, thread_of_reply
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.outcome import Ended
from kodiai.core.plan.eligibility import foreign_event_reason
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.run import UnreadableFindings
from kodiai.flows.mention.session import MentionSession
from kodiai.ports.ledger import ConversationStore


@dataclass(frozen=True)
class MentionContext:
    """The pull request, the settings and the thread of a comment.

    `handles` are the names by which we are mentioned in this repository.
    `finding` is the finding of the thread, with its `history`; None if the thread is about no finding of ours.
    `thread` is the id of the thread's first comment, None outside of threads.
    """

    snapshot: PullRequestSnapshot
    config: Config
    handles: frozenset[str]
    parsed: ParsedComment
    finding: KnownFinding | None
    history: tuple[HistoryEntry, ...]
    thread: int | None

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.snapshot.pull_request

    @property
    def requests_for_changes(self) -> tuple[str, ...]:
        """Our reviews that request changes, by id."""
        return tuple(review.id for review in self.snapshot.reviews if review.requests_changes)


def load(session: MentionSession) -> MentionContext:
    """Load what a comment is about, and claim it for this attempt as soon as it may be for us.

    Raises Ended if it is not for us or was answered before, and Retry while another attempt holds it, or while the
    review that began its thread is not complete.
    """
    _turn_away(session)
    comment, ports = session.comment, session.ports
    thread = (comment.reply_to or comment.id) if comment.surface == "thread" else None
    # Read first: a run that completes after that has its findings in what is read next.
    is_under_review = comment.reply_to is not None and ports.conversation.is_under_review()
    finding, history = _finding(comment.reply_to, ports.conversation)
    may_be_early = finding is None and is_under_review
    if finding is None and not may_be_early and not may_mention(comment.text):
        raise session.ended("read", "the comment mentions nobody, and its thread is not about a finding of ours")
    session.claim()
    snapshot = ports.github.snapshot(briefly=True)
    is_ours = any(each.comment_id == str(thread) for each in snapshot.threads)
    if may_be_early and is_ours and not ports.deadline.attempt.is_last:
        raise Retry("the review that began the thread is not complete")
    config = snapshot.settings()
    if not config.mention.enabled:
        raise session.ended("skipped", "mentions are turned off in .kodiai.yml")
    ours = handles(ports.bot_login, config.mention.aliases)
    parsed = parse_comment(comment.text, ours)
    above = thread_of_reply(str(comment.reply_to), snapshot.threads)
    if finding is None and parsed.mentioned and above is not None:
        thread = int(above.comment_id)
        finding, history = _finding(thread, ports.conversation)
    if not parsed.mentioned and not _is_about(finding, parsed, session):
        raise session.ended("read", "the comment asks us for nothing", understood=parsed.words)
    return MentionContext(snapshot, config, ours, parsed, finding, history, thread)


def _turn_away(session: MentionSession) -> None:
    """Raise Ended if the comment is none of ours to answer, which needs no request to GitHub."""
    if (reason := foreign_event_reason(session.mention, session.ports.bot_login)) is not None:
        raise Ended("skipped", reason)
    if session.ports.settings.github.dry_run:
        raise Ended("skipped", "this deployment only shows what it would post")


def _finding(
    comment: int | None, conversation: ConversationStore
) -> tuple[KnownFinding | None, tuple[HistoryEntry, ...]]:
    """The finding of the thread that a comment began, with its history, as far as the ledger can be read."""
    with suppress(UnreadableFindings):
        return (comment and conversation.finding_at(str(comment))) or (None, ())
    return None, ()


def _is_about(finding: KnownFinding | None, parsed: ParsedComment, session: MentionSession) -> bool:
    """Whether a reply that does not mention us may say something about a finding: an open one, or to reopen it."""
    if finding is None:
        return False
    return parsed.reopens or (session.can_decide(finding) and (parsed.meaning is not None or parsed.says_more))
