"""The App's delivery log: what was delivered, and delivering it again."""

from local.github.answers import Answer, not_found
from local.github.call import Call
from local.github.views import Json, view_repository
from local.github.webhooks import Delivery, Postman
from local.github.world import timestamp

_PAGE = 30


class HookLog:
    """The two handlers over the postman's deliveries."""

    def __init__(self, postman: Postman) -> None:
        self._postman = postman

    def list_deliveries(self, call: Call) -> Answer:
        """Deliveries that were answered or failed, newest first, after the `cursor`'s."""
        size, cursor = int(call.query.get("per_page", _PAGE)), call.query.get("cursor")
        done = [delivery for delivery in reversed(self._postman.deliveries) if delivery.status is not None]
        if cursor:
            done = [delivery for delivery in done if delivery.id < int(cursor.removeprefix("v1_"))]
        part = done[:size]
        more = f'<{call.world.url}{call.path}?per_page={size}&cursor=v1_{part[-1].id}>; rel="next"' if part else ""
        headers = {"Link": more} if len(done) > size else {}
        return Answer(body=[_view(call, delivery) for delivery in part], headers=headers)

    def attempt(self, call: Call) -> Answer:
        """Deliver one again, with its GUID."""
        number = call.number("delivery_id")
        found = next((delivery for delivery in self._postman.deliveries if delivery.id == number), None)
        if found is None:
            raise not_found()
        self._postman.post_again(found)
        return Answer(202, {})


def _view(call: Call, delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": timestamp(delivery.at),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.duration, 2),
        "status": "OK" if 200 <= (delivery.status or 0) < 300 else f"{delivery.error or delivery.status}",  # noqa: PLR2004
        "status_code": delivery.status,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": call.world.app.installation,
        "repository_id": view_repository(call.world)["id"],
        "throttled_at": None,
    }
