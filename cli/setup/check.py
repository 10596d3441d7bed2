"""`kodiai setup --check`: what can be known before the first resource exists, as `kodiai doctor` reports it.

It changes nothing. Each model is asked one short question, which is paid for.
"""

import argparse
import os
import shutil
from collections.abc import Mapping

from cli.doctor.deployment import MORE_CONCURRENCY, Deployment, attempt
from cli.doctor.finding import Finding, Report
from cli.doctor.models import check_models
from cli.errors import CommandError
from cli.setup.parameters import ROOT, settings_before_the_app, stored_by, template_defaults
from cli.setup.registration import Registration
from cli.stage import INGEST_CONCURRENCY, LEAST_FOR_OTHERS, Stack, Stage, StoredParameter
from kodiai.core.config.settings import BadParameters, DeploymentSettings
from kodiai.core.errors import KodiaiError
from kodiai.edges.aws import translated

_NEW_ACCOUNT = 10  # functions at a time
_RIGHTS_PAGE = "docs/operators.md, Rights of who deploys"
# The first action on each kind of resource. Of a policy that names resources, IAM is asked about these alone.
FIRST_ACTIONS = {
    "cloudformation:CreateChangeSet": "cloudformation:{region}:{account}:stack/kodiai-{stage}/id",
    "s3:PutObject": "s3:::aws-sam-cli-managed-default-samclisourcebucket/object",
    "lambda:CreateFunction": "lambda:{region}:{account}:function:kodiai-{stage}-review",
    "lambda:PublishLayerVersion": "lambda:{region}:{account}:layer:kodiai-{stage}-common",
    "lambda:CreateEventSourceMapping": "*",
    "iam:CreateRole": "iam::{account}:role/kodiai-{stage}-ReviewRole",
    "iam:PutRolePolicy": "iam::{account}:role/kodiai-{stage}-ReviewRole",
    "sqs:CreateQueue": "sqs:{region}:{account}:kodiai-{stage}-reviews.fifo",
    "dynamodb:CreateTable": "dynamodb:{region}:{account}:table/kodiai-{stage}-ledger",
    "s3vectors:CreateVectorBucket": "s3vectors:{region}:{account}:bucket/kodiai-{stage}-memory",
    "ssm:PutParameter": "ssm:{region}:{account}:parameter/kodiai/{stage}/github/publish",
    "apigateway:POST": "apigateway:{region}::/apis",
    "logs:CreateLogGroup": "logs:{region}:{account}:log-group:/kodiai/{stage}/review",
    "logs:PutResourcePolicy": "*",
    "cloudwatch:PutMetricAlarm": "cloudwatch:{region}:{account}:alarm:kodiai-{stage}-SpendingAlarm",
    "events:PutRule": "events:{region}:{account}:rule/kodiai-{stage}-SweepFunctionSweep",
    "sns:CreateTopic": "sns:{region}:{account}:kodiai-{stage}-AlarmTopic",
}


def check(arguments: argparse.Namespace, given: Mapping[str, str], report: Report) -> None:
    """Check everything; `given` are valid values of template parameters."""
    report.add("values", "fine", ", ".join(f"{name}={value}" for name, value in given.items()))
    _check_tools(report)
    stage = Stage(arguments.stage, arguments.endpoint_url)
    try:
        account = stage.account()
        report.add("AWS", "fine", f"account {account} in {stage.region}")
    except (KodiaiError, CommandError) as error:
        report.add("AWS", "problem", str(error), "set AWS_PROFILE or AWS_ACCESS_KEY_ID, and AWS_REGION")
        account = None
    stored: dict[str, StoredParameter] = {}
    if account is not None:
        stored = attempt(report, "parameters", stage.stored) or {}
        stack = attempt(report, "stack", lambda: _checked_stack(stage, report))
        values = {**template_defaults(), **(stack.values if stack else {}), **given}
        embeds = values["Embeddings"] != "off"
        attempt(report, "rights", lambda: _check_rights(stage, account, report, embeds=embeds))
        attempt(report, "concurrency", lambda: _check_concurrency(stage, report))
        _check_names(stage, stack, report, embeds=embeds)
        _check_settings(stage, values, stored, report)
    api_url = given.get("GithubApiUrl") or stored.get("github/api-url", StoredParameter("", "")).value
    github = Registration(api_url or "https://api.github.com", _token)
    _check_github(github, arguments, "github/app-id" in stored, report)


def _check_tools(report: Report) -> None:
    from scripts import build  # noqa: PLC0415 - only a copy of the project has it

    pinned = build.REQUIREMENTS.read_text().strip()
    if (build.SAM / "bin" / "sam").exists():
        report.add("SAM CLI", "fine", f"{pinned} in {build.SAM.relative_to(ROOT)}")
    else:
        report.add("SAM CLI", "note", f"the setup installs {pinned}: 342 MB in {build.SAM.relative_to(ROOT)}")
    if shutil.which("make") is None:
        report.add("make", "problem", "make is not found on the PATH", "install it")
    if build.find_runtime_python(build.find_uv(), installs=False):
        report.add("Python", "fine", f"{build.RUNTIME} is installed: the functions get bytecode")
    else:
        text = f"{build.RUNTIME} is not installed: uv installs it; without it functions start 2.6 times as slowly"
        report.add("Python", "note", text, f"install Python {build.RUNTIME}")


