"""SQS as boto3 meets it: the AWS JSON 1.0 protocol in front of the queues."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from local.aws.clock import Clock
from local.aws.protocol import Answer, AwsError, Json, Request, json_answer, json_error
from local.aws.sqs import dead_letters, receipts, receiving, registry, sending, tags
from local.aws.sqs.queue import Call
from local.aws.sqs.schema import SCHEMA
from local.aws.store import Store

OPERATIONS: Mapping[str, Callable[[Call], Json]] = MappingProxyType(
    {
        "CancelMessageMoveTask": dead_letters.cancel_message_move_task,
        "ChangeMessageVisibility": receipts.change_message_visibility,
        "ChangeMessageVisibilityBatch": receipts.change_message_visibility_batch,
        "CreateQueue": registry.create_queue,
        "DeleteMessage": receipts.delete_message,
        "DeleteMessageBatch": receipts.delete_message_batch,
        "DeleteQueue": registry.delete_queue,
        "GetQueueAttributes": registry.get_queue_attributes,
        "GetQueueUrl": registry.get_queue_url,
        "ListDeadLetterSourceQueues": registry.list_dead_letter_source_queues,
        "ListMessageMoveTasks": dead_letters.list_message_move_tasks,
        "ListQueueTags": tags.list_queue_tags,
        "ListQueues": registry.list_queues,
        "PurgeQueue": registry.purge_queue,
        "ReceiveMessage": receiving.receive_message,
        "SendMessage": sending.send_message,
        "SendMessageBatch": sending.send_message_batch,
        "SetQueueAttributes": registry.set_queue_attributes,
        "StartMessageMoveTask": dead_letters.start_message_move_task,
        "TagQueue": tags.tag_queue,
        "UntagQueue": tags.untag_queue,
    }
)


class Sqs:
    """Every queue of one account, kept in a file or in memory."""

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._store = Store(file, SCHEMA, clock)
        # Whoever had received what is in flight has died with the server, which AWS's never does: that was no try.
        with self._store.transaction():
            now = self._store.now()
            self._store.run(
                "UPDATE messages SET visible_at = ?, receive_count = receive_count - 1 "
                "WHERE receipt NOT NULL AND visible_at > ?",
                *(now, now),
            )

    def answer(self, request: Request) -> Answer:
        """Answer one request, an error in the words of SQS if need be."""
        operation = request.headers.get("x-amz-target", "").removeprefix("AmazonSQS.")
        act = OPERATIONS.get(operation)
        if act is None:
            message = f"SQS has no operation {operation} here."
            return json_error(AwsError("UnknownOperationException", message, 404))
        try:
            body = act(Call(self._store, request.json(), request.headers.get("host", ""), request.connected))
        except AwsError as error:
            return json_error(error)
        return json_answer(body, "application/x-amz-json-1.0")

    def close(self) -> None:
        """Answer the receivers that still wait, with nothing, and stop."""
        self._store.close()
