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
    REVISION,
    STRANGER,
    SUBMISSION,
    Answer,
    Api,
)
from tests.tables import each_row

P = "P-" + "0" * 20
NO_JSON = {"detail": "The body is not valid JSON."}
NO_ROUTE = {"detail": "There is nothing here for this method: /openapi.json describes the API."}


def problem(answer: Answer) -> Any:
    """The problem details of an answer, without the members that repeat the status."""
    assert answer.kind == "application/problem+json"
    assert answer.json["status"] == answer.status
    return {name: value for name, value in answer.json.items() if name not in ("status", "title")}


def wrong_members(api: Api, changes: dict[str, Any]) -> list[tuple[str, str]]:
    """The places in a submission with these changes that are not as they should be, each with its sentence."""
    answer = api.ask("POST", "/proposals", {**SUBMISSION, **changes})
    said = problem(answer)
    assert (answer.status, set(said)) == (422, {"detail", "errors"})
    assert said["detail"] == "The request has members that are not as they should be: see `errors`."
    assert all(set(each) == {"pointer", "detail"} for each in said["errors"])
    return [(each["pointer"], each["detail"]) for each in said["errors"]]


@each_row(
    "authorization", [None, "", "Bearer", "Bearer ", "Basic YTpi", "ghp_ann", "Bearer a b", "Bearer ü", "Bearer a\r\nb"]
)
def test_a_request_without_a_token_is_refused(api: Api, authorization: str | None) -> None:
    """The answer says how to send one, also where there is nothing."""
    headers = {} if authorization is None else {"Authorization": authorization}

    for method, path in (("POST", "/proposals"), ("GET", f"/proposals/{P}"), ("POST", "/mcp"), ("GET", "/nowhere")):
        answer = api.ask(method, path, token=None, headers=headers)

        assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer realm="kodiai"')
        assert problem(answer) == {"detail": "Send a GitHub token: `Authorization: Bearer <token>`."}
    assert api.tokens == []


@each_row(
    ("request_line", "body", "token", "status", "said"),
    [
        ("POST /proposals", SUBMISSION, NOBODY, 401,
         {"detail": "GitHub does not take the token: it is wrong, or it was revoked."}),
        ("POST /proposals", SUBMISSION, READER, 403, {"detail": "This requires write access to octo/widgets."}),
        ("POST /proposals", SUBMISSION, STRANGER, 404,
         {"detail": "There is no repository octo/widgets, or you may not read it."}),
        ("GET /proposals/{id}", None, STRANGER, 404,
         {"detail": "There is no proposal {id}, or you may not read its repository."}),
        ("POST /proposals/{id}/claim", None, ANN, 409,
         {"name": "own_proposal", "detail": "Nobody reviews their own proposal: another person has to claim it."}),
        ("PUT /proposals/{id}", REVISION, BEN, 409,
         {"name": "not_the_proposer", "detail": "Only ann, who proposes it, can revise the proposal."}),
        ("POST /proposals", "x" * (4 * 1024 * 1024 + 1), ANN, 413,
         {"detail": "The body is over 4,194,304 bytes; a diff may have 1,000,000."}),
        ("POST /proposals", {**SUBMISSION, "diff": DIFF + "ü" * 500_000}, ANN, 413,
         {"detail": "The diff has 1,000,134 bytes; the most is 1,000,000."}),
        ("POST /proposals", {**SUBMISSION, "pull_request": 8}, ANN, 404, {"detail": "There is no pull request #8."}),
        ("PATCH /proposals", None, ANN, 405, {"detail": "This takes GET and POST: /openapi.json describes the API."}),
        ("GET /proposals/{id}/claim", None, ANN, 405, {"detail": "This takes POST: /openapi.json describes the API."}),
        ("POST /findings", None, ANN, 405, {"detail": "This takes GET: /openapi.json describes the API."}),
        ("POST /nowhere", None, ANN, 404, NO_ROUTE),
        ("GET /proposals/a/b", None, ANN, 404, NO_ROUTE),
        ("POST /proposals", "{", ANN, 400, NO_JSON),
        ("POST /proposals", "null x", ANN, 400, NO_JSON),
        ("POST /proposals", '{"a": ' * 100_000, ANN, 400, NO_JSON),
        ("POST /proposals", "\ufeff{}", ANN, 400, NO_JSON),
    ],
)  # fmt: skip
def test_each_refusal_has_its_status_and_its_sentence(
    api: Api, request_line: str, body: Any, token: str, status: int, said: dict[str, str]
) -> None:
    """A refusal of the protocol also has a name: a program decides by it, a person reads the sentence."""
    proposal = api.submit()

    method, path = request_line.format(id=proposal).split()
    answer = api.ask(method, path, body, token=token)

    assert answer.status == status
    assert problem(answer) == {name: text.format(id=proposal) for name, text in said.items()}
    assert answer.headers.get("www-authenticate") == ('Bearer realm="kodiai"' if status == 401 else None)


