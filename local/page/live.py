"""Server-sent events: every open page is told when something may have changed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

_ALIVE_SECONDS = 15.0


class Live:
    """A number that grows with each change, streamed to whoever listens."""

    def __init__(self) -> None:
        self._revision = 0
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def announce(self) -> None:
        """Wake every listener; from any thread."""
        self._revision += 1
        for event, loop in list(self._listeners.items()):
            loop.call_soon_threadsafe(event.set)

    async def stream(self, _: Request) -> Response:
        """Answer with the number as it is now and whenever it has grown."""
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        woken = asyncio.Event()
        self._listeners[woken] = asyncio.get_running_loop()
        try:
            while True:
                woken.clear()
                yield f"event: changed\ndata: {self._revision}\n\n"
                try:
                    await asyncio.wait_for(woken.wait(), _ALIVE_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            del self._listeners[woken]
