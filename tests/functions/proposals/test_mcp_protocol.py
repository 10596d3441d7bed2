"""The MCP endpoint, message by message, where the official client would not send what is wrong.

Sources: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
and https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from tests.functions.proposals.scene import ANN, NOBODY, REPOSITORY, SUBMISSION, Answer, Api
from tests.tables import each_row

META = "io.modelcontextprotocol/"
NEW, OLD = "2026-07-28", "2025-11-25"
SERVER = {"name": "kodiai", "title": "Kodiai", "version": "1"}
LIST = {"name": "list_proposals", "arguments": {"repository": REPOSITORY}}


def message(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params}), **more}


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


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_the_clients_revision_or_the_newest(api: Api, asked: str | None, agreed: str) -> None:
    """There is no session id, so each of the next requests may reach another process."""
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}

    answer = api.ask("POST", "/mcp", message("initialize", params, id="x"))

    result = answer.json["result"]
    assert (answer.status, answer.kind, answer.json["id"]) == (200, "application/json", "x")
    assert "mcp-session-id" not in answer.headers
    assert (result["protocolVersion"], result["capabilities"], result["serverInfo"]) == (agreed, {"tools": {}}, SERVER)
    assert result["instructions"]


@pytest.mark.parametrize("version", [None, "2025-03-26", OLD])
def test_after_a_handshake_each_request_stands_alone(api: Api, version: str | None) -> None:
    """Whether it names the revision or not; a ping and a notification are answered as the protocol has it."""
    headers = {} if version is None else {"mcp-protocol-version": version}

    ping = api.ask("POST", "/mcp", message("ping"), headers=headers)
    noted = api.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    listed = api.ask("POST", "/mcp", message("tools/list"), headers=headers)
    called = api.ask("POST", "/mcp", message("tools/call", LIST), headers=headers)

    assert ping.json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (noted.status, noted.text) == (202, "")
    assert len(listed.json["result"]["tools"]) == 10
    assert "ttlMs" not in listed.json["result"]
    assert called.json["result"] == {
        "content": [{"type": "text", "text": "There are no such proposals."}],
        "isError": False,
        "structuredContent": {"proposals": []},
    }


def test_a_stateless_request_needs_no_handshake(api: Api) -> None:
    """Every result says who answers; lists say how long they hold, for everybody."""
    discovered = stateless(api, "server/discover")
    listed = stateless(api, "tools/list")
    called = stateless(api, "tools/call", LIST)

    meta = {f"{META}serverInfo": SERVER}
    found = discovered.json["result"]
    assert found["supportedVersions"] == [NEW, OLD, "2025-06-18", "2025-03-26", "2024-11-05"]
    for result in (found, listed.json["result"]):
        assert (result["resultType"], result["_meta"]) == ("complete", meta)
        assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
    assert called.json["result"] == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "There are no such proposals."}],
        "isError": False,
        "structuredContent": {"proposals": []},
        "_meta": meta,
    }


@pytest.mark.parametrize(
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


def test_a_name_may_be_encoded_in_its_header(api: Api) -> None:
    """As clients do with everything that is not plain ASCII."""
    encoded = base64.b64encode(b"list_proposals").decode()

    answer = stateless(api, "tools/call", LIST, mcp_name=f"=?base64?{encoded}?=")

    assert answer.status == 200


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
def test_a_stateless_request_says_who_speaks_what(api: Api, missing: str) -> None:
    """Without it the request is malformed, whatever its headers say."""
    meta: dict[str, Any] = {
        f"{META}{name}": {} for name in ("protocolVersion", "clientCapabilities") if name != missing
    }
    headers = {"mcp-protocol-version": NEW, "mcp-method": "tools/list"}

    answer = api.ask("POST", "/mcp", message("tools/list", {"_meta": meta}), headers=headers)

    assert error(answer) == (400, -32602)


@pytest.mark.parametrize("notified", [False, True])
def test_a_revision_that_we_do_not_speak_is_named_with_those_that_we_do(api: Api, *, notified: bool) -> None:
    """A client then chooses one of them."""
    sent = {"jsonrpc": "2.0", "method": "notifications/x"} if notified else message("tools/list")

    answer = api.ask("POST", "/mcp", sent, headers={"mcp-protocol-version": "2027-01-01"})

    assert error(answer) == (400, -32022)
    assert answer.json["error"]["data"] == {
        "supported": [NEW, OLD, "2025-06-18", "2025-03-26", "2024-11-05"],
        "requested": "2027-01-01",
    }


def test_a_stateless_request_in_a_revision_with_handshakes_is_refused(api: Api) -> None:
    """The header and the body agree, and still there was no handshake."""
    meta = {f"{META}protocolVersion": OLD, f"{META}clientCapabilities": {}}
    headers = {"mcp-protocol-version": OLD, "mcp-method": "tools/list"}

    answer = api.ask("POST", "/mcp", message("tools/list", {"_meta": meta}), headers=headers)

    assert error(answer) == (400, -32022)


def test_what_is_no_method_is_said_in_the_way_of_each_revision(api: Api) -> None:
    """The stateless one has a status for it."""
    old = api.ask("POST", "/mcp", message("resources/list"), headers={"mcp-protocol-version": OLD})
    new = stateless(api, "resources/list")
    gone = stateless(api, "ping")

    assert (error(old), error(new), error(gone)) == ((200, -32601), (404, -32601), (404, -32601))


def test_what_is_no_tool_is_an_error_of_the_protocol(api: Api) -> None:
    """No agent chose it from the list."""
    old = api.ask("POST", "/mcp", message("tools/call", {"name": "merge"}))
    new = stateless(api, "tools/call", {"name": "merge"})
    nameless = api.ask("POST", "/mcp", message("tools/call", {"name": 7}))

    assert (error(old), error(new), error(nameless)) == ((200, -32602), (400, -32602), (200, -32602))
    assert old.json["error"]["message"] == "There is no tool merge: call tools/list."


@each_row(
    ("body", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ("7", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        (message("ping", id=None), -32600),
        (message("ping", id=True), -32600),
        (message("ping", id=[1]), -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
    ],
)
def test_what_is_no_message_is_refused(api: Api, body: Any, code: int) -> None:
    """With the code that says what is wrong."""
    assert error(api.ask("POST", "/mcp", body)) == (400, code)


def test_parameters_are_an_object(api: Api) -> None:
    """A list of them is not part of the protocol."""
    answer = api.ask("POST", "/mcp", message("tools/list", [1]))

    missing = api.ask("POST", "/mcp", message("ping", None) | {"params": None})

    assert answer.json["error"]["code"] == -32602
    assert missing.json["result"] == {}


def test_a_batch_is_answered_in_the_one_revision_that_has_them(api: Api) -> None:
    """Notifications have no answer. Later revisions have no batches, and a batch is no way around the limits."""
    batch = [message("ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, message("nothing", id="b")]

    answered = api.ask("POST", "/mcp", batch, headers={"mcp-protocol-version": "2025-03-26"})
    silent = api.ask("POST", "/mcp", batch[1:2])
    later = api.ask("POST", "/mcp", batch, headers={"mcp-protocol-version": OLD})

    long = api.ask("POST", "/mcp", [message("ping")] * 11, headers={"mcp-protocol-version": "2025-03-26"})

    assert [each["id"] for each in answered.json] == [1, "b"]
    assert error(long) == (400, -32600)
    assert (silent.status, silent.text) == (202, "")
    assert error(later) == (400, -32600)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
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
    assert api.ask("POST", "/mcp", message("ping"), headers={"Origin": origin}).status == status


def test_a_token_that_github_does_not_take_is_an_answer_of_http(api: Api) -> None:
    """The client has to do something about it, and not its model."""
    call = {"name": "submit_proposal", "arguments": SUBMISSION}

    answer = api.ask("POST", "/mcp", message("tools/call", call), token=NOBODY)
    missing = api.ask("POST", "/mcp", message("initialize"), token=None)

    assert (answer.status, missing.status) == (401, 401)
    assert answer.headers["www-authenticate"] == missing.headers["www-authenticate"] == 'Bearer realm="kodiai"'


def test_a_bug_says_nothing_of_the_inside(api: Api) -> None:
    """It is no result that an agent could act on."""
    api.queue.raises = ZeroDivisionError("secret")
    call = {"name": "submit_proposal", "arguments": SUBMISSION}

    answer = api.ask("POST", "/mcp", message("tools/call", call), token=ANN)

    assert answer.status == 500
    assert answer.json["detail"] == "Something is wrong on our side and is in our log."
