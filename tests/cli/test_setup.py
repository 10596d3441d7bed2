"""`kodiai setup` and `kodiai doctor` from an empty account on, with the real SAM CLI, over the local AWS and GitHub."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from cli.doctor.deployment import Deployment, check_parameters, check_sweep, plain_parameters
from cli.doctor.finding import Finding, Report, State
from cli.setup.parameters import ROOT
from cli.stage import Stage
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.words.links import web_address
from kodiai.edges.github_permissions import needed
from local.cloud import LocalCloud
from local.github import LocalGitHub
from local.github.failures import secondary_limit
from local.model import ModelStandIn, Script, failure
from local.sample import make_sample
from tests.aws_resources import create_table
from tests.cli.deployed import Account, Run
from tests.cli.running import run_command
from tests.sam import Sam

pytestmark = [pytest.mark.xdist_group("sam"), pytest.mark.slow]

PREFIX = "/kodiai/prod"
TIERS = '{"full": {"effort": "high"}, "lite": {"effort": "low"}}'
PAGE = "http://127.0.0.1:45823/kT3yJq0sV9bZxWm5nR2cLh8dFuGpA7eYiO4tKvQrB1E"
TAKEN = "/kodiai/pilot/models/tiers"
KEY = "sk-ant-api03-very-secret"
SECRETS = ["anthropic/api-key", "github/app-id", "github/private-key", "webhook/secret"]


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    folder = tmp_path_factory.mktemp("setup")
    sample = make_sample(folder / "harbour", pushed=1)
    with (
        ModelStandIn(None) as model,
        LocalCloud(messages_api=model.serve) as cloud,
        LocalGitHub(sample.path, full_name="acme/harbour", registered=False) as github,
    ):
        github.state.users["acme"].type = "Organization"
        yield Account(cloud, github, model, folder)


@pytest.fixture(scope="module")
def looked(account: Account) -> str:
    """The output of a check before there is anything."""
    typed = ("--owner", "acme", "--github-api-url", account.github.url, "--set", "GithubPublish=dry-run")
    return account.run("setup", "--check", *typed).out


@pytest.fixture(scope="module")
def enterprise(account: Account) -> Iterator[LocalGitHub]:
    """A server of an enterprise, which answers nobody without a token."""
    with LocalGitHub(account.home / "harbour", full_name="acme/harbour", registered=False, enterprise="private") as it:
        it.state.users["acme"].type = "Organization"
        yield it


@pytest.fixture(scope="module")
def failed(account: Account, enterprise: LocalGitHub) -> Run:
    """A first deployment that AWS refuses. Every answer is empty that may be; values have spaces, braces and quotes."""
    options = (
        *("--stage", "pilot", "--github-api-url", enterprise.url, "--set", "GithubPublish=dry-run"),
        *("--set", f"ModelTiers={TIERS}", "--set", "SweepSchedule=rate(2 hours)"),
    )
    account.cloud.aws.client("ssm").put_parameter(Name=TAKEN, Value="{}", Type="String")
    return account.set_up("acme", enterprise.token_for("somebody"), "", "", options=options)


@pytest.fixture(scope="module")
def left(account: Account) -> None:
    """The data that the stack of a stage has left."""
    create_table(account.cloud.aws, "kodiai-other-ledger")
    account.cloud.aws.client("s3vectors").create_vector_bucket(vectorBucketName="kodiai-other-memory")


@pytest.fixture(scope="module")
def runs(account: Account, looked: str) -> list[Run]:
    """The first run is killed when the App is to be registered; the second one ends."""
    assert looked
    options = (
        *("--github-api-url", account.github.url, "--set", f"AnthropicBaseUrl={account.model.url}"),
        *("--set", "QuietSeconds=0"),
    )
    answers = ("acme", KEY, "team@example.com")
    first = account.set_up(*answers, options=options, stop_at="Register the GitHub App")
    number = account.github.open_pull_request("push-1", "main", title="Orders")
    return [first, account.set_up("acme", f"acme/harbour#{number}")]


@pytest.fixture
def live(account: Account, runs: list[Run]) -> Account:
    assert runs[1].status == 0, runs[1].text
    return account


def parameters(account: Account) -> dict[str, tuple[str, str]]:
    """Type and value of each parameter, by its name below the prefix."""
    pages = account.cloud.aws.client("ssm").get_paginator("get_parameters_by_path")
    return {
        each["Name"].removeprefix(f"{PREFIX}/"): (each["Type"], each["Value"])
        for page in pages.paginate(Path=PREFIX, Recursive=True, WithDecryption=True)
        for each in page["Parameters"]
    }


def put(account: Account, name: str, value: str, kind: str = "String") -> None:
    account.cloud.aws.client("ssm").put_parameter(Name=f"{PREFIX}/{name}", Value=value, Type=kind, Overwrite=True)


def delete(account: Account, name: str) -> None:
    account.cloud.aws.client("ssm").delete_parameter(Name=f"{PREFIX}/{name}")


def steps(lines: list[str]) -> list[str]:
    """The numbered lines, as far as they are the same each time."""
    numbered = [line.partition(". ")[2] for line in lines if line[:1].isdigit() and ". " in line[:4]]
    return [line.partition(": ")[0] for line in numbered]


def test_one_command_leads_from_nothing_to_reviews(runs: list[Run]) -> None:
    """Four questions in all, one of them twice: the first run was killed. What is done is not done again.

    The review that it ends with is shown in full, and posted nowhere.
    """
    first, second = runs

    assert [line for line in first.lines if line.endswith(":")] == [
        "GitHub organization or account that the App will belong to:",
        "Anthropic API key (hidden; leave it empty to use Claude on Amazon Bedrock):",
        "E-mail address for alarms, such as lost webhooks (leave it empty for none):",
    ]
    assert steps(first.lines) == [
        "AWS account 123456789012 in us-east-1",
        "Building, and deploying kodiai-prod",
        "Register the GitHub App in your browser",
    ]
    assert steps(second.lines) == [
        "AWS account 123456789012 in us-east-1",
        "The stack kodiai-prod is deployed; --upgrade deploys this version",
        "Register the GitHub App in your browser",
        f"The App is @kodiai-acme; its keys are in SSM, below {PREFIX}",
        "The webhook accepts a signed ping",
        "Install the App on the repositories that it is to review",
        "The App is installed for acme",
        "Reviewing acme/harbour#1; nothing is posted",
    ]
    assert second.lines[-1].endswith("with 2 questions.")


def test_a_first_deployment_that_fails_is_repeated_as_it_was_meant(
    account: Account, enterprise: LocalGitHub, failed: Run
) -> None:
    """The command that is printed has all options and answers.

    What a value was once, a later run sets back to empty. Nothing of it needs a right that the policy lacks.
    """
    place = f"kodiai setup --stage pilot --endpoint-url {account.address} --owner acme --bedrock"
    [told] = [line for line in failed.lines if line.startswith("Nothing is lost")]
    command = told.removeprefix("Nothing is lost: run `").removesuffix("` again, it continues where it ended.")
    assert command == (
        f"{place} --alarm-email '' --github-api-url {enterprise.url} --set GithubPublish=dry-run "
        f"--set 'ModelTiers={TIERS}' --set 'SweepSchedule=rate(2 hours)' --no-browser"
    )
    assert failed.status == 1
    assert failed.lines[-1] == (
        "kodiai: kodiai-pilot was not deployed: ModelTiersParameter: Resource of type 'AWS::SSM::Parameter' with "
        f"identifier '{TAKEN}' already exists."
    )

    stage = Stage("pilot", account.cloud.aws.access_url)
    assert stage.first_failure(None) is not None
    assert stage.first_failure(stage.newest_event()) is None  # what failed before is no reason of what fails now
    left = stage.stack()
    assert left is not None
    assert left.chosen.items() >= {"GithubPublish": "dry-run", "ModelTiers": TIERS}.items()  # without the options too

    account.cloud.aws.client("ssm").delete_parameter(Name=TAKEN)
    token = enterprise.token_for("somebody")
    again = account.set_up(token, options=tuple(shlex.split(command)[2:]), stop_at="Register the GitHub App")

    assert steps(again.lines) == [
        "AWS account 123456789012 in us-east-1",
        "Deleting what a failed deployment left",
        "Asking the models on Amazon Bedrock, which subscribes the account to them",
        "Building, and deploying kodiai-pilot",
        "Register the GitHub App in your browser",
    ]
    stack = stage.stack()
    assert stack is not None
    given = {"AlarmEmail": "", "ModelTiers": TIERS, "SweepSchedule": "rate(2 hours)", "GithubPublish": "dry-run"}
    assert {name: stack.values[name] for name in given} == given
    assert stage.values()["models/tiers"] == TIERS

    account.set_up(
        token, options=("--stage", "pilot", "--owner", "acme", "--set", "ModelTiers="), stop_at="Register the"
    )

    stack = stage.stack()
    assert stack is not None
    assert {name: stack.values[name] for name in given} == given | {"ModelTiers": ""}
    assert "trivial" in stage.values()["models/tiers"]

    deleted = Sam(account.cloud, account.home, role="deployer").delete("pilot")

    assert deleted.returncode == 0, deleted.stdout + deleted.stderr
    assert stage.stack() is None


def found_by_check(account: Account, *options: str, stage: str = "new", **environment: str) -> dict[str, Finding]:
    """The findings about a stage that is not deployed, by check; the exit status says whether there is a problem."""
    place = ("--stage", stage, "--endpoint-url", environment.pop("address", account.address))
    given = ("--github-api-url", account.github.url, *options)
    done = run_command("setup", "--check", *place, *given, cwd=None, **{**account.cloud.environment, **environment})
    marks: dict[str, State] = {"✓": "fine", "✗": "problem", "!": "note", "?": "unchecked"}
    found: dict[str, Finding] = {}
    for line in done.out.splitlines():
        if line[0] != " ":
            found[line[2:16].strip()] = Finding(line[2:16].strip(), marks[line[0]], line[17:])
    assert done.status == any(each.state in ("problem", "unchecked") for each in found.values()), done.out
    return found


def test_a_check_finds_nothing_wrong_and_changes_nothing(account: Account) -> None:
    """With a key it asks the models, each once. The policy of the page is enough for all of it."""
    before, asked = account.cloud.aws.calls.copy(), len(account.model.requests)
    key = {"ANTHROPIC_API_KEY": KEY}

    found = found_by_check(account, "--set", f"AnthropicBaseUrl={account.model.url}", **key)

    assert {check: each.state for check, each in found.items() if each.state != "fine"} == {"App": "note"}
    assert found["rights"].text == (
        "arn:aws:iam::123456789012:role/deployer may take the first action on each of 17 kinds of resources"
    )
    assert found["names"].text == "those of the data are free or ours; S3 Vectors is in us-east-1"
    assert found["App"].text == "whose it will be is not known: the setup asks for it"
    assert len(account.model.requests) == asked + 5
    made = account.cloud.aws.calls - before
    assert not [call for call in made if any(verb in call for verb in ("Create", "Put", "Update", "Delete"))]


def test_a_check_lists_all_that_stands_in_the_way(account: Account) -> None:
    """A user without rights, a value that the functions would refuse, an unknown owner, names that are taken."""
    aws = account.cloud.aws
    aws.permissions.give(
        "visitor", [{"Action": ["ssm:*", "iam:*", "cloudformation:*", "s3vectors:Get*"], "Resource": "*"}]
    )
    create_table(aws, "kodiai-taken-ledger")

    visitor = found_by_check(account, "--set", 'ModelTiers={"full": 1}', address=aws.access_url_of("visitor"))
    aws.model_access.has_form = False
    taken = found_by_check(account, "--bedrock", "--owner", "nobody-here", stage="taken")
    aws.model_access.has_form = True

    assert visitor["rights"].state == "problem"
    assert visitor["rights"].text.startswith(
        "arn:aws:iam::123456789012:role/visitor may not s3:PutObject, lambda:Create"
    )
    assert {check for check, each in visitor.items() if each.state == "unchecked"} == {"concurrency", "names"}
    assert visitor["settings"].text.startswith("models/tiers would be malformed: full: Input should be")
    assert visitor["models"].text == "there is no Anthropic key yet: the setup asks for it"
    assert taken["names"].text.startswith("An earlier deployment has left the table kodiai-taken-ledger: delete what")
    assert taken["App"].text == "GitHub knows nobody called nobody-here: check the spelling."
    assert "Anthropic does not know yet what the account uses it for" in taken["models"].text


def refusal(account: Account, *options: str, **environment: str) -> str:
    """The last line of a run without questions, which ends before anything is built."""
    known = ("--owner", "acme", "--bedrock", "--alarm-email", "", "--github-api-url", account.github.url)
    done = run_command(
        "setup", "--stage", "other", *known, *options, cwd=None, **{**account.cloud.environment, **environment}
    )
    assert "Building" not in done.out
    return done.err.splitlines()[-1].removeprefix("kodiai: ")


def test_a_region_without_s3_vectors_is_named_before_anything_is_built(account: Account) -> None:
    """It has no endpoint of that service, so nobody answers there."""
    nobody = {"AWS_REGION": "il-central-1", "AWS_ENDPOINT_URL_S3VECTORS": "http://127.0.0.1:9"}

    assert refusal(account, **nobody) == (
        "S3 Vectors, which keeps the embeddings of findings, does not answer in il-central-1: choose another region, "
        "or do without the memory with --set Embeddings=off."
    )


def test_a_value_that_the_functions_refuse_is_refused_before_anything_is_built(account: Account) -> None:
    """It would be stored without a word, and nothing would be reviewed until somebody looked."""
    broken = refusal(account, "--set", 'ModelTiers={"full": {"effort": "high"}')
    unknown = refusal(account, "--set", "ReviewerModel=claude-9")

    assert broken.startswith("The functions would refuse models/tiers: Invalid JSON")
    assert unknown.startswith("The functions would refuse models/prices: there is no price for claude-9")


def test_an_account_without_access_to_the_models_is_named_before_anything_is_built(account: Account) -> None:
    """The first question subscribes an account, for which the functions have no rights."""
    account.cloud.aws.model_access.has_form = False
    said = refusal(account)
    account.cloud.aws.model_access.has_form = True

    assert "Anthropic does not know yet what the account uses it for" in said
    assert "Fill in the form in the Bedrock console" in said


@pytest.mark.usefixtures("left")
def test_data_of_an_earlier_deployment_is_named_before_anything_is_built(account: Account) -> None:
    """A deleted stack leaves its data, unless DataPolicy says otherwise."""
    left = "An earlier deployment has left the table kodiai-other-ledger"
    remedy = 'delete what docs/operators.md names under "Remove", or choose another --stage.'
    assert refusal(account) == f"{left} and the vector bucket kodiai-other-memory: {remedy}"
    assert refusal(account, "--set", "Embeddings=off") == f"{left}: {remedy}"


def test_the_app_may_what_is_used_and_no_more(live: Account) -> None:
    """The manifest is made of what tokens ask for and of what ingest reads."""
    app = live.github.repository.app

    assert app.permissions == needed()
    assert tuple(app.events) == SUBSCRIPTIONS
    assert app.hook_url == live.cloud.systems["kodiai-prod"].webhook_url
    assert live.github.violations == []
    assert "ghp_" not in str(parameters(live))


def test_the_ping_of_the_registration_is_no_failure(live: Account) -> None:
    """It comes before the secret is stored: an answer of 5xx would be an alarm on the first evening."""
    assert live.github.settle()

    assert (live.github.deliveries[0].event, live.github.deliveries[0].status) == ("ping", 200)


def test_secrets_are_encrypted_in_ssm_and_nowhere_else(live: Account, runs: list[Run]) -> None:
    """None is printed, none is in the stack."""
    stored = parameters(live)
    stack = json.dumps(live.cloud.aws.client("cloudformation").describe_stacks(StackName="kodiai-prod"), default=str)

    for name in SECRETS:
        kind, value = stored[name]
        assert kind == "SecureString"
        assert name == "github/app-id" or value not in runs[0].text + runs[1].text + stack
    assert stored["anthropic/api-key"] == ("SecureString", KEY)
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in live.home.rglob("*.toml"))


def test_a_pull_request_is_reviewed(live: Account) -> None:
    """GitHub's own webhook arrives at what was deployed."""
    sample_head = live.github.repository.copy.resolve("push-1")
    number = live.github.open_pull_request(sample_head, "main")

    assert live.github.settle()
    live.cloud.systems["kodiai-prod"].wait_until_quiet(120)

    [review] = live.github.state.reviews_of(number, None)
    assert review.author == "kodiai-acme[bot]"


