"""A request to AWS: its operation, and the actions on resources that IAM has to allow.

Actions: https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.requests import Request

from local.aws.protocol import ACCOUNT, REGION, Json
from local.aws.query import read_query

_CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/")
PROFILES = ("global", "us", "eu", "jp", "au")
_MODEL = re.compile(r"/model/([^/]+)/invoke")
_NAMES = {"sqs": "SQS", "dynamodb": "DynamoDB", "ssm": "SSM", "s3vectors": "S3Vectors", "bedrock": "Bedrock"}
_REST = {"account-settings": "GetAccountSettings"}
_IN_TRANSACTIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem"}


@dataclass(frozen=True)
class AwsCall:
    """One request; `name` is "S3Vectors QueryVectors", `who` the access key id that signed it for which region."""

    service: str
    operation: str
    who: str
    is_rest: bool
    path: str
    region: str = REGION
    method: str = "POST"

    @property
    def name(self) -> str:
        """The service and the operation."""
        return f"{_NAMES.get(self.service, self.service)} {self.operation}"

    def actions(self, body: bytes) -> Iterator[tuple[str, str]]:
        """Yield each action with the resource that it is on: one request may need several."""
        if self.service not in _NAMES:
            yield from self._actions_of_deployments(body)
            return
        request: Json = json.loads(body or b"{}")
        match self.service:
            case "sqs":
                queue = str(request.get("QueueUrl") or request.get("QueueName", ""))
                yield f"sqs:{self.operation}", _arn("sqs", queue.rpartition("/")[2])
            case "ssm":
                names = request.get("Names") or [request.get("Name") or request.get("Path", "")]
                for name in names:
                    yield f"ssm:{self.operation}", _arn("ssm", f"parameter{name}")
            case "dynamodb" if self.operation.startswith("Transact"):
                for item in request["TransactItems"]:
                    for kind, part in item.items():
                        action = _IN_TRANSACTIONS.get(kind, "ConditionCheckItem")
                        yield f"dynamodb:{action}", table_arn(part["TableName"])
            case "dynamodb":
                for table in request.get("RequestItems") or [request.get("TableName", "")]:
                    yield f"dynamodb:{self.operation}", table_arn(table)
            case "s3vectors":
                bucket, index = request.get("vectorBucketName"), request.get("indexName")
                place = f"bucket/{bucket}/index/{index}" if index else f"bucket/{bucket}"
                resource = request.get("indexArn") or _arn("s3vectors", place)
                yield f"s3vectors:{self.operation}", resource
                if self.operation == "QueryVectors" and (request.get("filter") or request.get("returnMetadata")):
                    yield "s3vectors:GetVectors", resource
            case "bedrock":
                yield from self._actions_on_models()

    def _actions_of_deployments(self, body: bytes) -> Iterator[tuple[str, str]]:
        match self.service:
            case "sts":
                return  # everybody may read their own identity
            case "cloudformation":
                form = read_query(body)
                stack = form.get("StackName", "*")
                arn = stack if ":" in stack else _arn(self.service, f"stack/{stack}/id")
                yield f"cloudformation:{form['Action']}", arn
            case "iam":
                yield f"iam:{read_query(body)['Action']}", "*"
            case "s3":
                bucket, _, key = self.path.lstrip("/").partition("/")
                verb = {"PUT": "Put", "POST": "Put", "DELETE": "Delete"}.get(self.method, "Get")
                yield f"s3:{verb}Object" if key else "s3:ListBucket", f"arn:aws:s3:::{bucket}{key and '/'}{key}"
            case "events":
                yield f"events:{self.operation}", _arn("events", f"rule/{json.loads(body)['Name']}")
            case "monitoring":
                yield f"cloudwatch:{read_query(body).get('Action', self.operation)}", "*"
            case _:
                yield f"{self.service}:{_REST.get(self.operation, self.operation)}", "*"

    def _actions_on_models(self) -> Iterator[tuple[str, str]]:
        profile, model = self._profile_and_model()
        if profile:
            yield f"bedrock:{self.operation}", self.context["bedrock:InferenceProfileArn"]
        # A profile may send it to another region; the global ones send it to none that has a name.
        region = "" if profile == "global" else REGION
        yield f"bedrock:{self.operation}", f"arn:aws:bedrock:{region}::foundation-model/{model}"

    @property
    def context(self) -> Mapping[str, str]:
        """The condition keys of the request with their values."""
        profile, model = self._profile_and_model()
        if not profile:
            return {}
        return {"bedrock:InferenceProfileArn": _arn("bedrock", f"inference-profile/{profile}.{model}")}

    def _profile_and_model(self) -> tuple[str, str]:
        """The model that is asked on Bedrock, and the inference profile that its id begins with, if any."""
        found = _MODEL.fullmatch(self.path)
        model = found[1] if found else ""
        profile, _, rest = model.partition(".")
        return (profile, rest) if profile in PROFILES else ("", model)


def read_call(request: Request) -> AwsCall:
    """Read which operation a request is: JSON services name it in a header, REST ones in the path."""
    signed = _CREDENTIAL.search(request.headers.get("authorization", ""))
    who, region, service = signed.groups() if signed else ("", REGION, "")
    operation = request.headers.get("x-amz-target", "").rpartition(".")[2]
    path = request.scope["path"]
    rest = "InvokeModel" if _MODEL.fullmatch(path) else path.rpartition("/")[2]
    return AwsCall(service, operation or rest, who, not operation, path, region, request.method)


def table_arn(name: str) -> str:
    """The resource name of a table."""
    return _arn("dynamodb", f"table/{name}")


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"
