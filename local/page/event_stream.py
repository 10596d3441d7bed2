"""Server-sent events: every open page is notified when something may have changed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.responses import StreamingResponse

_ALIVE_SECONDS = 15.0


class EventStream:
    """A number that grows with each change, streamed to all listeners; no two processes start with the same one."""

    def __init__(self) -> None:
        self.revision = time.time_ns()
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    @property
    def listeners(self) -> int:
        """The number of open connections."""
        return len(self._listeners)

    def announce(self) -> None:
        """Wake every listener; from any thread."""
        self.revision += 1
        for event, loop in list(self._listeners.items()):
            loop.call_soon_threadsafe(event.set)

    def stream(self) -> StreamingResponse:
        """Answer with the number now, whenever it has grown, and now and then without a change."""
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        woken = asyncio.Event()
        self._listeners[woken] = asyncio.get_running_loop()
        try:
            while True:
                woken.clear()
                yield f"event: changed\ndata: {self.revision}\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), _ALIVE_SECONDS)
        finally:
            del self._listeners[woken]
