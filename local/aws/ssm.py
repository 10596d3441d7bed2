"""SSM's parameters as boto3 uses them, in memory: moto's take 135 MB and most of a second to load.

Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Operations.html
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from local.aws.clock import Clock
from local.aws.protocol import ACCOUNT, REGION, AwsError, Json, invalid
from local.aws.shapes import check_request

_NAME = re.compile(r"/?[\w.-]+(/[\w.-]+)*", re.ASCII)
_RESERVED = re.compile(r"/?(aws|ssm)", re.IGNORECASE)
_NESTED = re.compile(r"\{\{.*\}\}", re.DOTALL)
_MOST_LEVELS = 15
_LONGEST_VALUE = {"Standard": 4096, "Advanced": 8192, "Intelligent-Tiering": 8192}
_PAGE = 10


@dataclass(frozen=True)
class _Parameter:
    name: str
    kind: str
    value: str
    version: int
    changed_at: float

    def view(self, request: Json) -> Json:
        """Show it as an answer does; a secret is in clear only on request."""
        hidden = self.kind == "SecureString" and not request.get("WithDecryption")
        return {
            "Name": self.name,
            "Type": self.kind,
            "Value": base64.b64encode(self.value.encode()).decode() if hidden else self.value,
            "Version": self.version,
            "LastModifiedDate": self.changed_at,
            "ARN": f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/{self.name.removeprefix('/')}",
            "DataType": "text",
        }


class Ssm:
    """The parameters of one account."""

    def __init__(self, clock: Clock) -> None:
        self._now = clock.now
        self._parameters: dict[str, _Parameter] = {}
        self._operations: dict[str, Callable[[Json], Json]] = {
            "DeleteParameter": self._delete_one,
            "DeleteParameters": self._delete,
            "GetParameter": self._get_one,
            "GetParametersByPath": self._get_by_path,
            "PutParameter": self._put,
        }

    def ask(self, operation: str, request: Json) -> Json:
        """Answer a request. Raises AwsError."""
        if operation not in self._operations:
            raise AwsError("UnknownOperationException", f"SSM has no operation {operation} here.", 404)
        check_request("ssm", operation, request)
        return self._operations[operation](request)

    def _put(self, request: Json) -> Json:
        """Create a parameter, or overwrite it on request.

        Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
        """
        name, value, known = request["Name"], request["Value"], self._parameters.get(request["Name"])
        _check_name(name)
        _check_value(value, request.get("Tier", "Standard"))
        kind = request.get("Type", known.kind if known else None)
        if kind is None:
            raise invalid("A parameter type is required when you create a parameter.")
        if known and not request.get("Overwrite"):
            message = "The parameter already exists. To overwrite this value, set the overwrite option in the request."
            raise AwsError("ParameterAlreadyExists", message)
        version = known.version + 1 if known else 1
        self._parameters[name] = _Parameter(name, kind, value, version, self._now())
        return {"Version": version, "Tier": request.get("Tier", "Standard")}

    def _get_one(self, request: Json) -> Json:
        if request["Name"] not in self._parameters:
            raise _not_found(request["Name"])
        return {"Parameter": self._parameters[request["Name"]].view(request)}

    def _get_by_path(self, request: Json) -> Json:
        """Answer a page of what is below a path, at most ten.

        Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
        """
        path = request["Path"]
        if not path.startswith("/"):
            raise invalid("The parameter path must begin with a slash /.")
        folder, after = f"{path.rstrip('/')}/", request.get("NextToken", "")
        below = (
            name
            for name in sorted(self._parameters)
            if name > after and name.startswith(folder)
            if request.get("Recursive") or "/" not in name.removeprefix(folder)
        )
        page = list(islice(below, request.get("MaxResults", _PAGE)))
        more = {"NextToken": page[-1]} if next(below, None) else {}
        return {"Parameters": [self._parameters[name].view(request) for name in page], **more}

    def _delete_one(self, request: Json) -> Json:
        if self._parameters.pop(request["Name"], None) is None:
            raise _not_found(request["Name"])
        return {}

    def _delete(self, request: Json) -> Json:
        names = dict.fromkeys(request["Names"])
        deleted = [name for name in names if self._parameters.pop(name, None)]
        return {"DeletedParameters": deleted, "InvalidParameters": [name for name in names if name not in deleted]}


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or ("/" in name and not name.startswith("/")):
        raise invalid("Parameter name must be a fully qualified name of letters, digits and the symbols . - _ /")
    if _RESERVED.match(name):
        raise invalid('Parameter name: can\'t be prefixed with "aws" or "ssm" (case-insensitive).')
    if name.count("/") > _MOST_LEVELS:
        message = f"A hierarchy can have a maximum of {_MOST_LEVELS} levels."
        raise AwsError("HierarchyLevelLimitExceededException", message)


def _check_value(value: str, tier: str) -> None:
    if not value:
        raise invalid("Value '' at 'value' failed to satisfy constraint: Member must have length greater than 0")
    if _NESTED.search(value):
        raise invalid("Parameter value can't nest another parameter: {{}} is not allowed.")
    if len(value) > _LONGEST_VALUE[tier]:
        raise invalid(f"{tier} tier parameters support a maximum parameter value of {_LONGEST_VALUE[tier]} characters.")


def _not_found(name: str) -> AwsError:
    return AwsError("ParameterNotFound", f"Parameter {name} not found.")
