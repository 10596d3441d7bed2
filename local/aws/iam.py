"""IAM: whether a role may do something, by the policies that were given to roles here."""

from local.aws.permissions import Permissions
from local.aws.protocol import AwsError, Json


class Iam:
    """Answers SimulatePrincipalPolicy.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
    """

    def __init__(self, permissions: Permissions) -> None:
        self._permissions = permissions

    def ask(self, operation: str, given: Json) -> Json:
        """Answer a request. Raises AwsError."""
        if operation != "SimulatePrincipalPolicy":
            raise AwsError("InvalidAction", f"IAM has no operation {operation} here.", 404)
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
        return {"EvaluationResults": results, "IsTruncated": False}

    def _decide(self, role: str, action: str, resource: str) -> str:
        try:
            if self._permissions.binds(role):
                self._permissions.check(role, [(action, resource)], {})
        except AwsError:
            return "implicitDeny"
        return "allowed"
