"""Decisions: close findings and reopen them, as a comment decides."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.conversation.decision import PersonDecision
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
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.result import MentionResult
from kodiai.flows.mention.session import MentionSession


def _result(line: str, *, is_posted: bool = True, closed: tuple[str, ...] = ()) -> MentionResult:
    return MentionResult((line,) if is_posted else (), closed, note=line)


@dataclass(frozen=True)
class Decisions:
    """Closes findings and reopens them, as one comment asks for it."""

    heard: Heard
    session: MentionSession

    def by_reply(self, finding: KnownFinding, meaning: Meaning) -> MentionResult:
        """Close the finding if a reply decides that and its author may; "done" counts if the code is gone."""
        if meaning == "reopen":
            return self.reopen(finding)
        context, commenter = self.heard.context, self.heard.commenter
        mentioned, head = context.parsed.mentioned, context.pull_request.head
        status = "fixed" if meaning == "done" else DECISIONS.get(meaning)
        if status is None:
            return MentionResult()
        if not self.session.can_decide(finding):
            return _result(words.already_closed(finding.status), is_posted=mentioned)
        if status == "fixed" and self._still_stands(finding):
            return _result(words.code_still_there(head), is_posted=mentioned)
        if not commenter.may_decide(finding.finding):
            # That something is done needs no permission: the next review looks at the code.
            is_posted = mentioned if status == "fixed" else self._is_first_refusal()
            return _result(words.may_not_decide(finding.finding), is_posted=is_posted)
        resolved = self._resolve_threads([finding]) if status == "fixed" else frozenset()
        if not self._write(finding, status, f"{commenter.login} decided so", resolved):
            return _result(words.already_closed("something else was decided"), is_posted=mentioned)
        line = words.dismissed(meaning, commenter.login)
        return _result(line, is_posted=self.is_first_to_post(), closed=(finding.id,))

    def reopen(self, finding: KnownFinding) -> MentionResult:
        """Reopen a closed finding, with its thread if we resolved it."""
        login, ports = self.heard.commenter.login, self.session.ports
        if not self.heard.commenter.may_decide(finding.finding):
            return _result(words.MAY_NOT_REOPEN, is_posted=self._is_first_refusal())
        if not ports.conversation.reopen(finding.id, self._decision(None, f"{login} reopened it")):
            return _result(words.OPEN_ALREADY)
        for thread in self.heard.context.snapshot.threads:
            if thread.finding == finding.id and thread.resolved_by == ports.bot_login:
                act = ThreadAction(thread.id, finding.id, unresolve=True)
                with suppress(Refused):
                    ports.github.update_threads(PublishActions(thread_actions=(act,)))
        return _result(words.reopened(login), is_posted=self.is_first_to_post())

    def close(
        self, findings: Sequence[KnownFinding], status: FindingStatus, why: str, *, reason: str | None = None
    ) -> tuple[str, ...]:
        """Close findings, with their threads resolved as far as we may; gives the ids of those that were open.

        `reason` is the one that a person gave for overriding a rule.
        """
        resolved = self._resolve_threads(findings)
        return tuple(each.id for each in findings if self._write(each, status, why, resolved, reason))

    def note_argument(self, finding: KnownFinding) -> None:
        """Note that an argument about a finding was answered, which leaves it open."""
        self.session.ports.conversation.decide(finding.id, self._decision(None, "an argument was answered"))

    def is_first_to_post(self) -> bool:
        """Whether it is we who post how a reply was understood, and no review that has read it meanwhile."""
        return self._is_first(confirmation_key(str(self.session.comment.id)))

    def _is_first_refusal(self) -> bool:
        """Whether this person has not learned yet on this pull request that they may not decide."""
        return self._is_first(f"may-not-settle-{self.heard.commenter.login.lower()}")

    def _is_first(self, what: str) -> bool:
        return self.session.ports.conversation.is_first_to_post(what, self.session.key)

    def _write(
        self,
        finding: KnownFinding,
        status: FindingStatus,
        why: str,
        resolved: frozenset[str],
        reason: str | None = None,
    ) -> bool:
        decision = replace(self._decision(status, why, resolved_thread=finding.id in resolved), reason=reason)
        return self.session.ports.conversation.decide(finding.id, decision)

    def _decision(self, status: FindingStatus | None, why: str, *, resolved_thread: bool = False) -> PersonDecision:
        """The decision of the comment's author about a finding."""
        comment = self.session.comment
        return PersonDecision(
            by=self.heard.commenter.login,
            key=self.session.key,
            status=status,
            why=why,
            head=self.heard.context.pull_request.head,
            reply=str(comment.id) if comment.surface == "thread" else None,
            resolved_thread=resolved_thread,
        )

    def _resolve_threads(self, findings: Sequence[KnownFinding]) -> frozenset[str]:
        """Resolve the threads of findings if GitHub lets us; gives the findings whose threads we resolved."""
        ids, ports = {finding.id for finding in findings}, self.session.ports
        theirs = [thread for thread in self.heard.context.snapshot.threads if thread.finding in ids]
        done = {thread.finding for thread in theirs if thread.resolved_by == ports.bot_login}  # by an earlier attempt
        open_ones = [thread for thread in theirs if thread.can_resolve and not thread.is_resolved]
        acts = tuple(ThreadAction(thread.id, thread.finding, resolve=True) for thread in open_ones)
        with suppress(Refused):
            done.update(ports.github.update_threads(PublishActions(thread_actions=acts)).resolved)
        return frozenset(done)

    def _still_stands(self, finding: KnownFinding) -> bool:
        ports, head = self.session.ports, self.heard.context.pull_request.head

        def read(path: str) -> list[str] | None:
            return lines_of(ports.github.file(path, head))

        return code_exists(finding.finding.quote, finding.finding.path, ReadLines(read, ports.parser))
