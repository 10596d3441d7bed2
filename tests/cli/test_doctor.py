"""`kodiai doctor` on a deployment that `kodiai setup` made: every fault is found alone, and its fix removes it."""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from cli.doctor.deployment import Deployment, check_parameters, check_sweep, plain_parameters
from cli.doctor.finding import Finding, Report
from cli.stage import Stage
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.words.links import web_address
from kodiai.edges.github_permissions import needed
from local.github.failures import secondary_limit
from local.model import ModelStandIn, Script, failure
from tests.cli.deployed import KEY, PREFIX, Account

pytestmark = [pytest.mark.xdist_group("sam"), pytest.mark.slow]

Undo = Callable[[], object]
SETUP = "kodiai setup --stage prod"
APP_PAGE = "open {url}/organizations/acme/settings/apps/kodiai-acme/permissions"
PUT = f"aws ssm put-parameter --overwrite --type String --name {PREFIX}"
API_URL = f"{PUT}/github/api-url --value {{url}}"
NOWHERE = "http://127.0.0.1:9"
CAP = "spending/per-owner-per-month-usd"
CHECKS_ONLY_READ = {**needed(), "checks": "read"}
EVENTS = [each for each in SUBSCRIPTIONS if each != "pull_request_review"]


def from_file(name: str) -> str:
    """The command that stores a secret from a file."""
    command = PUT.replace("type String", "type SecureString")
    return f"{command}/{name} --value file://{name.partition('/')[2]}.txt"


def doctor(account: Account) -> dict[str, dict[str, Any]]:
    """Return the findings that are not fine, by the name of the check."""
    done = account.run("doctor", "--json")
    found = {each["check"]: each for each in json.loads(done.out) if each["state"] != "fine"}
    problems = [each for each in found.values() if each["state"] != "note"]
    assert done.status == bool(problems)
    return found


def test_a_deployment_in_order_has_no_problem(live: Account) -> None:
    """All checks are named, and the exit status is 0."""
    done = live.run("doctor")

    assert done.status == 0, done.out
    assert [line.split()[1] for line in done.out.splitlines()[:-1] if line[0] in "✓!"] == (
        "AWS clock stack parameters queue queue table sweep alarms concurrency index ping App permissions events "
        "webhook installations deliveries gates embeddings models models models models models"
    ).split()
    assert done.out.splitlines()[-1] == "The stage prod is in order."


@pytest.mark.parametrize(
    ("stage", "region", "text", "fix"),
    [
        ("none", "us-east-1", "there is no stack kodiai-none in us-east-1", "kodiai setup --stage none"),
        (
            "prod",
            "eu-central-1",
            "there is no stack kodiai-prod in eu-central-1, but in us-east-1",
            "AWS_REGION=us-east-1 kodiai doctor --stage prod",
        ),
    ],
)
def test_without_a_stack_the_setup_or_the_right_region_is_named(
    live: Account, stage: str, region: str, text: str, fix: str
) -> None:
    """A setup in another region would make a second deployment."""
    done = replace(live, region=region).run("doctor", stage=stage)

    assert done.status == 1
    assert done.out.splitlines()[2:] == [
        f"✗ stack          {text}",
        f"                 {fix}",
        "? all else       it is part of the stack",
    ]


def apply(account: Account, fix: str, files: Mapping[str, str] = {}) -> None:
    """Do what a fix says; `files` are the values of the parameters that it takes from files."""
    words = shlex.split(fix)
    given = dict(zip(words[-2::-2], words[:2:-2], strict=False))
    match words[:3]:
        case "kodiai", "setup", _:
            done = account.run("setup", "--no-browser")
            assert done.status == 0, done.out + done.err
        case "aws", "ssm", "put-parameter":
            name = given["--name"].removeprefix(f"{PREFIX}/")
            value = files[name] if given["--value"].startswith("file://") else given["--value"]
            account.put(name, value, given["--type"])
        case "aws", "dynamodb", "update-time-to-live":
            attribute, enabled = (part.partition("=")[2] for part in given["--time-to-live-specification"].split(","))
            set_expiry(account, attribute, enabled=enabled == "true")
        case "aws", "events", "enable-rule":
            account.cloud.aws.client("events").enable_rule(Name=given["--name"])
        case _:
            raise AssertionError(fix)


def set_expiry(account: Account, attribute: str = "expires_at", *, enabled: bool) -> None:
    account.cloud.aws.client("dynamodb").update_time_to_live(
        TableName="kodiai-prod-ledger",
        TimeToLiveSpecification={"AttributeName": attribute, "Enabled": enabled},
    )


def mistakes(account: Account) -> list[Finding]:
    """Return the findings about parameters that are not fine."""
    report, stage = Report(lambda _: None), Stage("prod", account.cloud.aws.access_url)
    stack = stage.stack()
    assert stack is not None
    stored = plain_parameters(stack.values, stage.region)
    check_parameters(Deployment(stage, None, stage.stored(), stored), report)
    return [each for each in report.findings if each.state != "fine"]


