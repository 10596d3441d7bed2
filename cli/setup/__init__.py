"""`kodiai setup`: from an empty AWS account to reviews, step by step; what is done already is skipped.

Nothing is kept on this machine: what was answered before is read from the stack, from SSM and from GitHub.
"""

import argparse
import secrets
import shlex
import time
import webbrowser

from cli.agents import connection_lines
from cli.doctor.finding import Report, lines
from cli.errors import CommandError
from cli.option_types import pull_request as as_pull_request
from cli.preview import preview
from cli.progress import Progress
from cli.registered_app import JSON, RegisteredApp
from cli.setup.answers import Questions
from cli.setup.deployment import build, deploy
from cli.setup.parameters import check_values, merged, settings_before_the_app, stored_by, template_defaults
from cli.setup.registration import Owner, Registration
from cli.stage import INGEST_CONCURRENCY, LEAST_FOR_OTHERS, Stack, Stage
from cli.stored_runs import console_for_reviews, print_run
from cli.webhook_ping import send_ping
from kodiai.core.config.settings import BadParameters, DeploymentSettings, GitHubSettings
from kodiai.core.errors import KodiaiError
from kodiai.core.words.links import web_address
from local.rendering.labels import counted

_PUBLIC_API = "https://api.github.com"
_WAIT_SECONDS = 3
_PING_SECONDS = 90
_SECRET_BYTES = 32
_SIGNED_WRONGLY = 401


def run(arguments: argparse.Namespace) -> int:
    """Run the command. Raises CommandError and KodiaiError, which name the step that failed.

    The exit status of a check is 1 if something stands in the way.
    """
    given = _given(arguments)
    if arguments.check:
        from cli.setup.check import check  # noqa: PLC0415 - it needs all that the doctor needs

        report = Report(lambda found: print("\n".join(lines(found)), flush=True))
        check(arguments, given, report)
        return int(report.has_problems)
    stage = Stage(arguments.stage, arguments.endpoint_url)
    began, questions = time.monotonic(), Questions()
    try:
        _Setup(stage, arguments, given, questions).run()
    except (CommandError, KodiaiError, KeyboardInterrupt):
        print(f"\nNothing is lost: run `{_again(arguments)}` again, it continues where it ended.", flush=True)
        raise
    seconds = time.monotonic() - began
    print(f"Done in {seconds // 60:.0f} min {seconds % 60:.0f} s, with {counted(questions.asked, 'question')}.")
    return 0


def _given(arguments: argparse.Namespace) -> dict[str, str]:
    """The values that the options give the template."""
    named = {
        "Stage": ("--stage", arguments.stage),
        "GithubApiUrl": ("--github-api-url", arguments.github_api_url),
        "ModelProvider": ("--bedrock", "bedrock" if arguments.bedrock else None),
        "AlarmEmail": ("--alarm-email", arguments.alarm_email),
    }
    return merged(named, arguments.set)


def _again(arguments: argparse.Namespace) -> str:
    """The command with all its options, and with the answers that are kept nowhere else; never with a secret."""
    words = ["kodiai", "setup"]
    for name, value in vars(arguments).items():
        option = f"--{name.replace('_', '-')}"
        match value:
            case True:
                words.append(option)
            case list():
                words += (word for each in value for word in (option, "=".join(each)))
            case str() if name != "command":
                words += (option, value)
            case int() if value:
                words += (option, str(value))
    return shlex.join(words)


