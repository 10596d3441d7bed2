"""The ledger in DynamoDB: one table, every pull request under a key of its own.

Errors and conditions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError
from pydantic import TypeAdapter

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.errors import Broken, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Kept
from kodiai.ports import Clock, JsonObject, KnownFinding, Posted, PullRequestState, Run, RunStatus, Spending, Staged

_PART_BYTES = 350_000
# Money is kept in millionths of a US dollar, whole numbers that can be added atomically.
_MICRO = 1_000_000
_RETENTION_SECONDS = 90 * 86_400
_STAGED: TypeAdapter[Staged] = TypeAdapter(Staged)
_SNAPSHOT: TypeAdapter[Snapshot] = TypeAdapter(Snapshot)
_CONFIG = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})
_BUSY = frozenset(
    """
    InternalServerError LimitExceededException ProvisionedThroughputExceededException RequestLimitExceeded
    ServiceUnavailable ThrottlingException TransactionConflictException TransactionInProgressException
    """.split()
)

Item = dict[str, Any]


def open_table(name: str) -> Any:
    """Open the table; short time-outs, because a Lambda waits for it."""
    return boto3.resource("dynamodb", config=_CONFIG).Table(name)


class DynamoLedger:
    """The ledger of one pull request."""

    def __init__(self, table: Any, repository: str, number: int, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._repository = repository
        self._pk = f"PR#{repository}#{number}"

    def claim(self, owner: str, until: float) -> PullRequestState:
        """Take the lease until then. Raises Retry while somebody else holds it, with the seconds that it still has."""
        now = self._clock.now()
        free = Attr("lease_owner").not_exists() | Attr("lease_until").lt(int(now)) | Attr("lease_owner").eq(owner)
        try:
            with _translated():
                answer = self._table.update_item(
                    Key=self._key("STATE"),
                    UpdateExpression="SET lease_owner = :owner, lease_until = :until",
                    ExpressionAttributeValues={":owner": owner, ":until": int(until)},
                    ConditionExpression=free,
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except LostRace as lost:
            left = int(lost.item.get("lease_until", int(now))) - now
            raise Retry("another run holds this pull request", after_seconds=max(left, 1)) from lost
        state = answer["Attributes"]
        return PullRequestState(state.get("running"), state.get("completed_run"), state.get("completed_head"))

    def release(self, owner: str) -> None:
        """Give the lease back if it is still ours."""
        try:
            with _translated():
                self._table.update_item(
                    Key=self._key("STATE"),
                    UpdateExpression="REMOVE lease_owner, lease_until",
                    ConditionExpression=Attr("lease_owner").eq(owner),
                )
        except LostRace:
            return

    def start(self, owner: str, run: Run, instead_of: str | None) -> None:
        """Write a new run down as the one under way, and the one that it replaces as superseded."""
        item = {
            **self._key(f"RUN#{run.id}"),
            "head": run.head,
            "base": run.base,
            "status": "running",
            "started": int(run.started),
        }
        writes = [
            {"Put": {"Item": item, "ConditionExpression": "attribute_not_exists(pk)"}},
            self._state_write(owner, "SET running = :run", {":run": run.id}),
        ]
        if instead_of is not None:
            writes.append(self._run_write(instead_of, "superseded", {"ended_why": f"replaced by {run.id}"}))
        self._transact(writes)

    def run(self, run_id: str) -> Run | None:
        """Read a run."""
        with _translated():
            item = self._table.get_item(Key=self._key(f"RUN#{run_id}"), ConsistentRead=True).get("Item")
        if item is None:
            return None
        return Run(
            id=run_id,
            head=item["head"],
            base=item["base"],
            status=item["status"],
            started=float(item["started"]),
            check_id=item.get("check_id"),
            review_id=item.get("review_id"),
            staged=_STAGED.validate_json(_unpacked(item["staged"])) if "staged" in item else None,
            facts=json.loads(_unpacked(item["facts"])) if "facts" in item else {},
        )

    def note_check(self, run_id: str, check_id: str) -> None:
        """Write down which check run shows this run."""
        self._update_running(run_id, "SET check_id = :check", {":check": check_id})

    def keep_answer(self, run_id: str, batch: str, answer: JsonObject) -> None:
        """Keep what a batch came to; the same batch kept twice is the same answer."""
        item = {**self._key(f"ANSWER#{run_id}#{batch}"), **self._expiry()}
        item["answer"] = _packed(json.dumps(answer).encode())
        with _translated():
            self._table.put_item(Item=item)

    def kept_answers(self, run_id: str) -> Mapping[str, JsonObject]:
        """Read the answers kept so far, by batch."""
        prefix = f"ANSWER#{run_id}#"
        return {item["sk"].removeprefix(prefix): json.loads(_unpacked(item["answer"])) for item in self._items(prefix)}

    def stage(self, run_id: str, staged: Staged) -> None:
        """Write down what is about to be posted."""
        self._update_running(run_id, "SET staged = :staged", {":staged": _packed(_STAGED.dump_json(staged))})

    def complete(self, owner: str, run: Run, staged: Staged, posted: Posted | None) -> None:
        """Write down the findings with their comments, the snapshot, and that the run is done; frees the lease."""
        self._keep_snapshot(run.id, staged.snapshot)
        for kept in staged.findings:
            self._keep_finding(run, kept, posted)
        facts = {"facts": _packed(json.dumps(staged.facts).encode()), "review_id": posted.review_id if posted else None}
        state = (
            "SET completed_run = :run, completed_head = :head REMOVE running, lease_owner, lease_until ADD spent :cost"
        )
        cost = round((staged.facts.get("cost_usd") or 0) * _MICRO)
        self._transact(
            [
                self._run_write(run.id, "completed", {**facts, "ended": self._now()}),
                self._state_write(owner, state, {":run": run.id, ":head": run.head, ":cost": cost}),
                self._month_write(cost),
            ]
        )

    def end(self, owner: str, run_id: str, status: RunStatus, reason: str) -> None:
        """Write down that the run ended without a review; frees the lease."""
        self._transact(
            [
                self._run_write(run_id, status, {"ended_why": reason}),
                self._state_write(owner, "REMOVE running, lease_owner, lease_until", {}),
            ]
        )

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Read what a completed run saw, None where a part of it is missing."""
        parts = self._items(f"SNAPSHOT#{run_id}#")
        if not parts or len(parts) != int(parts[0]["parts"]):
            return None
        return _SNAPSHOT.validate_json(zlib.decompress(b"".join(bytes(part["data"].value) for part in parts)))

    def findings(self) -> tuple[KnownFinding, ...]:
        """Read the findings told so far."""
        return tuple(
            KnownFinding(
                id=item["sk"].removeprefix("FINDING#"),
                finding=Finding.model_validate_json(item["finding"]),
                status=item["status"],
                comment_id=item.get("comment_id"),
            )
            for item in self._items("FINDING#")
        )

    def spending(self) -> Spending:
        """Read what completed runs have cost."""
        with _translated():
            state = self._table.get_item(Key=self._key("STATE"), ConsistentRead=True).get("Item", {})
            month = self._table.get_item(Key=self._month_key(), ConsistentRead=True).get("Item", {})
        return Spending(float(state.get("spent", 0)) / _MICRO, float(month.get("spent", 0)) / _MICRO)

    def _keep_snapshot(self, run_id: str, snapshot: Snapshot) -> None:
        data = zlib.compress(_SNAPSHOT.dump_json(snapshot))
        parts = [data[at : at + _PART_BYTES] for at in range(0, len(data), _PART_BYTES)]
        for number, part in enumerate(parts):
            item = {**self._key(f"SNAPSHOT#{run_id}#{number:03}"), "parts": len(parts), **self._expiry()}
            with _translated():
                self._table.put_item(Item={**item, "data": part})

    def _keep_finding(self, run: Run, kept: Kept, posted: Posted | None) -> None:
        """Write a finding down once; seen again, only where it stands now is renewed, never who told it first."""
        seen = {"run": run.id, "head": run.head, "at": self._now(), "status": "open"}
        values: Item = {
            ":finding": kept.finding.model_dump_json(),
            ":open": "open",
            ":none": [],
            ":seen": [seen],
            ":run": run.id,
        }
        update = (
            "SET finding = :finding, #status = if_not_exists(#status, :open), seen_by = :run,"
            " history = list_append(if_not_exists(history, :none), :seen)"
        )
        comment_id = posted.comment_ids.get(kept.id) if posted else None
        if comment_id is not None:
            update += ", comment_id = :comment"
            values[":comment"] = comment_id
        try:
            with _translated():
                if comment_id is not None:
                    self._table.put_item(Item={**self._key(f"COMMENT#{comment_id}"), "finding": kept.id})
                self._table.update_item(
                    Key=self._key(f"FINDING#{kept.id}"),
                    UpdateExpression=update,
                    ConditionExpression="attribute_not_exists(seen_by) OR seen_by <> :run",
                    ExpressionAttributeNames={"#status": "status"},
                    ExpressionAttributeValues=values,
                )
        except LostRace:
            return

    def _now(self) -> int:
        return int(self._clock.now())

    def _expiry(self) -> Item:
        return {"expires_at": self._now() + _RETENTION_SECONDS}

    def _key(self, sort: str) -> Item:
        return {"pk": self._pk, "sk": sort}

    def _items(self, prefix: str) -> list[Item]:
        """Read every item below a prefix, in order, page by page; what has expired but still stands is left out."""
        condition = Key("pk").eq(self._pk) & Key("sk").begins_with(prefix)
        now = self._now()
        items: list[Item] = []
        start: Item = {}
        while True:
            with _translated():
                page = self._table.query(KeyConditionExpression=condition, ConsistentRead=True, **start)
            items += [item for item in page["Items"] if item.get("expires_at", now + 1) > now]
            if "LastEvaluatedKey" not in page:
                return items
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def _update_running(self, run_id: str, update: str, values: Item) -> None:
        with _translated():
            self._table.update_item(
                Key=self._key(f"RUN#{run_id}"),
                UpdateExpression=update,
                ConditionExpression="#status = :running",
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={**values, ":running": "running"},
            )

    def _run_write(self, run_id: str, status: RunStatus, changes: Mapping[str, Any]) -> Item:
        sets = "".join(f", {name} = :{name}" for name in changes)
        return {
            "Update": {
                "Key": self._key(f"RUN#{run_id}"),
                "UpdateExpression": f"SET #status = :status{sets}",
                "ConditionExpression": "#status = :running",
                "ExpressionAttributeNames": {"#status": "status"},
                "ExpressionAttributeValues": {
                    ":status": status,
                    ":running": "running",
                    **{f":{name}": value for name, value in changes.items()},
                },
            }
        }

    def _state_write(self, owner: str, update: str, values: Item) -> Item:
        return {
            "Update": {
                "Key": self._key("STATE"),
                "UpdateExpression": update,
                "ConditionExpression": "lease_owner = :owner",
                "ExpressionAttributeValues": {**values, ":owner": owner},
            }
        }

    def _month_key(self) -> Item:
        month = datetime.fromtimestamp(self._now(), UTC)
        return {"pk": f"REPO#{self._repository}", "sk": f"MONTH#{month:%Y-%m}"}

    def _month_write(self, cost: int) -> Item:
        return {
            "Update": {
                "Key": self._month_key(),
                "UpdateExpression": "ADD reviews :one, spent :cost",
                "ExpressionAttributeValues": {":one": 1, ":cost": cost},
            }
        }

    def _transact(self, writes: Sequence[Item]) -> None:
        for write in writes:
            for request in write.values():
                request["TableName"] = self._table.name
        with _translated():
            self._table.meta.client.transact_write_items(TransactItems=list(writes))


class LostRace(Retry):
    """A condition did not hold: somebody else wrote first. `item` is what stood there, where DynamoDB tells."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        super().__init__("somebody else wrote first", after_seconds=1)
        self.item = item


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _translate(error) from error
    except (ParamValidationError, NoCredentialsError) as error:
        raise Broken(f"DynamoDB cannot be asked: {error}") from error
    except BotoCoreError as error:
        raise Retry(f"DynamoDB did not answer: {type(error).__name__}") from error


def _translate(error: ClientError) -> Exception:
    response = cast(Mapping[str, Any], error.response)
    code = response["Error"]["Code"]
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons", ())} - {"None"}
    if code == "ConditionalCheckFailedException" or "ConditionalCheckFailed" in reasons:
        return LostRace({name: next(iter(value.values())) for name, value in response.get("Item", {}).items()})
    if code in _BUSY or reasons & {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}:
        return Retry(f"DynamoDB is busy: {code}")
    return Broken(f"DynamoDB refused: {code} {response['Error'].get('Message', '')}")


def _packed(data: bytes) -> bytes:
    return zlib.compress(data)


def _unpacked(data: Any) -> bytes:
    return zlib.decompress(bytes(data.value))
