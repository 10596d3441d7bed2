"""Knocking at the door as API Gateway does, with an AWS of the test's choice behind it."""

import base64
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from kodiai.core.events.signature import sign
from tests.builders import HEAD

FILE = Path(__file__).parents[3] / "functions" / "ingest" / "ingest.py"
SECRET = "the current secret"
PREVIOUS_SECRET = "the one before"
PARAMETERS = {
    "webhook/secret": SECRET,
    "webhook/secret-previous": PREVIOUS_SECRET,
}
INVOCATION = "8f507cfc-xmpl-4697-b07a-ac58fc914c95"
DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
OPENED: dict[str, Any] = {
    "action": "opened",
    "sender": {"login": "octocat", "type": "User"},
    "repository": {"id": 11, "full_name": "octo/hello", "owner": {"id": 1}},
    "pull_request": {
        "number": 7,
        "user": {"login": "octocat", "type": "User"},
        "title": "Grüße 😀",
        "head": {"sha": HEAD},
    },
    "installation": {"id": 123},
}


@dataclass(frozen=True)
class Heard:
    """The answer of the door."""

    status: int
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Door:
    """A door of its own: what it remembers is not another test's."""

    module: ModuleType

    def knock(self, event: Mapping[str, Any]) -> Heard:
        response = self.module.handler(event, SimpleNamespace(aws_request_id=INVOCATION))
        return Heard(response["statusCode"], response["headers"], json.loads(response["body"]))

    def deliver(self, payload: Mapping[str, Any] | bytes = OPENED, **changes: Any) -> Heard:
        return self.knock(request(payload, **changes))


def request(
    payload: Mapping[str, Any] | bytes = OPENED,
    *,
    event: str = "pull_request",
    secret: str = SECRET,
    headers: Mapping[str, str | None] | None = None,
    as_base64: bool = False,
) -> dict[str, Any]:
    """A signed delivery in HTTP API's payload format 2.0; a header given as None is left out."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    given: dict[str, str | None] = {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": DELIVERY,
        "x-hub-signature-256": f"sha256={sign(body, secret).hex()}",
    }
    given |= headers or {}
    return {
        "version": "2.0",
        "routeKey": "POST /webhook",
        "rawPath": "/webhook",
        "headers": {name: text for name, text in given.items() if text is not None},
        "requestContext": {"http": {"method": "POST", "path": "/webhook"}},
        "body": base64.b64encode(body).decode() if as_base64 else body.decode(),
        "isBase64Encoded": as_base64,
    }


def environment(endpoints: Mapping[str, str], prefix: str, reviews: str, mentions: str) -> dict[str, str]:
    """The function's environment, with an AWS that is found by these variables."""
    return {
        **endpoints,
        "KODIAI_PARAMETERS": prefix,
        "KODIAI_REVIEWS_QUEUE_URL": reviews,
        "KODIAI_MENTIONS_QUEUE_URL": mentions,
    }


@contextmanager
def door_in(variables: Mapping[str, str]) -> Iterator[Door]:
    """A freshly imported door in this environment, as after a cold start."""
    before = dict(os.environ)
    os.environ.update(variables)
    sys.modules.pop("kodiai.wiring", None)
    try:
        spec = importlib.util.spec_from_file_location("ingest", FILE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield Door(module)
    finally:
        os.environ.clear()
        os.environ.update(before)
