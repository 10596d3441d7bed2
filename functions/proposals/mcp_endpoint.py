"""The MCP server: streamable HTTP, without sessions and streams, each request on its own.

It speaks the revision 2026-07-28, in which every request names its version, and the earlier ones, which begin with
`initialize`. docs/decisions/0035-our-own-mcp-endpoint.md says why it is our own.
Sources: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
and https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

import base64
import binascii
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from api_exchange import ApiRequest, Noted
from api_problems import ApiError, UnreadableJson, error_of, invalid_body, read_json
from api_routes import write_json
from kodiai.core.errors import Broken, KodiaiError
from kodiai.core.proposals.target import NotAuthenticated
from kodiai.flows.proposals.access import check_token
from kodiai.flows.proposals.ports import ApiPorts
from mcp_texts import INSTRUCTIONS, about_error
from verbs import TOOLS, Tool

STATELESS = "2026-07-28"
"""The revision in which every request names its version."""

HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions that begin with `initialize`, newest first."""

SERVER = {"name": "kodiai", "title": "Kodiai", "version": "1"}
_ABOUT_US: dict[str, Any] = {"capabilities": {"tools": {}}, "instructions": INSTRUCTIONS}

_PARSE_ERROR, _INVALID_REQUEST, _METHOD_NOT_FOUND, _INVALID_PARAMS = -32700, -32600, -32601, -32602
_HEADER_MISMATCH, _UNSUPPORTED_VERSION = -32020, -32022
_STATUS = dict.fromkeys((_PARSE_ERROR, _INVALID_REQUEST, _INVALID_PARAMS, _HEADER_MISMATCH, _UNSUPPORTED_VERSION), 400)
_STATUS[_METHOD_NOT_FOUND] = 404

_META = "io.modelcontextprotocol/"
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")
# The time for which a client may cache the list of tools: an hour. It changes with a release.
_LIST_MILLISECONDS = 3_600_000
_MOST_IN_BATCH = 10
_NOT_SHOWN = (
    "default",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maximum",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "pattern",
    "title",
)
"""Parts of a schema that the list leaves out: an error names them, and clients show a model few of them."""

Open = Callable[[], AbstractContextManager[ApiPorts]]
_BY_NAME = {tool.name: tool for tool in TOOLS}


