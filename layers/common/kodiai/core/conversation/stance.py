"""Stances: the last decision, claim or argument of people in the thread of a finding."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.findings.finding import BLOCKING, Finding
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.github.comment import GHOST, Reply, Thread, of_people

ReplyClaim = Literal["done", "disagrees"]

DECISIONS: Mapping[Meaning, FindingStatus] = {
    "wont_fix": "wont_fix",
    "by_design": "wont_fix",
    "acknowledged": "acknowledged",
    "false_positive": "dismissed",
}
"""The status that each decision gives a finding."""


@dataclass(frozen=True)
class Stance:
    """The stance of people on a finding.

    `settles` is the status that a person with the right to it gave it, `meaning` that of their reply; None where it was
    the button of the thread. `by` is the person who decided or claims, `reply` the id of that reply.
    `reopened_by` is the person who took the last decision back, `is_news` whether no run has seen that yet.
    `claim` has to be checked against the code: that it is done, or that the finding is wrong.
    `may_win` is whether an argument of this person may end the finding.
    `author_disagrees` is whether the pull request's author disagrees and may not decide, or does not.
    `may_not_resolve` is the person who resolved the thread without the right to settle the finding.
    `heard` is the id of the last reply that was understood, `unread` are those that only a model can understand.
    """

    settles: FindingStatus | None = None
    meaning: Meaning | None = None
    by: str | None = None
    reply: str | None = None
    reopened_by: str | None = None
    is_news: bool = False
    claim: ReplyClaim | None = None
    may_win: bool = False
    author_disagrees: bool = False
    may_not_resolve: str | None = None
    heard: str | None = None
    unread: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class ThreadReader:
    """Reads the threads of findings.

    `us` is our own login, `handles` are our names, `author` is the pull request's, `may_write` says whether a login
    may write to the repository. `readings` say by `reading_name` what a model has read in replies, None where one
    decides nothing. `parsed` are the replies that were parsed so far, by their text: each is parsed once in a run.
    """

    us: str
    handles: frozenset[str]
    author: str
    may_write: Callable[[str], bool]
    readings: Mapping[str, Meaning | None] = field(default_factory=dict)
    parsed: dict[str, ParsedComment] = field(default_factory=dict, compare=False, repr=False)

    def stance(self, known: KnownFinding, thread: Thread | None) -> Stance:
        """Read a finding's thread.

        The last decision of a person who may decide counts, also one that takes another back. A claim counts until a
        run has seen it, and an argument until we have answered one; an argument that mentions us is answered in the
        conversation, not by a review. Resolving the thread dismisses the finding, if the person may settle it and
        nobody has reopened it.
        """
        if thread is None:
            return Stance()
        replies = of_people(thread.replies)
        fresh = _after(replies, known.heard)
        meanings = [(reply, self._meaning(reply)) for reply in replies]
        is_reopened = any(meaning == "reopen" for reply, meaning in meanings if reply in fresh)
        if known.status not in ("open", "dismissed") and not is_reopened:
            return Stance(heard=replies[-1].id if replies else None)
        unread = tuple(reply for reply in fresh if self._needs_a_model(known, reply))
        understood = replies[: replies.index(unread[0])] if unread else replies
        found = self._decided(known, thread, meanings, fresh)
        if found.settles is None:
            found = self._claimed(known, found, meanings, fresh)
        return replace(found, heard=understood[-1].id if understood else None, unread=unread)

    def not_in_table(self, thread: Thread) -> list[Reply]:
        """The replies of people that only a model can understand."""
        return [reply for reply in of_people(thread.replies) if self._is_not_in_table(reply)]

    def _is_not_in_table(self, reply: Reply) -> bool:
        found = self._parse(reply)
        return found.says_more and not found.commands

    def _parse(self, reply: Reply) -> ParsedComment:
        if reply.body not in self.parsed:
            self.parsed[reply.body] = parse_comment(reply.body, self.handles)
        return self.parsed[reply.body]

    def _needs_a_model(self, known: KnownFinding, reply: Reply) -> bool:
        """Whether only a model can understand a reply of somebody who could decide, or is the author."""
        if known.status != "open" or reading_name(reply) in self.readings or not self._is_not_in_table(reply):
            return False
        return reply.author == self.author or self._may_settle(reply.author, known)

    def _meaning(self, reply: Reply) -> Meaning | None:
        """The meaning of a reply: by the table or by `reopen`, else as a model read it; no other command has one."""
        found = self._parse(reply)
        if found.reopens:
            return "reopen"
        return found.meaning or (None if found.commands else self.readings.get(reading_name(reply)))

    def _decided(
        self,
        known: KnownFinding,
        thread: Thread,
        meanings: Sequence[tuple[Reply, Meaning | None]],
        fresh: Sequence[Reply],
    ) -> Stance:
        """The last decision, or who has reopened the finding since; else what its thread's button says."""
        for reply, meaning in reversed(meanings):
            status = DECISIONS.get(meaning) if meaning else None
            if (meaning != "reopen" and status is None) or not self._may_settle(reply.author, known):
                continue
            if status is not None:
                return Stance(settles=status, meaning=meaning, by=reply.author, reply=reply.id)
            return Stance(reopened_by=reply.author, reply=reply.id, is_news=reply in fresh)
        if not thread.is_resolved or thread.resolved_by == self.us:
            return Stance()
        login = thread.resolved_by or GHOST
        if self._may_settle(login, known):
            return Stance(settles="dismissed", by=login)
        return Stance(may_not_resolve="somebody" if login == GHOST else login)

    def _claimed(
        self,
        known: KnownFinding,
        found: Stance,
        meanings: Sequence[tuple[Reply, Meaning | None]],
        fresh: Sequence[Reply],
    ) -> Stance:
        """Add what is claimed of an open finding since the last run; we answer one argument, and no second."""
        disagrees = any(
            reply.author == self.author and (meaning in DECISIONS or meaning == "disagrees")
            for reply, meaning in meanings
        )
        found = replace(found, author_disagrees=disagrees or found.may_not_resolve == self.author)
        for reply, meaning in reversed([each for each in meanings if each[0] in fresh]):
            if meaning == "done":
                return replace(found, by=reply.author, reply=reply.id, claim="done")
            if meaning in ("disagrees", "false_positive") and not self._parse(reply).mentioned:
                if known.argued:
                    break
                may_win = self._may_settle(reply.author, known)
                return replace(found, by=reply.author, reply=reply.id, claim="disagrees", may_win=may_win)
        return found

    def _may_settle(self, login: str, known: KnownFinding) -> bool:
        """Whether somebody may decide, in words or by the button: people who may write, and the author up to MEDIUM.

        No bot may, and no account that is gone.
        """
        if login == GHOST or login.endswith("[bot]"):
            return False
        return (login == self.author and author_may_decide(known.finding)) or self.may_write(login)


def _after(replies: Sequence[Reply], heard: str | None) -> Sequence[Reply]:
    """The replies after the last one that a run has seen; all of them if it is not there."""
    ids = [reply.id for reply in replies]
    return replies[ids.index(heard) + 1 :] if heard in ids else replies


def author_may_decide(finding: Finding) -> bool:
    """Whether the pull request's author may decide about a finding without write access.

    It is MEDIUM or below, and no rule of the team.
    """
    return finding.rule is None and finding.severity not in BLOCKING
