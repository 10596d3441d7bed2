"""The log of webhook deliveries, as the App itself may read it, and redeliveries."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice

from local.github.answers import ApiResponse, api_error, not_found
from local.github.call import Call
from local.github.hosted_repository import timestamp
from local.github.views import Json
from local.github.webhooks import Delivery

KEPT_SECONDS = 3 * 86_400
"""The time for which a delivery is listed and may be redelivered.

Source: https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
"""

_PER_PAGE = 30


def list_deliveries(call: Call) -> ApiResponse:
    """The deliveries, newest first, in pages that begin at a cursor.

    Source: https://docs.github.com/rest/apps/webhooks#list-deliveries-for-an-app-webhook
    """
    size, cursor = int(call.query.get("per_page", _PER_PAGE)), call.query.get("cursor")
    if cursor is not None and not cursor.isdecimal():
        raise api_error(400, "Invalid cursor")
    listed = _listed(call, before=None if cursor is None else int(cursor))
    part = list(islice(listed, size))
    # A cursor is opaque to clients; here it is the id of the delivery before which a page begins.
    url = call.url.include_query_params(cursor=part[-1].id) if next(listed, None) else None
    links = {"Link": f'<{url}>; rel="next"'} if url else {}
    return ApiResponse(body=[_view(each) for each in part], headers=links)


def redeliver(call: Call) -> ApiResponse:
    """Send a delivery once more.

    Source: https://docs.github.com/rest/apps/webhooks#redeliver-a-delivery-for-an-app-webhook
    """
    number = call.number("delivery_id")
    found = next((each for each in _listed(call) if each.id == number), None)
    if found is None:
        raise not_found()
    call.webhooks.redeliver(found)
    return ApiResponse(202, {})


def _listed(call: Call, before: int | None = None) -> Iterator[Delivery]:
    """Yield the answered deliveries of the retention period, newest first; pending ones are not listed yet."""
    oldest = call.repository.now() - KEPT_SECONDS
    for each in reversed(call.webhooks.deliveries.kept):
        if each.at < oldest:
            return
        if each.status is not None and (before is None or each.id < before):
            yield each


def _view(delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": timestamp(delivery.at),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.duration, 2),
        "status": _status(delivery.status or 0),
        "status_code": delivery.status,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.subject.installation,
        "repository_id": delivery.subject.repository,
        "throttled_at": None,
    }


def _status(code: int) -> str:
    if code == 0:
        return "failed to connect to host"
    if code < HTTPStatus.BAD_REQUEST:
        return "OK"
    return f"Invalid HTTP Response: {code}"
