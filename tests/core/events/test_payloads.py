"""Which payloads can be read, and what is said of the others."""

import json
from typing import Any

import pytest

from kodiai.core.events.payloads import CheckRunEvent, Event, Malformed, PullRequestEvent, read_event
from tests.builders import HEAD
from tests.tables import each_row

OPENED: dict[str, Any] = {
    "action": "opened",
    "sender": {"login": "octocat", "type": "User", "id": 1},
    "repository": {"id": 11, "full_name": "octo/hello", "owner": {"login": "octo", "id": 1}, "private": False},
    "pull_request": {
        "number": 7,
        "user": {"login": "octocat", "type": "User"},
        "title": "A change",
        "head": {"sha": HEAD, "ref": "change"},
    },
    "installation": {"id": 123},
}


def _read(payload: object, name: str = "pull_request") -> Event | Malformed:
    return read_event(name, json.dumps(payload).encode())


def test_only_the_fields_that_we_use_are_kept() -> None:
    """GitHub adds fields at any time."""
    event = _read(OPENED)

    assert isinstance(event, PullRequestEvent)
    assert event.model_dump() == {
        "action": "opened",
        "sender": {"login": "octocat", "type": "User"},
        "repository": "octo/hello",
        "repository_id": 11,
        "owner_id": 1,
        "installation": 123,
        "number": 7,
        "author": {"login": "octocat", "type": "User"},
        "head": HEAD,
        "requested_reviewer": None,
        "label": None,
        "changed_base": None,
        "association": None,
    }


@pytest.mark.parametrize("name", ["pull_request", "check_run", "issue_comment", "pull_request_review"])
def test_an_empty_object_is_malformed_for_every_event_that_we_read(name: str) -> None:
    """None of them can be acted on without its fields."""
    assert isinstance(_read({}, name), Malformed)


def test_optional_fields_may_be_missing() -> None:
    """No installation where a token serves, no author whose account is gone, no external id."""
    ghost = OPENED | {"pull_request": {"number": 7, "user": None, "head": {"sha": HEAD}}, "installation": None}
    check = {key: OPENED[key] for key in ("action", "sender", "repository")} | {"check_run": {}}

    assert isinstance(_read(ghost), PullRequestEvent)
    assert isinstance(_read(check, "check_run"), CheckRunEvent)


@each_row(
    ("changed", "field"),
    [
        ({"action": None}, "action"),
        ({"action": ["opened"]}, "action"),
        ({"sender": "octocat"}, "sender"),
        ({"sender": {"login": ""}}, "sender.login"),
        ({"repository": {"full_name": "octo/hello/../../x"}}, "repository.full_name"),
        ({"repository": {"full_name": 5}}, "repository.full_name"),
        ({"repository": {"full_name": "octo/hello"}}, "repository.id"),
        ({"repository": {"full_name": "octo/hello", "id": 11, "owner": {}}}, "repository.owner.id"),
        ({"pull_request": []}, "pull_request.number"),
        ({"pull_request": {"number": "7", "user": None}}, "pull_request.number"),
        ({"pull_request": {"number": 7.0, "user": None}}, "pull_request.number"),
        ({"pull_request": {"number": True, "user": None}}, "pull_request.number"),
        ({"pull_request": {"number": -7, "user": None}}, "pull_request.number"),
        ({"pull_request": {"number": 10**30, "user": None}}, "pull_request.number"),
        ({"pull_request": {"number": 7}}, "pull_request.user"),
        ({"pull_request": {"number": 7, "user": None, "head": {"sha": "main"}}}, "pull_request.head.sha"),
        ({"installation": {"id": "123"}}, "installation.id"),
    ],
)
def test_a_field_of_another_shape_is_named(changed: dict[str, Any], field: str) -> None:
    """The maintainer reads in the webhook log which field it was; its content is not repeated."""
    assert _read(OPENED | changed) == Malformed(f"The payload of “pull_request” has no usable {field}.")


@each_row(
    ("body", "reason"),
    [
        (b"", "The body is not JSON."),
        (b"hello", "The body is not JSON."),
        (b'{"action": "opened"', "The body is not JSON."),
        (b'{"action": "opened"} {}', "The body is not JSON."),
        (b"\xef\xbb\xbf{}", "The body is not JSON."),
        (b"[]", "The body is JSON, but not an object."),
        (b"null", "The body is JSON, but not an object."),
        (b'"{}"', "The body is JSON, but not an object."),
        (b"[" * 500_000 + b"]" * 500_000, "The body is not JSON."),
        (b'{"action": "\xff"}', "The body is not JSON."),
        (b'{"title": "\\ud83d"}', "The body is not JSON."),
        (b'{"number": ' + b"9" * 5_000 + b"}", "The body is not JSON."),
        (b'{"number": NaN}', "The body is not JSON."),
        (b'{"number": -Infinity}', "The body is not JSON."),
        (
            b"payload=%7B%22action%22%3A%22opened%22%7D",
            "The body is a form: set the webhook's content type to application/json.",
        ),
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(body: bytes, reason: str) -> None:
    """A holder of the secret can still send nonsense; it gets one sentence, never a trace."""
    assert read_event("pull_request", body) == Malformed(reason)
