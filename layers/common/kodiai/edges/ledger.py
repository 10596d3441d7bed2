"""The ledger in DynamoDB: one table, every pull request under a key of its own.

Errors and conditions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import json
import time
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
_ANSWER_SECONDS = 7 * 86_400
_CONFLICT_WAITS = (0.05, 0.1, 0.2, 0.4)
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
        return PullRequestState(
            running=state.get("running"),
            completed_run=state.get("completed_run"),
            completed_head=state.get("completed_head"),
            ended_run=state.get("ended_run"),
        )

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

    def start(self, owner: str, run: Run) -> None:
        """Write a new run down as the one under way, where there is none."""
        item = {
            **self._key(f"RUN#{run.id}"),
            "head": run.head,
            "base": run.base,
            "status": "running",
            "started": int(run.started),
            **({"check_id": run.check_id} if run.check_id else {}),
        }
        state = self._state_write(owner, "SET running = :run", {":run": run.id})
        state["Update"]["ConditionExpression"] += " AND attribute_not_exists(running)"
        self._transact([{"Put": {"Item": item, "ConditionExpression": "attribute_not_exists(pk)"}}, state])

    def run(self, run_id: str) -> Run | None:
        """Read a run."""
        with _translated():
            item = self._table.get_item(Key=self._key(f"RUN#{run_id}"), ConsistentRead=True).get("Item")
        if item is None:
            return None
        staged = self._whole("STAGED", run_id) if "staged" in item else None
        return Run(
            id=run_id,
            head=item["head"],
            base=item["base"],
            status=item["status"],
            started=float(item["started"]),
            check_id=item.get("check_id"),
            review_id=item.get("review_id"),
            staged=_STAGED.validate_json(staged) if staged is not None else None,
            facts=json.loads(_unpacked(item["facts"])) if "facts" in item else {},
        )

    def note_check(self, run_id: str, check_id: str) -> None:
        """Write down which check run shows this run."""
        self._update_running(run_id, "SET check_id = :check", {":check": check_id})

    def kept_answer(self, question: str) -> JsonObject | None:
        """Read what a question was answered, None where nothing is kept; it serves every run of the pull request."""
        with _translated():
            item = self._table.get_item(Key=self._key(f"ANSWER#{question}"), ConsistentRead=True).get("Item")
        if item is None or item["expires_at"] <= self._now():
            return None
        return cast(JsonObject, json.loads(_unpacked(item["answer"])))

    def keep_answer(self, question: str, answer: JsonObject, cost_usd: float) -> None:
        """Keep an answer for a week, so that it is not paid for twice, and write down what it cost."""
        item = {**self._key(f"ANSWER#{question}"), "expires_at": self._now() + _ANSWER_SECONDS}
        item["answer"] = _packed(json.dumps(answer).encode())
        self._transact([{"Put": {"Item": item}}, *self._spending_writes(cost_usd)])

    def spend(self, cost_usd: float) -> None:
        """Write down what an answer cost that is not worth keeping."""
        self._transact(self._spending_writes(cost_usd))

    def stage(self, run_id: str, staged: Staged) -> None:
        """Write down what is about to be posted, and then that it is written down whole."""
        self._keep_parts("STAGED", run_id, _STAGED.dump_json(staged))
        self._update_running(run_id, "SET staged = :at", {":at": self._now()})

    def complete(self, owner: str, run: Run, staged: Staged, posted: Posted | None) -> None:
        """Write down the findings with their comments, and that the run is done; frees the lease."""
        for kept in staged.findings:
            self._keep_finding(run, kept, posted)
        facts = {"facts": _packed(json.dumps(staged.facts).encode()), "review_id": posted.review_id if posted else None}
        state = "SET completed_run = :run, completed_head = :head REMOVE running, lease_owner, lease_until"
        self._transact(
            [
                self._run_write(run.id, "completed", {**facts, "ended": self._now()}),
                self._state_write(owner, state, {":run": run.id, ":head": run.head}),
                self._add_write(self._month_key(), "reviews", 1),
            ]
        )

    def end(self, owner: str, run_id: str, status: RunStatus, reason: str) -> None:
        """Write down that the run ended without a review; frees the lease."""
        self._transact(
            [
                self._run_write(run_id, status, {"ended_why": reason}),
                self._state_write(
                    owner, "SET ended_run = :run REMOVE running, lease_owner, lease_until", {":run": run_id}
                ),
            ]
        )

    def keep_snapshot(self, run_id: str, snapshot: Snapshot) -> None:
        """Keep what a run saw; it counts once the run is completed."""
        self._keep_parts("SNAPSHOT", run_id, _SNAPSHOT.dump_json(snapshot))

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Read what a completed run saw, None where a part of it is missing."""
        data = self._whole("SNAPSHOT", run_id)
        return _SNAPSHOT.validate_json(data) if data is not None else None

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
        """Read what was spent, whatever came of it."""
        with _translated():
            state = self._table.get_item(Key=self._key("STATE"), ConsistentRead=True).get("Item", {})
            month = self._table.get_item(Key=self._month_key(), ConsistentRead=True).get("Item", {})
        return Spending(float(state.get("spent", 0)) / _MICRO, float(month.get("spent", 0)) / _MICRO)

    def _keep_parts(self, kind: str, run_id: str, data: bytes) -> None:
        """Keep what one item may not hold: compressed, in parts."""
        packed = _packed(data)
        parts = [packed[at : at + _PART_BYTES] for at in range(0, len(packed), _PART_BYTES)]
        for number, part in enumerate(parts):
            item = {**self._key(f"{kind}#{run_id}#{number:03}"), "parts": len(parts), **self._expiry()}
            with _translated():
                self._table.put_item(Item={**item, "data": part})

    def _whole(self, kind: str, run_id: str) -> bytes | None:
        """Put the parts together again, None where one is missing."""
        parts = self._items(f"{kind}#{run_id}#")
        if not parts or len(parts) != int(parts[0]["parts"]):
            return None
        return zlib.decompress(b"".join(bytes(part["data"].value) for part in parts))

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

    def _spending_writes(self, cost_usd: float) -> list[Item]:
        micro = round(cost_usd * _MICRO)
        return [self._add_write(key, "spent", micro) for key in (self._key("STATE"), self._month_key())]

    def _add_write(self, key: Item, name: str, number: int) -> Item:
        update = {"UpdateExpression": f"ADD {name} :number", "ExpressionAttributeValues": {":number": number}}
        return {"Update": {"Key": key, **update}}

    def _transact(self, writes: Sequence[Item]) -> None:
        """Write all or nothing; another pull request that counts into the same month is only a moment's wait."""
        for write in writes:
            for request in write.values():
                request["TableName"] = self._table.name
        for wait in (*_CONFLICT_WAITS, None):
            try:
                with _translated():
                    self._table.meta.client.transact_write_items(TransactItems=list(writes))
            except _Conflict:
                if wait is None:
                    raise
                time.sleep(wait)
            else:
                return


class LostRace(Retry):
    """A condition did not hold: somebody else wrote first. `item` is what stood there, where DynamoDB tells."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        super().__init__("somebody else wrote first", after_seconds=1)
        self.item = item


class _Conflict(Retry):
    """Another transaction was writing the same item at this moment."""


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
    if "TransactionConflict" in reasons:
        return _Conflict("DynamoDB is busy: TransactionConflict")
    if code in _BUSY or reasons & {"ThrottlingError", "ProvisionedThroughputExceeded"}:
        return Retry(f"DynamoDB is busy: {code}")
    return Broken(f"DynamoDB refused: {code} {response['Error'].get('Message', '')}")


def _packed(data: bytes) -> bytes:
    return zlib.compress(data)


def _unpacked(data: Any) -> bytes:
    return zlib.decompress(bytes(data.value))