def test_a_pull_request_that_does_not_exist_is_not_found(api: Api) -> None:
    """In the query, as in the body."""
    answer = api.ask("GET", "/findings", query={"repository": "octo/widgets", "pull_request": "8"})

    assert (answer.status, problem(answer)) == (404, {"detail": "There is no pull request #8."})


def test_a_body_of_another_type_is_not_read(api: Api) -> None:
    """A form that a web page could send is none of ours."""
    answer = api.ask("POST", "/proposals", json.dumps(SUBMISSION), headers={"content-type": "text/plain"})

    assert (answer.status, problem(answer)) == (415, {"detail": "The body has to be application/json."})


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_repository_that_the_lists_exclude_is_refused(api: Api, method: str) -> None:
    """People who may read it learn so; nobody else learns that it exists. Capitals do not matter."""
    api.repositories = RepositoryLists.from_parameters({"repositories/deny": "Octo/W*"}, "/kodiai/prod")
    given: dict[str, Any] = {"body": SUBMISSION} if method == "POST" else {"query": {"repository": "octo/widgets"}}

    answer, hidden = (api.ask(method, "/proposals", token=token, **given) for token in (ANN, STRANGER))

    assert (answer.status, hidden.status, api.queue.sent) == (403, 404, [])
    assert problem(answer) == {
        "detail": "This deployment of Kodiai does not serve octo/widgets: "
        "its operator decides which repositories it serves."
    }