class _Setup:
    def __init__(
        self, stage: Stage, arguments: argparse.Namespace, given: dict[str, str], questions: Questions
    ) -> None:
        self._stage = stage
        self._arguments = arguments
        self._given = given
        self._questions = questions
        self._step = 0

    def run(self) -> None:
        account = self._stage.account()
        self._say(f"AWS account {account} in {self._stage.region}")
        stack = self._stage.stack()
        stored = self._stage.values()
        api_url = self._given.get("GithubApiUrl") or stored.get("github/api-url") or _PUBLIC_API
        has_app = "github/token" in stored or {"github/app-id", "github/private-key"} <= stored.keys()
        github = Registration(api_url, lambda: self._token(api_url))
        owner = None if has_app else self._owner(github)
        chosen = self._choose(stack, stored, api_url)
        stack = self._deployed(stack, chosen)
        webhook_url = stack.outputs["WebhookUrl"]
        if owner is not None:
            self._register(github, owner, webhook_url)
        self._connect(webhook_url)
        if owner is not None or self._arguments.pr:
            self._preview()
        self._say("Coding agents connect with one of these lines, and a GitHub token in KODIAI_TOKEN: docs/agents.md")
        print(*connection_lines(f"{stack.outputs['ApiUrl']}/mcp"), sep="\n")

    # ---- questions, all of them before anything takes long

    def _token(self, api_url: str) -> str:
        asked = f"Your token for {web_address(api_url)}, which requires one (hidden, and not stored)"
        return self._questions.ask_hidden(asked, "register the App by hand: docs/operators.md")

    def _owner(self, github: Registration) -> Owner:
        named = self._arguments.owner or self._questions.ask(
            "GitHub organization or account that the App will belong to", "give --owner"
        )
        owner = github.find_owner(named)
        self._arguments.owner = owner.login
        return owner

    def _choose(self, stack: Stack | None, stored: dict[str, str], api_url: str) -> dict[str, str]:
        """The values for the template that somebody chose, now or before; a new key is stored at once."""
        is_new = stack is None or stack.was_never_created
        chosen = {} if stack is None else stack.chosen
        if is_new and self._stage.concurrency()[1] >= LEAST_FOR_OTHERS + INGEST_CONCURRENCY:
            chosen["IngestReservedConcurrency"] = str(INGEST_CONCURRENCY)
        if api_url != _PUBLIC_API:
            chosen["GithubApiUrl"] = api_url
        chosen |= self._given
        if chosen.get("ModelProvider", "anthropic") == "anthropic" and "anthropic/api-key" not in stored:
            key = self._questions.ask_hidden(
                "Anthropic API key (hidden; leave it empty to use Claude on Amazon Bedrock)", "give --bedrock"
            )
            if key:
                self._stage.store("anthropic/api-key", key)
            else:
                chosen["ModelProvider"] = "bedrock"
                self._arguments.bedrock = True
        if is_new and "AlarmEmail" not in chosen:
            email = self._questions.ask(
                "E-mail address for alarms, such as lost webhooks (leave it empty for none)", "give --alarm-email"
            )
            check_values({"AlarmEmail": email})
            chosen["AlarmEmail"] = self._arguments.alarm_email = email
        return chosen

    # ---- steps

    def _deployed(self, stack: Stack | None, chosen: dict[str, str]) -> Stack:
        wanted = stack is None or not stack.is_complete or self._arguments.upgrade
        if stack is not None and not wanted and any(stack.values.get(name) != chosen[name] for name in chosen):
            wanted = True
        if stack is not None and not wanted:
            self._say(f"The stack {self._stage.stack_name} is deployed; --upgrade deploys this version")
            return stack
        if stack is not None and stack.is_changing:
            raise CommandError(f"{self._stage.stack_name} is {stack.status}: wait until that is over.")
        if stack is not None and stack.was_never_created:
            self._say("Deleting what a failed deployment left")
            self._stage.delete_stack()
            stack = None
        defaults = template_defaults()
        values = {**({} if stack is None else stack.outdated(defaults)), **chosen}
        values = {name: value for name, value in values.items() if name in defaults}  # an older template had others
        check_values(values)
        before = {} if stack is None else stack.values
        together = {**defaults, **before, **values}
        self._check_settings(together, is_new=stack is None)
        embeds = together["Embeddings"] != "off"
        self._stage.check_names(stack, embeds=embeds)
        if not embeds and before.get("Embeddings", "off") != "off":
            self._say(f"The vectors in {self._stage.bucket_name} are no longer used: see docs/operators.md, Embeddings")
        self._say(f"Building, and deploying {self._stage.stack_name}: that takes some minutes")
        with Progress() as progress:
            build(progress)
            deploy(self._stage, values, progress)
        deployed = self._stage.stack()
        if deployed is None or not deployed.is_complete:
            raise CommandError(f"The stack {self._stage.stack_name} does not exist after its deployment.")
        return deployed

    def _check_settings(self, values: dict[str, str], *, is_new: bool) -> None:
        """Refuse what the functions would refuse, such as broken JSON or a model without a price."""
        made = stored_by(values, self._stage.region)
        try:
            settings = settings_before_the_app(self._stage.values() | made, self._stage.prefix)
        except BadParameters as error:
            ours = [f"{name}: {why}" for name, why in error.malformed if name in {*made, "models/prices"}]
            if ours:
                raise CommandError(f"The functions would refuse {'; '.join(ours)}") from error
            return
        if is_new and settings.models.provider == "bedrock":
            self._subscribe(settings)

    def _subscribe(self, settings: DeploymentSettings) -> None:
        """Ask each model on Bedrock: the first question subscribes the account, which the functions may not do."""
        from cli.setup.check import ask_models  # noqa: PLC0415 - it needs all that the doctor needs

        self._say("Asking the models on Amazon Bedrock, which subscribes the account to them")
        for found in ask_models(self._stage, settings):
            if found.check == "models" and found.state == "problem":
                raise CommandError(". ".join([found.text, *found.fix]) if len(found.fix) == 1 else found.text)

    def _register(self, github: Registration, owner: Owner, webhook_url: str) -> None:
        def show(page: str) -> None:
            self._say(f"Register the GitHub App in your browser: {page}")
            if not self._arguments.no_browser:
                webbrowser.open(page)

        app = github.register(owner, self._stage.name, webhook_url, self._arguments.port, show)
        # The id comes last: with it the App counts as registered.
        self._stage.store("github/private-key", app.private_key)
        self._stage.store("webhook/secret", app.webhook_secret)
        self._stage.store("github/app-id", str(app.facts.id))
        self._say(f"The App is @{app.facts.slug}; its keys are in SSM, below {self._stage.prefix}")

    def _connect(self, webhook_url: str) -> None:
        """Have GitHub's webhooks arrive, and the App installed."""
        stored = self._stage.values()
        settings = GitHubSettings.from_parameters(stored, self._stage.prefix)
        if settings.token is not None:
            self._say("A token is used instead of an App: add the webhook to each repository yourself")
            return
        with RegisteredApp(settings) as app:
            facts, hook, secret = app.facts(), app.hook(), stored.get("webhook/secret", "").strip()
            if not secret or (hook.url, hook.content_type, hook.has_secret) != (webhook_url, JSON, True):
                if not secret:
                    secret = secrets.token_hex(_SECRET_BYTES)
                    self._stage.store("webhook/secret", secret)
                app.set_hook(webhook_url, secret)
                self._say(f"GitHub sends the App's webhooks to {webhook_url} now")
            _ping(webhook_url, secret)
            self._say("The webhook accepts a signed ping")
            if app.redelivered_ping() == _SIGNED_WRONGLY:
                app.set_hook(webhook_url, secret)
                self._say("GitHub signs with the secret in webhook/secret now")
                app.redelivered_ping()
            if lacking := [*facts.lacks, *facts.unheard]:
                place = f"{facts.permissions_page}, and see docs/operators.md, Upgrade"
                self._say(f"The App lacks {', '.join(lacking)}: open {place}")
            self._installed(app, facts.installation_page)

    def _installed(self, app: RegisteredApp, page: str) -> None:
        installations = app.owners()
        if not installations:
            self._say(f"Install the App on the repositories that it is to review: {page}")
            if not self._arguments.no_browser:
                webbrowser.open(page)
        while not installations:
            time.sleep(_WAIT_SECONDS)
            installations = app.owners()
        self._say(f"The App is installed for {', '.join(each.account for each in installations)}")

    def _preview(self) -> None:
        """Review a pull request without posting the review."""
        pull_request = self._arguments.pr or self._questions.ask(
            "Pull request for a first review that is not posted, OWNER/REPO#N (leave it empty for none)", "give --pr"
        )
        if not pull_request:
            return
        try:
            as_pull_request(pull_request)
        except argparse.ArgumentTypeError as error:
            print(f"{error}.")
            self._preview()
            return
        self._say(f"Reviewing {pull_request}; nothing is posted")
        with Progress() as progress:
            reviewed = preview(pull_request, self._stage, progress.step)
        print_run(reviewed.pushes[-1], console_for_reviews())

    def _say(self, what: str) -> None:
        self._step += 1
        print(f"{self._step}. {what}", flush=True)


def _ping(url: str, secret: str) -> None:
    """Send a ping until it is accepted: a new address takes a moment. Raises CommandError with the last answer."""
    end = time.monotonic() + _PING_SECONDS
    while True:
        try:
            return send_ping(url, secret)
        except CommandError:
            if time.monotonic() > end:
                raise
        time.sleep(_WAIT_SECONDS)