def test_the_review_of_the_setup_is_shown_and_not_posted(live: Account, runs: list[Run]) -> None:
    """It can be read again at any time."""
    shown = live.run("show", "acme/harbour#1")

    assert live.github.state.reviews_of(1, None) == []
    verdict = "🔴 Address before merging · 3 critical, 5 major, 6 medium"
    assert verdict in runs[1].lines
    assert verdict in map(str.rstrip, shown.out.splitlines())


def test_a_run_on_a_finished_setup_asks_nothing_and_changes_nothing(live: Account) -> None:
    """It can be run at any time."""
    before = parameters(live)

    again = live.run("setup", "--no-browser").out.splitlines()

    assert steps(again) == [
        "AWS account 123456789012 in us-east-1",
        "The stack kodiai-prod is deployed; --upgrade deploys this version",
        "The webhook accepts a signed ping",
        "The App is installed for acme",
    ]
    assert again[-1].endswith("with 0 questions.")
    assert parameters(live) == before


def doctor(account: Account) -> dict[str, dict[str, Any]]:
    """What is not fine, by the name of the check."""
    done = account.run("doctor", "--json")
    found = {each["check"]: each for each in json.loads(done.out) if each["state"] != "fine"}
    problems = [each for each in found.values() if each["state"] != "note"]
    assert done.status == bool(problems)
    return found


