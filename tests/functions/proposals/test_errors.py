"""The refusals of the API: problem details, with nothing of the inside."""

import json
from typing import Any

import pytest

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.errors import Broken, Retry
from tests.functions.proposals.scene import (
    ANN,
    BEN,
    DIFF,
    HEAD,
    NOBODY,
    READER,
    STRANGER,
    SUBMISSION,
    Answer,
    Api,
)
from tests.tables import each_row

P = "P-" + "0" * 20


def problem(answer: Answer) -> Any:
    """The problem details of an answer, without the members that repeat the status."""
    assert answer.kind == "application/problem+json"
    assert answer.json["status"] == answer.status
    return {name: value for name, value in answer.json.items() if name not in ("status", "title")}


@each_row(
    "authorization", [None, "", "Bearer", "Bearer ", "Basic YTpi", "ghp_ann", "Bearer a b", "Bearer ü", "Bearer a\r\nb"]
)
def test_without_a_token_nothing_is_answered(api: Api, authorization: str | None) -> None:
    """The answer says how to send one, also where there is nothing."""
    headers = {} if authorization is None else {"Authorization": authorization}

    for method, path in (("POST", "/proposals"), ("GET", f"/proposals/{P}"), ("POST", "/mcp"), ("GET", "/nowhere")):
        answer = api.ask(method, path, token=None, headers=headers)

        assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer realm="kodiai"')
        assert problem(answer) == {"detail": "Send a GitHub token: `Authorization: Bearer <token>`."}
    assert api.tokens == []


@each_row(
    ("method", "path", "body", "token", "status", "said"),
    [
        ("POST", "", SUBMISSION, NOBODY, 401,
         {"detail": "GitHub does not take the token: it is wrong, or it was revoked."}),
        ("POST", "", SUBMISSION, READER, 403, {"detail": "This requires write access to octo/widgets."}),
        ("POST", "", SUBMISSION, STRANGER, 404,
         {"detail": "There is no repository octo/widgets, or you may not read it."}),
        ("GET", "/{id}", None, STRANGER, 404,
         {"detail": "There is no proposal {id}, or you may not read its repository."}),
        ("POST", "/{id}/claim", None, ANN, 409,
         {"name": "own_proposal",
          "detail": "Nobody reviews their own proposal: another person has to claim it."}),
        ("PUT", "/{id}", {name: SUBMISSION[name] for name in ("description", "changes", "diff")}, BEN, 409,
         {"name": "not_the_proposer", "detail": "Only ann, who proposes it, can revise the proposal."}),
        ("POST", "", "x" * (4 * 1024 * 1024 + 1), ANN, 413,
         {"detail": "The body is over 4,194,304 bytes; a diff may have 1,000,000."}),
        ("POST", "", {**SUBMISSION, "diff": DIFF + "ü" * 500_000}, ANN, 413,
         {"detail": "The diff has 1,000,134 bytes; the most is 1,000,000."}),
        ("POST", "", {**SUBMISSION, "pull_request": 8}, ANN, 422, {"detail": "There is no pull request #8."}),
    ],
)  # fmt: skip
def test_each_refusal_has_its_status_and_its_sentence(
    api: Api, method: str, path: str, body: Any, token: str, status: int, said: dict[str, str]
) -> None:
    """A refusal of the protocol also has a name: a program decides by it, a person reads the sentence."""
    proposal = api.submit()

    answer = api.ask(method, f"/proposals{path.format(id=proposal)}", body, token=token)

    assert answer.status == status
    assert problem(answer) == {name: text.format(id=proposal) for name, text in said.items()}
    assert answer.headers.get("www-authenticate") == ('Bearer realm="kodiai"' if status == 401 else None)


@pytest.mark.parametrize(("method", "path"), [("POST", "/proposals"), ("GET", "/proposals?repository=octo/widgets")])
def test_of_a_repository_that_the_lists_exclude_nothing_is_taken_and_nothing_shown(
    api: Api, method: str, path: str
) -> None:
    """People who may read it learn so; nobody else learns that it exists. Capitals do not matter."""
    api.repositories = RepositoryLists.from_parameters({"repositories/deny": "Octo/W*"}, "/kodiai/prod")
    path, _, query = path.partition("?")
    parameters = dict([query.split("=")]) if query else None
    body = SUBMISSION if method == "POST" else None

    answer = api.ask(method, path, body, query=parameters)
    hidden = api.ask(method, path, body, token=STRANGER, query=parameters)

    assert (answer.status, hidden.status) == (403, 404)
    assert problem(answer) == {
        "detail": "This deployment of Kodiai does not serve octo/widgets: "
        "its operator decides which repositories it serves."
    }
    assert api.queue.sent == []


@pytest.mark.parametrize(("method", "path"), [("PATCH", "/proposals"), ("POST", "/nowhere"), ("GET", "/proposals/a/b")])
def test_what_is_no_route_is_not_found(api: Api, method: str, path: str) -> None:
    """The answer says where the API is described."""
    answer = api.ask(method, path)

    assert answer.status == 404
    assert problem(answer) == {"detail": "There is nothing here for this method: /openapi.json describes the API."}


