"""Checks of what is in AWS: the stack, the parameters, the queues, the table, and the clocks."""

import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from cli.commands import QUEUES
from cli.doctor.finding import Report
from cli.errors import CommandError
from cli.setup.parameters import stored_by, template
from cli.stage import INGEST_CONCURRENCY, LEAST_FOR_OTHERS, Stack, Stage, StoredParameter
from kodiai.core.config.settings import BadParameters, DeploymentSettings, SweepSettings, WebhookSettings
from kodiai.core.errors import KodiaiError
from kodiai.edges.aws import translated
from local.rendering.labels import counted

T = TypeVar("T")

MORE_CONCURRENCY = "ask for more: Service Quotas, AWS Lambda, Concurrent executions"
"""The fix for an account that may run too few functions at a time."""

_CLOCK_SECONDS = 60  # GitHub accepts a signature that is a minute old
# A model without a price is named by one of these, and is a mistake of `models/prices` to the functions.
_MODELS = tuple(f"models/{name}" for name in ("reviewer", "replies", "fallback", "tiers", "roles", "prices"))
_SWEEP = "SweepFunctionSweep"  # what SAM makes of the event `Sweep` of `SweepFunction`
_NOT_THERE = frozenset(
    {"NonExistentQueue", "QueueDoesNotExist", "ResourceNotFoundException", "NotFoundException", "ParameterNotFound"}
)
_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")


@dataclass(frozen=True)
class Deployment:
    """A deployment whose parameters could be read: by name, and as settings (None: they are not in order).

    `defaults` are the values with which the stack stores its own, by the same names.
    """

    stage: Stage
    webhook_url: str | None
    parameters: Mapping[str, StoredParameter]
    defaults: Mapping[str, str]
    settings: DeploymentSettings | None = None

    @property
    def setup(self) -> str:
        """The command that fixes what the setup does."""
        return f"kodiai setup --stage {self.stage.name}"

    def put(self, name: str, value: str | None = None) -> str:
        """The command that stores a parameter: as deployed, or this value; one of the operator's own from a file."""
        plain = value or self.defaults.get(name)
        kind = "SecureString" if plain is None else "String"
        given = f"file://{name.partition('/')[2]}.txt" if plain is None else shlex.quote(plain or "VALUE")
        return f"aws ssm put-parameter --overwrite --type {kind} --name {self.stage.prefix}/{name} --value {given}"


def check_deployment(stage: Stage, report: Report) -> Deployment | None:
    """Check what is in AWS; None where AWS does not let the parameters be read."""
    try:
        account = stage.account()
    except (KodiaiError, CommandError) as error:
        report.add("AWS", "problem", str(error), "set AWS_PROFILE or AWS_ACCESS_KEY_ID, and AWS_REGION")
        return None
    report.add("AWS", "fine", f"account {account} in {stage.region}")
    attempt(report, "clock", lambda: _check_clock(stage, report))
    stack = attempt(report, "stack", lambda: _check_stack(stage, report))
    if stack is None:
        report.add("all else", "unchecked", "it is part of the stack")
        return None
    parameters = attempt(report, "parameters", stage.stored)
    if parameters is None:
        return None
    deployment = Deployment(
        stage, stack.outputs.get("WebhookUrl"), parameters, plain_parameters(stack.values, stage.region)
    )
    settings = check_parameters(deployment, report)
    drift = f"aws cloudformation detect-stack-drift --stack-name {stage.stack_name}"
    for queue in QUEUES:
        attempt(report, f"queue {queue}", partial(_check_queue, stage, queue, report), drift)
    attempt(report, "table", lambda: _check_table(stage, report), drift)
    attempt(report, "sweep", lambda: check_sweep(stage, stack, report), drift)
    attempt(report, "alarms", lambda: _check_alarms(stage, report))
    attempt(report, "concurrency", lambda: _check_concurrency(stage, stack, report))
    if settings is not None:
        _check_switches(deployment, settings, report)
        if index := settings.embeddings.index:
            fix = deployment.put("embeddings/model")
            attempt(report, "index", partial(_check_index, stage, index, report), fix)
    return replace(deployment, settings=settings)


def attempt(report: Report, check: str, ask: Callable[[], T], *fix: str) -> T | None:
    """Report it where a service refuses: a problem if a thing is not there, else that nothing is known."""
    try:
        return ask()
    except (KodiaiError, CommandError) as error:
        cause = error.__cause__
        code = cause.response["Error"]["Code"] if isinstance(cause, ClientError) else ""
        is_gone = code.rpartition(".")[2] in _NOT_THERE
        report.add(check, "problem" if is_gone else "unchecked", str(error), *(fix if is_gone else ()))
        return None


