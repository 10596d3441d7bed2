"""The site: which address shows what, to whom, and that nothing of another site can act here."""

import re
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, cast
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

from local.github.answers import Refused, not_found, refuse
from local.github.api import SITE_FILES
from local.github.state import ROLES, Place, PullRequest, Role, User
from local.github.user_actions import UserActions
from local.github.world import World
from local.page import blobs, checks, commit, commits, conversation, files
from local.page.acts import ACTS
from local.page.guard import Guard
from local.page.live import Live
from local.page.shell import checks_of, counts_of, sign_of_all
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

    def __init__(self, world: World, acts: UserActions, behind: View | None = None) -> None:
        self._world = world
        self._acts = acts
        self._templates = environment()
        self._live = Live()
        self._places: dict[Hashable, Place | None] = {}
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

    @property
    def listeners(self) -> int:
        """How many open pages are told of changes."""
        return self._live.listeners

    def _build(self) -> Starlette:
        pull = f"/{self._world.full_name}/pull/{{number:int}}"
        routes = [
            Route("/", self._front),
            Mount(f"{SITE_FILES}static", StaticFiles(directory=_HERE / "static")),
            Mount(f"{SITE_FILES}rendering", StaticFiles(directory=_HERE.parent / "rendering" / "static")),
            Route(f"{SITE_FILES}viewer", self._switch_viewer, methods=["POST"]),
            Route(f"/{self._world.full_name}", lambda _: RedirectResponse("/", 303)),
            Route(pull, self._page("conversation")),
            Route(f"{pull}/live", self._listen),
            Route(f"/{self._world.full_name}/commit/{{sha}}", self._look("commit", commit.view)),
            Route(f"/{self._world.full_name}/blob/{{address:path}}", self._look("blob", blobs.view)),
            Route(f"/{self._world.full_name}/runs/{{check:int}}", self._find_run),
            *(Route(f"{pull}/{name}", self._page(name)) for name in self._views if name != "conversation"),
            *(Route(f"{pull}/{name}", self._act(name), methods=["POST"]) for name in ACTS),
        ]
        return Starlette(
            routes=routes,
            middleware=[
                Middleware(Guard),
                Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"]),
            ],
            exception_handlers={
                Refused: self._refuse,
                404: lambda request, _: self._refuse(request, not_found()),
                405: lambda request, _: self._refuse(request, refuse(405, "Method Not Allowed")),
            },
        )

    def _front(self, request: Request) -> Response:
        with self._world.lock:
            self._insist_on_sight(self._viewer(request))
            state = self._world.state
            pulls = [
                (pull, sign_of_all(checks_of(self._world, pull.head_sha)), len(state.issue_comments_of(pull.number)))
                for pull in reversed(state.pulls.values())
            ]
            return self._render("front", request, {"pulls": pulls})

    def _page(self, name: str) -> Callable[[Request], Response]:
        def show(request: Request) -> Response:
            with self._world.lock:
                visit = self._visit(request)
                checks = sign_of_all(checks_of(self._world, visit.pull.head_sha))
                shell = {"visit": visit, "pull": visit.pull, "head_checks": checks, "counts": counts_of(visit)}
                return self._render(name, request, {**shell, **self._views[name](visit)})

        return show

    def _look(self, name: str, view: Callable[[World, Request], Shown]) -> Callable[[Request], Response]:
        """Show what belongs to the repository, and to no pull request alone."""

        def show(request: Request) -> Response:
            with self._world.lock:
                self._insist_on_sight(self._viewer(request))
                return self._render(name, request, view(self._world, request))

        return show

    def _find_run(self, request: Request) -> Response:
        """Lead from a check run's own address to where it stands."""
        with self._world.lock:
            self._insist_on_sight(self._viewer(request))
            check = self._world.state.checks.get(request.path_params["check"])
            pull = checks.pull_of(self._world, check) if check else None
        if check is None or pull is None:
            raise not_found()
        return RedirectResponse(f"/{self._world.full_name}/pull/{pull.number}/checks#check-{check.id}", 303)

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

    async def _listen(self, request: Request) -> Response:
        """Tell of changes to whoever may see the pull request."""

        def look() -> None:
            with self._world.lock:
                self._visit(request)

        await run_in_threadpool(look)
        return self._live.stream()

    async def _switch_viewer(self, request: Request) -> Response:
        """Look at everything as somebody else, in the role that they have from now on."""
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        return await run_in_threadpool(self._become, form.get("login", "").strip(), form.get("role", ""), form)

    def _become(self, login: str, role: str, form: Mapping[str, str]) -> Response:
        if not _LOGIN.fullmatch(login) or role not in ("", *ROLES):
            raise refuse(422, "A login has letters, digits and single hyphens, and a role is one of GitHub's.")
        with self._world.lock:
            login = next((known for known in self._world.state.users if known.lower() == login.lower()), login)
            if role or login not in self._world.state.users:
                self._acts.set_role(login, cast(Role, role or "read"))
        back = form.get("back", "/")
        answer = RedirectResponse(back if _IS_HERE.match(back) else "/", 303)
        answer.set_cookie(_VIEWER, login, httponly=True, samesite="strict")
        return answer

    def _visit(self, request: Request) -> Visit:
        """Who asks for what. Raises Refused where there is no such pull request, or not for them."""
        pull = self._world.pull(request.path_params["number"])
        viewer = self._viewer(request, pull)
        self._insist_on_sight(viewer)
        return Visit(self._world, pull, viewer, dict(request.query_params), self._places)

    def _viewer(self, request: Request, pull: PullRequest | None = None) -> User:
        """Who looks: whom the cookie names, else the author of the pull request or the newest one, if known people."""
        known, pulls = self._world.state.users, self._world.state.pulls
        pull = pull or (pulls[max(pulls)] if pulls else None)
        for login in (request.cookies.get(_VIEWER, ""), pull.author if pull else ""):
            if login in known and known[login].type == "User":
                return known[login]
        return known[self._world.owner]

    def _insist_on_sight(self, viewer: User) -> None:
        """Raise Refused where the repository is not there for somebody."""
        if not viewer.may("read"):
            raise not_found()

    def _refuse(self, request: Request, error: Any) -> Response:
        """Say what was refused, and lead back to the pull request, or to all of them where there is no such one."""
        with self._world.lock:
            pull = self._world.state.pulls.get(request.path_params.get("number", 0))
            back = f"/{self._world.full_name}/pull/{pull.number}" if pull else "/"
            here = request.url.path if request.method == "GET" else back
            shown = {"answer": error.answer, "viewer": self._viewer(request, pull), "back_to": back, "here": here}
            return self._render("refused", request, shown, error.answer.status)

    def _render(self, template: str, request: Request, shown: Shown, status: int = 200) -> Response:
        everybody = sorted(self._world.state.users.values(), key=lambda user: user.login.lower())
        common = {
            "world": self._world,
            "viewer": shown["visit"].viewer if "visit" in shown else self._viewer(request),
            "tab": template,
            "tabs": list(self._views),
            "people": [user for user in everybody if user.type == "User"],
            "roles": ROLES,
            "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            "revision": self._live.revision,
        }
        made = self._templates.get_template(f"{template}.html.j2").render(common | dict(shown))
        return HTMLResponse(made, status)