@pytest.mark.parametrize(
    ("value", "text", "accepted"),
    [
        # Without these an overloaded model is waited for, and Anthropic answers.
        (None, "is missing", {"models/fallback", "models/provider"}),
        # Whether a model's name or a secret is right shows where it is used.
        (
            "nonsense",
            "is malformed: ",
            {"models/reviewer", "models/replies", "models/fallback", "anthropic/api-key", "webhook/secret"},
        ),
    ],
)
def test_every_wrong_parameter_is_found_and_its_fix_works(
    live: Account, value: str | None, text: str, accepted: set[str]
) -> None:
    """A secret comes from a file, of which only the operator knows; the App's parts come from the setup."""
    stored = live.parameters()
    assert len(stored) > 30

    for name in stored.keys() - accepted:
        kind = stored[name][0]
        with live.changed(name, value, kind):
            [found] = mistakes(live)
            assert (found.check, found.state) == ("parameters", "problem")
            assert found.text.startswith(f"{PREFIX}/{name} {text}")
            if kind == "String":
                apply(live, found.fix[0])
                assert mistakes(live) == []
            elif value is None:
                assert found.fix == (SETUP if name in ("github/app-id", "github/private-key") else from_file(name),)


def test_a_secret_that_is_stored_in_clear_is_found(live: Account) -> None:
    """Everybody who may read the stage's parameters could read it."""
    with live.changed("anthropic/api-key", KEY):
        [found] = mistakes(live)

    assert found.text == f"{PREFIX}/anthropic/api-key is a String: its value is stored in clear"
    assert found.fix[0] == f"aws ssm delete-parameter --name {PREFIX}/anthropic/api-key"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: `make` makes it, and returns what a person does about it elsewhere than in a command.

    `text` is part of what is found, `fix` the beginning of the line that fixes it; "{url}" is GitHub's address.
    """

    check: str
    text: str
    fix: str
    make: Callable[[Account], Undo | None]
    state: str = "problem"


def stored(name: str, value: str, kind: str = "String") -> Callable[[Account], None]:
    return lambda live: live.put(name, value, kind)


def app_with(name: str, value: object) -> Callable[[Account], Undo]:
    return lambda live: replaced(live.github.repository.app, name, value)


def installation_with(name: str, value: object) -> Callable[[Account], Undo]:
    return lambda live: replaced(live.github.repository.installation, name, value)


def github_with(name: str, value: str) -> Callable[[Account], None]:
    return lambda live: setattr(live.github, name, value)


def replaced(thing: object, name: str, value: object) -> Undo:
    before = getattr(thing, name)
    setattr(thing, name, value)
    return lambda: setattr(thing, name, before)


def other_key(live: Account) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    live.put("github/private-key", pem, "SecureString")


def form_content(live: Account) -> None:
    live.github.repository.app.hook_content_type = "form"


def sweep_off(live: Account) -> None:
    events = live.cloud.aws.client("events")
    [rule] = events.list_rules()["Rules"]
    events.disable_rule(Name=rule["Name"])


def alarm_on(live: Account) -> Undo:
    cloudwatch = live.cloud.aws.client("cloudwatch")
    names = [each["AlarmName"] for each in cloudwatch.describe_alarms()["MetricAlarms"]]
    [name] = [name for name in names if "-SweepErrorsAlarm-" in name]
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
    live.put("models/provider", "bedrock")
    live.put("models/bedrock-profile", "us")
    return replaced(live.cloud.aws.model_access, "has_form", False)


FAULTS = {
    "another App's id": Fault(
        "App", "404 Integration not found", from_file("github/app-id"), stored("github/app-id", "7", "SecureString")
    ),
    "another App's key": Fault(
        "App", "A JSON web token could not be decoded", from_file("github/private-key"), other_key
    ),
    "another GitHub": Fault("App", "GitHub did not answer", API_URL, stored("github/api-url", NOWHERE)),
    "no GitHub": Fault(
        "App", "GitHub says 400 Bad Request", API_URL, lambda live: live.put("github/api-url", live.model.url)
    ),
    "another secret": Fault(
        "webhook", "is signed with another secret than webhook/secret", SETUP, github_with("webhook_secret", "another")
    ),
    "another deployment's address": Fault(
        "webhook", f"goes to {NOWHERE}/webhook, not to ", SETUP, github_with("webhook_url", f"{NOWHERE}/webhook")
    ),
    "webhooks as a form": Fault("webhook", "GitHub's webhook is sent as form, not as json", SETUP, form_content),
    "a permission that the owner has not accepted": Fault(
        "installations",
        "acme has not accepted the permissions checks",
        "the owner of acme opens {url}/organizations/acme/settings/installations/",
        installation_with("accepted", CHECKS_ONLY_READ),
    ),
    "no installation": Fault(
        "installations",
        "the App is installed nowhere",
        "open {url}/apps/kodiai-acme/installations/new",
        installation_with("exists", False),
    ),
    "a permission that the App lacks": Fault(
        "permissions", "the App lacks checks: write", APP_PAGE, app_with("permissions", CHECKS_ONLY_READ)
    ),
    "an event without a subscription": Fault(
        "events", "the App is not subscribed to pull_request_review", APP_PAGE, app_with("events", EVENTS)
    ),
    "a disabled sweep": Fault(
        "sweep", " is disabled: lost webhooks are not searched for", "aws events enable-rule --name kodiai-", sweep_off
    ),
    "a failing sweep": Fault(
        "alarms", "Lost webhooks are not looked for. Read the log", "docs/runbook.md#sweeps-fail", alarm_on
    ),
    "no access to the models": Fault(
        "models", "does not know yet what the account uses it for (Resource", "Fill in the form in the Bedrock", no_form
    ),
    "a cap of nothing": Fault("spending", f"{CAP} is 0: no model is asked", f"{PUT}/{CAP} --value ", stored(CAP, "0")),
    "a dry run": Fault(
        "publishing",
        "github/publish is dry-run: reviews are kept and not posted",
        f"{PUT}/github/publish --value post",
        stored("github/publish", "dry-run"),
        state="note",
    ),
    "a table that deletes nothing": Fault(
        "table",
        "kodiai-prod-ledger does not delete expired items",
        "aws dynamodb update-time-to-live --table-name kodiai-prod-ledger",
        lambda live: set_expiry(live, enabled=False),
    ),
    "a dead letter": Fault(
        "queue mentions",
        "1 message of mentions could not be processed",
        "kodiai dead-letters list --stage prod --queue mentions",
        dead_letter,
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_single_fault_is_all_that_is_found_and_its_fix_removes_it(live: Account, fault: Fault) -> None:
    """A command is run, a page is opened by a person; then nothing is left to find."""
    before, github = live.parameters(), web_address(live.github.url)
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
            live.put(name, value, kind)
        for name in live.parameters().keys() - before.keys():
            live.put(name, None)


def test_a_github_that_is_busy_leaves_the_app_unchecked(live: Account) -> None:
    """Nothing is known then, and nothing is to be changed."""
    live.github.fail_next("GET /app", secondary_limit())

    found = doctor(live)["App"]

    assert (found["state"], found["fix"]) == ("unchecked", [])


@pytest.mark.parametrize(("permission", "event"), [("issues", "issue_comment"), ("merge_queues", "merge_group")])
def test_an_event_that_needs_a_permission_comes_after_it(live: Account, permission: str, event: str) -> None:
    """GitHub offers the event to nobody else, which its page does not say."""
    with live.without(permission, event):
        found = doctor(live)

    assert found["permissions"]["text"] == f"the App lacks {permission}: read"
    assert found["events"]["text"] == f"the App is not subscribed to {event}"
    assert found["events"]["fix"][0] == f"grant {permission}: read first, without which GitHub offers no {event}:"


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

    text = "SweepState is DISABLED: lost webhooks are not searched for"
    assert report.findings == [Finding("sweep", "note", text, (f"{SETUP} --set SweepState=ENABLED",))]


@pytest.mark.parametrize(
    ("name", "value", "check", "text", "fix"),
    [
        ("anthropic/base-url", NOWHERE, "models", "the model cannot be reached", "anthropic/base-url "),
        ("embeddings/model", "voyage-code-3", "parameters", "is missing", "embeddings/voyage-api-key "),
        ("models/reviewer", "claude-9", "parameters", "there is no price for claude-9", "models/reviewer "),
        ("models/tiers", '{"full": {"model": "claude-9"}}', "parameters", "no price for claude-9", "models/tiers "),
    ],
)
def test_a_parameter_that_is_wrong_only_where_it_is_used_is_found(
    live: Account, name: str, value: str, check: str, text: str, fix: str
) -> None:
    """An address where nobody answers, a model without a price."""
    with live.changed(name, value, live.parameters()[name][0]):
        found = doctor(live)[check]

    assert text in found["text"]
    assert any(f"{PREFIX}/{fix}" in each for each in found["fix"])


def test_a_key_that_anthropic_refuses_is_found(live: Account) -> None:
    """One that has refused once is asked no other way."""
    refusing = ModelStandIn(Script(*[failure(401, "invalid x-api-key")] * 3))
    with refusing as model, live.changed("anthropic/base-url", model.url):
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
    with live.changed("webhook/secret", "another", "SecureString"):
        found = doctor(live)["ping"]

    assert "answered 401" in found["text"]


def test_an_index_that_was_never_made_is_found(live: Account) -> None:
    """The model of embeddings was changed in SSM alone; the stack says which one it was."""
    live.put("embeddings/voyage-api-key", "pa-key", "SecureString")
    try:
        nobody = live.changed("embeddings/voyage-base-url", NOWHERE)
        with nobody, live.changed("embeddings/model", "voyage-code-3"):
            found = doctor(live)
    finally:
        live.put("embeddings/voyage-api-key", None)

    assert found["index"]["state"] == "problem"
    assert found["index"]["fix"] == [f"{PUT}/embeddings/model --value titan-embed-text-v2"]
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
