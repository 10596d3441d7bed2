"""STS: whose key a request is signed with."""

from email.utils import formatdate

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws.call import read_call
from local.aws.clock import Clock
from local.aws.protocol import ACCOUNT, AwsError
from local.aws.query import query_error, query_response, read_query


class Sts:
    """An ASGI application that answers GetCallerIdentity, and says what time it is, as AWS does with each answer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        operation = read_query(await request.body()).get("Action", "")
        if operation == "GetCallerIdentity":
            role = read_call(request).who.rpartition("-")[0]
            caller = {"Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/local", "UserId": role, "Account": ACCOUNT}
            response = query_response(operation, caller)
        else:
            response = query_error(AwsError("InvalidAction", f"STS has no operation {operation} here.", 404))
        response.headers["Date"] = formatdate(self._clock.now(), usegmt=True)
        await response(scope, receive, send)
