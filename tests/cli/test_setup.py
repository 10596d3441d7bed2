"""`kodiai setup` from an empty account on, with the real SAM CLI, over the local AWS and GitHub."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from cli.agents import connection_lines
from cli.doctor.finding import Finding, State
from cli.setup.parameters import ROOT
from cli.stage import Stage
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.words.links import web_address
from kodiai.edges.github_permissions import needed
from local.github import AppSetup, LocalGitHub
from tests.aws_resources import create_table
from tests.cli.deployed import KEY, PREFIX, Account, Run
from tests.cli.running import run_command
from tests.sam import Sam

pytestmark = [pytest.mark.xdist_group("sam"), pytest.mark.slow]

TIERS = '{"full": {"effort": "high"}, "lite": {"effort": "low"}}'
PAGE = "http://127.0.0.1:45823/kT3yJq0sV9bZxWm5nR2cLh8dFuGpA7eYiO4tKvQrB1E"
TAKEN = "/kodiai/pilot/models/tiers"
SECRETS = ["anthropic/api-key", "github/app-id", "github/private-key", "webhook/secret"]
IN_ACCOUNT = "AWS account 123456789012 in us-east-1"
AGENTS = "Coding agents connect with one of these lines, and a GitHub token in KODIAI_TOKEN"


@pytest.fixture(scope="module")
def enterprise(account: Account) -> Iterator[LocalGitHub]:
    """A server of an enterprise, which requires a token."""
    with LocalGitHub(
        account.home / "harbour", full_name="acme/harbour", app=AppSetup(registered=False), enterprise="private"
    ) as it:
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
    register = "Register the GitHub App in your browser"
    assert steps(first.lines) == [IN_ACCOUNT, "Building, and deploying kodiai-prod", register]
    assert steps(second.lines) == [
        IN_ACCOUNT,
        "The stack kodiai-prod is deployed; --upgrade deploys this version",
        register,
        f"The App is @kodiai-acme; its keys are in SSM, below {PREFIX}",
        "The webhook accepts a signed ping",
        "Install the App on the repositories that it is to review",
        "The App is installed for acme",
        "Reviewing acme/harbour#1; nothing is posted",
        AGENTS,
    ]
    assert second.lines[-1].endswith("with 2 questions.")


def test_a_first_deployment_that_fails_is_repeated_as_it_was_meant(
    account: Account, enterprise: LocalGitHub, failed: Run
) -> None:
    """The command that is printed has all options and answers.

    What a value was once, a later run sets back to empty. Nothing of it needs a right that the policy lacks.
    """
    [lost] = [line for line in failed.lines if line.startswith("Nothing is lost")]
    command = lost.removeprefix("Nothing is lost: run `").removesuffix("` again, it continues where it ended.")
    assert command == (
        f"kodiai setup --stage pilot --endpoint-url {account.address} --owner acme --bedrock --alarm-email '' "
        f"--github-api-url {enterprise.url} --set GithubPublish=dry-run --set 'ModelTiers={TIERS}' "
        "--set 'SweepSchedule=rate(2 hours)' --no-browser"
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
        IN_ACCOUNT,
        "Deleting what a failed deployment left",
        "Asking the models on Amazon Bedrock, which subscribes the account to them",
        "Building, and deploying kodiai-pilot",
        "Register the GitHub App in your browser",
    ]
    given = {"AlarmEmail": "", "ModelTiers": TIERS, "SweepSchedule": "rate(2 hours)", "GithubPublish": "dry-run"}
    assert deployed_values(stage, *given) == given
    assert stage.values()["models/tiers"] == TIERS

    reset = ("--stage", "pilot", "--owner", "acme", "--set", "ModelTiers=")
    account.set_up(token, options=reset, stop_at="Register the")

    assert deployed_values(stage, *given) == given | {"ModelTiers": ""}
    assert "trivial" in stage.values()["models/tiers"]

    deleted = Sam(account.cloud, account.home, role="deployer").delete("pilot")

    assert deleted.returncode == 0, deleted.stdout + deleted.stderr
    assert stage.stack() is None


def deployed_values(stage: Stage, *names: str) -> dict[str, str]:
    stack = stage.stack()
    assert stack is not None
    return {name: stack.values[name] for name in names}


def found_by_check(account: Account, *options: str, stage: str = "new", **environment: str) -> dict[str, Finding]:
    """The findings about a stage that is not deployed, by check; the exit status says whether there is a problem."""
    place = ("--stage", stage, "--endpoint-url", environment.pop("address", account.address))
    given = ("--github-api-url", account.github.url, *options)
    done = run_command("setup", "--check", *place, *given, cwd=None, **{**account.cloud.environment, **environment})
    marks: dict[str, State] = {"✓": "fine", "✗": "problem", "!": "note", "?": "unchecked"}
    rows = [(line[2:16].strip(), marks[line[0]], line[17:]) for line in done.out.splitlines() if line[0] != " "]
    found = {check: Finding(check, state, text) for check, state, text in rows}
    assert done.status == any(each.state in ("problem", "unchecked") for each in found.values()), done.out
    return found


def test_a_check_finds_nothing_wrong_and_changes_nothing(account: Account) -> None:
    """Each model is asked once if there is a key. The documented policy is enough for all of it."""
    before, asked = account.cloud.aws.calls.copy(), len(account.model.requests)
    key = {"ANTHROPIC_API_KEY": KEY}

    found = found_by_check(account, "--set", f"AnthropicBaseUrl={account.model.url}", **key)

    assert {check: each.state for check, each in found.items() if each.state != "fine"} == {"App": "note"}
    assert found["rights"].text == (
        "arn:aws:iam::123456789012:role/deployer may take the first action on each of 17 kinds of resources"
    )
    assert found["names"].text == "the names of table and bucket are free or ours; S3 Vectors is available in us-east-1"
    assert found["App"].text == "its owner is not known: the setup asks for it"
    assert len(account.model.requests) == asked + 5
    made = account.cloud.aws.calls - before
    assert not [call for call in made if any(verb in call for verb in ("Create", "Put", "Update", "Delete"))]


def test_a_check_lists_all_that_stands_in_the_way(account: Account) -> None:
    """A user without rights, a value that the functions would refuse, an unknown owner, names that are taken."""
    aws = account.cloud.aws
    rights = ["ssm:*", "iam:*", "cloudformation:*", "s3vectors:Get*"]
    aws.permissions.give("visitor", [{"Action": rights, "Resource": "*"}])
    create_table(aws, "kodiai-taken-ledger")

    visitor = found_by_check(account, "--set", 'ModelTiers={"full": 1}', address=aws.access_url_of("visitor"))
    aws.model_access.has_form = False
    taken = found_by_check(account, "--bedrock", "--owner", "nobody-here", stage="taken")
    aws.model_access.has_form = True

    role = "arn:aws:iam::123456789012:role/visitor"
    assert visitor["rights"].state == "problem"
    assert visitor["rights"].text.startswith(f"{role} may not s3:PutObject, lambda:Create")
    assert {check for check, each in visitor.items() if each.state == "unchecked"} == {"concurrency", "names"}
    assert visitor["settings"].text.startswith("models/tiers would be malformed: full: Input should be")
    assert visitor["models"].text == "there is no Anthropic key yet: the setup asks for it"
    assert taken["names"].text.startswith("An earlier deployment has left the table kodiai-taken-ledger: delete what")
    assert taken["App"].text == "GitHub has no account nobody-here: check the spelling."
    assert "Anthropic does not know yet what the account uses it for" in taken["models"].text


def refusal(account: Account, *options: str, **environment: str) -> str:
    """The last line of a run without questions, which ends before anything is built."""
    known = ("--owner", "acme", "--bedrock", "--alarm-email", "", "--github-api-url", account.github.url)
    place: dict[str, Any] = {**account.cloud.environment, **environment}
    done = run_command("setup", "--stage", "other", *known, *options, **place)
    assert "Building" not in done.out
    return done.err.splitlines()[-1].removeprefix("kodiai: ")


OTHER_REGION = "choose another region, or do without the memory with --set Embeddings=off."
LEFT = "An earlier deployment has left the table kodiai-other-ledger"
REMEDY = 'delete what docs/operators.md names under "Remove", or choose another --stage.'
REFUSALS: dict[str, tuple[str, dict[str, str], str]] = {
    "a region without S3 Vectors has no endpoint of it": (
        "",
        {"AWS_REGION": "il-central-1", "AWS_ENDPOINT_URL_S3VECTORS": "http://127.0.0.1:9"},
        f"S3 Vectors, which keeps the embeddings of findings, does not answer in il-central-1: {OTHER_REGION}",
    ),
    "a broken value would be stored without a word": (
        'ModelTiers={"full": {"effort": "high"}',
        {},
        "The functions would refuse models/tiers: Invalid JSON",
    ),
    "nor is a model without a price used": (
        "ReviewerModel=claude-9",
        {},
        "The functions would refuse models/prices: there is no price for claude-9",
    ),
    "a deleted stack leaves its data, unless DataPolicy says otherwise": (
        "",
        {},
        f"{LEFT} and the vector bucket kodiai-other-memory: {REMEDY}",
    ),
    "its vectors are in nobody's way without a memory": ("Embeddings=off", {}, f"{LEFT}: {REMEDY}"),
}


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize(("value", "environment", "message"), REFUSALS.values(), ids=REFUSALS)
def test_an_obstacle_is_named_before_anything_is_built(
    account: Account, value: str, environment: dict[str, str], message: str
) -> None:
    """The setup names obstacles that the functions or AWS would refuse later."""
    options = ("--set", value) if value else ()

    assert refusal(account, *options, **environment).startswith(message)


def test_an_account_without_access_to_the_models_is_named_before_anything_is_built(account: Account) -> None:
    """The first question subscribes an account, for which the functions have no rights."""
    account.cloud.aws.model_access.has_form = False
    message = refusal(account, "--stage", "bare")
    account.cloud.aws.model_access.has_form = True

    assert "Anthropic does not know yet what the account uses it for" in message
    assert "Fill in the form in the Bedrock console" in message


def test_the_app_is_registered_with_the_permissions_that_are_used_and_no_more(live: Account) -> None:
    """The manifest is made of what tokens ask for and of what ingest reads.

    GitHub's ping comes before the secret is stored: an answer of 5xx would be an alarm on the first evening.
    """
    app = live.github.repository.app

    assert app.permissions == needed()
    assert sorted(app.events) == sorted(SUBSCRIPTIONS)
    assert app.hook_url == live.cloud.systems["kodiai-prod"].webhook_url
    assert live.github.settle()
    assert (live.github.deliveries[0].event, live.github.deliveries[0].status) == ("ping", 200)
    assert live.github.violations == []


def test_secrets_are_encrypted_in_ssm_and_nowhere_else(live: Account, runs: list[Run]) -> None:
    """No secret is printed or in the stack."""
    stored = live.parameters()
    stack = json.dumps(live.cloud.aws.client("cloudformation").describe_stacks(StackName="kodiai-prod"), default=str)

    for name in SECRETS:
        kind, value = stored[name]
        assert kind == "SecureString"
        assert name == "github/app-id" or value not in runs[0].text + runs[1].text + stack
    assert stored["anthropic/api-key"] == ("SecureString", KEY)
    assert "ghp_" not in str(stored)
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in live.home.rglob("*.toml"))


def test_a_pull_request_is_reviewed(live: Account, runs: list[Run]) -> None:
    """GitHub's own webhook arrives at what was deployed.

    The review of the setup was shown, can be read again at any time, and is posted nowhere.
    """
    number = live.github.open_pull_request(live.github.repository.copy.resolve("push-1"), "main")

    assert live.github.settle()
    live.cloud.systems["kodiai-prod"].wait_until_quiet(120)

    [review] = live.github.state.reviews_of(number, None)
    verdict = "🔴 Address before merging · 3 critical, 5 major · not blocking: 6 medium"
    assert review.author == "kodiai-acme[bot]"
    assert live.github.state.reviews_of(1, None) == []
    assert verdict in runs[1].lines
    assert verdict in map(str.rstrip, live.run("show", "acme/harbour#1").out.splitlines())


def test_a_run_on_a_finished_setup_asks_nothing_and_changes_nothing(live: Account) -> None:
    """It can be run at any time."""
    before = live.parameters()

    again = live.run("setup", "--no-browser").out.splitlines()

    assert steps(again) == [
        IN_ACCOUNT,
        "The stack kodiai-prod is deployed; --upgrade deploys this version",
        "The webhook accepts a signed ping",
        "The App is installed for acme",
        AGENTS,
    ]
    assert again[-6:-1] == connection_lines(str(live.github.webhook_url).replace("/webhook", "/mcp"))
    assert again[-1].endswith("with 0 questions.")
    assert live.parameters() == before


def test_the_setup_names_what_an_app_of_an_earlier_version_lacks(live: Account) -> None:
    """GitHub changes no App by itself; all else goes on."""
    with live.without("merge_queues", "merge_group"):
        again = live.run("setup", "--no-browser")

    page = f"{web_address(live.github.url)}/organizations/acme/settings/apps/kodiai-acme/permissions"
    [line] = [line for line in again.out.splitlines() if "The App lacks" in line]
    assert again.status == 0
    assert line.partition(". ")[2] == (
        f"The App lacks merge_queues: read, merge_group: open {page}, and see docs/operators.md, Upgrade"
    )


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
    live: Account, checked: str, runs: list[Run], failed: Run
) -> None:
    """Each line of its sessions but the commands, and what this machine has; other stages stand for the first one."""
    page = (ROOT / "docs" / "first-evening.md").read_text("utf-8")
    sessions = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines_of = (line for session in sessions for line in session.splitlines())
    of_machines = ("$ ", "! SAM CLI", "✓ Python")
    shown = [line for line in lines_of if line != "…" and not line.startswith(of_machines)]
    with live.changed("github/publish", "dry-run"):
        doctor = live.run("doctor").out
    again = live.run("setup", "--no-browser").out
    misspelt = live.run("setup", "--set", "GithubPublsh=dry-run").err
    pilot = re.sub(r" --set '.*?'", "", failed.text.replace("pilot", "prod"))
    refused = f"kodiai: {refusal(live)}".replace("kodiai-other", "kodiai-prod")
    printed = [checked, runs[0].text, runs[1].text, doctor, again, misspelt, pilot, refused]

    lines = {as_on_the_page(live, line) for text in printed for line in text.splitlines()}

    assert [line for line in shown if as_on_the_page(live, line) not in lines] == []
    assert len(shown) > 35
