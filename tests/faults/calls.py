"""Names for the calls to the outside, the same in every run of a flow."""

import json
import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Literal

from local.model import ModelRequest, Request

Service = Literal["github", "aws", "model"]

_REPOSITORY = re.compile(r"^/repos/[^/]+/[^/]+/")
_SHA = re.compile(r"(?<=/)[0-9a-f]{40}(?=/|$)")
_NUMBER = re.compile(r"(?<=/)\d+(?=/|$)")
_OPERATION = re.compile(r"\s*(?:query|mutation)\s+\w+")
# A file by its path: those of a head are read by their ids.
_FILE = re.compile(r"^/contents/.+")
_BRANCH = re.compile(r"(?<=^/git/)(ref|refs)/heads/.+")
_REFUSED = "cannot be followed"


def name_call(service: Service, method: str, path: str, headers: Mapping[str, str], body: bytes) -> str:
    """Name a request by what it does: "GitHub POST pulls/{id}/reviews", "DynamoDB UpdateItem STATE".

    AWS's REST services are named by the operation: "S3Vectors PutVectors", "Bedrock InvokeModel"; a question to Claude
    on Bedrock by what is asked for, as others are.
    One of GraphQL is named by its operation: "GitHub mutation UpdateThreads".
    """
    match service:
        case "github" if path == "/graphql":
            return f"GitHub {_operation(json.loads(body)['query'])}"
        case "github":
            return f"GitHub {method} {_route(path)}"
        case "model":
            return f"Model {_question(json.loads(body))}"
        case "aws" if path.startswith("/model/"):
            request = json.loads(body)
            return f"Bedrock {_question(request) if 'messages' in request else 'InvokeModel'}"
        case "aws" if path != "/":
            return f"S3Vectors {path[1:]}"
        case "aws":
            target, _, operation = headers.get("x-amz-target", "").partition(".")
            service_name = {"DynamoDB_20120810": "DynamoDB", "AmazonSSM": "SSM", "AmazonSQS": "SQS"}[target]
            return " ".join([service_name, operation, *_items(json.loads(body))])


def _route(path: str) -> str:
    plain = _FILE.sub("/contents/{path}", f"/{_REPOSITORY.sub('', path.partition('?')[0]).lstrip('/')}")[1:]
    plain = _BRANCH.sub(r"\1/heads/{branch}", f"/{plain}")
    return _NUMBER.sub("{id}", _SHA.sub("{sha}", plain))[1:]


def _question(body: Mapping[str, Any]) -> str:
    """The task of the model: to answer, to read a reply, to find, to judge, or to put data into which form."""
    asked = ModelRequest(body)
    match asked.kind:
        case "answer":
            return "answer"
        case "read":
            return "read a reply"
        case "draft" | "proposal":
            return asked.kind
        case "judge":
            again = "judge, once more" if is_asked_once_more(body) else "judge"
            again = "judge, second ruling" if asked.let_go else again
            return f"{again}, after a tool" if asked.turns_taken else again
    return "find, after a tool" if asked.turns_taken else "find"


def is_asked_once_more(request: Request) -> bool:
    """Whether the judge was told that a ruling cannot be followed."""
    return _REFUSED in json.dumps(request["messages"][1:])


def _operation(document: str) -> str:
    """The kind and the name of a document; one without a name is all the same a call."""
    found = _OPERATION.match(document)
    return " ".join(found[0].split()) if found else "graphql"


def _items(body: Mapping[str, Any]) -> list[str]:
    """The kinds of items that a request to DynamoDB is about, by the first part of their sort keys.

    Several of a kind one after the other are one: how many findings are stored with a request does not name it.
    """
    if "TransactItems" in body:
        kinds = (kind for write in body["TransactItems"] for request in write.values() for kind in _items(request))
        return [kind for kind, _ in groupby(kinds)]
    key = body.get("Key") or body.get("Item") or {}
    asked = [body.get("ExpressionAttributeValues", {}).get(":n1", {})] if "KeyConditionExpression" in body else []
    keys = [key["sk"]] if "sk" in key else asked
    return [each["S"].partition("#")[0] for each in keys if "S" in each]
