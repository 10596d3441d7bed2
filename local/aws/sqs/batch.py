"""Requests that hold up to ten entries, each of which succeeds or fails by itself."""

import re
from collections.abc import Callable

from local.aws.protocol import AwsError, Json
from local.aws.sqs.errors import namespaced
from local.aws.sqs.queue import Call

_ENTRY_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
_MOST_ENTRIES = 10


def each_entry(call: Call, act: Callable[[Json], Json]) -> Json:
    """Run `act` on each entry and sort the outcomes; raise only what is wrong with the batch as a whole."""
    entries = call.body.get("Entries") or []
    _check(entries)
    successful: list[Json] = []
    failed: list[Json] = []
    for entry in entries:
        try:
            successful.append({"Id": entry["Id"], **act(entry)})
        except AwsError as error:
            failed.append({"Id": entry["Id"], "SenderFault": True, "Code": error.query_code, "Message": error.message})
    # Like AWS, leave out the half that is empty: code that indexes it blindly should fail here too.
    return {name: half for name, half in (("Successful", successful), ("Failed", failed)) if half}


def _check(entries: list[Json]) -> None:
    if not entries:
        raise namespaced("EmptyBatchRequest", "There should be at least one entry in the request.")
    if len(entries) > _MOST_ENTRIES:
        message = f"Maximum number of entries per request are 10. You have sent {len(entries)}."
        raise namespaced("TooManyEntriesInBatchRequest", message)
    ids = [str(entry.get("Id", "")) for entry in entries]
    for one in ids:
        if not _ENTRY_ID.fullmatch(one):
            message = (
                "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
                "It can be at most 80 letters long."
            )
            raise namespaced("InvalidBatchEntryId", message)
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise namespaced("BatchEntryIdsNotDistinct", f"Id {twice} repeated.")