@pytest.mark.parametrize("body", ["{", "", "null x", '{"a": ' * 100_000, "\ufeff{}"])
def test_a_body_that_is_no_json_is_malformed(api: Api, body: str) -> None:
    """Also one that is nested too deeply to be read. An empty one is an empty object, which lacks members."""
    answer = api.ask("POST", "/proposals", body)

    assert answer.status == (400 if body else 422)
    if body:
        assert problem(answer) == {"detail": "The body is not valid JSON."}


def test_a_body_of_another_type_is_not_read(api: Api) -> None:
    """A form that a web page could send is none of ours."""
    answer = api.ask("POST", "/proposals", json.dumps(SUBMISSION), headers={"content-type": "text/plain"})

    assert answer.status == 415
    assert problem(answer) == {"detail": "The body has to be application/json."}


@each_row(
    ("changes", "errors"),
    [
        ({"description": ""}, [("#/description", "String should have at least 1 character")]),
        ({"changes": []}, [("#/changes", "The list should have at least 1 item after validation, not 0")]),
        (
            {"changes": [{"what": "a"}, {"what": 1, "why": "b"}]},
            [("#/changes/0/why", "Field required"), ("#/changes/1/what", "Input should be a valid string")],
        ),
        ({"base": HEAD}, [("#", "Give either pull_request or base.")]),
        ({"pull_request": None}, [("#", "Give either pull_request or base.")]),
        ({"pull_request": 0}, [("#/pull_request", "Input should be greater than 0")]),
        ({"reviewed_by": "me"}, [("#/reviewed_by", "Input should be 'kodiai' or 'anyone'")]),
        ({"agent": {"model/~": "x"}}, [("#/agent/model~1~0", "Extra inputs are not permitted")]),
        ({"agent": {"role": "x" * 201}}, [("#/agent/role", "String should have at most 200 characters")]),
        ({"status": "approved"}, [("#/status", "Extra inputs are not permitted")]),
    ],
)
def test_each_invalid_member_is_named_by_its_place(
    api: Api, changes: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    """All at once, and without what was sent."""
    answer = api.ask("POST", "/proposals", {**SUBMISSION, **changes})

    assert answer.status == 422
    assert problem(answer) == {
        "detail": "The request has members that are not as they should be: see `errors`.",
        "errors": [{"pointer": pointer, "detail": detail} for pointer, detail in errors],
    }


def test_text_that_is_no_unicode_is_an_invalid_member(api: Api) -> None:
    """JSON can write half of a character, which no diff has."""
    body = json.dumps({**SUBMISSION, "diff": "x"}).replace('"x"', '"\\ud800"')

    answer = api.ask("POST", "/proposals", body)

    assert (answer.status, [each["pointer"] for each in answer.json["errors"]]) == (422, ["#/diff"])


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({}, "repository"),
        ({"repository": "widgets"}, "repository"),
        ({"repository": "octo/widgets", "status": "open"}, "status"),
        ({"repository": "octo/widgets", "pull_request": "seven"}, "pull_request"),
    ],
)
def test_an_invalid_parameter_is_named(api: Api, query: dict[str, str], parameter: str) -> None:
    """It has no place in a body."""
    answer = api.ask("GET", "/proposals", query=query)

    assert (answer.status, [each["parameter"] for each in answer.json["errors"]]) == (422, [parameter])


@each_row("seconds", [59, 86_401, "long"])
def test_a_claim_is_neither_too_short_nor_too_long(api: Api, seconds: Any) -> None:
    """A minute to a day."""
    answer = api.ask("POST", f"/proposals/{api.submit()}/claim", {"seconds": seconds}, token=BEN)

    assert (answer.status, [each["pointer"] for each in answer.json["errors"]]) == (422, ["#/seconds"])


@pytest.mark.parametrize(("after", "seconds"), [(7.2, "8"), (None, "5")])
def test_what_is_busy_says_when_to_try_again(api: Api, after: float | None, seconds: str) -> None:
    """Without the reason, which may name resources."""
    api.queue.raises = Retry("SQS says ThrottlingException for arn:aws:sqs:secret", after_seconds=after)

    answer = api.ask("POST", "/proposals", SUBMISSION)

    assert (answer.status, answer.headers["retry-after"]) == (503, seconds)
    assert problem(answer) == {
        "detail": f"Something is busy, or has changed meanwhile. Try again in {seconds} seconds."
    }


@pytest.mark.parametrize("error", [Broken("SQS says AccessDenied for arn:aws:sqs:secret"), ZeroDivisionError("secret")])
def test_a_bug_says_nothing_of_the_inside(api: Api, error: Exception) -> None:
    """The log has it."""
    api.queue.raises = error

    answer = api.ask("POST", "/proposals", SUBMISSION)

    assert answer.status == 500
    assert problem(answer) == {"detail": "Something is wrong on our side and is in our log."}
