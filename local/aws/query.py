"""The AWS query protocol: a form in, XML out; CloudFormation and STS speak it.

Source: https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

from starlette.responses import Response

from local.aws.protocol import AwsError, Json

_REQUEST_ID = "00000000-0000-4000-8000-000000000000"


def read_query(body: bytes) -> Json:
    """Return the form as an object: "Parameters.member.1.ParameterKey" is in a list of objects. All values are text."""
    root: Json = {}
    for name, value in parse_qsl(body.decode(), keep_blank_values=True):
        place, *rest = name.split(".")
        node = root
        for part in rest:
            node, place = node.setdefault(place, {}), part
        node[place] = value
    plain: Json = _with_lists(root)
    return plain


def query_response(operation: str, result: Mapping[str, Any]) -> Response:
    """Answer 200 with a result: mappings, sequences and values that become text; None is left out."""
    inner = _xml({f"{operation}Result": result, "ResponseMetadata": {"RequestId": _REQUEST_ID}})
    return Response(f"<{operation}Response>{inner}</{operation}Response>", media_type="text/xml")


def query_error(error: AwsError) -> Response:
    """Word an error for the query protocol."""
    fault = {"Error": {"Type": "Sender", "Code": error.code, "Message": error.message}, "RequestId": _REQUEST_ID}
    return Response(f"<ErrorResponse>{_xml(fault)}</ErrorResponse>", error.status, media_type="text/xml")


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"member"} and isinstance(value["member"], dict):
        return [_with_lists(item) for _, item in sorted(value["member"].items(), key=lambda each: int(each[0]))]
    return {key: _with_lists(item) for key, item in value.items()}


def _xml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "".join(f"<{key}>{_xml(item)}</{key}>" for key, item in value.items() if item is not None)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "".join(f"<member>{_xml(item)}</member>" for item in value)
    return escape(str(value))
