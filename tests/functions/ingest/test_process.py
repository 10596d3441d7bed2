"""The door in a process of its own: what it imports, and what it logs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kodiai.core.events.payloads import MAX_BODY_BYTES
from tests.edges.deployed_aws import DeployedAws
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import DELIVERY, FILE, SECRET, environment, request

ROOT = Path(__file__).parents[3]
PATHS = {"PYTHONPATH": os.pathsep.join([str(FILE.parent), str(ROOT / "layers" / "common")])}
KNOCK = (
    "import ingest, json, sys, types; context = types.SimpleNamespace(aws_request_id='the invocation');"
    "[ingest.handler(event, context) for event in json.load(sys.stdin)]"
)


def _run(program: str, variables: Mapping[str, str], given: str = "") -> str:
    kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=given,
        env={**kept, **PATHS, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _logged(events: list[dict[str, Any]], variables: Mapping[str, str]) -> tuple[list[dict[str, Any]], str]:
    output = _run(KNOCK, variables, json.dumps(events))
    return [json.loads(line) for line in output.splitlines()], output


def test_the_door_imports_nothing_heavy() -> None:
    """GitHub waits ten seconds, and a cold start is part of them."""
    imported = set(_run("import ingest, sys; print('\\n'.join(sys.modules))", {}).split())

    assert "kodiai.flows.receive_delivery" in imported
    third_party = {"boto3", "githubkit", "anthropic", "jsonschema_rs", "markdown_it", "yaml", "httpx", "pathspec"}
    ours = {"kodiai.core.config.read", "kodiai.ports.ledger", "kodiai.core.findings.finding", "kodiai.edges.ledger"}
    assert not imported & {"email_validator", *third_party, *ours}


def test_each_delivery_is_one_line_in_the_log(deployment: Deployment) -> None:
    """Its message is “outcome”, with what a person looks for; neither secret, signature nor payload."""
    stranger = request(headers={"x-hub-signature-256": "sha256=" + "0" * 64})

    lines, output = _logged([request(), stranger], deployment.environment)

    told = [{name: line[name] for name in line if name not in ("location", "timestamp", "_aws")} for line in lines]
    assert told == [
        {
            "level": "INFO",
            "message": "outcome",
            "service": "kodiai",
            "function_request_id": "the invocation",
            "status": 202,
            "outcome": "queued",
            "reason": "The job for octo/hello#7 is queued.",
            "delivery": DELIVERY,
            "event": "pull_request",
            "repository": "octo/hello",
            "pull_request": 7,
            "trigger": "opened",
        },
        {
            "level": "WARNING",
            "message": "outcome",
            "service": "kodiai",
            "function_request_id": "the invocation",
            "status": 401,
            "WebhooksRefused": 1,
            "outcome": "refused",
            "reason": "The signature does not match the body: the webhook's secret is another one than ours.",
            "delivery": DELIVERY,
            "event": "pull_request",
        },
    ]
    for private in (SECRET, request()["headers"]["x-hub-signature-256"], "Grüße"):
        assert private not in output
        assert json.dumps(private).strip('"') not in output


def test_each_request_to_aws_is_a_line_at_debug_and_nobody_else_says_anything(deployment: Deployment) -> None:
    """With the delivery and the invocation; the SDK, which would write secrets down, keeps its silence."""
    stranger = request(headers={"x-github-delivery": None})

    lines, output = _logged([request(), stranger], {**deployment.environment, "AWS_LAMBDA_LOG_LEVEL": "DEBUG"})

    assert {line["function_request_id"] for line in lines} == {"the invocation"}
    assert [(line["message"], line.get("to"), line.get("what"), line["status"]) for line in lines] == [
        ("call", "ssm", "GetParametersByPath", 200),
        ("call", "ssm", "GetParametersByPath", 200),
        ("call", "sqs", "SendMessage", 200),
        ("outcome", None, None, 202),
        ("outcome", None, None, 400),
    ]
    assert [line.get("delivery") for line in lines] == [DELIVERY] * 4 + [None]
    assert all(0 < line["seconds"] < time.time() - line["began"] for line in lines[:3])
    assert SECRET not in output


def test_a_missing_parameter_is_named_in_the_log(aws: DeployedAws) -> None:
    """One error that says what to put and where."""
    prefix = aws.new_prefix({"webhook/secret-previous": "an older one"})

    (line,), _ = _logged([request()], environment(aws.endpoints, prefix, aws.new_queue(), aws.new_queue()))

    assert (line["level"], line["status"]) == ("ERROR", 500)
    assert line["cause"] == f"Parameters are missing: {prefix}/webhook/secret."


def test_a_bug_is_one_line_with_its_trace(deployment: Deployment) -> None:
    """The answer is neutral, so the log has to tell."""
    variables = {name: text for name, text in deployment.environment.items() if name != "KODIAI_REVIEWS_QUEUE_URL"}

    (line,), _ = _logged([request()], variables)

    assert (line["level"], line["message"], line["status"], line["cause"]) == ("ERROR", "outcome", 500, "Broken")
    assert "KODIAI_REVIEWS_QUEUE_URL" in line["exception"]


def test_a_refused_webhook_counts_if_it_looks_like_one_of_githubs(deployment: Deployment) -> None:
    """Then our secret is wrong, GitHub's, or somebody imitates it. A scanner of the internet does not name a delivery.

    What we fail to take is counted by API Gateway.
    """
    unsigned, unnamed = {"x-hub-signature-256": None}, {"x-github-delivery": None}
    too_large = request(b"x" * (MAX_BODY_BYTES + 1))
    scan = request(headers={**unsigned, **unnamed, "x-github-event": None})
    events = [request(), request(headers=unsigned), request(b"[]"), too_large, scan, request(headers=unnamed)]

    lines, _ = _logged(events, deployment.environment)

    counted = [(line["status"], line.get("WebhooksRefused"), "_aws" in line) for line in lines]
    assert counted == [
        (202, None, False),
        (401, 1, True),
        (400, 1, True),
        (413, 1, True),
        (401, None, False),
        (400, None, False),
    ]
