"""STS: whose key a request is signed with."""

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws.call import read_call
from local.aws.protocol import ACCOUNT, AwsError
from local.aws.query import query_error, query_response, read_query


async def sts(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer GetCallerIdentity, the only operation that is here."""
    request = Request(scope, receive)
    operation = read_query(await request.body()).get("Action", "")
    if operation == "GetCallerIdentity":
        role = read_call(request).who.rpartition("-")[0]
        caller = {"Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/local", "UserId": role, "Account": ACCOUNT}
        response = query_response(operation, caller)
    else:
        response = query_error(AwsError("InvalidAction", f"STS has no operation {operation} here.", 404))
    await response(scope, receive, send)
