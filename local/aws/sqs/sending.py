"""Messages go in: once for each deduplication id within five minutes."""

import json
import uuid

from local.aws.protocol import Json
from local.aws.sqs.batch import each_entry
from local.aws.sqs.digests import md5_of_attributes, md5_of_text
from local.aws.sqs.errors import namespaced
from local.aws.sqs.message import Message, read_message
from local.aws.sqs.queue import Call, Queue
from local.aws.store import Store

DEDUPLICATION_INTERVAL = 300  # seconds, counted from the send, whatever becomes of the message
LARGEST_BATCH = 1048576  # bytes, over all its messages
_FIRST_SEQUENCE = 10**19  # AWS's numbers have 20 digits


def send_message(call: Call) -> Json:
    """Send one message."""
    queue = call.queue()
    return _send(call.store, queue, read_message(queue, call.body))


def send_message_batch(call: Call) -> Json:
    """Send up to ten messages; each succeeds or fails by itself."""
    queue = call.queue()
    if sum(len(str(entry.get("MessageBody", "")).encode()) for entry in call.body.get("Entries") or []) > (
        LARGEST_BATCH
    ):
        raise namespaced("BatchRequestTooLong", f"Batch requests cannot be longer than {LARGEST_BATCH} bytes.")
    return each_entry(call, lambda entry: _send(call.store, queue, read_message(queue, entry)))


def sequence_number(sequence: int) -> str:
    """Show a row's number as SQS shows sequence numbers: 20 digits that grow."""
    return str(_FIRST_SEQUENCE + sequence)


def _send(store: Store, queue: Queue, message: Message) -> Json:
    with store.transaction():
        message_id, sequence = _sent_before(store, queue, message) or _enqueue(store, queue, message)
    store.announce()
    answer: Json = {"MD5OfMessageBody": md5_of_text(message.body), "MessageId": message_id}
    if message.attributes:
        answer["MD5OfMessageAttributes"] = md5_of_attributes(message.attributes)
    if message.system_attributes:
        answer["MD5OfMessageSystemAttributes"] = md5_of_attributes(message.system_attributes)
    if queue.fifo:
        answer["SequenceNumber"] = sequence_number(sequence)
    return answer


def _sent_before(store: Store, queue: Queue, message: Message) -> tuple[str, int] | None:
    """Find the message that this one repeats, also when it was received and deleted long ago."""
    if not queue.fifo:
        return None
    store.run("DELETE FROM sends WHERE sent_at <= ?", store.now() - DEDUPLICATION_INTERVAL)
    row = store.row(
        "SELECT message_id, sequence FROM sends WHERE queue = ? AND scope = ? AND deduplication_id = ?",
        queue.name,
        queue.scope(message.group or ""),
        message.deduplication_id,
    )
    return (row["message_id"], row["sequence"]) if row else None


def _enqueue(store: Store, queue: Queue, message: Message) -> tuple[str, int]:
    message_id, now = str(uuid.uuid4()), store.now()
    sequence = store.insert(
        "INSERT INTO messages (queue, message_id, body, attributes, system_attributes, lane, group_id, "
        "deduplication_id, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(queue.name, message_id, message.body),
        *(json.dumps(message.attributes), json.dumps(message.system_attributes)),
        *(message.group if queue.fifo else None, message.group, message.deduplication_id),
        *(now, now + message.delay),
    )
    if queue.fifo:
        scope = queue.scope(message.group or "")
        store.run(
            "INSERT INTO sends VALUES (?, ?, ?, ?, ?, ?)",
            *(queue.name, scope, message.deduplication_id, message_id, sequence, now),
        )
    return message_id, sequence