def test_a_deployment_in_order_has_no_problem(live: Account) -> None:
    """All checks are named, and the exit status is 0."""
    done = live.run("doctor")

    assert done.status == 0, done.out
    assert [line.split()[1] for line in done.out.splitlines()[:-1] if line[0] in "✓!"] == [
        *(
            "AWS",
            "clock",
            "stack",
            "parameters",
            "queue",
            "queue",
            "table",
            "sweep",
            "alarms",
            "concurrency",
            "index",
            "ping",
            "App",
            "permissions",
        ),
        *("events", "webhook", "installations", "deliveries", "gates", "embeddings", *["models"] * 5),
    ]
    assert done.out.splitlines()[-1] == "The stage prod is in order."


def test_without_a_stack_the_setup_is_named(live: Account) -> None:
    """Another stage of the same account."""
    done = live.run("doctor", stage="none")

    assert done.status == 1
    assert done.out.splitlines()[2:] == [
        "✗ stack          there is no stack kodiai-none in us-east-1",
        "                 kodiai setup --stage none",
        "? all else       it is part of the stack",
    ]


def test_a_stack_in_another_region_is_found_there(live: Account) -> None:
    """A setup would make a second deployment."""
    elsewhere = replace(live, region="eu-central-1")

    done = elsewhere.run("doctor")

    assert done.status == 1
    assert done.out.splitlines()[2:] == [
        "✗ stack          there is no stack kodiai-prod in eu-central-1, but in us-east-1",
        "                 AWS_REGION=us-east-1 kodiai doctor --stage prod",
        "? all else       it is part of the stack",
    ]