@each_row(
    ("changes", "errors"),
    [
        ({"description": " \n"}, [("#/description", "It is blank.")]),
        ({"changes": "fix it"}, [("#/changes", "Give a list.")]),
        ({"changes": []}, [("#/changes", "The list should have at least 1 item after validation, not 0")]),
        (
            {"changes": [{"what": "a"}, {"what": 1, "why": "b"}]},
            [("#/changes/0/why", "It is missing."), ("#/changes/1/what", "Give a text.")],
        ),
    ],
)
def test_an_intent_is_a_description_and_changes_each_with_what_and_why(
    api: Api, changes: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    """A reviewer compares the diff with what was meant."""
    assert wrong_members(api, changes) == errors


@each_row("changes", [{"base": HEAD}, {"pull_request": None}])
def test_a_proposal_is_for_a_pull_request_or_for_a_commit(api: Api, changes: dict[str, Any]) -> None:
    """For one of the two, or nobody knows against which tree it is checked."""
    assert wrong_members(api, changes) == [("#", "Give either pull_request or base.")]


@each_row(
    ("changes", "errors"),
    [
        ({"repository": "https://github.com/octo/widgets"}, [("#/repository", 'Give the repository as "owner/name".')]),
        ({"pull_request": 0}, [("#/pull_request", "Input should be greater than 0")]),
        ({"reviewed_by": "me"}, [("#/reviewed_by", "Input should be 'kodiai' or 'anyone'")]),
        ({"agent": {"model/~": "x"}}, [("#/agent/model~1~0", "There is no such member.")]),
        ({"agent": {"role": "x" * 201}}, [("#/agent/role", "String should have at most 200 characters")]),
        ({"status": "approved"}, [("#/status", "There is no such member.")]),
    ],
)
def test_each_invalid_member_is_named_by_its_place(
    api: Api, changes: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    """All at once, and without what was sent."""
    assert wrong_members(api, changes) == errors


def test_a_diff_that_is_no_unicode_is_refused(api: Api) -> None:
    """JSON can write half of a character, which no file has."""
    half = json.dumps({**SUBMISSION, "diff": "x"}).replace('"x"', '"\\ud800"')

    answer = api.ask("POST", "/proposals", half)

    assert (answer.status, [each["pointer"] for each in answer.json["errors"]]) == (422, ["#/diff"])


@each_row(
    ("request_line", "given", "places"),
    [
        ("GET /proposals", {"query": {}}, ["repository"]),
        ("GET /proposals", {"query": {"repository": "widgets"}}, ["repository"]),
        ("GET /proposals", {"query": {"repository": "octo/widgets", "status": "open"}}, ["status"]),
        ("GET /proposals", {"query": {"repository": "octo/widgets", "pull_request": "seven"}}, ["pull_request"]),
        ("POST /proposals", {"body": ""}, ["#/description", "#/changes", "#/diff", "#/repository"]),
        ("POST /proposals/{id}/claim", {"body": {"seconds": 59}}, ["#/seconds"]),
        ("POST /proposals/{id}/claim", {"body": {"seconds": 86_401}}, ["#/seconds"]),
        ("POST /proposals/{id}/claim", {"body": {"seconds": "long"}}, ["#/seconds"]),
        ("POST /proposals/nonsense/claim", {}, ["proposal_id"]),
        ("POST /proposals/{id}/verdict", {"body": {"decision": "approve"}}, ["#/generation"]),
        ("POST /proposals/{id}/close", {"body": "null"}, ["#"]),
        ("POST /proposals/{id}/close", {"body": "[{}]"}, ["#"]),
    ],
)
def test_each_route_names_what_is_invalid(
    api: Api, request_line: str, given: dict[str, Any], places: list[str]
) -> None:
    """The name is the place in the body or the parameter. An empty body is an empty object."""
    answer = api.ask(*request_line.format(id=api.submit()).split(), token=BEN, **given)

    found = [each.get("pointer") or each["parameter"] for each in answer.json["errors"]]
    assert (answer.status, found) == (422, places)


@pytest.mark.parametrize(("after", "seconds"), [(7.2, "8"), (None, "5")])
def test_a_busy_answer_says_when_to_try_again(api: Api, after: float | None, seconds: str) -> None:
    """The reason may name resources, and is left out."""
    api.queue.raises = Retry("SQS says ThrottlingException for arn:aws:sqs:secret", after_seconds=after)

    answer = api.ask("POST", "/proposals", SUBMISSION)

    assert (answer.status, answer.headers["retry-after"]) == (503, seconds)
    assert problem(answer) == {
        "detail": f"Something is busy, or has changed meanwhile. Try again in {seconds} seconds."
    }


@pytest.mark.parametrize("error", [Broken("SQS says AccessDenied for arn:aws:sqs:secret"), ZeroDivisionError("secret")])
def test_a_bug_says_nothing_of_the_inside(api: Api, error: Exception) -> None:
    """Over HTTP and over MCP, where it is no result that an agent could act on. The log has it."""
    api.queue.raises = error
    call = {"name": "submit_proposal", "arguments": SUBMISSION}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    for answer in (api.ask("POST", "/proposals", SUBMISSION), api.ask("POST", "/mcp", message)):
        assert answer.status == 500
        assert problem(answer) == {"detail": "Something is wrong on our side and is in our log."}
