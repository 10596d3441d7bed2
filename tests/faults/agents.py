"""Agents act on proposals over HTTP; a request that fails is repeated with its key, as a good client does."""

import time
from typing import Any

import httpx

from tests.faults.reviewer import INLINE, MENDED
from tests.faults.scene import Scene
from tests.faults.wire import PULL_REQUEST_HEADER

AUTHOR, REVIEWER = "dora", "ben"
_TRIES = 12
_PAUSE_SECONDS = 0.5
_BUSY = 500
_DIFF = f"""\
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices, discount):
-    {INLINE["quote"]}
+    {MENDED}
"""


def submit(scene: Scene, number: int, reviewed_by: str = "kodiai") -> str:
    """Submit a fix of the finding that is inline; gives the proposal's id."""
    body = {
        "repository": scene.github.full_name,
        "pull_request": number,
        "description": "Subtract the discount",
        "changes": [{"what": "The discount is subtracted", "why": "An order of 100 cost 105"}],
        "diff": _DIFF,
        "reviewed_by": reviewed_by,
    }
    return str(_ask(scene, number, AUTHOR, "", body, key=f"fix-{number}")["id"])


def review_and_apply(scene: Scene, number: int) -> None:
    """Claim the proposal and approve it, and have its author apply it."""
    [proposal] = [each for each in scene.proposals().of_repository(scene.github.repository.id) if each.number == number]
    claimed = _ask(scene, number, REVIEWER, f"/{proposal.id}/claim", {}, key=f"claim-{number}")
    verdict = {"decision": "approve", "generation": claimed["claim"]["generation"]}
    _ask(scene, number, REVIEWER, f"/{proposal.id}/verdict", verdict)
    _ask(scene, number, AUTHOR, f"/{proposal.id}/apply", {})


def _ask(scene: Scene, number: int, login: str, path: str, body: Any, key: str | None = None) -> Any:
    """Send a request until it is answered; what is refused is an error at once."""
    headers = {
        "authorization": f"Bearer {scene.github.token_for(login, 'write')}",
        PULL_REQUEST_HEADER: str(number),
        **({"idempotency-key": key} if key else {}),
    }
    url = f"{scene.machine.system.api_url}/proposals{path}"
    for _ in range(_TRIES):
        try:
            answer = httpx.post(url, json=body, headers=headers, timeout=60)
        except httpx.TransportError:
            continue
        if answer.status_code < _BUSY:
            return answer.raise_for_status().json()
        time.sleep(_PAUSE_SECONDS)
    raise AssertionError(f"{path} was never answered")


def request_review(scene: Scene, number: int) -> None:
    """Ask for a review over MCP, until it is answered."""
    call = {
        "name": "request_review",
        "arguments": {"repository": scene.github.full_name, "pull_request": number},
    }
    headers = {
        "authorization": f"Bearer {scene.github.token_for(AUTHOR, 'write')}",
        PULL_REQUEST_HEADER: str(number),
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    for _ in range(_TRIES):
        try:
            answer = httpx.post(f"{scene.machine.system.api_url}/mcp", json=message, headers=headers, timeout=60)
        except httpx.TransportError:
            continue
        if answer.status_code < _BUSY and not answer.json()["result"]["isError"]:
            return
        time.sleep(_PAUSE_SECONDS)
    raise AssertionError("the request was never answered")
