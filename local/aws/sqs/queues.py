"""The queues of one account and the messages in them: what each operation does."""

import json
import math
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.aws.clock import Clock
from local.aws.protocol import ACCOUNT, AwsError, Json
from local.aws.sqs.delivery import delivery_of, md5, new_receipt, sequence_number, show
from local.aws.sqs.errors import (
    handle_expired,
    invalid_value,
    missing_parameter,
    queue_does_not_exist,
)
from local.aws.sqs.message import read_message
from local.aws.sqs.queue import Queue, new_queue
from local.aws.store import Row, Store

DEDUPLICATION_SECONDS = 300  # counted from the send, whatever becomes of the message
_LONGEST_VISIBILITY = 43200  # seconds: twelve hours

# Times are in seconds since the epoch. A message is in flight until visible_at.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, message_id TEXT NOT NULL,
    body TEXT NOT NULL, attributes TEXT NOT NULL, system_attributes TEXT NOT NULL,
    group_id TEXT NOT NULL, deduplication_id TEXT NOT NULL, source_arn TEXT,
    sent_at REAL NOT NULL, visible_at REAL NOT NULL, first_received_at REAL,
    receive_count INTEGER NOT NULL DEFAULT 0, receipt TEXT
);
CREATE INDEX IF NOT EXISTS messages_in_order ON messages (queue, sequence);
CREATE INDEX IF NOT EXISTS messages_by_time ON messages (queue, visible_at);
CREATE INDEX IF NOT EXISTS messages_by_group ON messages (queue, group_id, visible_at);
CREATE TABLE IF NOT EXISTS sends (
    queue TEXT NOT NULL, scope TEXT NOT NULL, deduplication_id TEXT NOT NULL,
    message_id TEXT NOT NULL, sequence INTEGER NOT NULL, sent_at REAL NOT NULL,
    PRIMARY KEY (queue, scope, deduplication_id)
);
CREATE INDEX IF NOT EXISTS sends_by_time ON sends (sent_at);
"""
# A message waits while another one of its group is in flight.
_RECEIVABLE = """
SELECT * FROM messages AS m WHERE queue = ? AND visible_at <= ? AND NOT EXISTS (
    SELECT 1 FROM messages AS other
    WHERE other.queue = m.queue AND other.group_id = m.group_id AND other.visible_at > ?
) ORDER BY sequence LIMIT ?
"""


class Queues:
    """All queues, their messages kept in a file or in memory; used by one thread at a time.

    Queues are not stored: each start creates them again, and finds their stored messages.
    `on_change` is called whenever a message may have become receivable.
    """

    def __init__(self, file: Path | None, clock: Clock, on_change: Callable[[], None]) -> None:
        self._store = Store(file, _SCHEMA)
        self._now = clock.now
        self._on_change = on_change
        self._queues: dict[str, Queue] = {}
        # The receivers of messages in flight ended with the server, which AWS never does: these receives do not count.
        with self._store.transaction():
            now = self._now()
            self._store.run(
                "UPDATE messages SET visible_at = ?, receive_count = receive_count - 1 WHERE visible_at > ?", now, now
            )

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def create(self, request: Json, host: str) -> Json:
        """Create a queue, or answer the existing one if its settings agree; `host` is what the caller knows us by."""
        queue = new_queue(_need(request, "QueueName"), request.get("Attributes") or {})
        if queue.redrive and queue.redrive[0] not in {each.arn for each in self._queues.values()}:
            policy = queue.attributes["RedrivePolicy"]
            raise invalid_value(policy, "RedrivePolicy", "Dead letter target does not exist.")
        if self._queues.setdefault(queue.name, queue) != queue:
            message = "A queue already exists with the same name and a different value for an attribute"
            raise AwsError("QueueNameExists", message, query_code="QueueAlreadyExists")
        return self.get_url(request, host)

    def set_attributes(self, request: Json) -> Json:
        """Change some of the attributes of a queue."""
        queue = self._queue(request)
        self._queues[queue.name] = new_queue(queue.name, {**queue.attributes, **_need(request, "Attributes")})
        return {}

    def delete_queue(self, request: Json) -> Json:
        """Delete a queue with its messages."""
        queue = self._queue(request)
        del self._queues[queue.name]
        with self._store.transaction():
            self._store.run("DELETE FROM messages WHERE queue = ?", queue.name)
            self._store.run("DELETE FROM sends WHERE queue = ?", queue.name)
        return {}

    def get_url(self, request: Json, host: str) -> Json:
        """Answer the URL of a queue by its name."""
        return {"QueueUrl": _url(host, self._find(_need(request, "QueueName")))}

    def list_urls(self, _: Json, host: str) -> Json:
        """List all queues."""
        return {"QueueUrls": [_url(host, queue) for queue in self._queues.values()]}

    def get_attributes(self, request: Json) -> Json:
        """Answer the attributes that were asked for: settings and counts."""
        queue, names = self._queue(request), request.get("AttributeNames") or []
        now = self._now()
        [row] = self._store.rows(
            "SELECT total(visible_at <= ?) AS visible, total(visible_at > ?) AS in_flight FROM messages "
            "WHERE queue = ? AND sent_at > ?",
            *(now, now, queue.name, now - queue.number("MessageRetentionPeriod")),
        )
        known = {
            **queue.attributes,
            "QueueArn": queue.arn,
            "ApproximateNumberOfMessages": str(int(row["visible"])),
            "ApproximateNumberOfMessagesNotVisible": str(int(row["in_flight"])),
            "ApproximateNumberOfMessagesDelayed": "0",
        }
        return {"Attributes": {name: value for name, value in known.items() if {"All", name} & {*names}}}

    def send(self, request: Json) -> Json:
        """Send a message, or answer with the one that it repeats, also when that was deleted long ago."""
        queue = self._queue(request)
        message = read_message(queue, request)
        scope, now = queue.scope(message.group), self._now()
        with self._store.transaction():
            self._store.run("DELETE FROM sends WHERE sent_at <= ?", now - DEDUPLICATION_SECONDS)
            sent = self._store.row(
                "SELECT message_id, sequence FROM sends WHERE queue = ? AND scope = ? AND deduplication_id = ?",
                *(queue.name, scope, message.deduplication_id),
            )
            message_id = sent["message_id"] if sent else str(uuid.uuid4())
            sequence = (
                sent["sequence"]
                if sent
                else self._store.insert(
                    "INSERT INTO messages (queue, message_id, body, attributes, system_attributes, group_id, "
                    "deduplication_id, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    *(queue.name, message_id, message.body, json.dumps(message.attributes)),
                    *(json.dumps(message.system_attributes), message.group, message.deduplication_id, now, now),
                )
            )
            if not sent:
                self._store.run(
                    "INSERT INTO sends VALUES (?, ?, ?, ?, ?, ?)",
                    *(queue.name, scope, message.deduplication_id, message_id, sequence, now),
                )
        self._on_change()
        return {
            "MD5OfMessageBody": md5(message.body),
            "MessageId": message_id,
            "SequenceNumber": sequence_number(sequence),
        }

    def receive(self, request: Json) -> list[Json]:
        """Put the next messages in flight; move those that were received too often to the dead letters on the way."""
        queue, now = self._queue(request), self._now()
        most = _number(request, "MaxNumberOfMessages", 1, 1, 10)
        timeout = _number(request, "VisibilityTimeout", queue.number("VisibilityTimeout"), 0, _LONGEST_VISIBILITY)
        with self._store.transaction():
            self._store.run(
                "DELETE FROM messages WHERE queue = ? AND sent_at <= ?",
                *(queue.name, now - queue.number("MessageRetentionPeriod")),
            )
            rows = self._store.rows(_RECEIVABLE, queue.name, now, now, most)
            while any(self._move_to_dead_letters(queue, row) for row in rows):
                rows = self._store.rows(_RECEIVABLE, queue.name, now, now, most)
            for row in rows:
                self._store.run(
                    "UPDATE messages SET receipt = ?, visible_at = ?, receive_count = receive_count + 1, "
                    "first_received_at = coalesce(first_received_at, ?) WHERE sequence = ?",
                    *(new_receipt(queue, row["sequence"], now), now + timeout, now, row["sequence"]),
                )
            received = [self._message(row["sequence"]) for row in rows]
        return [show(row, request) for row in received if row]

    def delete(self, request: Json) -> Json:
        """Delete a message in flight by its receipt handle; deleting it twice is no error.

        Source: https://repost.aws/knowledge-center/sqs-receipt-handle-error
        """
        row = self._in_flight(self._queue(request), request)
        if row:
            with self._store.transaction():
                self._store.run("DELETE FROM messages WHERE sequence = ?", row["sequence"])
            self._on_change()
        return {}

    def change_visibility(self, request: Json) -> Json:
        """Hide a message in flight for that many seconds from now; 0 gives it back at once.

        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
        """
        row = self._in_flight(self._queue(request), request)
        _need(request, "VisibilityTimeout")
        seconds = _number(request, "VisibilityTimeout", 0, 0, _LONGEST_VISIBILITY)
        if row is None:
            reason = "Message does not exist or is not available for visibility timeout change."
            raise invalid_value(request["ReceiptHandle"], "ReceiptHandle", reason)
        _, received_at = delivery_of(self._queue(request), request["ReceiptHandle"])
        if self._now() + seconds - received_at > _LONGEST_VISIBILITY:
            limit = f"Total VisibilityTimeout for the message is beyond the limit [{_LONGEST_VISIBILITY} seconds]"
            raise invalid_value(seconds, "VisibilityTimeout", limit)
        with self._store.transaction():
            visible_at = self._now() + seconds
            self._store.run("UPDATE messages SET visible_at = ? WHERE sequence = ?", visible_at, row["sequence"])
        self._on_change()
        return {}

    def end_waits(self, receives: int) -> None:
        """Give back at once what is in flight, as if it had been received so often already."""
        now = self._now()
        with self._store.transaction():
            self._store.run(
                "UPDATE messages SET visible_at = ?, receive_count = max(receive_count, ?) WHERE visible_at > ?",
                *(now, receives, now),
            )
        self._on_change()

    def change_visibility_batch(self, request: Json) -> Json:
        """Change the visibility of several messages; each succeeds or fails by itself."""
        successful: list[Json] = []
        failed: list[Json] = []
        for entry in _need(request, "Entries"):
            try:
                self.change_visibility({**entry, "QueueUrl": request.get("QueueUrl")})
                successful.append({"Id": entry["Id"]})
            except AwsError as error:
                known = {"SenderFault": True, "Code": error.query_code, "Message": error.message}
                failed.append({"Id": entry["Id"], **known})
        # Like AWS, leave out the half that is empty: code that indexes it blindly should fail here too.
        return {name: half for name, half in (("Successful", successful), ("Failed", failed)) if half}

    def seconds_to_next(self, request: Json) -> float:
        """Return in how many seconds the next message in flight comes back; infinity where there is none."""
        now = self._now()
        sooner = "SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?"
        [row] = self._store.rows(sooner, self._queue(request).name, now)
        return math.inf if row["at"] is None else float(row["at"]) - now

    def _move_to_dead_letters(self, queue: Queue, row: Row) -> bool:
        """Move a message that was received as often as allowed; tell whether it was.

        It keeps its id, group, deduplication id and receive count, and its time in the queue starts again.
        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
        """
        if queue.redrive is None or row["receive_count"] < queue.redrive[1]:
            return False
        target, now = queue.redrive[0].rpartition(":")[2], self._now()
        copied = "message_id, body, attributes, system_attributes, group_id, deduplication_id, receive_count"
        self._store.run(
            f"INSERT INTO messages (queue, source_arn, sent_at, visible_at, first_received_at, {copied}) "  # noqa: S608
            f"SELECT ?, ?, ?, ?, first_received_at, {copied} FROM messages WHERE sequence = ?",
            *(target, queue.arn, now, now, row["sequence"]),
        )
        self._store.run("DELETE FROM messages WHERE sequence = ?", row["sequence"])
        self._on_change()
        return True

    def _find(self, name: str) -> Queue:
        if name not in self._queues:
            raise queue_does_not_exist()
        return self._queues[name]

    def _queue(self, request: Json) -> Queue:
        """Find the queue that QueueUrl names, by its last part: the port may have changed since."""
        return self._find(str(_need(request, "QueueUrl")).rpartition("/")[2])

    def _message(self, sequence: int) -> Row | None:
        return self._store.row("SELECT * FROM messages WHERE sequence = ?", sequence)

    def _in_flight(self, queue: Queue, request: Json) -> Row | None:
        """Find the message of a receipt handle, None where it was deleted; raise where it is no longer in flight."""
        handle = str(_need(request, "ReceiptHandle"))
        row = self._message(delivery_of(queue, handle)[0])
        if row and (row["receipt"] != handle or row["visible_at"] <= self._now()):
            raise handle_expired(handle)
        return row


def _need(request: Json, name: str) -> Any:
    value = request.get(name)
    if value is None or value == "":
        raise missing_parameter(name)
    return value


def _number(request: Json, name: str, otherwise: int, low: int, high: int) -> int:
    value = request.get(name, otherwise)
    if not isinstance(value, int) or not low <= value <= high:
        raise invalid_value(value, name, f"Must be between {low} and {high}, if provided.")
    return value


def _url(host: str, queue: Queue) -> str:
    return f"http://{host}/{ACCOUNT}/{queue.name}"
