"""What a receiver may do with a message it holds: delete it, or change for how long it stays hidden."""

import base64
import json
from typing import Any

from local.aws.protocol import AwsError, Json
from local.aws.sqs.batch import each_entry
from local.aws.sqs.errors import handle_expired, invalid_value, missing_parameter, namespaced
from local.aws.sqs.queue import Call, Queue
from local.aws.store import Row, Store

_MOST_HIDDEN = 43200  # seconds: twelve hours


def delete_message(call: Call) -> Json:
    """Delete a message by its receipt handle; deleting it twice is no error.

    A FIFO queue refuses a handle whose visibility timeout has passed; a standard queue ignores an old one.
    Source: https://repost.aws/knowledge-center/sqs-receipt-handle-error
    """
    queue = call.queue()
    return _delete(call.store, queue, call.body)


def delete_message_batch(call: Call) -> Json:
    """Delete up to ten messages."""
    queue = call.queue()
    return each_entry(call, lambda entry: _delete(call.store, queue, entry))


def change_message_visibility(call: Call) -> Json:
    """Hide a message in flight for that many seconds from now; 0 gives it back at once."""
    queue = call.queue()
    return _hide(call.store, queue, call.body)


def change_message_visibility_batch(call: Call) -> Json:
    """Change the visibility of up to ten messages."""
    queue = call.queue()
    return each_entry(call, lambda entry: _hide(call.store, queue, entry))


def _delete(store: Store, queue: Queue, entry: Json) -> Json:
    sequence, handle = _sequence(queue, entry.get("ReceiptHandle"))
    with store.transaction():
        row = _message(store, queue, sequence)
        if row is None:
            return {}
        if queue.fifo and not _in_flight(store, row, handle):
            raise handle_expired(handle)
        if row["receipt"] == handle:
            store.run("DELETE FROM messages WHERE sequence = ?", sequence)
    store.announce()
    return {}


def _hide(store: Store, queue: Queue, entry: Json) -> Json:
    sequence, handle = _sequence(queue, entry.get("ReceiptHandle"))
    seconds = entry.get("VisibilityTimeout")
    if seconds is None:
        raise missing_parameter("VisibilityTimeout")
    if not isinstance(seconds, int) or not 0 <= seconds <= _MOST_HIDDEN:
        reason = f"Must be between 0 and {_MOST_HIDDEN}, if provided."
        raise invalid_value(seconds, "VisibilityTimeout", reason)
    with store.transaction():
        row = _message(store, queue, sequence)
        if row is None:
            reason = "Message does not exist or is not available for visibility timeout change."
            raise invalid_value(handle, "ReceiptHandle", reason)
        if not _in_flight(store, row, handle):
            if queue.fifo:
                raise handle_expired(handle)
            raise namespaced("MessageNotInflight", "The specified message isn't in flight.")
        store.run("UPDATE messages SET visible_at = ? WHERE sequence = ?", store.now() + seconds, sequence)
        _forget_attempt(store, handle)
    store.announce()
    return {}


def _message(store: Store, queue: Queue, sequence: int) -> Row | None:
    return store.row("SELECT * FROM messages WHERE sequence = ? AND queue = ?", sequence, queue.name)


def _in_flight(store: Store, row: Row, handle: str) -> bool:
    return bool(row["receipt"] == handle and row["visible_at"] > store.now())


def _forget_attempt(store: Store, handle: str) -> None:
    """A receive of which one message was touched cannot be asked for again."""
    store.run(
        "DELETE FROM attempts WHERE (queue, attempt) IN (SELECT queue, attempt FROM attempts WHERE receipt = ?)",
        handle,
    )


def _sequence(queue: Queue, handle: Any) -> tuple[int, str]:
    """Read the message's number out of a receipt handle of this queue."""
    if not handle:
        raise missing_parameter("ReceiptHandle")
    try:
        name, sequence, _ = json.loads(base64.urlsafe_b64decode(str(handle)))
        number = int(sequence)
    except (ValueError, TypeError) as error:
        message = f'The input receipt handle "{handle}" is not a valid receipt handle.'
        raise AwsError("ReceiptHandleIsInvalid", message) from error
    if name != queue.name:
        message = f'The receipt handle "{handle}" is not valid for this queue.'
        raise AwsError("ReceiptHandleIsInvalid", message)
    return number, str(handle)
