"""Registering the App from a manifest and installing it, as somebody does in a browser; and where its webhooks go.

Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from local.github.answers import ApiResponse, not_found
from local.github.call import Call
from local.github.credentials import private_key
from local.github.description import describe
from local.github.hosted_repository import EVENT_PERMISSIONS, HostedRepository
from local.github.views import view_app, view_hook, view_login

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 34
_PAGE = Markup("<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><h1>{title}</h1>{body}</html>")
_REGISTER = Markup(
    "<p>{problem}</p><form method=post action=/settings/apps>"
    "<input name=name aria-label='GitHub App name' value='{name}'>"
    "<input type=hidden name=manifest value='{manifest}'><input type=hidden name=state value='{state}'>"
    "<button>Create GitHub App</button></form>"
)
_INSTALL = Markup("<p>Install {slug} on {repository}.</p><form method=post><button>Install</button></form>")


def convert_manifest(call: Call) -> ApiResponse:
    """Return the credentials of a registered App, once: its private key, its webhook secret."""
    app, code = call.repository.app, call.params["code"]
    if code not in app.codes:
        raise not_found()
    owner = {"owner": view_login(call.repository, app.codes.pop(code))}
    secret = {"client_secret": secrets.token_hex(20), "webhook_secret": app.hook_secret, "pem": private_key()}
    return ApiResponse(201, view_app(call.repository) | owner | secret)


def get_hook(call: Call) -> ApiResponse:
    """Return the App's webhook configuration."""
    return ApiResponse(body=view_hook(call.repository.app))


def update_hook(call: Call) -> ApiResponse:
    """Send the App's webhooks somewhere else, or sign them with another secret."""
    app = call.repository.app
    app.hook_url = call.body.get("url", app.hook_url)
    app.hook_content_type = call.body.get("content_type", app.hook_content_type)
    app.hook_secret = call.body.get("secret", app.hook_secret)
    return get_hook(call)


def pages(repository: HostedRepository) -> list[Route]:
    """The pages on which the owner registers the App and installs it."""

    def form_page(name: str, fields: Mapping[str, str], problem: str = "") -> Response:
        body = _REGISTER.format(name=name, problem=problem, manifest=fields["manifest"], state=fields["state"])
        return _page("Register a GitHub App", body, 422 if problem else 200)

    def show_manifest(request: Request, form: Mapping[str, str]) -> Response:
        owner = repository.user(repository.owner)
        if request.path_params.get("organization", owner.login) != owner.login or (
            "organization" in request.path_params and owner.type != "Organization"
        ):
            return _page("Not found", Markup(), 404)
        manifest = _read_manifest(form["manifest"])
        fields = {"manifest": json.dumps(manifest), "state": request.query_params.get("state", "")}
        return form_page(manifest["name"], fields)

    def is_taken(slug: str) -> bool:
        """Whether another App or another account has the name; each App has a bot of its name.

        Source: https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app
        ("must be unique across GitHub", nor that of an account "unless it is your own user or organization name")
        """
        names = {login.lower() for login in repository.state.users}
        return f"{slug}[bot]" in names or slug in names - {repository.owner.lower()}

    def register(_: Request, form: Mapping[str, str]) -> Response:
        manifest, code = _read_manifest(form["manifest"]), secrets.token_hex(20)
        slug = _NOT_IN_A_NAME.sub("-", form["name"].lower()).strip("-")
        with repository.acting():
            if is_taken(slug):
                return form_page(form["name"], form, "Name has already been taken")
            app = repository.app
            app.slug = slug
            app.permissions = {"metadata": "read", **manifest["default_permissions"]}
            app.events = list(manifest["default_events"])
            app.hook_url, app.hook_secret = manifest["hook_attributes"]["url"], secrets.token_hex(20)
            app.codes[code] = repository.owner
            repository.user(app.login)
            repository.send_webhook("ping", {})
        return RedirectResponse(f"{manifest['redirect_url']}?code={code}&state={form['state']}", 302)

    def show_installation(request: Request, _: Mapping[str, str]) -> Response:
        if request.path_params["slug"] != repository.app.slug:
            return _page("Not found", Markup(), 404)
        body = _INSTALL.format(slug=repository.app.slug, repository=repository.full_name)
        return _page("Install", body)

    def install(request: Request, form: Mapping[str, str]) -> Response:
        if request.path_params["slug"] != repository.app.slug:
            return show_installation(request, form)
        with repository.acting():
            repository.install(login=repository.owner)
        return _page("Installed", Markup("<p>{}</p>").format(repository.full_name))

    apps = "github-apps" if repository.is_server else "apps"
    new, installation = "settings/apps/new", f"/{apps}/{{slug}}/installations/new"
    return [
        _route("POST", f"/{new}", show_manifest),
        _route("POST", f"/organizations/{{organization}}/{new}", show_manifest),
        _route("POST", "/settings/apps", register),
        _route("GET", installation, show_installation),
        _route("POST", installation, install),
    ]


def _route(method: str, path: str, show: Callable[[Request, Mapping[str, str]], Response]) -> Route:
    async def serve(request: Request) -> Response:
        form = {name: values[-1] for name, values in parse_qs((await request.body()).decode()).items()}
        try:
            return await run_in_threadpool(show, request, form)
        except (ValueError, KeyError, TypeError) as error:
            return _page("Invalid GitHub App configuration", Markup("<p>{}</p>").format(error), 422)

    return Route(path, serve, methods=[method])


def _page(title: str, body: Markup, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(title=title, body=body), status)


def _read_manifest(text: str) -> dict[str, Any]:
    """Raises ValueError, KeyError and TypeError where GitHub would refuse it."""
    manifest: dict[str, Any] = json.loads(text)
    known = describe().permissions
    if unknown := sorted(set(manifest["default_permissions"]) - known):
        raise ValueError(f"Default permission records resource is not included in the list: {', '.join(unknown)}")
    subscribed = manifest["default_events"]
    if unknown := [each for each in subscribed if each not in EVENT_PERMISSIONS]:
        raise ValueError(f"Default events unsupported: {', '.join(unknown)}")
    if without := [each for each in subscribed if EVENT_PERMISSIONS[each] not in manifest["default_permissions"]]:
        raise ValueError(f"Default events are not supported by permissions: {', '.join(without)}")
    for address in (manifest["url"], manifest["hook_attributes"]["url"], manifest["redirect_url"]):
        if not str(address).startswith(("http://", "https://")):
            raise ValueError(f"{address} is not a URL")
    if len(manifest["name"]) > _LONGEST_NAME:
        raise ValueError(f"Name is too long (maximum is {_LONGEST_NAME} characters)")
    return manifest
