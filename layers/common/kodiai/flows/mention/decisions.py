"""Decisions: close findings and reopen them, as a comment decides."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import DECISIONS
from kodiai.core.errors import Refused
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.findings.locate import code_exists
from kodiai.core.findings.source import ReadLines
from kodiai.core.repository.tree import lines_of
from kodiai.core.review.review import PublishActions, ThreadAction
from kodiai.core.review.thread_actions import confirmation_key
from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.ports import ConversationStore, GitHub


@dataclass(frozen=True)
class DraftRequest:
    """A change that is to be drafted: a fix of `findings`, or what somebody says (`what`, Markdown)."""

    what: str = ""
    findings: tuple[KnownFinding, ...] = ()


@dataclass(frozen=True)
class MentionResult:
    """What was done for a comment.

    `lines` are posted, `closed` are the ids of the findings that it closed, `review` is whether a review was begun,
    `acted` whether a command was carried out or a finding reopened, `refused` whether anything was refused.
    `note` says for the log what a reply decided. `needs_answer` is whether the model is still to answer, `drafts` are
    the changes that it is still to draft. `opened` is whether a head may pass that could not.
    """

    lines: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    review: bool = False
    acted: bool = False
    refused: bool = False
    note: str = ""
    needs_answer: bool = False
    drafts: tuple[DraftRequest, ...] = ()
    opened: bool = False


def _result(line: str, *, is_posted: bool = True, closed: tuple[str, ...] = ()) -> MentionResult:
    return MentionResult((line,) if is_posted else (), closed, note=line)


@dataclass(frozen=True)
class Decisions:
    """Closes findings and reopens them, as one comment asks for it."""

    context: MentionContext
    commenter: Commenter
    conversation: ConversationStore
    github: GitHub

    def by_reply(self, finding: KnownFinding, meaning: Meaning) -> MentionResult:
        """Close the finding if a reply decides that and its author may; "done" counts if the code is gone."""
        if meaning == "reopen":
            return self.reopen(finding)
        mentioned, head = self.context.parsed.mentioned, self.context.pull_request.head
        status = "fixed" if meaning == "done" else DECISIONS.get(meaning)
        if status is None:
            return MentionResult()
        if not self.context.can_be_decided(finding):
            return _result(words.already_closed(finding.status), is_posted=mentioned)
        if status == "fixed" and self._still_stands(finding):
            return _result(words.code_still_there(head), is_posted=mentioned)
        if not self.commenter.may_decide(finding.finding):
            # That something is done needs no permission: the next review looks at the code.
            is_posted = mentioned if status == "fixed" else self._is_first_refusal()
            return _result(words.may_not_decide(finding.finding), is_posted=is_posted)
        resolved = self._resolve_threads([finding]) if status == "fixed" else frozenset()
        if not self._write(finding, status, f"{self.commenter.login} decided so", resolved):
            return _result(words.already_closed("something else was decided"), is_posted=mentioned)
        line = words.dismissed(meaning, self.commenter.login)
        return _result(line, is_posted=self.is_first_to_post(), closed=(finding.id,))

    def reopen(self, finding: KnownFinding) -> MentionResult:
        """Reopen a closed finding, with its thread if we resolved it."""
        login = self.commenter.login
        if not self.commenter.may_decide(finding.finding):
            return _result(words.MAY_NOT_REOPEN, is_posted=self._is_first_refusal())
        if not self.conversation.reopen(finding.id, self.context.decision(None, f"{login} reopened it")):
            return _result(words.OPEN_ALREADY)
        for thread in self.context.snapshot.threads:
            if thread.finding == finding.id and thread.resolved_by == self.context.bot_login:
                act = ThreadAction(thread.id, finding.id, unresolve=True)
                with suppress(Refused):
                    self.github.update_threads(PublishActions(thread_actions=(act,)))
        return _result(words.reopened(login), is_posted=self.is_first_to_post())

    def close(self, findings: Sequence[KnownFinding], status: FindingStatus, why: str) -> tuple[str, ...]:
        """Close findings, with their threads resolved as far as we may; gives the ids of those that were open."""
        resolved = self._resolve_threads(findings)
        return tuple(each.id for each in findings if self._write(each, status, why, resolved))

    def is_first_to_post(self) -> bool:
        """Whether it is we who post how a reply was understood, and no review that has read it meanwhile."""
        return self.conversation.is_first_to_post(confirmation_key(str(self.context.comment.id)), self.context.key)

    def _is_first_refusal(self) -> bool:
        """Whether nobody has told this person on this pull request yet that they may not decide."""
        return self.conversation.is_first_to_post(f"may-not-settle-{self.commenter.login.lower()}", self.context.key)

    def _write(self, finding: KnownFinding, status: FindingStatus, why: str, resolved: frozenset[str]) -> bool:
        decision = self.context.decision(status, why, resolved_thread=finding.id in resolved)
        return self.conversation.decide(finding.id, decision)

    def _resolve_threads(self, findings: Sequence[KnownFinding]) -> frozenset[str]:
        """Resolve the threads of findings if GitHub lets us; gives the findings whose threads we resolved."""
        ids, us = {finding.id for finding in findings}, self.context.bot_login
        theirs = [thread for thread in self.context.snapshot.threads if thread.finding in ids]
        done = {thread.finding for thread in theirs if thread.resolved_by == us}  # by an earlier attempt
        open_ones = [thread for thread in theirs if thread.can_resolve and not thread.is_resolved]
        acts = tuple(ThreadAction(thread.id, thread.finding, resolve=True) for thread in open_ones)
        with suppress(Refused):
            done.update(self.github.update_threads(PublishActions(thread_actions=acts)).resolved)
        return frozenset(done)

    def _still_stands(self, finding: KnownFinding) -> bool:
        def read(path: str) -> list[str] | None:
            return lines_of(self.github.file(path, self.context.pull_request.head))

        return code_exists(finding.finding.quote, finding.finding.path, ReadLines(read, self.context.parser))