def _check_stack(stage: Stage, report: Report) -> Stack | None:
    stack, setup = stage.stack(), f"kodiai setup --stage {stage.name}"
    if stack is None:
        text, regions = f"there is no stack {stage.stack_name} in {stage.region}", stage.regions()
        there = [f"AWS_REGION={region} kodiai doctor --stage {stage.name}" for region in regions]
        report.add("stack", "problem", f"{text}, but in {', '.join(regions)}" if there else text, *(there or [setup]))
    elif not stack.is_complete:
        report.add("stack", "problem", f"{stage.stack_name} is {stack.status}", f"{setup} --upgrade")
    else:
        report.add("stack", "fine", f"{stage.stack_name} is {stack.status}")
    return stack


def _check_clock(stage: Stage, report: Report) -> None:
    """AWS and GitHub refuse signatures of another time."""
    with translated("The time of AWS cannot be read", "STS"):
        answer = stage.client("sts").get_caller_identity()
    theirs = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    if theirs is None:
        report.add("clock", "unchecked", "the answer of AWS has no time")
        return
    off = time.time() - parsedate_to_datetime(theirs).timestamp()
    if abs(off) > _CLOCK_SECONDS:
        report.add("clock", "problem", f"this machine's clock is {off:+.0f} s off", "timedatectl set-ntp true")
    else:
        report.add("clock", "fine", "as AWS's, to the minute")


def check_parameters(deployment: Deployment, report: Report) -> DeploymentSettings | None:
    """Check every parameter; the settings, None where one is missing or malformed."""
    values = {name: each.value for name, each in deployment.parameters.items()}
    bad: dict[str, str] = {}
    settings = None
    groups: tuple[Callable[[Mapping[str, str], str], Any], ...] = (
        WebhookSettings.from_parameters,
        SweepSettings.from_parameters,
        DeploymentSettings.from_parameters,
    )
    for build in groups:
        try:
            settings = build(values, deployment.stage.prefix)
        except BadParameters as error:
            settings = None
            bad |= dict.fromkeys(error.missing, "is missing") | {
                name: f"is malformed: {why}" for name, why in error.malformed
            }
    for name, why in bad.items():
        app = name in ("github/app-id", "github/private-key") and why == "is missing"
        mentioned = [other for other in _MODELS if other in values] if name == "models/prices" else [name]
        changed = [other for other in mentioned if values.get(other) != deployment.defaults.get(other)]
        fixes = [deployment.setup] if app else map(deployment.put, changed or mentioned)
        report.add("parameters", "problem", f"{deployment.stage.prefix}/{name} {why}", *fixes)
    for name, each in deployment.parameters.items():
        if each.kind != "SecureString" and name not in deployment.defaults:
            path = f"{deployment.stage.prefix}/{name}"
            report.add(
                "parameters",
                "problem",
                f"{path} is a {each.kind}: its value is stored in clear",
                f"aws ssm delete-parameter --name {path}",
                deployment.put(name),
            )
            bad[name] = "in clear"
    if not bad:
        report.add("parameters", "fine", f"{counted(len(values), 'parameter')} below {deployment.stage.prefix}")
    return settings if isinstance(settings, DeploymentSettings) else None


def plain_parameters(chosen: Mapping[str, str], region: str) -> Mapping[str, str]:
    """The parameters that are no secrets, by their names below the prefix.

    They are as the template stores them with these values of its own; those that it stores with other values only, and
    the operator's own, are "".
    """
    names = [each["Name"] for each in template()["Metadata"]["KodiaiOperatorStrings"]]
    names += [
        each["Properties"]["Name"]["Fn::Sub"].removeprefix("/kodiai/${Stage}/")
        for each in template()["Resources"].values()
        if each["Type"] == "AWS::SSM::Parameter"
    ]
    return {**dict.fromkeys(names, ""), **stored_by(chosen, region)}


def _check_switches(deployment: Deployment, settings: DeploymentSettings, report: Report) -> None:
    """Settings that are valid, and after which nothing is posted or read."""
    if settings.github.dry_run:
        text = "github/publish is dry-run: reviews are kept and not posted"
        report.add("publishing", "note", text, deployment.put("github/publish", "post"))
    spending = {
        "spending/per-pull-request-usd": settings.spending.per_pull_request,
        "spending/per-repository-per-day-usd": settings.spending.per_repository_per_day,
        "spending/per-owner-per-month-usd": settings.spending.per_owner_per_month,
    }
    for name, most in spending.items():
        if not most:
            was_deployed = float(deployment.defaults[name]) == 0
            values = plain_parameters({}, deployment.stage.region) if was_deployed else deployment.defaults
            report.add("spending", "problem", f"{name} is 0: no model is asked", deployment.put(name, values[name]))


