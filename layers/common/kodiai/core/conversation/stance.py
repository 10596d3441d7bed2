"""What people have made of a finding, from its thread: decided, claimed, argued, or nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.findings.finding import BLOCKING, Finding
from kodiai.core.findings.known import KnownFinding, Status

Claim = Literal["done", "disagrees"]
MayWrite = Callable[[str], bool]
"""Whether a login may write to the repository."""

DECISIONS: Mapping[Meaning, Status] = {
    "wont_fix": "wont_fix",
    "by_design": "wont_fix",
    "acknowledged": "acknowledged",
    "false_positive": "dismissed",
}
"""The status that each decision gives a finding."""

_INSIDERS = frozenset({"MEMBER", "COLLABORATOR"})


@dataclass(frozen=True)
class Read:
    """What replies were read to say by a model, by the names of their readings; None where one decides nothing."""

    meanings: Mapping[str, Meaning | None]

    def of(self, reply: Reply) -> Meaning | None:
        """What a reply says, None where it says nothing or nobody has read it."""
        return self.meanings.get(reading_name(reply.id, reply.body))

    def has(self, reply: Reply) -> bool:
        """Whether a reply was read."""
        return reading_name(reply.id, reply.body) in self.meanings


NOTHING_READ = Read({})


@dataclass(frozen=True)
class Stance:
    """What people say of a finding now.

    `settles` is the status that a person with the right to it has given it, `meaning` in which words; where that was
    the button of its thread, None. `by` is who decided or claims, `reply` the id of the reply that says so.
    `reopened_by` is who took the last decision back, `is_news` whether a run has not heard that yet.
    `claim` is what is said and has to be held against the code: that it is done, or that the finding is wrong.
    `may_win` is whether an argument of this person may end the finding.
    `author_disagrees` is whether the pull request's author sees it otherwise and may not decide it, or does not.
    `may_not_resolve` is who resolved its thread without the right to settle it.
    `heard` is the id of the last reply that was understood, `unread` are those that only a model can parse_comment.
    """

    settles: Status | None = None
    meaning: Meaning | None = None
    by: str | None = None
    reply: str | None = None
    reopened_by: str | None = None
    is_news: bool = False
    claim: Claim | None = None
    may_win: bool = False
    author_disagrees: bool = False
    may_not_resolve: str | None = None
    heard: str | None = None
    unread: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class Listener:
    """Reads threads. `us` is our own login, `handles` how we are called, `author` the pull request's.

    `parsed` are the replies that were parsed so far, by their text: each is parsed once in a run.
    """

    us: str
    handles: frozenset[str]
    author: str
    may_write: MayWrite
    read: Read = NOTHING_READ
    parsed: dict[str, ParsedComment] = field(default_factory=dict, compare=False, repr=False)

    def stance(self, known: KnownFinding, thread: Thread | None) -> Stance:
        """Read a finding's thread.

        The last decision counts, by whoever may decide, taking one back included. A claim counts until a run has heard
        it, and an argument until we have answered one; who calls us for it is answered in the conversation, not by a
        review. A thread that a person resolved is dismissed, if that person may settle it and nobody has reopened it.
        """
        if thread is None:
            return Stance()
        replies = people(thread.replies)
        fresh = _after(replies, known.heard)
        said = [(reply, self._meaning(reply)) for reply in replies]
        is_reopened = any(what == "reopen" for reply, what in said if reply in fresh)
        if known.status not in ("open", "dismissed") and not is_reopened:
            return Stance(heard=replies[-1].id if replies else None)
        unread = tuple(reply for reply in fresh if self._waits_for_a_reader(known, reply))
        understood = replies[: replies.index(unread[0])] if unread else replies
        found = self._decided(known, thread, said)
        if found.settles is None:
            found = self._claimed(known, found, said, fresh)
        return replace(found, heard=understood[-1].id if understood else None, unread=unread)

    def beyond_the_table(self, thread: Thread) -> list[Reply]:
        """The replies of people that the table does not know."""
        return [reply for reply in people(thread.replies) if self._is_beyond_the_table(reply)]

    def _is_beyond_the_table(self, reply: Reply) -> bool:
        found = self._parse(reply)
        return found.says_more and not found.commands

    def _parse(self, reply: Reply) -> ParsedComment:
        if reply.body not in self.parsed:
            self.parsed[reply.body] = parse_comment(reply.body, self.handles)
        return self.parsed[reply.body]

    def _waits_for_a_reader(self, known: KnownFinding, reply: Reply) -> bool:
        """Whether only a model can parse_comment what somebody says who could decide, or is the author."""
        if known.status != "open" or self.read.has(reply) or not self._is_beyond_the_table(reply):
            return False
        return reply.author == self.author or self._may_settle(reply, known.finding)

    def _meaning(self, reply: Reply) -> Meaning | None:
        """What a reply says: by the table or by `reopen`, else as it was read; no other command says anything."""
        found = self._parse(reply)
        if found.reopens:
            return "reopen"
        return found.meaning or (None if found.commands else self.read.of(reply))

    def _decided(self, known: KnownFinding, thread: Thread, said: Sequence[tuple[Reply, Meaning | None]]) -> Stance:
        """The last decision, or who has reopened the finding since; else what its thread's button says."""
        for reply, what in reversed(said):
            if what is None or (what != "reopen" and what not in DECISIONS):
                continue
            if not self._may_settle(reply, known.finding):
                continue
            if what != "reopen":
                return Stance(settles=DECISIONS[what], meaning=what, by=reply.author, reply=reply.id)
            is_news = reply in _after([each for each, _ in said], known.heard)
            return Stance(reopened_by=reply.author, reply=reply.id, is_news=is_news)
        if not thread.is_resolved or thread.resolved_by == self.us:
            return Stance()
        login = thread.resolved_by or ""
        is_decided = login == self.author and author_may_decide(known.finding)
        if is_decided or (login and self.may_write(login)):
            return Stance(settles="dismissed", by=login)
        return Stance(may_not_resolve=login or "somebody")

    def _claimed(
        self,
        known: KnownFinding,
        found: Stance,
        said: Sequence[tuple[Reply, Meaning | None]],
        fresh: Sequence[Reply],
    ) -> Stance:
        """Add what is claimed of an open finding since a run has heard of it; we answer one argument, and no second."""
        disagrees = any(
            reply.author == self.author and (what in DECISIONS or what == "disagrees") for reply, what in said
        )
        found = replace(found, author_disagrees=disagrees or found.may_not_resolve == self.author)
        for reply, what in reversed([each for each in said if each[0] in fresh]):
            if what == "done":
                return replace(found, by=reply.author, reply=reply.id, claim="done")
            if what in ("disagrees", "false_positive") and not self._parse(reply).mentioned:
                if known.argued:
                    break
                may_win = self._may_settle(reply, known.finding)
                return replace(found, by=reply.author, reply=reply.id, claim="disagrees", may_win=may_win)
        return found

    def _may_settle(self, reply: Reply, finding: Finding) -> bool:
        return may_settle(reply, finding, author=self.author, may_write=self.may_write)


def _after(replies: Sequence[Reply], heard: str | None) -> Sequence[Reply]:
    """The replies after the last one that a run has heard; all of them if it is not there."""
    ids = [reply.id for reply in replies]
    return replies[ids.index(heard) + 1 :] if heard in ids else replies


def people(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of people: neither ours nor those of other bots."""
    return [reply for reply in replies if not reply.is_bot and not reply.is_ours]


def may_settle(reply: Reply, finding: Finding, *, author: str, may_write: MayWrite) -> bool:
    """Whether a reply's author may decide: who may write; of what is MEDIUM or below the pull request's author too."""
    if reply.author == author and author_may_decide(finding):
        return True
    return reply.association == "OWNER" or (reply.association in _INSIDERS and may_write(reply.author))


def author_may_decide(finding: Finding) -> bool:
    """Whether the pull request's author may decide about a finding without write access: what is MEDIUM or below."""
    return finding.severity not in BLOCKING
