"""What people have made of a finding, from its thread: decided, claimed, argued, or nothing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from kodiai.core.conversation.meaning import Meaning, meaning
from kodiai.core.conversation.mention import said_to_us
from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.findings.finding import BLOCKING, Finding
from kodiai.core.findings.known import KnownFinding, Status

Claim = Literal["done", "disagrees"]
MayWrite = Callable[[str], bool]
"""Whether a login may write to the repository."""

_DECISIONS: Mapping[Meaning, Status] = {
    "wont_fix": "wont_fix",
    "by_design": "wont_fix",
    "acknowledged": "acknowledged",
}
_INSIDERS = frozenset({"MEMBER", "COLLABORATOR"})


@dataclass(frozen=True)
class Stance:
    """What people say of a finding now.

    `settles` is the status that a person with the right to it has given it; `by` is who decided or claims.
    `claim` is what is said and has to be held against the code: that it is done, or that the finding is wrong.
    `may_win` is whether an argument of this person may end the finding.
    `author_disagrees` is whether the pull request's author sees it otherwise and may not decide it, or does not.
    `heard` is the id of the last reply.
    """

    settles: Status | None = None
    by: str | None = None
    claim: Claim | None = None
    may_win: bool = False
    author_disagrees: bool = False
    heard: str | None = None


def stance(
    known: KnownFinding, thread: Thread | None, *, us: str, handles: frozenset[str], author: str, may_write: MayWrite
) -> Stance:
    """Read a finding's thread. `us` is our own login, `handles` how we are called, `author` the pull request's.

    The last decision counts, by whoever may decide. A claim counts until a run has heard it, and an argument until
    we have answered one; who calls us for it is answered in the conversation, not by a review.
    A thread that a person resolved is dismissed.
    """
    if thread is None:
        return Stance()
    said = [(reply, meaning(reply.body, handles)) for reply in people(thread.replies)]
    heard = said[-1][0].id if said else None

    def decides(reply: Reply) -> bool:
        return may_settle(reply, known.finding, author=author, may_write=may_write)

    decided = [(reply, _DECISIONS[what]) for reply, what in said if what is not None and what in _DECISIONS]
    for reply, status in reversed(decided):
        if decides(reply):
            return Stance(settles=status, by=reply.author, heard=heard)
    if thread.is_resolved and thread.resolved_by != us:
        return Stance(settles="dismissed", by=thread.resolved_by, heard=heard)
    disputed = any(reply.author == author and (what in _DECISIONS or what == "disagrees") for reply, what in said)
    claimed = _claim(known, [(reply, None if _calls_us(reply, what, handles) else what) for reply, what in said])
    if claimed is None:
        return Stance(author_disagrees=disputed, heard=heard)
    reply, claim = claimed
    may_win = claim == "disagrees" and decides(reply)
    return Stance(by=reply.author, claim=claim, may_win=may_win, author_disagrees=disputed, heard=heard)


def _claim(known: KnownFinding, said: list[tuple[Reply, Meaning | None]]) -> tuple[Reply, Claim] | None:
    """The last claim that no run has heard; once we have answered an argument there is no second answer."""
    ids = [reply.id for reply, _ in said]
    fresh = said[ids.index(known.heard) + 1 :] if known.heard in ids else said
    for reply, what in reversed(fresh):
        if what == "done":
            return reply, "done"
        if what == "disagrees":
            return None if known.argued else (reply, "disagrees")
    return None


def _calls_us(reply: Reply, what: Meaning | None, handles: frozenset[str]) -> bool:
    """Whether a reply that disagrees waits for an answer of its own."""
    return what == "disagrees" and said_to_us(reply.body, handles) is not None


def people(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of people: neither ours nor those of other bots."""
    return [reply for reply in replies if not reply.is_bot and not reply.is_ours]


def may_settle(reply: Reply, finding: Finding, *, author: str, may_write: MayWrite) -> bool:
    """Whether a reply's author may decide: who may write; of what is not grave the pull request's author too."""
    if author_settles(reply.author, finding, author=author):
        return True
    return reply.association == "OWNER" or (reply.association in _INSIDERS and may_write(reply.author))


def author_settles(login: str, finding: Finding, *, author: str) -> bool:
    """Whether somebody may decide for being the pull request's author: about what is not grave."""
    return login == author and finding.severity not in BLOCKING


def asked_of(known: KnownFinding, thread: Thread | None, *, us: str, handles: frozenset[str], author: str) -> set[str]:
    """Whose right to write has to be asked of GitHub before the thread can be read."""
    asked: set[str] = set()

    def note(login: str) -> bool:
        asked.add(login)
        return False

    stance(known, thread, us=us, handles=handles, author=author, may_write=note)
    return asked
