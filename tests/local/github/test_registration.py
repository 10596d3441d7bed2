"""The form on which an App is registered refuses what GitHub refuses."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from local.github import LocalGitHub
from tests.local.github.scene import Scene
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]

MANIFEST: dict[str, Any] = {
    "name": "reviewer",
    "url": "http://127.0.0.1:9",
    "hook_attributes": {"url": "http://127.0.0.1:9"},
    "redirect_url": "http://127.0.0.1:9",
    "default_permissions": {"pull_requests": "write", "issues": "read"},
    "default_events": ["pull_request", "issue_comment"],
}


@pytest.fixture
def local(serve: Serve, scene: Scene) -> LocalGitHub:
    return serve(scene.repository.path, registered=False)


def show(local: LocalGitHub, place: str = "/settings", **changes: Any) -> httpx.Response:
    manifest = json.dumps(MANIFEST | changes)
    return httpx.post(f"{local.url}{place}/apps/new?state=s", data={"manifest": manifest}, trust_env=False)


@each_row(
    ("changes", "said"),
    [
        (
            {"default_permissions": {"pull_requests": "write"}},
            "Default events are not supported by permissions: issue_comment",
        ),
        ({"default_events": ["installation"]}, "Default events unsupported: installation"),
        ({"name": "a" * 35}, "Name is too long"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(local: LocalGitHub, changes: dict[str, Any], said: str) -> None:
    """An event comes with a permission.

    Sources: https://github.com/derive-to/derive/pull/269 and https://github.com/tuist/tuist/pull/10709
    """
    assert show(local).status_code == httpx.codes.OK

    answer = show(local, **changes)

    assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert said in answer.text


def test_events_that_the_permissions_do_not_permit_are_not_sent(serve: Serve, scene: Scene) -> None:
    """An App cannot be subscribed to them."""
    local = serve(scene.repository.path, permissions={"pull_requests": "write"})

    assert "issue_comment" not in local.repository.app.events
    with pytest.raises(ValueError, match="not supported by permissions: issue_comment"):
        serve(scene.repository.path, permissions={"pull_requests": "write"}, events=["issue_comment"])


def test_a_name_that_somebody_has_is_refused_on_the_form(local: LocalGitHub) -> None:
    """Names are compared as slugs, with accounts and with Apps, whose bots are accounts; one's own login is free."""
    local.state.user("mona")
    local.state.user("other-app[bot]", kind="Bot")

    def send(name: str) -> httpx.Response:
        form = {"manifest": json.dumps(MANIFEST), "state": "s", "name": name}
        return httpx.post(f"{local.url}/settings/apps", data=form, trust_env=False)

    for name in ("MONA", "Other App"):
        assert send(name).status_code == httpx.codes.UNPROCESSABLE_ENTITY
        assert "Name has already been taken" in send(name).text
    assert send("acme").status_code == httpx.codes.FOUND


def test_a_person_has_no_settings_of_an_organization(local: LocalGitHub) -> None:
    """The page is another one for each kind of account."""
    place = "/organizations/acme/settings"
    of_a_person = show(local, place)
    local.state.users["acme"].type = "Organization"

    assert of_a_person.status_code == httpx.codes.NOT_FOUND
    assert show(local, place).status_code == httpx.codes.OK
