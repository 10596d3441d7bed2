"""Server-sent events: every open page is notified when something may have changed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import time
from contextlib import suppress

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

_ALIVE_SECONDS = 15.0


class Live:
    """A number that grows with each change, streamed to all listeners; no two processes start with the same one."""

    def __init__(self) -> None:
        self.revision = time.time_ns()
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def listeners(self) -> int:
        """How many connections are open."""
        return len(self._listeners)

    def announce(self) -> None:
        """Wake every listener; from any thread."""
        self.revision += 1
        for event, loop in list(self._listeners.items()):
            loop.call_soon_threadsafe(event.set)

    def stream(self) -> "Stream":
        """Answer with the number now, whenever it has grown, and now and then without a change."""
        return Stream(self, self._listeners)


class Stream(StreamingResponse):
    """The response to one listener. It ends when they leave or the server stops."""

    def __init__(self, live: Live, listeners: dict[asyncio.Event, asyncio.AbstractEventLoop]) -> None:
        super().__init__((), media_type="text/event-stream")
        self._live = live
        self._listeners = listeners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI gives it
        """Send numbers until the listener has left."""
        woken = asyncio.Event()
        self._listeners[woken] = asyncio.get_running_loop()
        left = asyncio.create_task(_leave(receive, woken))
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while not left.done():
                woken.clear()
                event = f"event: changed\ndata: {self._live.revision}\n\n".encode()
                await send({"type": "http.response.body", "body": event, "more_body": True})
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), _ALIVE_SECONDS)
        finally:
            left.cancel()
            del self._listeners[woken]
        await send({"type": "http.response.body", "body": b""})


async def _leave(receive: Receive, woken: asyncio.Event) -> None:
    """Wait until the listener has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
    woken.set()
