"""Proposals in DynamoDB: each under a key of its own, and a pointer to it among the items of its repository.

Every item has the repository's id and the pull request's number, so that it is found when these are deleted, and all
items of a proposal expire together, 90 days after it was submitted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent
from kodiai.core.proposals.protocol import Transition
from kodiai.edges.aws import batches
from kodiai.edges.ledger_items import Item, in_parts, joined, packed, unpacked
from kodiai.edges.ledger_table import (
    REPLACING,
    RETENTION_DAYS,
    SHORT_SECONDS,
    Condition,
    LedgerItems,
    LostRace,
    asking,
    entry,
    update,
)
from kodiai.ports.jobs import Clock

_MOST_BYTES = 350_000
_TOO_LARGE = "The description, the files and the problems of the proposal take too much room: make a smaller proposal."


class DynamoProposalStore:
    """The port `ProposalStore`.

    `most_listed` is how many a list has, `most_read` how many DynamoDB returns for one request.
    Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    """

    def __init__(
        self,
        table: Any,
        clock: Clock,
        *,
        retention_days: int = RETENTION_DAYS,
        most_listed: int = 500,
        most_read: int = 100,
    ) -> None:
        self._table = table
        self._clock = clock
        self._retention_days = retention_days
        self._most_listed = most_listed
        self._most_read = most_read

    def serves(self, repository_id: int) -> bool:
        return bool(LedgerItems(self._table, f"REPO#{repository_id}", self._clock).newest("MONTH#"))

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        return self.get(proposal.id) or self._items(proposal.id).create(proposal, event, content)

    def get(self, proposal_id: str) -> Proposal | None:
        return self._items(proposal_id).get()

    def content(self, proposal: Proposal) -> Content:
        return self._items(proposal.id).content(proposal)

    def write(self, before: Proposal, changed: Transition, content: Content | None = None) -> bool:
        return self._items(before.id).write(before, changed, content)

    def events(self, proposal_id: str) -> tuple[ProposalEvent, ...]:
        return self._items(proposal_id).events()

    def of_repository(self, repository_id: int) -> tuple[Proposal, ...]:
        pointers = LedgerItems(self._table, f"REPO#{repository_id}", self._clock).newest("PROPOSAL#", self._most_listed)
        ids = [item["sk"].rpartition("#")[2] for item in pointers]
        found = {item["pk"]: item for some in batches(ids, self._most_read) for item in self._read_all(some)}
        proposals = (_readable(found.get(_pk(each), {}), self._clock.now()) for each in ids)
        return tuple(each for each in proposals if each is not None)

    def _items(self, proposal_id: str) -> "_ProposalItems":
        return _ProposalItems(self._table, _pk(proposal_id), self._clock, retention_days=self._retention_days)

    def _read_all(self, ids: Sequence[str]) -> Iterator[Item]:
        wanted: Mapping[str, Any] = {
            self._table.name: {"Keys": [{"pk": _pk(each), "sk": "META"} for each in ids], "ConsistentRead": True}
        }
        while wanted:
            with asking():
                answer = self._table.meta.client.batch_get_item(RequestItems=wanted)
            yield from answer["Responses"].get(self._table.name, ())
            wanted = answer.get("UnprocessedKeys", {})


class _ProposalItems(LedgerItems):
    """The items of one proposal."""

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        self._keep_content(proposal, content)
        pointer = {"pk": f"REPO#{proposal.repository_id}", "sk": f"PROPOSAL#{proposal.created:017.6f}#{proposal.id}"}
        new = Condition("attribute_not_exists(pk) OR expires_at <= :now", {"now": self._now()}, also_expired=True)
        writes = [
            self._meta(proposal, new),
            self._event(proposal, event),
            update(pointer, _common(proposal), when=REPLACING),
            entry(proposal.ref, self._now()),
        ]
        try:
            self._transact(writes)
        except LostRace as lost:
            stored = self.get()
            if stored is None:
                raise Retry("the proposal was deleted at this moment", after_seconds=1) from lost
            return stored
        return proposal

    def get(self) -> Proposal | None:
        item = self._get("META")
        try:
            return _read(item, self._now())
        except ValueError as error:
            raise Broken(f"The proposal {self._pk.removeprefix('PROPOSAL#')} cannot be read.") from error

    def content(self, proposal: Proposal) -> Content:
        data = joined(self._items(f"{_content(proposal)}#"))
        if data is None:
            raise Retry("the content of the proposal was replaced at this moment", after_seconds=1)
        return Content.model_validate_json(data)

    def write(self, before: Proposal, changed: Transition, content: Content | None) -> bool:
        after = changed.proposal
        if content is not None:
            self._keep_content(after, content)
        given = {"before": before.version, "now": self._now()}
        as_read = Condition("version = :before AND expires_at > :now", given, also_expired=True)
        try:
            self._transact([self._meta(after, as_read), *(self._event(after, event) for event in changed.events)])
        except LostRace:
            return False
        if content is not None:
            self._empty_content(before)
        return True

    def events(self) -> tuple[ProposalEvent, ...]:
        return tuple(ProposalEvent.model_validate_json(item["event"]) for item in self._items("EVENT#"))

    def _meta(self, proposal: Proposal, when: Condition) -> Item:
        data = packed(proposal.model_dump_json().encode())
        if len(data) > _MOST_BYTES:
            raise Refused(_TOO_LARGE)
        sets = {"proposal": data, "status": proposal.status, "version": proposal.version, **_common(proposal)}
        return update(self._key("META"), sets, when=when)

    def _event(self, proposal: Proposal, event: ProposalEvent) -> Item:
        sets = {"event": event.model_dump_json(), **_common(proposal)}
        return update(self._key(f"EVENT#{event.number:08}"), sets, when=REPLACING)

    def _keep_content(self, proposal: Proposal, content: Content) -> None:
        """Store the content of a revision in parts, before the proposal names it."""
        for number, part in enumerate(in_parts(content.model_dump_json().encode())):
            kept = {**part, **_common(proposal)}
            self._write(update(self._key(f"{_content(proposal)}#{number:03}"), kept, when=REPLACING))

    def _empty_content(self, proposal: Proposal) -> None:
        """Remove the content of an earlier revision, which nobody writes any more; the rest of its items expires."""
        for item in self._items(f"{_content(proposal)}#"):
            self._write(update(self._key(item["sk"]), {"expires_at": self._now()}, removes=("data",)))


def _pk(proposal_id: str) -> str:
    return f"PROPOSAL#{proposal_id}"


def _content(proposal: Proposal) -> str:
    return f"CONTENT#{proposal.revision:08}#{proposal.content}"


def _common(proposal: Proposal) -> Item:
    """The attributes that every item has."""
    number = {} if proposal.number is None else {"number": proposal.number}
    return {"repository_id": proposal.repository_id, **number, "expires_at": int(proposal.created) + SHORT_SECONDS}


def _read(item: Item, now: float) -> Proposal | None:
    """Read a proposal, None where it has expired. Raises ValueError."""
    if not item or item["expires_at"] <= now:
        return None
    return Proposal.model_validate_json(unpacked(item["proposal"]))


def _readable(item: Item, now: float) -> Proposal | None:
    try:
        return _read(item, now)
    except ValidationError:
        return None