class _RpcError(Exception):
    """An error of the protocol, not of a tool."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


def answer_mcp(request: ApiRequest, opened: Open, noted: Noted) -> dict[str, Any]:
    """Answer a request to the endpoint. Raises ApiError, and NotAuthenticated."""
    if request.method != "POST":
        sentence = "There are no sessions and no streams here: send each message with POST."
        raise ApiError(405, sentence, headers={"allow": "POST"})
    if request.headers.get("origin", "").lower().startswith(("http", "null")):
        raise ApiError(403, "Web pages may not call this: it is for programs.")
    try:
        message = read_json(request.body)
    except UnreadableJson:
        return _sent(_failed(None, _RpcError(_PARSE_ERROR, "The body is not JSON.")), 400)
    has_batches = request.headers.get("mcp-protocol-version") in (None, "2025-03-26")  # only this revision has
    if isinstance(message, list) and has_batches and 0 < len(message) <= _MOST_IN_BATCH:
        answers = [answer for each in message if (answer := _answered(each, request, opened, noted)) is not None]
        return _sent(answers) if answers else _accepted()
    answer = _answered(message, request, opened, noted)
    if answer is None:
        return _accepted()
    code = answer.get("error", {}).get("code")
    is_stateless = request.headers.get("mcp-protocol-version") == STATELESS
    protocol_wide = code in (_PARSE_ERROR, _INVALID_REQUEST, _HEADER_MISMATCH, _UNSUPPORTED_VERSION)
    return _sent(answer, _STATUS.get(code, 200) if is_stateless or protocol_wide else 200)


def _answered(message: Any, request: ApiRequest, opened: Open, noted: Noted) -> dict[str, Any] | None:
    """The answer to a message, None to a notification."""
    number = message.get("id") if isinstance(message, Mapping) else None
    if isinstance(number, bool) or not isinstance(number, str | int):
        number = None
    try:
        method, params = _read(message, number)
        if "id" not in message:
            _check_version(request.headers.get("mcp-protocol-version"))
            return None
        return {"jsonrpc": "2.0", "id": number, "result": _result(method, params, request, opened, noted)}
    except _RpcError as error:
        return _failed(number, error)


def _read(message: Any, number: str | int | None) -> tuple[str, Mapping[str, Any]]:
    """The method and the parameters of a message."""
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        raise _RpcError(_INVALID_REQUEST, "The body has to be one JSON-RPC 2.0 request or notification.")
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str) or ("id" in message and number is None):
        raise _RpcError(_INVALID_REQUEST, "A request has a method, and an id that is a text or a whole number.")
    if params is not None and not isinstance(params, Mapping):
        raise _RpcError(_INVALID_PARAMS, "params has to be an object.")
    return method, params or {}


def _result(method: str, params: Mapping[str, Any], request: ApiRequest, opened: Open, noted: Noted) -> dict[str, Any]:
    version, meta = request.headers.get("mcp-protocol-version"), params.get("_meta")
    is_stateless = version == STATELESS or (isinstance(meta, Mapping) and f"{_META}protocolVersion" in meta)
    if is_stateless:
        _check_stateless(method, params, request)
    else:
        _check_version(version)
    kept = {"ttlMs": _LIST_MILLISECONDS, "cacheScope": "public"} if is_stateless else {}
    match method:
        case "initialize" if not is_stateless:
            _check_token(opened)
            asked = params.get("protocolVersion")
            result = {
                **_ABOUT_US,
                "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[0],
                "serverInfo": SERVER,
            }
        case "server/discover" if is_stateless:
            _check_token(opened)
            result = {**_ABOUT_US, "supportedVersions": [STATELESS, *HANDSHAKE], **kept}
        case "ping" if not is_stateless:
            result = {}
        case "tools/list":
            result = {"tools": _tools(), **kept}
        case "tools/call":
            result = _call(params, opened, noted)
        case _:
            raise _RpcError(_METHOD_NOT_FOUND, f"There is no method {method[:100]}.")
    return {"resultType": "complete", **result, "_meta": {f"{_META}serverInfo": SERVER}} if is_stateless else result


def _check_token(opened: Open) -> None:
    """Refuse a wrong token before a client says that it is connected. Raises NotAuthenticated."""
    with opened() as ports:
        check_token(ports.proposals)


def _check_version(version: str | None) -> None:
    if version is not None and version not in (STATELESS, *HANDSHAKE):
        raise _unsupported(version)


def _unsupported(version: str) -> _RpcError:
    data = {"supported": [STATELESS, *HANDSHAKE], "requested": version[:100]}
    return _RpcError(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _check_stateless(method: str, params: Mapping[str, Any], request: ApiRequest) -> None:
    """Check that a request says who speaks which version, and that its headers repeat its body."""
    meta = params.get("_meta")
    needed = (f"{_META}protocolVersion", f"{_META}clientCapabilities")
    if not isinstance(meta, Mapping) or any(name not in meta for name in needed):
        raise _RpcError(_INVALID_PARAMS, f"params._meta has to have {' and '.join(needed)}.")
    named = {"mcp-protocol-version": meta[needed[0]], "mcp-method": method}
    if method == "tools/call":
        named["mcp-name"] = params.get("name")
    for header, value in named.items():
        given = request.headers.get(header)
        if (_decoded(given) if header == "mcp-name" else given) != value:
            raise _RpcError(_HEADER_MISMATCH, f"Header mismatch: {header} does not repeat what the body has.")
    if meta[needed[0]] != STATELESS:
        raise _unsupported(str(meta[needed[0]]))


def _decoded(header: str | None) -> str | None:
    """The value of a header, which is encoded where it is not plain ASCII; None where it cannot be read."""
    encoded = _ENCODED.fullmatch(header or "")
    if encoded is None:
        return header
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _call(params: Mapping[str, Any], opened: Open, noted: Noted) -> dict[str, Any]:
    """Call a tool. Its errors are results, which an agent reads and acts on."""
    name, arguments = params.get("name"), params.get("arguments") or {}
    tool = _BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None:
        raise _RpcError(_INVALID_PARAMS, f"There is no tool {str(name)[:100]}: call tools/list.")
    noted.tool = tool.name
    try:
        given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        return _text(about_error(invalid_body(error)), is_error=True)
    try:
        with opened() as ports:
            text, noted.proposal = tool.tell(given, ports)
    except NotAuthenticated:
        raise
    except KodiaiError as error:
        noted.error = error
        if isinstance(error, Broken):
            raise
        return _text(about_error(error_of(error)), is_error=True)
    return _text(text)


@cache
def _tools() -> list[dict[str, Any]]:
    """The tools as they are listed."""
    return [_listed(tool) for tool in TOOLS]


def _listed(tool: Tool) -> dict[str, Any]:
    effects = {} if tool.reads else {"destructiveHint": tool.destroys, "idempotentHint": tool.repeats}
    return {
        "name": tool.name,
        "description": tool.use,
        "inputSchema": _schema(tool.arguments),
        "annotations": {"readOnlyHint": tool.reads, **effects, "openWorldHint": False},
    }


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """The arguments of a tool: their names, types and descriptions, and which of them are required."""
    whole = model.model_json_schema()
    schema: dict[str, Any] = _short({name: part for name, part in whole.items() if name != "description"}, whole)
    return schema


def _short(node: Any, whole: Mapping[str, Any]) -> Any:
    """A part of a schema without limits, with its references resolved, and without null where it may be left out."""
    if isinstance(node, list):
        return [_short(each, whole) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _short({**whole["$defs"][node["$ref"].rpartition("/")[2]], **_without(node, ("$ref",))}, whole)
    kinds = [each for each in node.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) == 1:
        return _short({**kinds[0], **_without(node, ("anyOf",))}, whole)
    named = {"properties": {name: _short(each, whole) for name, each in node.get("properties", {}).items()}}
    rest = _without(node, (*_NOT_SHOWN, "$defs", "properties"))
    return {**{name: _short(each, whole) for name, each in rest.items()}, **(named if "properties" in node else {})}


def _without(node: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: part for name, part in node.items() if name not in names}


def _text(text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _failed(number: str | int | None, error: _RpcError) -> dict[str, Any]:
    data = {} if error.data is None else {"data": error.data}
    return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": str(error), **data}}


def _sent(answer: Any, status: int = 200) -> dict[str, Any]:
    return {"statusCode": status, "headers": {"content-type": "application/json"}, "body": write_json(answer)}


def _accepted() -> dict[str, Any]:
    return {"statusCode": 202, "headers": {}, "body": ""}
