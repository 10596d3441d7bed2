"""Tags on queues, which deployment tools read back."""

import json
from collections.abc import Callable

from local.aws.protocol import Json
from local.aws.sqs.queue import Call


def list_queue_tags(call: Call) -> Json:
    """Answer a queue's tags."""
    tags = _tags(call, call.queue().name)
    return {"Tags": tags} if tags else {}


def tag_queue(call: Call) -> Json:
    """Add tags to a queue, or give them new values."""
    return _change(call, lambda tags: {**tags, **call.need("Tags")})


def untag_queue(call: Call) -> Json:
    """Take tags off a queue."""
    gone = set(call.need("TagKeys"))
    return _change(call, lambda tags: {key: value for key, value in tags.items() if key not in gone})


def _tags(call: Call, name: str) -> dict[str, str]:
    row = call.store.row("SELECT tags FROM queues WHERE name = ?", name)
    tags: dict[str, str] = json.loads(row["tags"]) if row else {}
    return tags


def _change(call: Call, change: Callable[[dict[str, str]], dict[str, str]]) -> Json:
    name = call.queue().name
    with call.store.transaction():
        tags = json.dumps(change(_tags(call, name)))
        call.store.run("UPDATE queues SET tags = ? WHERE name = ?", tags, name)
    return {}