def apply(account: Account, fix: str, files: Mapping[str, str] = {}) -> None:
    """Do what a fix says; `files` are the values of the parameters that it takes from files."""
    words = shlex.split(fix)
    if words[:2] == ["kodiai", "setup"]:
        done = account.run("setup", "--no-browser")
        assert done.status == 0, done.out + done.err
        return
    assert words[0] == "aws"
    given = dict(zip(words[-2::-2], words[:2:-2], strict=False))
    match words[1:3]:
        case "ssm", "put-parameter":
            name = given["--name"].removeprefix(f"{PREFIX}/")
            value = files[name] if given["--value"].startswith("file://") else given["--value"]
            put(account, name, value, given["--type"])
        case "dynamodb", "update-time-to-live":
            attribute, enabled = (part.partition("=")[2] for part in given["--time-to-live-specification"].split(","))
            set_expiry(account, attribute, enabled=enabled == "true")
        case "events", "enable-rule":
            account.cloud.aws.client("events").enable_rule(Name=given["--name"])
        case _:
            raise AssertionError(fix)


def set_expiry(account: Account, attribute: str = "expires_at", *, enabled: bool) -> None:
    account.cloud.aws.client("dynamodb").update_time_to_live(
        TableName="kodiai-prod-ledger",
        TimeToLiveSpecification={"AttributeName": attribute, "Enabled": enabled},
    )


