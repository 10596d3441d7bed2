"""The guard of the site: pages run only our own script, and no other site can make a browser act here."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class SecurityMiddleware:
    """Refuses requests that another site's page sends, and adds the content security policy to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                sent["Content-Security-Policy"] = _POLICY
                sent["X-Content-Type-Options"] = "nosniff"
                sent["Referrer-Policy"] = "same-origin"  # with none at all a browser would not say where a form is from
                sent["Cache-Control"] = (
                    "no-store" if sent.get("content-type", "").startswith("text/html") else "no-cache"
                )
            await send(message)

        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") != f"http://{headers.get('host')}":
            refusal = PlainTextResponse("Another site sent this request; no changes were made.\n", 403)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)
