"""The site: which address shows what, to whom, and that nothing of another site can act here."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from local.github.acts import Acts
from local.github.answers import Refused, not_found, refuse
from local.github.api import SITE_FILES
from local.github.state import ROLES
from local.github.world import World
from local.page import checks, commits, conversation, files
from local.page.acts import ACTS
from local.page.guard import Guard
from local.page.live import Live
from local.page.templating import environment
from local.page.visit import Shown, Visit

View = Callable[[Visit], Shown]
_HERE = Path(__file__).parent
_VIEWER = "viewer"
_LOGIN = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
_IS_HERE = re.compile(r"/(?![/\\])")


class Site:
    """The pages of one repository's pull requests, as an ASGI application.

    `behind` gives what the tab on the bot shows, None where nothing runs behind this GitHub.
    """

    def __init__(self, world: World, acts: Acts, behind: View | None = None) -> None:
        self._world = world
        self._acts = acts
        self._templates = environment()
        self._live = Live()
        self._views: dict[str, View] = {
            "conversation": conversation.view,
            "commits": commits.view,
            "checks": checks.view,
            "files": files.view,
            **({"behind": behind} if behind else {}),
        }
        world.watchers.append(self.announce)
        self._application = self._build()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._application(scope, receive, send)

    def announce(self) -> None:
        """Tell every open page that something may have changed; from any thread."""
        self._live.announce()

    def _build(self) -> Starlette:
        pull = f"/{self._world.full_name}/pull/{{number:int}}"
        routes = [
            Route("/", self._front),
            Mount(f"{SITE_FILES}static", StaticFiles(directory=_HERE / "static")),
            Mount(f"{SITE_FILES}rendering", StaticFiles(directory=_HERE.parent / "rendering" / "static")),
            Route(f"{SITE_FILES}viewer", self._switch_viewer, methods=["POST"]),
            Route(f"/{self._world.full_name}", lambda _: RedirectResponse("/", 303)),
            Route(pull, self._page("conversation")),
            Route(f"{pull}/live", self._live.stream),
            *(Route(f"{pull}/{name}", self._page(name)) for name in self._views if name != "conversation"),
            *(Route(f"{pull}/{name}", self._act(name), methods=["POST"]) for name in ACTS),
        ]
        return Starlette(
            routes=routes,
            middleware=[
                Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"]),
                Middleware(Guard),
            ],
            exception_handlers={Refused: self._refuse, 404: lambda request, _: self._refuse(request, not_found())},
        )

    def _front(self, request: Request) -> Response:
        with self._world.lock:
            pulls = sorted(self._world.state.pulls.values(), key=lambda pull: -pull.number)
            return self._render("front", request, {"pulls": pulls})

    def _page(self, name: str) -> Callable[[Request], Response]:
        def show(request: Request) -> Response:
            with self._world.lock:
                visit = self._visit(request)
                return self._render(name, request, {"visit": visit, **self._views[name](visit)})

        return show

    def _act(self, name: str) -> Callable[[Request], Any]:
        async def act(request: Request) -> Response:
            form = dict(parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True))
            return await run_in_threadpool(carry_out, request, form)

        def carry_out(request: Request, form: Mapping[str, str]) -> Response:
            with self._world.lock:
                visit = self._visit(request)
                below = ACTS[name](visit, self._acts, form)
            return RedirectResponse(f"{visit.address}{below}", 303)

        return act

    async def _switch_viewer(self, request: Request) -> Response:
        """Look at everything as somebody else, in the role that they have from now on."""
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        return await run_in_threadpool(self._become, form.get("login", "").strip(), form.get("role", ""), form)

    def _become(self, login: str, role: str, form: Mapping[str, str]) -> Response:
        if not _LOGIN.fullmatch(login) or role not in ("", *ROLES):
            raise refuse(422, "A login has letters, digits and single hyphens, and a role is one of GitHub's.")
        if role in ROLES:
            self._acts.set_role(login, role)
        back = form.get("back", "/")
        answer = RedirectResponse(back if _IS_HERE.match(back) else "/", 303)
        answer.set_cookie(_VIEWER, login, httponly=True, samesite="strict")
        return answer

    def _visit(self, request: Request) -> Visit:
        """Who asks for what. Raises Refused where there is no such pull request, or not for them."""
        pull = self._world.pull(request.path_params["number"])
        viewer = self._world.user(request.cookies.get(_VIEWER) or pull.author)
        if self._world.private and viewer.role == "none":
            raise not_found()
        return Visit(self._world, pull, viewer, dict(request.query_params))

    def _refuse(self, request: Request, error: Any) -> Response:
        return self._render("refused", request, {"answer": error.answer}, error.answer.status)

    def _render(self, template: str, request: Request, shown: Shown, status: int = 200) -> Response:
        everybody = self._world.state.users.values()
        people = [user for user in everybody if user.type == "User"]
        common = {
            "world": self._world,
            "tab": template,
            "tabs": list(self._views),
            "people": people,
            "roles": ROLES,
            "here": request.url.path,
        }
        made = self._templates.get_template(f"{template}.html.j2").render(common | dict(shown))
        return HTMLResponse(made, status)
