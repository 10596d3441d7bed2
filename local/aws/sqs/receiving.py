"""Messages come out: in order within a group, one receipt handle for each delivery."""

import base64
import json
import time
import uuid
from dataclasses import dataclass

from local.aws.protocol import Json
from local.aws.sqs.dead_letters import bury
from local.aws.sqs.delivery import show
from local.aws.sqs.errors import invalid_value
from local.aws.sqs.queue import Call, Queue
from local.aws.sqs.sending import DEDUPLICATION_INTERVAL
from local.aws.store import Row, Store

# A message of a lane is held back while another of that lane is in flight, or an earlier one is delayed.
_RECEIVABLE = """
SELECT * FROM messages AS m WHERE queue = ? AND visible_at <= ? AND NOT EXISTS (
    SELECT 1 FROM messages AS other WHERE other.queue = m.queue AND other.lane = m.lane
    AND other.visible_at > ? AND (other.receipt IS NOT NULL OR other.sequence < m.sequence)
) ORDER BY sequence LIMIT ?
"""


@dataclass(frozen=True)
class Receive:
    """What a receiver asked for; times in seconds."""

    most: int
    hidden_for: int
    wait: int
    attempt: str | None


def receive_message(call: Call) -> Json:
    """Receive up to ten messages, waiting up to WaitTimeSeconds for the first one.

    Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
    """
    queue, store = call.queue(), call.store
    wanted = _read(call, queue)
    deadline = time.monotonic() + wanted.wait
    with store.turn:
        while True:
            with store.transaction():
                found = _replay(store, queue, wanted) or _take(store, queue, wanted)
            left = deadline - time.monotonic()
            if found or left <= 0:
                break
            store.turn.wait(min(left, _next_change(store, queue)))
            # A caller that hung up would keep the message in flight until its timeout.
            if store.closed or not call.connected():
                break
    return {"Messages": [show(row, call.body, queue.fifo) for row in found]} if found else {}


def _read(call: Call, queue: Queue) -> Receive:
    attempt = call.body.get("ReceiveRequestAttemptId")
    if attempt and not queue.fifo:
        reason = "The request include parameter that is not valid for this queue type."
        raise invalid_value(attempt, "ReceiveRequestAttemptId", reason)
    return Receive(
        most=call.number("MaxNumberOfMessages", 1, 1, 10),
        hidden_for=call.number("VisibilityTimeout", queue.seconds("VisibilityTimeout"), 0, 43200),
        wait=call.number("WaitTimeSeconds", queue.seconds("ReceiveMessageWaitTimeSeconds"), 0, 20),
        attempt=str(attempt) if attempt else None,
    )


def _take(store: Store, queue: Queue, wanted: Receive) -> list[Row]:
    """Put the next messages in flight; bury those that were received too often on the way."""
    now = store.now()
    store.run(
        "DELETE FROM messages WHERE queue = ? AND sent_at <= ?",
        *(queue.name, now - queue.seconds("MessageRetentionPeriod")),
    )
    while True:
        rows = store.rows(_RECEIVABLE, queue.name, now, now, wanted.most)
        buried = [bury(store, queue, row) for row in rows]
        if not any(buried):
            break
    return [_deliver(store, queue, row, wanted) for row in rows]


def _deliver(store: Store, queue: Queue, row: Row, wanted: Receive) -> Row:
    now, sequence = store.now(), row["sequence"]
    receipt = _receipt(queue.name, sequence)
    store.run(
        "UPDATE messages SET receipt = ?, visible_at = ?, receive_count = receive_count + 1, "
        "first_received_at = coalesce(first_received_at, ?) WHERE sequence = ?",
        *(receipt, now + wanted.hidden_for, now, sequence),
    )
    if wanted.attempt:
        store.run(
            "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?)",
            *(queue.name, wanted.attempt, sequence, receipt, now),
        )
    return store.rows("SELECT * FROM messages WHERE sequence = ?", sequence)[0]


def _replay(store: Store, queue: Queue, wanted: Receive) -> list[Row]:
    """Give the same messages and handles to a receiver that asks again under the same attempt id.

    Only while all of them are in flight and untouched; their visibility timeout starts anew.
    """
    if not wanted.attempt:
        return []
    now = store.now()
    store.run("DELETE FROM attempts WHERE made_at <= ?", now - DEDUPLICATION_INTERVAL)
    made = store.rows("SELECT * FROM attempts WHERE queue = ? AND attempt = ?", queue.name, wanted.attempt)
    rows = store.rows(
        "SELECT m.* FROM messages AS m JOIN attempts AS a ON a.receipt = m.receipt "
        "WHERE a.queue = ? AND a.attempt = ? AND m.visible_at > ? ORDER BY m.sequence",
        *(queue.name, wanted.attempt, now),
    )
    if len(rows) < len(made):
        store.run("DELETE FROM attempts WHERE queue = ? AND attempt = ?", queue.name, wanted.attempt)
        return []
    for row in rows:
        hidden_until = now + wanted.hidden_for
        store.run("UPDATE messages SET visible_at = ? WHERE sequence = ?", hidden_until, row["sequence"])
    return rows


def _next_change(store: Store, queue: Queue) -> float:
    """Return in how many seconds the next hidden message comes back; a day if none is hidden."""
    now = store.now()
    row = store.row("SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?", queue.name, now)
    return float(row["at"]) - now if row and row["at"] is not None else 86400.0


def _receipt(queue: str, sequence: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([queue, sequence, uuid.uuid4().hex]).encode()).decode()
