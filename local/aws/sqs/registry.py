"""Queues come, change and go: everything about a queue except its messages."""

import json

from local.aws.protocol import Json
from local.aws.sqs.attributes import (
    COMPUTED,
    SETTABLE,
    check_attributes,
    check_name,
    check_together,
    with_defaults,
)
from local.aws.sqs.errors import (
    invalid_attribute_value,
    invalid_value,
    namespaced,
    queue_name_exists,
    unknown_attribute,
)
from local.aws.sqs.queue import Call, Queue, arn_of, find_queue, name_in_arn, queue_in
from local.aws.store import Store

_PURGE_PAUSE = 60  # seconds between two purges
_MOST_RECEIVES = 1000


def create_queue(call: Call) -> Json:
    """Create a queue, or answer the existing one if its settings agree."""
    name, attributes = str(call.need("QueueName")), dict(call.body.get("Attributes") or {})
    check_attributes(attributes, fifo=attributes.get("FifoQueue") == "true")
    check_name(name, attributes)
    queue = Queue(name, with_defaults(attributes))
    with call.store.transaction():
        _check_settings(call.store, queue)
        row = call.store.row("SELECT * FROM queues WHERE name = ?", name)
        if row is None:
            _save(call.store, queue, json.dumps(call.body.get("tags") or {}))
        else:
            _refuse_difference(queue_in(row), attributes)
    return {"QueueUrl": call.url(name)}


def get_queue_url(call: Call) -> Json:
    """Answer the URL of a queue by its name."""
    return {"QueueUrl": call.url(find_queue(call.store, str(call.need("QueueName"))).name)}


def list_queues(call: Call) -> Json:
    """List the queues whose names start with a prefix, a page of MaxResults at a time."""
    prefix, after = str(call.body.get("QueueNamePrefix") or ""), str(call.body.get("NextToken") or "")
    size = call.number("MaxResults", 1000, 1, 1000)
    names = [row["name"] for row in call.store.rows("SELECT name FROM queues ORDER BY name")]
    names = [name for name in names if name.startswith(prefix) and name > after]
    answer: Json = {"QueueUrls": [call.url(name) for name in names[:size]]} if names else {}
    if len(names) > size:
        answer["NextToken"] = names[size - 1]
    return answer


def list_dead_letter_source_queues(call: Call) -> Json:
    """List the queues whose dead letters go to this one."""
    target = call.queue().name
    queues = [queue_in(row) for row in call.store.rows("SELECT * FROM queues ORDER BY name")]
    return {"queueUrls": [call.url(one.name) for one in queues if one.redrive and one.redrive.target == target]}


def get_queue_attributes(call: Call) -> Json:
    """Answer the attributes that were asked for: settings, counts, times."""
    queue = call.queue()
    asked = call.body.get("AttributeNames") or []
    for name in asked:
        if name != "All" and name not in SETTABLE | COMPUTED:
            raise unknown_attribute(name)
    known = {**queue.attributes, **_computed(call.store, queue)}
    chosen = {name: value for name, value in known.items() if value and ("All" in asked or name in asked)}
    return {"Attributes": chosen} if chosen else {}


def set_queue_attributes(call: Call) -> Json:
    """Change some settings; an empty document takes a policy away."""
    queue, changes = call.queue(), dict(call.need("Attributes"))
    check_attributes(changes, fifo=queue.fifo)
    if changes.get("FifoQueue", "true") != str(queue.fifo).lower() and "FifoQueue" in changes:
        raise unknown_attribute("FifoQueue")
    changed = Queue(queue.name, {**queue.attributes, **changes})
    with call.store.transaction():
        _check_settings(call.store, changed)
        call.store.run(
            "UPDATE queues SET attributes = ?, modified = ? WHERE name = ?",
            json.dumps(changed.attributes),
            call.store.now(),
            queue.name,
        )
    return {}


def delete_queue(call: Call) -> Json:
    """Delete a queue with its messages; unlike AWS, its name can be used again at once."""
    name = call.queue().name
    with call.store.transaction():
        call.store.run("DELETE FROM queues WHERE name = ?", name)
        for table in ("messages", "sends", "attempts"):
            call.store.run(f"DELETE FROM {table} WHERE queue = ?", name)  # noqa: S608 - names of our own
    return {}


def purge_queue(call: Call) -> Json:
    """Delete every message, also those in flight; at most once a minute."""
    name, now = call.queue().name, call.store.now()
    with call.store.transaction():
        fresh = "UPDATE queues SET purged = ? WHERE name = ? AND purged <= ?"
        if not call.store.run(fresh, now, name, now - _PURGE_PAUSE):
            raise namespaced(
                "PurgeQueueInProgress", f"Only one PurgeQueue operation on {name} is allowed every 60 seconds."
            )
        call.store.run("DELETE FROM messages WHERE queue = ?", name)
    return {}


def _save(store: Store, queue: Queue, tags: str) -> None:
    now = store.now()
    store.run(
        "INSERT INTO queues (name, attributes, tags, created, modified) VALUES (?, ?, ?, ?, ?)",
        queue.name,
        json.dumps(queue.attributes),
        tags,
        now,
        now,
    )


def _refuse_difference(existing: Queue, wanted: dict[str, str]) -> None:
    for name, value in wanted.items():
        if existing.attributes.get(name) != value:
            raise queue_name_exists(name)


def _check_settings(store: Store, queue: Queue) -> None:
    """Refuse settings that contradict each other or name a dead-letter queue that cannot be one."""
    check_together(queue.attributes)
    text = queue.attributes.get("RedrivePolicy")
    if not text:
        return
    policy = json.loads(text)
    most, target = str(policy.get("maxReceiveCount", "")), str(policy.get("deadLetterTargetArn", ""))
    if not (most.isascii() and most.isdigit() and 1 <= int(most) <= _MOST_RECEIVES):
        raise invalid_value(text, "RedrivePolicy", "Invalid value for maxReceiveCount: 1 to 1000.")
    row = store.row("SELECT * FROM queues WHERE name = ?", name_in_arn(target))
    if row is None or target != arn_of(row["name"]):
        raise invalid_value(text, "RedrivePolicy", "Dead letter target does not exist.")
    if queue_in(row).fifo != queue.fifo:
        raise invalid_attribute_value("RedrivePolicy")


def _computed(store: Store, queue: Queue) -> dict[str, str]:
    now = store.now()
    count = store.row(
        "SELECT sum(visible_at <= ?) AS visible, sum(visible_at > ? AND receipt IS NOT NULL) AS in_flight, "
        "sum(visible_at > ? AND receipt IS NULL) AS delayed FROM messages WHERE queue = ? AND sent_at > ?",
        *(now, now, now, queue.name, now - queue.seconds("MessageRetentionPeriod")),
    )
    row = store.row("SELECT created, modified FROM queues WHERE name = ?", queue.name)
    return {
        "QueueArn": queue.arn,
        "ApproximateNumberOfMessages": str(count["visible"] or 0 if count else 0),
        "ApproximateNumberOfMessagesNotVisible": str(count["in_flight"] or 0 if count else 0),
        "ApproximateNumberOfMessagesDelayed": str(count["delayed"] or 0 if count else 0),
        "CreatedTimestamp": str(int(row["created"]) if row else 0),
        "LastModifiedTimestamp": str(int(row["modified"]) if row else 0),
    }