def mistakes(account: Account) -> list[Finding]:
    """What is found of the parameters that is not fine."""
    report, stage = Report(lambda _: None), Stage("prod", account.cloud.aws.access_url)
    stack = stage.stack()
    assert stack is not None
    stored = plain_parameters(stack.values, stage.region)
    check_parameters(Deployment(stage, None, stage.stored(), stored), report)
    return [each for each in report.findings if each.state != "fine"]


def as_on_the_page(account: Account, line: str) -> str:
    """A line of output with the addresses that AWS and GitHub have, and none of the options of a local account."""
    webhook = account.cloud.systems["kodiai-prod"].webhook_url.removesuffix("/webhook")
    line = line.replace(webhook, "https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com")
    line = re.sub(
        r" --(endpoint-url|github-api-url) \S+| --no-browser|, (GithubApi|AnthropicBase)Url=\S+?(?=,|$)", "", line
    )
    line = re.sub(r"browser: http://127.0.0.1:\d+/[\w-]{43}$", f"browser: {PAGE}", line)
    line = re.sub(r"\d+ min \d+ s, with \d+ q", "5 min 12 s, with 3 q", line)
    return line.replace(account.github.url, "https://github.com").rstrip()


@pytest.mark.usefixtures("left")
def test_the_page_of_the_first_evening_shows_what_is_printed(
    live: Account, looked: str, runs: list[Run], failed: Run
) -> None:
    """Each line of its sessions but the commands, and what this machine has; other stages stand for the first one."""
    page = (ROOT / "docs" / "first-evening.md").read_text("utf-8")
    sessions = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines_of = (line for session in sessions for line in session.splitlines())
    of_machines = ("$ ", "! SAM CLI", "✓ Python")
    shown = [line for line in lines_of if line != "…" and not line.startswith(of_machines)]
    with changed(live, "github/publish", "dry-run"):
        doctor = live.run("doctor").out
    again = live.run("setup", "--no-browser").out
    misspelt = live.run("setup", "--set", "GithubPublsh=dry-run").err
    pilot = re.sub(r" --set '.*?'", "", failed.text.replace("pilot", "prod"))
    refused = f"kodiai: {refusal(live)}".replace("kodiai-other", "kodiai-prod")
    printed = [looked, runs[0].text, runs[1].text, doctor, again, misspelt, pilot, refused]

    lines = {as_on_the_page(live, line) for text in printed for line in text.splitlines()}

    assert [line for line in shown if as_on_the_page(live, line) not in lines] == []
    assert len(shown) > 35


@contextmanager
def changed(account: Account, name: str, value: str | None, kind: str = "String") -> Iterator[None]:
    """Another value of a parameter, or none, until the end."""
    before, after = parameters(account)[name]
    if value is None:
        delete(account, name)
    else:
        put(account, name, value, kind)
    try:
        yield
    finally:
        put(account, name, after, before)


def test_every_missing_parameter_is_found_and_its_fix_mends_it(live: Account) -> None:
    """A secret comes from a file, of which only the operator knows; the App's parts come from the setup."""
    stored = parameters(live)
    assert len(stored) > 30

    for name, (kind, _) in stored.items():
        if name in ("models/fallback", "models/provider"):
            continue  # without them an overloaded model is waited for, and Anthropic answers
        with changed(live, name, None):
            [found] = mistakes(live)
            assert (found.check, found.state) == ("parameters", "problem")
            assert found.text == f"{PREFIX}/{name} is missing"
            [fix] = found.fix
            if kind == "String":
                apply(live, fix)
                assert mistakes(live) == []
            elif name in ("github/app-id", "github/private-key"):
                assert fix == "kodiai setup --stage prod"
            else:
                file = f"file://{name.partition('/')[2]}.txt"
                put_parameter = "aws ssm put-parameter --overwrite --type SecureString"
                assert fix == f"{put_parameter} --name {PREFIX}/{name} --value {file}"


