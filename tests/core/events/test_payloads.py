"""Which payloads can be read, and what is said of the others."""

import json
from typing import Any

import pytest

from kodiai.core.events.payloads import (
    CheckRunEvent,
    Event,
    Malformed,
    OtherEvent,
    PingEvent,
    PullRequestEvent,
    read_event,
)
from tests.builders import HEAD

OPENED: dict[str, Any] = {
    "action": "opened",
    "sender": {"login": "octocat", "type": "User", "id": 1},
    "repository": {"full_name": "octo/hello", "private": False},
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
        "installation": {"id": 123},
        "repository": {"full_name": "octo/hello"},
        "pull_request": {"number": 7, "user": {"login": "octocat", "type": "User"}, "head": {"sha": HEAD}},
        "requested_reviewer": None,
        "label": None,
        "changes": {"base": None},
    }


def test_an_event_that_we_do_not_know_is_none_of_our_business_whatever_it_holds() -> None:
    """A webhook that sends everything is no error."""
    assert _read({"anything": [1, 2]}, "workflow_job") == OtherEvent("workflow_job")


def test_what_may_be_missing_may_be_missing() -> None:
    """No installation where a token serves, no author whose account is gone, no external id, no action of a ping."""
    ghost = OPENED | {"pull_request": {"number": 7, "user": None, "head": {"sha": HEAD}}, "installation": None}
    check = {"action": "created", "sender": {"login": "a"}, "repository": {"full_name": "a/b"}, "check_run": {}}

    assert isinstance(_read(ghost), PullRequestEvent)
    assert isinstance(_read(check, "check_run"), CheckRunEvent)
    assert isinstance(_read({"hook_id": 5, "zen": "Speak like a human."}, "ping"), PingEvent)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"action": None}, "action"),
        ({"action": ["opened"]}, "action"),
        ({"sender": "octocat"}, "sender"),
        ({"sender": {"login": ""}}, "sender.login"),
        ({"repository": {"full_name": "octo/hello/../../x"}}, "repository.full_name"),
        ({"repository": {"full_name": 5}}, "repository.full_name"),
        ({"pull_request": []}, "pull_request"),
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


@pytest.mark.parametrize(
    "name", ["pull_request", "check_run", "issue_comment", "pull_request_review", "installation", "ping"]
)
def test_an_empty_object_is_malformed_for_every_event_that_we_read(name: str) -> None:
    """None of them can be acted on without its fields."""
    assert isinstance(_read({}, name), Malformed)


@pytest.mark.parametrize(
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
        (b"[" * 1_000_000, "The body is nested too deeply."),
        (b'{"a":' * 200_000, "The body is nested too deeply."),
        (b"[" * 500_000 + b"]" * 500_000, "The body is nested too deeply."),
        (b'{"action": "\xff"}', "The body is not UTF-8."),
        (b'{"title": "\xed\xa0\x80"}', "The body is not UTF-8."),
        (b'{"title": "\\ud83d"}', "The body has half of a surrogate pair."),
        (b'{"title": "\\ude00\\ud83d"}', "The body has half of a surrogate pair."),
        (b'{"\\uD83D": 1}', "The body has half of a surrogate pair."),
        (b'{"action": "opened", "action": "closed"}', "The body is not JSON."),
        (b'{"a": {"b": 1, "b": 1}}', "The body is not JSON."),
        (b'{"number": ' + b"9" * 5_000 + b"}", "The body is not JSON."),
        (b'{"number": 1e999}', "The body is not JSON."),
        (b'{"number": NaN}', "The body is not JSON."),
        (b'{"number": -Infinity}', "The body is not JSON."),
        (
            b"payload=%7B%22action%22%3A%22opened%22%7D",
            "The body is a form: set the webhook's content type to application/json.",
        ),
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(body: bytes, reason: str) -> None:
    """Whoever holds the secret can still send nonsense; it gets one sentence, never a trace."""
    assert read_event("pull_request", body) == Malformed(reason)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    """An emoji may be escaped."""
    body = json.dumps(OPENED | {"title": "😀"}).encode()

    assert b"\\ud83d\\ude00" in body
    assert isinstance(read_event("pull_request", body), PullRequestEvent)
