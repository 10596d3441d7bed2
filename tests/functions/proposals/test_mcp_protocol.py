"""The MCP endpoint, message by message, where the official client would not send what is wrong.

Sources: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
and https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from tests.functions.proposals.scene import NOBODY, REPOSITORY, SUBMISSION, Answer, Api
from tests.tables import each_row

META = "io.modelcontextprotocol/"
NEW, OLD = "2026-07-28", "2025-11-25"
REVISIONS = [NEW, OLD, "2025-06-18", "2025-03-26", "2024-11-05"]
SERVER = {"name": "kodiai", "title": "Kodiai", "version": "1"}
LIST = {"name": "list_proposals", "arguments": {"repository": REPOSITORY}}
NO_PROPOSALS = {
    "content": [{"type": "text", "text": "There are no such proposals."}],
    "isError": False,
}
NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/x"}


def message(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params}), **more}


def post(api: Api, body: Any, version: str | None = None) -> Answer:
    """Send a message, with the revision in its header if there is one."""
    return api.ask("POST", "/mcp", body, headers={} if version is None else {"mcp-protocol-version": version})


def stateless(api: Api, method: str, params: Mapping[str, Any] | None = None, **headers: str | None) -> Answer:
    """Send a request of the stateless revision; a header given as None is left out, "_" stands for "-"."""
    meta = {f"{META}protocolVersion": NEW, f"{META}clientCapabilities": {}}
    given: dict[str, str | None] = {"mcp-protocol-version": NEW, "mcp-method": method}
    given |= {"mcp-name": params["name"]} if params and "name" in params else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in given.items() if value is not None}
    return api.ask("POST", "/mcp", message(method, {"_meta": meta, **(params or {})}), headers=sent)


def error(answer: Answer) -> tuple[int, int]:
    """The status of HTTP and the code of JSON-RPC."""
    return answer.status, answer.json["error"]["code"]


@each_row(
    ("asked", "agreed"), [*((each, each) for each in REVISIONS[1:]), (NEW, OLD), ("1999-01-01", OLD), (None, OLD)]
)
def test_a_handshake_agrees_on_the_clients_revision_or_the_newest(api: Api, asked: str | None, agreed: str) -> None:
    """Sessions have no id, so each of the next requests may reach another process."""
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}

    answer = post(api, message("initialize", params, id="x"))

    result = answer.json["result"]
    assert (answer.status, answer.kind, answer.json["id"]) == (200, "application/json", "x")
    assert "mcp-session-id" not in answer.headers
    assert (result["protocolVersion"], result["capabilities"], result["serverInfo"]) == (agreed, {"tools": {}}, SERVER)
    assert result["instructions"]


@each_row("version", [None, "2025-03-26", OLD])
def test_after_a_handshake_each_request_stands_alone(api: Api, version: str | None) -> None:
    """The name of the revision is optional; a ping and a notification are answered by the protocol."""
    noted = post(api, NOTIFICATION, version)
    listed = post(api, message("tools/list"), version)

    assert post(api, message("ping"), version).json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (noted.status, noted.text) == (202, "")
    assert len(listed.json["result"]["tools"]) == 11
    assert "ttlMs" not in listed.json["result"]
    assert post(api, message("tools/call", LIST), version).json["result"] == NO_PROPOSALS


def test_a_stateless_request_needs_no_handshake(api: Api) -> None:
    """Every result says who answers; lists say how long they hold, for everybody. A header may be encoded."""
    encoded = base64.b64encode(b"list_proposals").decode()
    discovered, listed, called, same = (
        stateless(api, "server/discover").json["result"],
        stateless(api, "tools/list").json["result"],
        stateless(api, "tools/call", LIST).json["result"],
        stateless(api, "tools/call", LIST, mcp_name=f"=?base64?{encoded}?=").json["result"],
    )

    meta = {f"{META}serverInfo": SERVER}
    assert discovered["supportedVersions"] == REVISIONS
    for result in (discovered, listed):
        assert (result["resultType"], result["_meta"]) == ("complete", meta)
        assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
    assert called == same == {"resultType": "complete", **NO_PROPOSALS, "_meta": meta}


@each_row(
    "headers",
    [
        {"mcp_method": "tools/list"},
        {"mcp_method": None},
        {"mcp_name": "get_proposal"},
        {"mcp_name": None},
        {"mcp_name": "=?base64?!?="},
        {"mcp_protocol_version": OLD},
        {"mcp_protocol_version": None},
    ],
)
def test_headers_that_do_not_repeat_the_body_are_refused(api: Api, headers: dict[str, str | None]) -> None:
    """A proxy in between might have decided by them."""
    answer = stateless(api, "tools/call", LIST, **headers)

    assert error(answer) == (400, -32020)
    assert api.tokens == []


@each_row(
    ("meta", "version", "code"),
    [
        ({"clientCapabilities": {}}, NEW, -32602),
        ({"protocolVersion": NEW}, NEW, -32602),
        ({"protocolVersion": OLD, "clientCapabilities": {}}, OLD, -32022),
    ],
)
def test_a_stateless_request_says_who_speaks_what(api: Api, meta: dict[str, Any], version: str, code: int) -> None:
    """It is malformed without, and refused in a revision with handshakes, of which there was none."""
    params = {"_meta": {f"{META}{name}": value for name, value in meta.items()}}
    headers = {"mcp-protocol-version": version, "mcp-method": "tools/list"}

    answer = api.ask("POST", "/mcp", message("tools/list", params), headers=headers)

    assert error(answer) == (400, code)


@each_row("sent", [NOTIFICATION, message("tools/list")])
def test_a_revision_that_we_do_not_speak_is_named_with_those_that_we_do(api: Api, sent: dict[str, Any]) -> None:
    """A client then chooses one of them."""
    answer = post(api, sent, "2027-01-01")

    assert error(answer) == (400, -32022)
    assert answer.json["error"]["data"] == {"supported": REVISIONS, "requested": "2027-01-01"}


@each_row(
    ("method", "params", "version", "outcome"),
    [
        ("resources/list", None, OLD, (200, -32601)),
        ("resources/list", None, NEW, (404, -32601)),
        ("ping", None, NEW, (404, -32601)),
        ("tools/call", {"name": "merge"}, OLD, (200, -32602)),
        ("tools/call", {"name": "merge"}, NEW, (400, -32602)),
        ("tools/call", {"name": 7}, OLD, (200, -32602)),
    ],
)
def test_an_unknown_method_or_tool_is_an_error_in_the_way_of_each_revision(
    api: Api, method: str, params: Any, version: str, outcome: tuple[int, int]
) -> None:
    """The stateless one has a status for it."""
    new = version == NEW
    answer = stateless(api, method, params) if new else post(api, message(method, params), version)

    assert error(answer) == outcome
    if params == {"name": "merge"}:
        assert answer.json["error"]["message"] == "There is no tool merge: call tools/list."


PING, BATCHES = message("ping"), "2025-03-26"


@each_row(
    ("body", "version", "outcome"),
    [
        ("{", None, (400, -32700)),
        ("[" * 100_000, None, (400, -32700)),
        ("[]", None, (400, -32600)),
        ("7", None, (400, -32600)),
        ({"id": 1, "method": "ping"}, None, (400, -32600)),
        ({"jsonrpc": "2.0", "id": 1}, None, (400, -32600)),
        (message("ping", id=None), None, (400, -32600)),
        (message("ping", id=True), None, (400, -32600)),
        (message("ping", id=[1]), None, (400, -32600)),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, None, (400, -32600)),
        (message("tools/list", [1]), None, (200, -32602)),
        ([PING], OLD, (400, -32600)),
        ([PING] * 11, BATCHES, (400, -32600)),
    ],
)
def test_an_invalid_message_is_refused(api: Api, body: Any, version: str | None, outcome: tuple[int, int]) -> None:
    """The error has the code of the fault. A batch, which later revisions do not have, gets around no limit."""
    assert error(post(api, body, version)) == outcome


def test_a_batch_is_answered_in_the_one_revision_that_has_them(api: Api) -> None:
    """Notifications have no answer. Parameters may be null."""
    answered = post(api, [PING | {"params": None}, NOTIFICATION, message("nothing", id="b")], BATCHES)
    silent = post(api, [NOTIFICATION])

    assert [each["id"] for each in answered.json] == [1, "b"]
    assert answered.json[0]["result"] == {}
    assert (silent.status, silent.text) == (202, "")


@each_row("method", ["GET", "DELETE", "PUT"])
def test_there_are_neither_streams_nor_sessions(api: Api, method: str) -> None:
    """A client that asks for one goes on without."""
    answer = api.ask(method, "/mcp")

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("HTTP://localhost:3000", 403), ("null", 403), ("vscode-file://app", 200)],
)
def test_a_web_page_may_not_call(api: Api, origin: str, status: int) -> None:
    """It could make a browser call a server on the person's own machine."""
    assert api.ask("POST", "/mcp", PING, headers={"Origin": origin}).status == status


@each_row(
    ("method", "params"),
    [
        ("initialize", {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}),
        ("tools/call", {"name": "submit_proposal", "arguments": SUBMISSION}),
    ],
)
def test_a_token_that_github_does_not_take_is_an_answer_of_http(api: Api, method: str, params: Any) -> None:
    """At the first message, or a client says that it is connected: it has to do something about it, not its model."""
    answer = api.ask("POST", "/mcp", message(method, params), token=NOBODY)

    assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer realm="kodiai"')
    assert "GitHub does not take the token" in answer.text
