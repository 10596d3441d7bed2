"""The site: which URL shows what, to whom, and that no other site can act here."""

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

from local.github.answers import ApiError, api_error, not_found
from local.github.api import SITE_FILES
from local.github.hosted_repository import HostedRepository
from local.github.state import ROLES, CommentPosition, PullRequest, Role, User
from local.github.user_actions import UserActions
from local.page import blobs, checks, commit, conversation, files, header, posts, pushes
from local.page.actions import ACTIONS, perform
from local.page.event_stream import EventStream
from local.page.page_request import Context, PageRequest
from local.page.proposals import ProposalsTab
from local.page.rules import RulesSection
from local.page.security import SecurityMiddleware
from local.rendering.templating import STATIC, environment

View = Callable[[PageRequest], Context]
Endpoint = Callable[[Request], Any]
_HERE = Path(__file__).parent
_COOKIE = "viewer"
_LOGIN = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
_LOCAL_PATH = re.compile(r"/(?![/\\])")


class Site:
    """The pages of one repository's pull requests, as an ASGI application.

    `activity` gives what the tab "Bot activity" shows, `proposals` is the tab of that name, and `rules` a section of
    the tab "Checks"; all are None where no bot runs with this GitHub. `is_offline` says whether that bot has no model,
    which every page says then.
    """

    def __init__(
        self,
        repository: HostedRepository,
        actions: UserActions,
        activity: View | None = None,
        proposals: ProposalsTab | None = None,
        *,
        rules: RulesSection | None = None,
        is_offline: Callable[[], bool] = lambda: False,
    ) -> None:
        self._repository = repository
        self._proposals = proposals
        self._actions = actions
        self._templates = environment(_HERE / "templates")
        self._templates.globals |= {
            "reactions": posts.REACTIONS,
            "tab_titles": header.TABS,
            "pull_state": header.pull_state,
            "check_state": header.check_state,
            "is_offline": is_offline,
        }
        for name in self._templates.list_templates():
            self._templates.get_template(name)  # compiled now, or the first page would wait for it
        self._live = EventStream()
        self._places: dict[Hashable, CommentPosition | None] = {}
        self._views: dict[str, View] = {
            "conversation": conversation.view,
            "commits": pushes.view,
            "checks": lambda request: {**checks.view(request), **(rules.view(request) if rules else {})},
            "files": files.view,
            **({"proposals": proposals.view} if proposals else {}),
            **({"activity": activity} if activity else {}),
        }
        repository.watchers.append(self.announce)
        self._application = self._build()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._application(scope, receive, send)

    def announce(self) -> None:
        """Notify every open page that something may have changed; from any thread."""
        self._live.announce()

    @property
    def listeners(self) -> int:
        """The number of open pages that are notified of changes."""
        return self._live.listeners

    def _build(self) -> Starlette:
        repository = f"/{self._repository.full_name}"
        pull = f"{repository}/pull/{{number:int}}"
        routes = [
            Route("/", self._index),
            Mount(f"{SITE_FILES}static", StaticFiles(directory=_HERE / "static")),
            Mount(f"{SITE_FILES}rendering", StaticFiles(directory=STATIC)),
            Route(f"{SITE_FILES}viewer", _form_endpoint(self._switch_user), methods=["POST"]),
            Route(repository, lambda _: RedirectResponse("/", 303)),
            Route(pull, self._tab("conversation")),
            Route(f"{pull}/live", self._listen),
            Route(f"{repository}/commit/{{sha}}", self._repository_page("commit", commit.view)),
            Route(f"{repository}/blob/{{address:path}}", self._repository_page("blob", blobs.view)),
            Route(f"{repository}/runs/{{check:int}}", self._find_check),
            *(Route(f"{pull}/{name}", self._tab(name)) for name in self._views if name != "conversation"),
            *(Route(f"{pull}/{name}", self._action(name), methods=["POST"]) for name in ACTIONS),
            Route(f"{pull}/proposals/{{proposal}}/{{verb}}", _form_endpoint(self._act_on_proposal), methods=["POST"]),
        ]
        return Starlette(
            routes=routes,
            middleware=[
                Middleware(SecurityMiddleware),
                Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"]),
            ],
            exception_handlers={
                ApiError: self._refuse,
                404: lambda request, _: self._refuse(request, not_found()),
                405: lambda request, _: self._refuse(request, api_error(405, "Method Not Allowed")),
            },
        )

    def _index(self, request: Request) -> Response:
        with self._repository.lock:
            self._require_access(self._viewer(request))
            state = self._repository.state
            pulls = [
                (
                    pull,
                    header.combined_state(header.check_lines(self._repository, pull.base_ref, pull.head_sha)),
                    len(state.issue_comments_of(pull.number)),
                )
                for pull in reversed(state.pulls.values())
            ]
            return self._render("index", request, {"pulls": pulls})

    def _tab(self, name: str) -> Endpoint:
        def show(request: Request) -> Response:
            with self._repository.lock:
                asked = self._page_request(request)
                lines = header.check_lines(self._repository, asked.pull.base_ref, asked.pull.head_sha)
                head_checks = header.combined_state(lines)
                common = {"request": asked, "pull": asked.pull, "head_checks": head_checks}
                shown = {**common, "counts": header.counts_of(asked), **self._views[name](asked)}
                return self._render(name, request, shown)

        return show

    def _repository_page(self, name: str, view: Callable[[HostedRepository, Request], Context]) -> Endpoint:
        """Show what belongs to the repository, and to no pull request alone."""

        def show(request: Request) -> Response:
            with self._repository.lock:
                self._require_access(self._viewer(request))
                return self._render(name, request, view(self._repository, request))

        return show

    def _find_check(self, request: Request) -> Response:
        """Redirect from a check run's own URL to the tab that shows it."""
        with self._repository.lock:
            self._require_access(self._viewer(request))
            check = self._repository.state.checks.get(request.path_params["check"])
            pull = checks.pull_of(self._repository, check) if check else None
        if check is None or pull is None:
            raise not_found()
        return RedirectResponse(f"/{self._repository.full_name}/pull/{pull.number}/checks#check-{check.id}", 303)

    def _action(self, name: str) -> Endpoint:
        def act(request: Request, form: Mapping[str, str]) -> Response:
            with self._repository.lock:
                return RedirectResponse(perform(name, self._page_request(request), self._actions, form), 303)

        return _form_endpoint(act)

    def _act_on_proposal(self, request: Request, form: Mapping[str, str]) -> Response:
        """Do something about a proposal through the API, which asks this GitHub: nobody may hold its lock meanwhile."""
        if self._proposals is None:
            raise not_found()
        with self._repository.lock:
            asked = self._page_request(request)
        named = request.path_params
        return RedirectResponse(self._proposals.act(named["proposal"], named["verb"], asked, form), 303)

    async def _listen(self, request: Request) -> Response:
        """Notify all users who may see the pull request."""

        def check() -> None:
            with self._repository.lock:
                self._page_request(request)

        await run_in_threadpool(check)
        return self._live.stream()

    def _switch_user(self, _: Request, form: Mapping[str, str]) -> Response:
        """See everything as another user from now on, in the role that the form gives them."""
        login, role = form.get("login", "").strip(), form.get("role", "")
        if not _LOGIN.fullmatch(login) or role not in ("", *ROLES):
            raise api_error(422, "A login has letters, digits and single hyphens, and a role is one of GitHub's.")
        with self._repository.lock:
            login = next((known for known in self._repository.state.users if known.lower() == login.lower()), login)
            if role or login not in self._repository.state.users:
                self._actions.set_role(login, cast(Role, role or "read"))
        back = form.get("back", "/")
        answer = RedirectResponse(back if _LOCAL_PATH.match(back) else "/", 303)
        answer.set_cookie(_COOKIE, login, httponly=True, samesite="strict")
        return answer

    def _page_request(self, request: Request) -> PageRequest:
        """The viewer and the page they ask for. Raises ApiError if there is no such pull request for them."""
        pull = self._repository.pull(request.path_params["number"])
        viewer = self._viewer(request, pull)
        self._require_access(viewer)
        return PageRequest(self._repository, pull, viewer, dict(request.query_params), self._places)

    def _viewer(self, request: Request, pull: PullRequest | None = None) -> User:
        """The user of the cookie, else the author of this or the newest pull request, if they are known people."""
        known, pulls = self._repository.state.users, self._repository.state.pulls
        pull = pull or (pulls[max(pulls)] if pulls else None)
        for login in (request.cookies.get(_COOKIE, ""), pull.author if pull else ""):
            if login in known and known[login].type == "User":
                return known[login]
        return known[self._repository.owner]

    def _require_access(self, viewer: User) -> None:
        """Raise ApiError where the viewer may not see the repository."""
        if not viewer.may("read"):
            raise not_found()

    def _refuse(self, request: Request, error: Any) -> Response:
        """Show what was refused, with a link back to the pull request, or to all of them."""
        with self._repository.lock:
            pull = self._repository.state.pulls.get(request.path_params.get("number", 0))
            back = f"/{self._repository.full_name}/pull/{pull.number}" if pull else "/"
            here = request.url.path if request.method == "GET" else back
            shown = {"answer": error.answer, "viewer": self._viewer(request, pull), "back_to": back, "here": here}
            return self._render("refused", request, shown, error.answer.status)

    def _render(self, template: str, request: Request, shown: Context, status: int = 200) -> Response:
        users = sorted(self._repository.state.users.values(), key=lambda user: user.login.lower())
        common = {
            "repository": self._repository,
            "viewer": shown["request"].viewer if "request" in shown else self._viewer(request),
            "tab": template,
            "tabs": list(self._views),
            "people": [user for user in users if user.type == "User"],
            "roles": ROLES,
            "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            "revision": self._live.revision,
        }
        made = self._templates.get_template(f"{template}.html.j2").render(common | dict(shown))
        return HTMLResponse(made, status)


def _form_endpoint(handle: Callable[[Request, Mapping[str, str]], Response]) -> Endpoint:
    """Read a form, and handle it in a thread."""

    async def endpoint(request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True))
        return await run_in_threadpool(handle, request, form)

    return endpoint
