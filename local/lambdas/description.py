"""The functions of a template: how each is started, and what calls it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.lambdas.stack import Stack
from local.lambdas.template import FUNCTION

LAYER = "AWS::Serverless::LayerVersion"
ROLE = "AWS::IAM::Role"
HTTP_API = "AWS::Serverless::HttpApi"


@dataclass(frozen=True)
class FunctionDescription:
    """One function: `handler` is "file.function", `folders` its own first and then its layers'.

    `timeout` is in seconds, `memory` in MB. `role` is the logical id of its role, None where the template has none.
    """

    name: str
    arn: str
    handler: str
    folders: tuple[Path, ...]
    timeout: float
    memory: int
    environment: Mapping[str, str]
    log_format: str
    log_level: str = "INFO"
    role: str | None = None


@dataclass(frozen=True)
class Route:
    """An HTTP request that calls a function."""

    function: str
    method: str
    path: str


@dataclass(frozen=True)
class EventSource:
    """A queue that calls a function with up to `batch_size` messages, at most `concurrency` at a time."""

    function: str
    queue_arn: str
    queue_url: str
    batch_size: int
    concurrency: int
    reports_failures: bool


def functions(stack: Stack, root: Path) -> list[FunctionDescription]:
    """Return the functions of the template, whose folders are relative to `root`."""
    return [_function(stack, root, name) for name in stack.of_type(FUNCTION)]


def _function(stack: Stack, root: Path, name: str) -> FunctionDescription:
    given = stack.properties(name)
    layers = [layer for layer in stack.of_type(LAYER) if stack.attributes(layer)["Ref"] in given.get("Layers", [])]
    folders = [root / given["CodeUri"], *(_layer(root / stack.properties(layer)["ContentUri"]) for layer in layers)]
    return FunctionDescription(
        name=name,
        arn=stack.attributes(name)["Arn"],
        handler=given["Handler"],
        folders=tuple(folder.resolve() for folder in folders),
        timeout=float(given.get("Timeout", 3)),
        memory=int(given.get("MemorySize", 128)),
        environment={key: str(value) for key, value in given.get("Environment", {}).get("Variables", {}).items()},
        log_format=given.get("LoggingConfig", {}).get("LogFormat", "Text"),
        log_level=given.get("LoggingConfig", {}).get("ApplicationLogLevel", "INFO"),
        role=next((role for role in stack.of_type(ROLE) if stack.attributes(role)["Arn"] == given.get("Role")), None),
    )


def _layer(folder: Path) -> Path:
    built = folder / "python"
    return built if built.is_dir() else folder


def statements(stack: Stack, role: str) -> list[Mapping[str, Any]]:
    """Return the statements of all policies of a role."""
    policies = stack.properties(role).get("Policies", [])
    return [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]


def routes(stack: Stack) -> list[Route]:
    """Return the HTTP routes of all functions."""
    return [Route(name, given["Method"], given["Path"]) for name, given in _events(stack, "HttpApi")]


def access_log_format(stack: Stack) -> str | None:
    """Return the format of the HTTP API's log, None where it has none."""
    for name in stack.of_type(HTTP_API):
        if settings := stack.properties(name).get("AccessLogSettings"):
            return str(settings["Format"])
    return None


def scheduled(stack: Stack) -> list[str]:
    """Return the functions that a schedule calls; a schedule that is disabled calls none."""
    return [name for name, given in _events(stack, "Schedule") if given.get("State", "ENABLED") == "ENABLED"]


def event_sources(stack: Stack) -> list[EventSource]:
    """Return the queues that call functions."""
    urls = {stack.attributes(name)["Arn"]: stack.attributes(name)["Ref"] for name in stack.of_type("AWS::SQS::Queue")}
    return [
        EventSource(
            function=name,
            queue_arn=given["Queue"],
            queue_url=urls[given["Queue"]],
            batch_size=int(given.get("BatchSize", 10)),
            concurrency=int(given.get("ScalingConfig", {}).get("MaximumConcurrency", 10)),
            reports_failures="ReportBatchItemFailures" in given.get("FunctionResponseTypes", []),
        )
        for name, given in _events(stack, "SQS")
    ]


def _events(stack: Stack, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in stack.of_type(FUNCTION):
        for event in stack.properties(name).get("Events", {}).values():
            if event["Type"] == kind:
                yield name, event.get("Properties", {})