def test_every_malformed_parameter_is_found_and_its_fix_mends_it(live: Account) -> None:
    """Names of models and secrets can be anything: whether they are right shows where they are used."""
    anything = {"models/reviewer", "models/extractor", "models/fallback", "anthropic/api-key", "webhook/secret"}

    for name, (kind, _) in parameters(live).items():
        if name in anything:
            continue
        with changed(live, name, "nonsense", kind):
            [found] = mistakes(live)
            assert (found.check, found.state) == ("parameters", "problem")
            assert found.text.startswith(f"{PREFIX}/{name} is malformed: ")
            if kind == "String":
                apply(live, found.fix[0])
                assert mistakes(live) == []


def test_a_secret_that_is_stored_in_clear_is_found(live: Account) -> None:
    """Everybody who may read the stage's parameters could read it."""
    with changed(live, "anthropic/api-key", KEY):
        [found] = mistakes(live)

    assert found.text == f"{PREFIX}/anthropic/api-key is a String: its value is stored in clear"
    assert found.fix[0] == f"aws ssm delete-parameter --name {PREFIX}/anthropic/api-key"


Undo = Callable[[], object]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: `make` makes it, and returns what a person does about it elsewhere than in a command.

    `text` is part of what is found, `fix` the beginning of the line that fixes it; "{url}" is GitHub's address.
    """

    make: Callable[[Account], Undo | None]
    check: str
    text: str
    fix: str
    state: str = "problem"


def other_key(live: Account) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    put(live, "github/private-key", pem, "SecureString")


def other_secret(live: Account) -> None:
    live.github.webhook_secret = "of another deployment"


def other_address(live: Account) -> None:
    live.github.webhook_url = "http://127.0.0.1:9/webhook"


def form_content(live: Account) -> None:
    live.github.repository.app.hook_content_type = "form"


def permission_not_accepted(live: Account) -> Undo:
    installation = live.github.repository.installation
    installation.accepted = {**live.github.repository.app.permissions, "checks": "read"}
    return lambda: setattr(installation, "accepted", None)


def installed_nowhere(live: Account) -> Undo:
    installation = live.github.repository.installation
    installation.exists = False
    return lambda: setattr(installation, "exists", True)


def permission_lacking(live: Account) -> Undo:
    permissions = live.github.repository.app.permissions
    permissions["checks"] = "read"
    return lambda: permissions.update(checks="write")


def not_subscribed(live: Account) -> Undo:
    events = live.github.repository.app.events
    events.remove("pull_request_review")
    return lambda: events.append("pull_request_review")


def expiry_off(live: Account) -> None:
    set_expiry(live, enabled=False)


def sweep_off(live: Account) -> None:
    events = live.cloud.aws.client("events")
    [rule] = events.list_rules()["Rules"]
    events.disable_rule(Name=rule["Name"])


def alarm_on(live: Account) -> Undo:
    cloudwatch = live.cloud.aws.client("cloudwatch")
    [name] = [
        each["AlarmName"]
        for each in cloudwatch.describe_alarms()["MetricAlarms"]
        if "-SweepErrorsAlarm-" in each["AlarmName"]
    ]
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="It crashed.")
    return lambda: cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="It did not.")


def dead_letter(live: Account) -> Undo:
    sqs = live.cloud.aws.client("sqs")
    url = sqs.get_queue_url(QueueName="kodiai-prod-mentions-dead.fifo")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="{}", MessageGroupId="g", MessageDeduplicationId="d")
    return lambda: [
        sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
        for each in sqs.receive_message(QueueUrl=url)["Messages"]
    ]


def no_form(live: Account) -> Undo:
    put(live, "models/provider", "bedrock")
    put(live, "models/bedrock-profile", "us")
    access = live.cloud.aws.model_access
    access.has_form = False
    return lambda: setattr(access, "has_form", True)


def stored(name: str, value: str, kind: str = "String") -> Callable[[Account], None]:
    return lambda live: put(live, name, value, kind)


PUT = f"aws ssm put-parameter --overwrite --type String --name {PREFIX}"
PUT_SECRET = PUT.replace("type String", "type SecureString")
FAULTS = {
    "another App's id": Fault(
        stored("github/app-id", "7", "SecureString"),
        "App",
        "GitHub says 404 Integration not found",
        f"{PUT_SECRET}/github/app-id --value file://app-id.txt",
    ),
    "another App's key": Fault(
        other_key,
        "App",
        "A JSON web token could not be decoded",
        f"{PUT_SECRET}/github/private-key --value file://private-key.txt",
    ),
    "another GitHub": Fault(
        stored("github/api-url", "http://127.0.0.1:9"),
        "App",
        "GitHub did not answer",
        f"{PUT}/github/api-url --value {{url}}",
    ),
    "no GitHub": Fault(
        lambda live: put(live, "github/api-url", live.model.url),
        "App",
        "GitHub says 400 Bad Request",
        f"{PUT}/github/api-url --value {{url}}",
    ),
    "another secret": Fault(
        other_secret,
        "webhook",
        "GitHub's webhook is signed with another secret than webhook/secret",
        "kodiai setup --stage prod",
    ),
    "another deployment's address": Fault(
        other_address,
        "webhook",
        "GitHub's webhook goes to http://127.0.0.1:9/webhook, not to ",
        "kodiai setup --stage prod",
    ),
    "webhooks as a form": Fault(
        form_content, "webhook", "GitHub's webhook is sent as form, not as json", "kodiai setup --stage prod"
    ),
    "a permission that the owner has not accepted": Fault(
        permission_not_accepted,
        "installations",
        "acme has not accepted the permissions checks",
        "the owner of acme opens {url}/organizations/acme/settings/installations/",
    ),
    "no installation": Fault(
        installed_nowhere,
        "installations",
        "the App is installed nowhere",
        "open {url}/apps/kodiai-acme/installations/new",
    ),
    "a permission that the App lacks": Fault(
        permission_lacking,
        "permissions",
        "the App lacks checks: write",
        "open {url}/organizations/acme/settings/apps/kodiai-acme/permissions",
    ),
    "an event without a subscription": Fault(
        not_subscribed,
        "events",
        "the App is not subscribed to pull_request_review",
        "open {url}/organizations/acme/settings/apps/kodiai-acme/permissions",
    ),
    "a disabled sweep": Fault(
        sweep_off,
        "sweep",
        " is disabled: lost webhooks are not looked for",
        "aws events enable-rule --name kodiai-prod-SweepF",
    ),
    "a failing sweep": Fault(
        alarm_on, "alarms", "Lost webhooks are not looked for. Read the log", "docs/runbook.md#sweeps-fail"
    ),
    "no access to the models": Fault(
        no_form,
        "models",
        "Anthropic does not know yet what the account uses it for (ResourceNotFoundException)",
        "Fill in the form in the Bedrock console",
    ),
    "a cap of nothing": Fault(
        stored("spending/per-owner-per-month-usd", "0"),
        "spending",
        "spending/per-owner-per-month-usd is 0: no model is asked",
        f"{PUT}/spending/per-owner-per-month-usd --value ",
    ),
    "a dry run": Fault(
        stored("github/publish", "dry-run"),
        "publishing",
        "github/publish is dry-run: reviews are kept and not posted",
        f"{PUT}/github/publish --value post",
        state="note",
    ),
    "a table that deletes nothing": Fault(
        expiry_off,
        "table",
        "kodiai-prod-ledger deletes nothing that has expired",
        "aws dynamodb update-time-to-live --table-name kodiai-prod-ledger",
    ),
    "a dead letter": Fault(
        dead_letter,
        "queue mentions",
        "1 message of mentions could not be processed",
        "kodiai dead-letters list --stage prod --queue mentions",
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_single_fault_is_all_that_is_found_and_its_fix_mends_it(live: Account, fault: Fault) -> None:
    """A command is run, a page is opened by a person; then nothing is left to find."""
    before, github = parameters(live), web_address(live.github.url)
    act = fault.make(live)
    try:
        found = doctor(live)
        assert list(found) == [fault.check]
        assert found[fault.check]["state"] == fault.state
        assert fault.text in found[fault.check]["text"]
        [fix] = [each for each in found[fault.check]["fix"] if each.startswith(fault.fix.format(url=github))]
        if act is None:
            apply(live, fix, {name: value for name, (_, value) in before.items()})
        else:
            act()
        assert doctor(live) == {}
    finally:
        for name, (kind, value) in before.items():
            put(live, name, value, kind)
        for name in parameters(live).keys() - before.keys():
            delete(live, name)


def test_a_github_that_is_busy_leaves_the_app_unchecked(live: Account) -> None:
    """Nothing is known then, and nothing is to be changed."""
    live.github.fail_next("GET /app", secondary_limit())

    found = doctor(live)["App"]

    assert (found["state"], found["fix"]) == ("unchecked", [])


@contextmanager
def lacking(account: Account, permission: str, event: str) -> Iterator[None]:
    """An App that was registered without a permission and the event that needs it."""
    app = account.github.repository.app
    app.events.remove(event)
    level = app.permissions.pop(permission)
    try:
        yield
    finally:
        app.events.append(event)
        app.permissions[permission] = level


@pytest.mark.parametrize(("permission", "event"), [("issues", "issue_comment"), ("merge_queues", "merge_group")])
def test_an_event_that_needs_a_permission_comes_after_it(live: Account, permission: str, event: str) -> None:
    """GitHub offers the event to nobody else, which its page does not say."""
    with lacking(live, permission, event):
        found = doctor(live)

    assert found["permissions"]["text"] == f"the App lacks {permission}: read"
    assert found["events"]["text"] == f"the App is not subscribed to {event}"
    assert found["events"]["fix"][0] == f"grant {permission}: read first, without which GitHub offers no {event}:"


def test_the_setup_names_what_an_app_of_an_earlier_version_lacks(live: Account) -> None:
    """GitHub changes no App by itself; all else goes on."""
    with lacking(live, "merge_queues", "merge_group"):
        again = live.run("setup", "--no-browser")

    page = f"{web_address(live.github.url)}/organizations/acme/settings/apps/kodiai-acme/permissions"
    [said] = [line for line in again.out.splitlines() if "The App lacks" in line]
    assert again.status == 0
    assert said.partition(". ")[2] == (
        f"The App lacks merge_queues: read, merge_group: open {page}, and see docs/operators.md, Upgrade"
    )


def test_a_sweep_that_was_turned_off_is_worth_a_note(live: Account) -> None:
    """Somebody chose it, with a parameter of the stack."""
    stage, report = Stage("prod", live.cloud.aws.access_url), Report(lambda _: None)
    stack = stage.stack()
    assert stack is not None
    sweep_off(live)
    try:
        check_sweep(stage, replace(stack, values={**stack.values, "SweepState": "DISABLED"}), report)
    finally:
        [rule] = stage.resources("AWS::Events::Rule").values()
        live.cloud.aws.client("events").enable_rule(Name=rule)

    [found] = report.findings
    assert (found.state, found.text) == ("note", "SweepState is DISABLED: lost webhooks are not looked for")
    assert found.fix == ("kodiai setup --stage prod --set SweepState=ENABLED",)


@pytest.mark.parametrize(
    ("name", "value", "check", "text", "fix"),
    [
        ("anthropic/base-url", "http://127.0.0.1:9", "models", "the model cannot be reached", "anthropic/base-url"),
        ("embeddings/model", "voyage-code-3", "parameters", "is missing", "embeddings/voyage-api-key"),
        ("models/reviewer", "claude-9", "parameters", "there is no price for claude-9", "models/reviewer"),
        ("models/tiers", '{"full": {"model": "claude-9"}}', "parameters", "no price for claude-9", "models/tiers"),
    ],
)
def test_a_parameter_that_is_wrong_only_where_it_is_used_is_found(
    live: Account, name: str, value: str, check: str, text: str, fix: str
) -> None:
    """An address where nobody answers, a model without a price."""
    kind = parameters(live)[name][0]
    with changed(live, name, value, kind):
        found = doctor(live)[check]

    assert text in found["text"]
    assert any(f"{PREFIX}/{fix} " in each for each in found["fix"])


def test_a_key_that_anthropic_refuses_is_found(live: Account) -> None:
    """One that has refused once is asked no other way."""
    refusing = ModelStandIn(Script(*[failure(401, "invalid x-api-key")] * 3))
    with refusing as model, changed(live, "anthropic/base-url", model.url):
        found = doctor(live)["models"]

    assert "the Anthropic key is not accepted" in found["text"]
    assert any(f"{PREFIX}/anthropic/api-key " in each for each in found["fix"])
    asked = [
        (each.body["model"], each.body["output_config"]["effort"], "tools" in each.body) for each in model.requests
    ]
    assert asked == [
        ("claude-sonnet-5-5", "low", True),
        ("claude-haiku-5-5", "low", False),
        ("claude-opus-5-5", "high", True),
    ]


def test_a_webhook_secret_that_the_functions_do_not_know_yet_is_found(live: Account) -> None:
    """They remember the former one for five minutes."""
    with changed(live, "webhook/secret", "another", "SecureString"):
        found = doctor(live)["ping"]

    assert "answered 401" in found["text"]


def test_an_index_that_was_never_made_is_found(live: Account) -> None:
    """The model of embeddings was changed in SSM alone; the stack says which one it was."""
    put(live, "embeddings/voyage-api-key", "pa-key", "SecureString")
    try:
        nobody = changed(live, "embeddings/voyage-base-url", "http://127.0.0.1:9")
        with nobody, changed(live, "embeddings/model", "voyage-code-3"):
            found = doctor(live)
    finally:
        delete(live, "embeddings/voyage-api-key")

    assert found["index"]["state"] == "problem"
    assert found["index"]["fix"] == [
        f"aws ssm put-parameter --overwrite --type String --name {PREFIX}/embeddings/model --value titan-embed-text-v2"
    ]
    assert found["embeddings"]["state"] == "problem"


def test_a_clock_that_is_off_is_found(live: Account) -> None:
    """AWS refuses what is signed at another time, and GitHub a minute earlier."""
    clock = live.cloud.aws.clock
    clock.advance(120)
    try:
        found = doctor(live)["clock"]
    finally:
        clock.advance(-120)

    assert (found["state"], found["fix"]) == ("problem", ["timedatectl set-ntp true"])
    assert found["text"] in ("this machine's clock is -120 s off", "this machine's clock is -119 s off")