def _checked_stack(stage: Stage, report: Report) -> Stack | None:
    stack = stage.stack()
    if stack is None:
        report.add("stack", "fine", f"{stage.stack_name} is free: the setup makes it")
    elif stack.is_changing:
        report.add("stack", "problem", f"{stage.stack_name} is {stack.status}", "wait until that is over")
    elif stack.was_never_created:
        report.add("stack", "note", f"{stage.stack_name} is {stack.status}: the setup deletes it and makes another")
    else:
        report.add("stack", "fine", f"{stage.stack_name} is {stack.status}: the setup keeps it")
    return stack


def _check_names(stage: Stage, stack: Stack | None, report: Report, *, embeds: bool) -> None:
    gone = None if stack is None or stack.was_never_created else stack
    try:
        stage.check_names(gone, embeds=embeds)
    except CommandError as error:
        report.add("names", "problem", str(error))
    except KodiaiError as error:
        report.add("names", "unchecked", str(error))
    else:
        where = f"S3 Vectors is available in {stage.region}" if embeds else "S3 Vectors is not needed"
        report.add("names", "fine", f"the names of table and bucket are free or ours; {where}")


def _check_rights(stage: Stage, account: str, report: Report, *, embeds: bool) -> None:
    """Ask IAM whether who runs this may take the first action on each kind of resource.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
    """
    caller = stage.caller()
    if caller.endswith(":root"):
        report.add("rights", "note", "the account's root user may do everything; use another one")
        return
    place = {"region": stage.region, "account": account, "stage": stage.name}
    asked = {action: on for action, on in FIRST_ACTIONS.items() if embeds or not action.startswith("s3vectors:")}
    iam, refused = stage.client("iam"), []
    with translated("The rights cannot be looked up", "IAM", with_message=True):
        for action, on in asked.items():
            resource = on if on == "*" else f"arn:aws:{on.format(**place)}"
            answer = iam.simulate_principal_policy(
                PolicySourceArn=caller, ActionNames=[action], ResourceArns=[resource]
            )
            if any(each["EvalDecision"] != "allowed" for each in answer["EvaluationResults"]):
                refused.append(action)
    if refused:
        report.add("rights", "problem", f"{caller} may not {', '.join(refused)}", f"see {_RIGHTS_PAGE}")
    else:
        report.add("rights", "fine", f"{caller} may take the first action on each of {len(asked)} kinds of resources")


def _check_concurrency(stage: Stage, report: Report) -> None:
    limit, unreserved = stage.concurrency()
    if limit <= _NEW_ACCOUNT:
        text = f"the account may run {limit} functions at a time: two reviews, two answers and {limit - 4} for webhooks"
        report.add("concurrency", "note", text, MORE_CONCURRENCY)
    elif unreserved >= LEAST_FOR_OTHERS + INGEST_CONCURRENCY:
        text = f"{unreserved:,} of {limit:,} are free: a first setup keeps {INGEST_CONCURRENCY} for webhooks"
        report.add("concurrency", "fine", text)
    else:
        report.add("concurrency", "note", f"{unreserved:,} of {limit:,} are free: none can be kept for webhooks")


def _check_settings(
    stage: Stage, values: Mapping[str, str], stored: Mapping[str, StoredParameter], report: Report
) -> None:
    """Check the parameters as the functions will read them, then the models that they name."""
    defaults = stored_by(values, stage.region)
    read = {name: each.value for name, each in stored.items()} | defaults
    if key := os.environ.get("ANTHROPIC_API_KEY"):
        read.setdefault("anthropic/api-key", key)
    parameters = {name: StoredParameter("String", value) for name, value in read.items()}
    deployment = Deployment(stage, None, parameters, defaults)
    try:
        settings = settings_before_the_app(read, stage.prefix)
    except BadParameters as error:
        for name, why in error.malformed:
            report.add("settings", "problem", f"{name} would be malformed: {why}")
        for name in error.missing:
            if name == "anthropic/api-key":
                fix = "set ANTHROPIC_API_KEY to check it, or give --bedrock"
                report.add("models", "note", "there is no Anthropic key yet: the setup asks for it", fix)
            else:
                report.add("settings", "problem", f"{name} is missing", deployment.put(name))
        return
    report.add("settings", "fine", f"{len(defaults)} parameters for the functions are in order")
    for found in ask_models(stage, settings):
        # The doctor's fixes are for parameters that a stack has made.
        fix = "" if found.state == "fine" else "see docs/operators.md, Claude on Bedrock and Embeddings"
        report.add(found.check, found.state, found.text, fix)


def ask_models(stage: Stage, settings: DeploymentSettings) -> list[Finding]:
    """Ask every model in each way in which the functions will, on Bedrock with the operator's own rights."""
    asked = Report(lambda _: None)
    check_models(Deployment(stage, None, {}, {}, settings), asked)
    return asked.findings


def _token() -> str:
    if token := os.environ.get("GITHUB_TOKEN"):
        return token
    raise CommandError("this GitHub requires a token: set GITHUB_TOKEN to check it")


def _check_github(github: Registration, arguments: argparse.Namespace, is_registered: bool, report: Report) -> None:
    if is_registered:
        report.add("App", "fine", "it is registered")
        return
    if arguments.owner is None:
        report.add("App", "note", "its owner is not known: the setup asks for it", "give --owner")
        return
    try:
        owner = github.find_owner(arguments.owner)
        name = github.free_name(owner, arguments.stage)
    except CommandError as error:
        report.add("App", "problem", str(error), "give another --owner, or --github-api-url")
        return
    kind = "organization" if owner.is_organization else "account"
    report.add("App", "fine", f"the name {name} is free for the {kind} {owner.login}")
