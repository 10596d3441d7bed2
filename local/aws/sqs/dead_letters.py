"""Messages that were received too often: how they get to the dead-letter queue, and back."""

import uuid

from local.aws.protocol import Json
from local.aws.sqs.errors import invalid_parameter, resource_not_found
from local.aws.sqs.queue import Call, Queue, arn_of, name_in_arn, queue_in
from local.aws.store import Row, Store

_COPIED = "body, attributes, system_attributes, lane, group_id, deduplication_id"
_NO_SOURCE = "CouldNotDetermineMessageSource"


def bury(store: Store, queue: Queue, row: Row) -> bool:
    """Move a message to the dead-letter queue if it was received there as often as allowed; tell if it was.

    It keeps its id, group, deduplication id and receive count; only a FIFO message's send time starts anew.
    Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
    """
    rule = queue.redrive
    if rule is None or row["receive_count"] - row["received_elsewhere"] < rule.most:
        return False
    if store.row("SELECT 1 FROM queues WHERE name = ?", rule.target) is None:
        return False
    now = store.now()
    store.run(
        f"INSERT INTO messages (queue, message_id, {_COPIED}, source_arn, sent_at, visible_at, "  # noqa: S608
        f"first_received_at, receive_count, received_elsewhere) SELECT ?, message_id, {_COPIED}, ?, ?, ?, "
        "first_received_at, receive_count, receive_count FROM messages WHERE sequence = ?",
        *(rule.target, queue.arn, now if queue.fifo else row["sent_at"], now, row["sequence"]),
    )
    store.run("DELETE FROM messages WHERE sequence = ?", row["sequence"])
    store.announce()
    return True


def start_message_move_task(call: Call) -> Json:
    """Move every visible message of a dead-letter queue to one queue, or back to where each came from.

    Done at once, whatever the rate asked for. A moved message is a new one: fresh id, no receives.
    Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
    """
    store = call.store
    source = _queue_of_arn(store, str(call.need("SourceArn")), "SourceArn")
    wanted = call.body.get("DestinationArn")
    destination = _queue_of_arn(store, str(wanted), "DestinationArn") if wanted else None
    rate = call.number("MaxNumberOfMessagesPerSecond", 0, 1, 500)
    if not _is_dead_letter_queue(store, source):
        raise invalid_parameter("Source queue must be configured as a Dead Letter Queue.")
    if destination and destination.fifo != source.fifo:
        raise invalid_parameter("Source queue and destination queue must be of the same type.")
    handle = str(uuid.uuid4())
    with store.transaction():
        moved, left = _move(store, source, destination)
        store.run(
            "INSERT INTO move_tasks (handle, source, destination, status, moved, to_move, started, rate, failure) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(handle, source.arn, destination.arn if destination else None, "FAILED" if left else "COMPLETED"),
            *(moved, moved + left, store.now(), rate or None, _NO_SOURCE if left else None),
        )
    store.announce()
    return {"TaskHandle": handle}


def list_message_move_tasks(call: Call) -> Json:
    """List the latest moves out of a queue, newest first."""
    source = _queue_of_arn(call.store, str(call.need("SourceArn")), "SourceArn")
    rows = call.store.rows(
        "SELECT * FROM move_tasks WHERE source = ? ORDER BY number DESC LIMIT ?",
        source.arn,
        call.number("MaxResults", 1, 1, 10),
    )
    return {"Results": [_task(row) for row in rows]}


def cancel_message_move_task(call: Call) -> Json:
    """Refuse to cancel: no move is ever under way when someone asks."""
    call.need("TaskHandle")
    raise resource_not_found("Task does not exist.")


def _move(store: Store, source: Queue, destination: Queue | None) -> tuple[int, int]:
    """Return how many messages were moved, and how many had no queue to go back to."""
    now, moved, left = store.now(), 0, 0
    visible = "SELECT * FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY sequence"
    for row in store.rows(visible, source.name, now):
        target = destination.name if destination else name_in_arn(row["source_arn"] or "")
        if store.row("SELECT 1 FROM queues WHERE name = ?", target) is None:
            left += 1
            continue
        store.run(
            f"INSERT INTO messages (queue, message_id, {_COPIED}, sent_at, visible_at) "  # noqa: S608
            f"SELECT ?, ?, {_COPIED}, ?, ? FROM messages WHERE sequence = ?",
            *(target, str(uuid.uuid4()), now, now, row["sequence"]),
        )
        store.run("DELETE FROM messages WHERE sequence = ?", row["sequence"])
        moved += 1
    return moved, left


def _is_dead_letter_queue(store: Store, queue: Queue) -> bool:
    queues = [queue_in(row) for row in store.rows("SELECT * FROM queues")]
    return any(one.redrive and one.redrive.target == queue.name for one in queues)


def _queue_of_arn(store: Store, arn: str, parameter: str) -> Queue:
    row = store.row("SELECT * FROM queues WHERE name = ?", name_in_arn(arn))
    if row is None or arn != arn_of(row["name"]):
        raise resource_not_found(f"The resource that you specified for the {parameter} parameter doesn't exist.")
    return queue_in(row)


def _task(row: Row) -> Json:
    known = {
        "Status": row["status"],
        "SourceArn": row["source"],
        "DestinationArn": row["destination"],
        "MaxNumberOfMessagesPerSecond": row["rate"],
        "ApproximateNumberOfMessagesMoved": row["moved"],
        "ApproximateNumberOfMessagesToMove": row["to_move"],
        "FailureReason": row["failure"],
        "StartedTimestamp": int(row["started"] * 1000),
    }
    return {name: value for name, value in known.items() if value is not None}
