"""IAM: whether a role may do something, by the policies that were given to roles here."""

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws.permissions import Permissions
from local.aws.protocol import AwsError
from local.aws.query import query_error, query_response, read_query


class Iam:
    """An ASGI application that answers SimulatePrincipalPolicy.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
    """

    def __init__(self, permissions: Permissions) -> None:
        self._permissions = permissions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        given = read_query(await Request(scope, receive).body())
        if given["Action"] == "SimulatePrincipalPolicy":
            role = given["PolicySourceArn"].rpartition("/")[2]
            results = [
                {
                    "EvalActionName": action,
                    "EvalResourceName": resource,
                    "EvalDecision": self._decide(role, action, resource),
                }
                for action in given["ActionNames"]
                for resource in given["ResourceArns"]
            ]
            response = query_response(given["Action"], {"EvaluationResults": results, "IsTruncated": False})
        else:
            response = query_error(AwsError("InvalidAction", f"IAM has no operation {given['Action']} here.", 404))
        await response(scope, receive, send)

    def _decide(self, role: str, action: str, resource: str) -> str:
        try:
            if self._permissions.binds(role):
                self._permissions.check(role, [(action, resource)], {})
        except AwsError:
            return "implicitDeny"
        return "allowed"
