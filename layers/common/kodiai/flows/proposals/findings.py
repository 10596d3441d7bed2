"""Findings: read what the reviews of a pull request found, and request one, as somebody with access to it."""

from dataclasses import dataclass

from kodiai.core.events.job import Job
from kodiai.core.findings.finding import rank
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.review.run import ReviewState
from kodiai.core.words import proposals as words
from kodiai.core.words.links import Links
from kodiai.flows.proposals.access import Forbidden, access_to
from kodiai.flows.proposals.not_found import NotFound
from kodiai.flows.proposals.ports import ApiPorts

_ONCE_SECONDS = 600


@dataclass(frozen=True)
class ShownFinding:
    """A finding with its history, oldest entry first, and the address of its thread, None if it has none."""

    known: KnownFinding
    comment_url: str | None
    history: tuple[HistoryEntry, ...] = ()


@dataclass(frozen=True)
class Reviewed:
    """A pull request with its open findings, most severe first, its head now, and the state of its reviews."""

    repository: str
    number: int
    head: str
    state: ReviewState
    findings: tuple[ShownFinding, ...]


def open_findings(repository: str, number: int, ports: ApiPorts) -> Reviewed:
    """Read the open findings of a pull request. Raises NotFound, Refused and UnreadableFindings."""
    access = access_to(repository, ports.proposals, writes=False)
    canonical, head = access.caller.ref, access.code.target(number, None).head
    reader = ports.open_findings(canonical, number)
    still_open = (each for each in reader.findings() if each.status == "open")
    shown = (
        ShownFinding(each, _comment_url(each, canonical.name, number, ports))
        for each in sorted(still_open, key=lambda each: rank(each.finding))
    )
    return Reviewed(canonical.name, number, head, reader.review_state(), tuple(shown))


def request_review(repository: str, number: int, ports: ApiPorts) -> Reviewed:
    """Queue a review of a pull request, as its comment `review` does, unless its head was read whole.

    The same head is queued once in ten minutes. Raises NotFound, Forbidden, Refused and Retry.
    """
    access = access_to(repository, ports.proposals, writes=False)
    caller, head = access.caller, access.code.target(number, None).head
    if not ports.proposals.store.serves(caller.repository_id):
        raise Forbidden(words.not_served(caller.repository))
    state = ports.open_findings(caller.ref, number).review_state()
    reviewed = Reviewed(caller.repository, number, head, state, ())
    if state.head == head and not state.unread:
        return reviewed
    may_write = access.code.caller(writes=True).may_write
    window = int(ports.proposals.clock.now() // _ONCE_SECONDS)
    job = Job(
        delivery=f"api-{caller.repository_id}-{number}-{head[:12]}-{window}",
        installation=None,
        sender=caller.login,
        repository=caller.repository,
        repository_id=caller.repository_id,
        owner_id=caller.owner_id,
        number=number,
        outsider=None if may_write else caller.login,
        trigger="rerequested",
    )
    ports.proposals.queue.send("reviews", job)
    return reviewed


def finding(repository: str, number: int, finding_id: str, ports: ApiPorts) -> ShownFinding:
    """Read one finding of a pull request, open or not. Raises NotFound and UnreadableFindings."""
    canonical = access_to(repository, ports.proposals, writes=False).caller.ref
    reader = ports.open_findings(canonical, number)
    for each in reader.findings():
        if each.id == finding_id:
            return ShownFinding(each, _comment_url(each, canonical.name, number, ports), reader.history(each.id))
    raise NotFound(words.no_such_finding(finding_id, f"{canonical.name}#{number}"))


def _comment_url(known: KnownFinding, repository: str, number: int, ports: ApiPorts) -> str | None:
    if known.comment_id is None:
        return None
    return Links(f"{ports.web_address}/{repository}/pull/{number}", head="").comment(known.comment_id)
