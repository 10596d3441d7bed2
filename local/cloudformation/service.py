"""CloudFormation as the SAM CLI and the AWS CLI use it: change sets, stacks, their events and templates.

An operation is done when its answer goes out: nobody waits, and nothing is ever seen half way. Deployed stacks are in
memory; the resources that they made are where LocalAws keeps them.
"""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws import LocalAws
from local.aws.call import read_call
from local.aws.protocol import REGION, AwsError, Json
from local.aws.query import query_response, read_query
from local.cloudformation.deployment import Deployment, changes, delete_stack
from local.cloudformation.parameters import check_value
from local.cloudformation.resource_types import ResourceTypes
from local.cloudformation.stacks import ChangeSet, DeployedStack, Resource, Version, arn, new_stack
from local.cloudformation.transform import transform
from local.lambdas.template import parse_template

_NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."
_SENT_TO = "-region"  # of a request; no field of the protocol is called so
_CAN_BE_UPDATED = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")

Start = Callable[[DeployedStack, Version, Mapping[str, Resource]], None]
Stop = Callable[[str], None]


class CloudFormation:
    """An ASGI application. `start` runs what a version of a stack is for, `stop` ends it by the stack's name."""

    def __init__(self, aws: LocalAws, types: ResourceTypes, start: Start, stop: Stop) -> None:
        self._aws = aws
        self._types = types
        self._start = start
        self._stop = stop
        self._lock = threading.Lock()
        self._regions: defaultdict[str, list[DeployedStack]] = defaultdict(list)
        self._stacks: list[DeployedStack] = []  # of the region that is asked
        self._operations: dict[str, Callable[[Json], Json]] = {
            "CreateChangeSet": self._create_change_set,
            "DeleteStack": self._delete_stack,
            "DescribeChangeSet": self._describe_change_set,
            "DescribeStackEvents": self._describe_events,
            "DescribeStacks": self._describe_stacks,
            "ExecuteChangeSet": self._execute_change_set,
            "GetTemplate": self._get_template,
            "GetTemplateSummary": self._get_template_summary,
            "ListChangeSets": self._list_change_sets,
            "ListStackResources": self._list_resources,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, one after the other. Raises AwsError."""
        request = Request(scope, receive)
        given = read_query(await request.body()) | {_SENT_TO: read_call(request).region}
        operation = given.pop("Action", "")
        response = query_response(operation, await run_in_threadpool(self._answer, operation, given))
        await response(scope, receive, send)

    def _answer(self, operation: str, given: Json) -> Json:
        if operation not in self._operations:
            raise AwsError("InvalidAction", f"CloudFormation has no operation {operation} here.", 404)
        with self._lock:
            self._stacks = self._regions[given[_SENT_TO]]
            return self._operations[operation](given)

    def _create_change_set(self, given: Json) -> Json:
        name = given["StackName"]
        if given.get("ChangeSetType", "UPDATE") == "CREATE":
            stack = next((each for each in self._stacks if each.name == name and not _is_gone(each)), None)
            if stack is None:
                stack = new_stack(name)
                self._stacks.append(stack)
            elif stack.status != "REVIEW_IN_PROGRESS":
                raise _invalid(f"Stack [{name}] already exists and cannot be created again with the changeSet.")
        else:
            stack = self._stack(name)
            if stack.status not in _CAN_BE_UPDATED:
                raise _invalid(f"Stack:{stack.id} is in {stack.status} state and can not be updated.")
        version = self._version(stack, given)
        found = changes(stack, version, self._types)
        _check_types(found, given[_SENT_TO])
        empty = not found and _outputs(stack.version) == _outputs(version)
        change_set = ChangeSet(
            given["ChangeSetName"],
            arn("changeSet", given["ChangeSetName"]),
            version,
            found,
            given.get("Tags", []),
            "FAILED" if empty else "CREATE_COMPLETE",
            _NO_CHANGES if empty else None,
        )
        stack.change_sets[change_set.name] = change_set
        return {"Id": change_set.id, "StackId": stack.id}

    def _version(self, stack: DeployedStack, given: Json) -> Version:
        body = given.get("TemplateBody") or self._object(given["TemplateURL"])
        try:
            original = parse_template(body, "The template")
            parameters = _parameters(original, stack.version, given.get("Parameters", []))
            processed = transform(original, parameters)
            return Version(body, original, processed, parameters)
        except ValueError as error:
            raise _invalid(str(error)) from error

    def _object(self, url: str) -> str:
        """Read a template from S3: the address has bucket and key in its path."""
        bucket, _, key = urlsplit(url).path.lstrip("/").partition("/")
        text: str = self._aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode()
        return text

    def _execute_change_set(self, given: Json) -> Json:
        stack, change_set = self._change_set(given)
        if change_set.status != "CREATE_COMPLETE":
            status = f"[{change_set.status}]"
            raise AwsError("InvalidChangeSetStatus", f"ChangeSet [{change_set.id}] cannot be executed in {status}")
        stack.tags = change_set.tags
        deployment = Deployment(stack, change_set.version, self._types)
        deployment.run(lambda version, resources: self._start(stack, version, resources))
        stack.change_sets.clear()
        return {}

    def _describe_change_set(self, given: Json) -> Json:
        stack, change_set = self._change_set(given)
        return {
            "ChangeSetName": change_set.name,
            "ChangeSetId": change_set.id,
            "StackId": stack.id,
            "StackName": stack.name,
            "Parameters": _shown(change_set.version.parameters),
            "CreationTime": change_set.created,
            "ExecutionStatus": "AVAILABLE" if change_set.status == "CREATE_COMPLETE" else "UNAVAILABLE",
            "Status": change_set.status,
            "StatusReason": change_set.reason,
            "Changes": change_set.changes,
        }

    def _list_change_sets(self, given: Json) -> Json:
        stack = self._stack(given["StackName"])
        summaries = [
            {"ChangeSetName": each.name, "ChangeSetId": each.id, "Status": each.status, "StackName": stack.name}
            for each in stack.change_sets.values()
        ]
        return {"Summaries": summaries}

    def _delete_stack(self, given: Json) -> Json:
        try:
            stack = self._stack(given["StackName"])
        except AwsError:
            return {}  # as AWS has it
        self._stop(stack.name)
        delete_stack(stack, self._types, frozenset(given.get("RetainResources") or ()))
        return {}

    def _describe_stacks(self, given: Json) -> Json:
        name = given.get("StackName")
        found = [self._stack(name)] if name else [each for each in self._stacks if not _is_gone(each)]
        return {"Stacks": [_described(stack) for stack in found]}

    def _describe_events(self, given: Json) -> Json:
        return {"StackEvents": self._stack(given["StackName"]).events[::-1]}

    def _list_resources(self, given: Json) -> Json:
        summaries = [
            {
                "LogicalResourceId": each.name,
                "PhysicalResourceId": each.physical_id,
                "ResourceType": each.kind,
                "ResourceStatus": "CREATE_COMPLETE",
            }
            for each in self._stack(given["StackName"]).resources.values()
        ]
        return {"StackResourceSummaries": summaries}

    def _get_template(self, given: Json) -> Json:
        stack = self._stack(given["StackName"])
        version = self._change_set(given)[1].version if given.get("ChangeSetName") else stack.version
        if version is None:
            return {"TemplateBody": "", "StagesAvailable": []}
        processed = given.get("TemplateStage") == "Processed"
        body = json.dumps(version.processed) if processed else version.body
        return {"TemplateBody": body, "StagesAvailable": ["Original", "Processed"]}

    def _get_template_summary(self, given: Json) -> Json:
        stack = self._stack(given["StackName"])
        version = stack.version or stack.tried
        template = version.original if version else {}
        parameters = [
            {
                "ParameterKey": name,
                "DefaultValue": declared.get("Default"),
                "ParameterType": declared["Type"],
                "Description": declared.get("Description"),
            }
            for name, declared in template.get("Parameters", {}).items()
        ]
        return {"Parameters": parameters, "Description": template.get("Description")}

    def _stack(self, name: str) -> DeployedStack:
        """Find a stack by its name or its id; one that is deleted only by its id. Raises AwsError."""
        for stack in self._stacks:
            if stack.id == name or (stack.name == name and not _is_gone(stack)):
                return stack
        raise _invalid(f"Stack with id {name} does not exist")

    def _change_set(self, given: Json) -> tuple[DeployedStack, ChangeSet]:
        for stack in self._stacks:
            for change_set in stack.change_sets.values():
                if given["ChangeSetName"] in {change_set.id, change_set.name} and (
                    given.get("StackName") in {None, stack.name, stack.id}
                ):
                    return stack, change_set
        raise AwsError("ChangeSetNotFound", f"ChangeSet [{given['ChangeSetName']}] does not exist", 404)


def _is_gone(stack: DeployedStack) -> bool:
    return stack.status == "DELETE_COMPLETE"


def _parameters(template: Mapping[str, Any], before: Version | None, given: list[Json]) -> dict[str, str]:
    """Return a value for each parameter: the given one, the previous one where it is asked for, or the default.

    Raises ValueError as CloudFormation refuses a value.
    """
    declared: Mapping[str, Mapping[str, Any]] = template.get("Parameters", {})
    values = {name: str(each["Default"]) for name, each in declared.items() if "Default" in each}
    for each in given:
        name = each["ParameterKey"]
        if name not in declared:
            raise ValueError(f"Parameters: [{name}] do not exist in the template")
        if each.get("UsePreviousValue") == "true":
            if before and name in before.parameters:
                values[name] = before.parameters[name]
        else:
            values[name] = each.get("ParameterValue", "")
    if missing := [name for name in declared if name not in values]:
        raise ValueError(f"Parameters: [{', '.join(missing)}] must have values")
    for name, value in values.items():
        check_value(name, value, declared[name])
    return values


def _check_types(found: Sequence[Mapping[str, Any]], region: str) -> None:
    """Refuse types that the region does not have. A resource whose condition is false is none of them.

    Sources: CloudFormation's published types of each region, which cfn-lint carries, and
    https://aws.amazon.com/blogs/mt/handling-region-parity-with-infrastructure-as-code/
    """
    if region == REGION:
        return  # it has every type
    from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # noqa: PLC0415 - it takes a second to load

    known = PROVIDER_SCHEMA_MANAGER.get_resource_types(region)
    if unknown := sorted({each["ResourceChange"]["ResourceType"] for each in found} - set(known)):
        raise _invalid(f"Template format error: Unrecognized resource types: [{', '.join(unknown)}]")


def _outputs(version: Version | None) -> Any:
    return version and version.processed.get("Outputs")


def _shown(parameters: Mapping[str, str]) -> list[Json]:
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]


def _described(stack: DeployedStack) -> Json:
    version = stack.version or stack.tried
    return {
        "StackName": stack.name,
        "StackId": stack.id,
        "Description": version and version.original.get("Description"),
        "Parameters": _shown(version.parameters) if version else [],
        "CreationTime": stack.created,
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason,
        "Outputs": stack.outputs,
        "Tags": stack.tags,
        "EnableTerminationProtection": False,
    }


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message)
