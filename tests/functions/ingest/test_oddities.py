"""Signed payloads with something odd in one place: each is a job, nothing, or a refusal that quotes nothing of it."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from kodiai.core.github.names import MOST_SAID
from tests.builders import HEAD
from tests.functions.ingest.door import OPENED, Door, Heard
from tests.tables import each_row

MARK = "never-in-the-log"
MEMBER = {"login": "octocat", "type": "User"}
COMMENT = {
    "id": 5,
    "node_id": "IC_kwDO31",
    "user": MEMBER,
    "body": "@kodiai status",
    "created_at": "2026-07-01T12:00:00Z",
    "in_reply_to_id": 4,
    "author_association": "NONE",
}
REVIEW = {**COMMENT, "submitted_at": COMMENT["created_at"]}
del REVIEW["created_at"], REVIEW["in_reply_to_id"]
QUEUED = f"gh-readonly-queue/main/pr-7-{HEAD}"
PULL = {**OPENED["pull_request"], "author_association": "NONE"}
AROUND = {name: value for name, value in OPENED.items() if name not in ("action", "pull_request")}
ACTED_ON: dict[str, tuple[str, dict[str, Any]]] = {
    "opened": ("pull_request", {"pull_request": PULL}),
    "synchronize": ("pull_request", {"pull_request": PULL}),
    "labeled": ("pull_request", {"pull_request": PULL, "label": {"name": "later"}}),
    "review_requested": ("pull_request", {"pull_request": PULL, "requested_reviewer": MEMBER}),
    "edited": ("pull_request", {"pull_request": PULL, "changes": {"base": {"ref": {"from": "main"}}}}),
    "rerequested": ("check_run", {"check_run": {"external_id": f"octo/hello#7@{HEAD}"}}),
    "rerequested ": (
        "check_suite",
        {"check_suite": {"head_sha": HEAD, "head_branch": "topic", "app": {"id": 5}, "pull_requests": [{"number": 7}]}},
    ),
    "requested_action": (
        "check_run",
        {"check_run": {"external_id": "1#7@a", "head_sha": HEAD, "check_suite": {"head_branch": QUEUED}}},
    ),
    "checks_requested": ("merge_group", {"merge_group": {"head_sha": HEAD, "head_ref": f"refs/heads/{QUEUED}"}}),
    "created": (
        "issue_comment",
        {"comment": COMMENT, "issue": {"number": 7, "title": "A change", "pull_request": {"url": "https://x"}}},
    ),
    "created ": ("pull_request_review_comment", {"comment": COMMENT, "pull_request": PULL}),
    "submitted": ("pull_request_review", {"review": REVIEW, "pull_request": PULL}),
    "deleted": ("installation", {"installation": {"id": 123, "account": {"id": 1, "login": "octo"}}}),
    "removed": (
        "installation_repositories",
        {"installation": {"id": 123, "account": {"id": 1, "login": "octo"}}, "repositories_removed": [{"id": 11}]},
    ),
}
LONG = [f"{MARK}{'x' * size}" for size in (300, 1_000_000, 4_000_000)]
"""Too long for a job, for a message, and for all but one field of a body."""
ODD = [
    *(json.dumps(text[:100_000]) for text in LONG[:2]),
    *(json.dumps(f"{MARK}{odd}") for odd in ("", " b", "\x00", "\x1b[2J", "\u2028", "\uffff", "é", "😀", "\n", '"')),
    rf'"{MARK}\ud800"',
    rf'"\udc00{MARK}"',
    json.dumps("😀" * MOST_SAID),
    *("null", "true", "[]", "{}", "-1", "0", "1.5", "1e400", "-1e-400", "NaN", "9007199254740993", "9" * 5_000),
    *('""', '"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59-23:59"', '"-1"'),
    "[" * 150 + "]" * 150,
    '{"a":' * 5_000 + "1" + "}" * 5_000,
    f'{{"{MARK}": {{"{MARK}": ["{MARK}"]}}, "login": "{MARK}", "id": 1, "id": 2}}',
]
NAMED = [
    ("created", ("comment", "node_id"), f"IC_{MARK}!"),
    ("created", ("comment", "node_id"), LONG[1]),
    ("created", ("comment", "created_at"), "1969-12-31T23:59:59Z"),
    ("created", ("comment", "user", "login"), f"{MARK} b"),
    ("created", ("issue", "title"), LONG[2]),
    ("created", ("action",), LONG[0]),
    ("labeled", ("label", "name"), LONG[1]),
    ("review_requested", ("requested_reviewer", "login"), f"{MARK}é"),
    ("opened", ("pull_request", "user", "login"), f"{MARK}😀"),
]


def delivered(door: Door, event: str, body: bytes) -> Heard:
    """The answer to a delivery, of a GUID of its own."""
    return door.deliver(body, event=event, as_base64=True, headers={"x-github-delivery": str(uuid.uuid4())})


def places(value: object, *path: str) -> Iterator[tuple[str, ...]]:
    """The paths of all fields in a payload."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield (*path, name)
        yield from places(inner, *path, name)


def with_odd(payload: dict[str, Any], place: tuple[str, ...], odd: str) -> bytes:
    """The payload with a piece of JSON in one place, which may be none that a program writes."""
    name, *rest = place
    inner = with_odd(payload[name], tuple(rest), odd) if rest else odd.encode()
    parts = [
        json.dumps(each).encode() + b": " + (inner if each == name else json.dumps(value).encode())
        for each, value in payload.items()
    ]
    return b"{" + b", ".join(parts) + b"}"


@pytest.mark.parametrize("action", ACTED_ON)
def test_an_odd_field_is_refused_or_does_no_harm(
    lasting_door: Door, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is in any field that is read, and in those around it, which are the same for all."""
    event, own = ACTED_ON[action]
    payload = {**AROUND, "action": action.strip(), **own}
    assert delivered(lasting_door, event, json.dumps(payload).encode()).status == 202
    capsys.readouterr()
    seen, wrong = set(), []

    for place in places(payload if action == "opened" else own):
        for odd in ODD:
            heard = delivered(lasting_door, event, with_odd(payload, place, odd))
            logged = capsys.readouterr().out
            seen.add(heard.status)
            quoted = heard.status >= 400 and MARK in f"{logged} {heard.body}"
            if heard.status not in (200, 202, 400) or quoted or len(logged) > 2_000:
                wrong.append((".".join(place), odd[:40], heard.status, heard.body["reason"]))

    assert wrong == []
    assert 400 in seen


@each_row(("action", "place", "odd"), NAMED)
def test_a_field_that_no_job_may_have_is_named(
    lasting_door: Door, action: str, place: tuple[str, ...], odd: str
) -> None:
    """The reason in the webhook log: what is signed as GitHub's cannot be GitHub's."""
    event, own = ACTED_ON[action]

    heard = delivered(lasting_door, event, with_odd({**AROUND, "action": action, **own}, place, json.dumps(odd)))

    assert (heard.status, heard.body["reason"]) == (
        400,
        f"The payload of “{event}” has no usable {'.'.join(place)}.",
    )