def _check_queue(stage: Stage, queue: str, report: Report) -> None:
    sqs, found = stage.client("sqs"), {}
    for name in (f"kodiai-{stage.name}-{queue}.fifo", f"kodiai-{stage.name}-{queue}-dead.fifo"):
        with translated(f"The queue {name} cannot be read", "SQS", with_message=True):
            url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
            attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(_COUNTS))["Attributes"]
            found[name] = sum(int(attributes[count]) for count in _COUNTS)
    waiting, dead = found.values()
    if dead:
        text = f"{counted(dead, 'message')} of {queue} could not be processed"
        report.add(f"queue {queue}", "problem", text, f"kodiai dead-letters list --stage {stage.name} --queue {queue}")
    else:
        report.add(f"queue {queue}", "fine", f"{counted(waiting, 'message')} at work or waiting, no dead letters")


def _check_concurrency(stage: Stage, stack: Stack, report: Report) -> None:
    """Ingest must find room, whatever else runs in the account: GitHub does not deliver again by itself."""
    limit, unreserved = stage.concurrency()
    reserved = stack.values.get("IngestReservedConcurrency", "0")
    if reserved != "0":
        report.add("concurrency", "fine", f"{reserved} of the account's {limit:,} are for ingest alone")
    elif unreserved >= LEAST_FOR_OTHERS + INGEST_CONCURRENCY:
        fix = f"kodiai setup --stage {stage.name} --set IngestReservedConcurrency={INGEST_CONCURRENCY}"
        report.add("concurrency", "note", f"other functions can take all of the account's {limit:,}", fix)
    else:
        text = f"the account may run {limit:,} functions at a time; other functions can take the room of ingest"
        report.add("concurrency", "note", text, MORE_CONCURRENCY)


def _check_table(stage: Stage, report: Report) -> None:
    name, dynamodb = stage.table_name, stage.client("dynamodb")
    with translated(f"The table {name} cannot be read", "DynamoDB", with_message=True):
        status = dynamodb.describe_table(TableName=name)["Table"]["TableStatus"]
        expiry = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]["TimeToLiveStatus"]
    if status not in ("ACTIVE", "UPDATING"):
        report.add("table", "problem", f"{name} is {status}")
    elif expiry not in ("ENABLED", "ENABLING"):
        attribute = "AttributeName=expires_at,Enabled=true"
        fix = f"aws dynamodb update-time-to-live --table-name {name} --time-to-live-specification {attribute}"
        report.add("table", "problem", f"{name} does not delete expired items", fix)
    else:
        report.add("table", "fine", f"{name} is {status}")


def check_sweep(stage: Stage, stack: Stack, report: Report) -> None:
    """Check that lost webhooks are looked for."""
    rule, off = stage.resources("AWS::Events::Rule").get(_SWEEP, _SWEEP), "lost webhooks are not searched for"
    with translated(f"The rule {rule} cannot be read", "EventBridge", with_message=True):
        found = stage.client("events").describe_rule(Name=rule)
    if found["State"] != "DISABLED":
        report.add("sweep", "fine", f"lost webhooks are searched for, {found['ScheduleExpression']}")
    elif stack.values.get("SweepState") == "DISABLED":
        fix = f"kodiai setup --stage {stage.name} --set SweepState=ENABLED"
        report.add("sweep", "note", f"SweepState is DISABLED: {off}", fix)
    else:
        report.add("sweep", "problem", f"the rule {rule} is disabled: {off}", f"aws events enable-rule --name {rule}")


def _check_alarms(stage: Stage, report: Report) -> None:
    names = list(stage.resources("AWS::CloudWatch::Alarm").values())
    with translated("The alarms cannot be read", "CloudWatch", with_message=True):
        alarms = stage.client("cloudwatch").describe_alarms(AlarmNames=names, StateValue="ALARM")["MetricAlarms"]
    rung = [each["AlarmDescription"] for each in alarms if each["StateValue"] == "ALARM"]
    for text, _, section in (each.partition(" Runbook: ") for each in rung):
        report.add("alarms", "problem", text, section)
    if not rung:
        report.add("alarms", "fine", f"none of {len(names)} is on")


def _check_index(stage: Stage, index: str, report: Report) -> None:
    bucket = stage.bucket_name
    with translated(f"The index {index} of {bucket} cannot be read", "S3 Vectors", with_message=True):
        stage.client("s3vectors").get_index(vectorBucketName=bucket, indexName=index)
    report.add("index", "fine", f"{index} in {bucket}")
