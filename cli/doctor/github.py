"""Checks of the GitHub App: its key, permissions, events, webhook, deliveries and installations."""

from collections import Counter
from datetime import UTC, datetime

from cli.doctor.deployment import Deployment, attempt
from cli.doctor.finding import Report
from cli.doctor.gates import check_gates
from cli.errors import CommandError
from cli.registered_app import JSON, AppFacts, RegisteredApp, covers
from cli.webhook_ping import send_ping
from kodiai.core.config.settings import BadParameters, GitHubSettings
from kodiai.core.errors import Broken, KodiaiError, Refused
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.core.words.links import web_address
from kodiai.edges.github_errors import Missing, Transient, Unauthorized
from kodiai.edges.github_permissions import needed
from local.rendering.labels import counted

_SIGNED_WRONGLY = 401
# The page of the App offers these events only with these permissions.
_OFFERED_WITH = {"issue_comment": "issues", "merge_group": "merge_queues"}


def check_github(deployment: Deployment, report: Report) -> None:
    """Check the App, as far as its id and its key are there."""
    secret = deployment.parameters.get("webhook/secret")
    if deployment.webhook_url is not None and secret is not None:
        _check_ping(deployment, deployment.webhook_url, secret.value.strip(), report)
    values = {name: each.value for name, each in deployment.parameters.items()}
    if "github/token" in values:
        report.add("App", "note", "github/token is used: webhooks of repositories are not checked")
        return
    try:
        settings = GitHubSettings.from_parameters(values, deployment.stage.prefix)
    except BadParameters:
        report.add("App", "unchecked", "its parameters are not in order")
        return
    if settings.app_id is None or settings.private_key is None:
        report.add("App", "unchecked", "there is no App yet", deployment.setup)
        return
    with RegisteredApp(settings) as app:
        try:
            facts = app.facts()
        except KodiaiError as error:
            fixes = _fixes(error, settings.api_url, deployment)
            text = f"{error} ({settings.api_url}, App id {settings.app_id})"
            report.add("App", "problem" if fixes else "unchecked", text, *fixes)
            return
        report.add("App", "fine", f"@{facts.slug} of {facts.owner}, {facts.page}")
        _check_permissions(facts, report)
        attempt(report, "webhook", lambda: _check_hook(app, deployment, report))
        attempt(report, "installations", lambda: _check_installations(app, facts, report))
        attempt(report, "deliveries", lambda: _check_deliveries(app.newest_deliveries(), report))
        if (known := deployment.settings) is None:
            report.add("gates", "unchecked", "the parameters are not in order")
        else:
            attempt(report, "gates", lambda: check_gates(app, facts, known, report))


def _fixes(error: KodiaiError, api_url: str, deployment: Deployment) -> list[str]:
    """The likeliest cause first: GitHub knows no such App, or another key, or is somewhere else; none if it is busy.

    Another address is offered only where it is not the deployed one, which may be on purpose.
    """
    deployed = deployment.defaults["github/api-url"].rstrip("/")
    other = [f"or the App is on {web_address(deployed)}:", deployment.put("github/api-url")]
    address = other if deployed != api_url else []
    if isinstance(error, Missing) and "Integration not found" in str(error):
        return ["store the id that the App's page on GitHub shows:", deployment.put("github/app-id"), *address]
    if isinstance(error, Unauthorized | Broken):
        key = "create a private key on the App's page on GitHub, and store it; or the id is that of another App:"
        return [key, deployment.put("github/private-key"), deployment.put("github/app-id")]
    if isinstance(error, Refused | Transient):
        return [f"see whether {api_url} is GitHub's API, and can be reached from here", *address]
    return []


def _check_ping(deployment: Deployment, url: str, secret: str, report: Report) -> None:
    try:
        send_ping(url, secret)
    except CommandError as error:
        log = f"aws logs tail /kodiai/{deployment.stage.name}/ingest --since 10m"
        wait = "if webhook/secret was just changed: try again in five minutes, the functions cache the old one"
        report.add("ping", "problem", str(error), log, wait)
    else:
        report.add("ping", "fine", f"{url} accepts requests signed with webhook/secret")


def _check_permissions(facts: AppFacts, report: Report) -> None:
    page = f"open {facts.permissions_page}"
    unused = {name: level for name, level in facts.permissions.items() if not covers(needed().get(name), level)}
    if facts.lacks:
        report.add("permissions", "problem", f"the App lacks {', '.join(facts.lacks)}", page)
    if unused:
        more = ", ".join(f"{name}: {level}" for name, level in unused.items())
        report.add("permissions", "note", f"the App has unused permissions: {more}", page)
    if not facts.lacks and not unused:
        report.add("permissions", "fine", ", ".join(f"{name}: {level}" for name, level in needed().items()))
    if facts.unheard:
        first = [
            f"grant {name}: read first, without which GitHub offers no {event}:"
            for event, name in _OFFERED_WITH.items()
            if event in facts.unheard and name not in facts.permissions
        ]
        report.add("events", "problem", f"the App is not subscribed to {', '.join(facts.unheard)}", *first, page)
    else:
        report.add("events", "fine", ", ".join(SUBSCRIPTIONS))


def _check_hook(app: RegisteredApp, deployment: Deployment, report: Report) -> None:
    hook, wrong = app.hook(), []
    if deployment.webhook_url is not None and hook.url != deployment.webhook_url:
        wrong.append(f"goes to {hook.url or 'no address'}, not to {deployment.webhook_url}")
    if hook.content_type != JSON:
        wrong.append(f"is sent as {hook.content_type}, not as {JSON}")
    if not hook.has_secret:
        wrong.append("is not signed")
    if hook.insecure_ssl:
        wrong.append("is sent without checking the certificate")
    if not wrong and app.redelivered_ping() == _SIGNED_WRONGLY:
        wrong.append("is signed with another secret than webhook/secret")
    if wrong:
        report.add("webhook", "problem", f"GitHub's webhook {' and '.join(wrong)}", deployment.setup)
    else:
        report.add("webhook", "fine", f"GitHub sends signed JSON to {hook.url}")


def _check_installations(app: RegisteredApp, facts: AppFacts, report: Report) -> None:
    installations = app.owners()
    if not installations:
        report.add("installations", "problem", "the App is installed nowhere", f"open {facts.installation_page}")
    asked = {name: level for name, level in needed().items() if covers(facts.permissions.get(name), level)}
    for each in installations:
        behind = sorted(name for name, level in asked.items() if not covers(each.permissions.get(name), level))
        owner = f"the owner of {each.account} opens {each.page}"
        if each.is_suspended:
            report.add("installations", "problem", f"{each.account} has suspended the App", owner)
        elif behind:
            text = f"{each.account} has not accepted the permissions {', '.join(behind)}"
            report.add("installations", "problem", text, owner)
        else:
            report.add("installations", "fine", f"{each.account}")


def _check_deliveries(deliveries: tuple[LoggedDelivery, ...], report: Report) -> None:
    """The newest deliveries: those that failed, and did not get through later."""
    arrived = {each.guid for each in deliveries if each.succeeded}
    lost = [each for each in deliveries if each.guid not in arrived]
    if not deliveries:
        report.add("deliveries", "note", "GitHub has sent nothing yet")
    elif not lost:
        report.add("deliveries", "fine", f"the last {counted(len(deliveries), 'webhook')} arrived")
    else:
        text = f"of the last {len(deliveries)}, {len(lost)} did not arrive ({_shown(lost)})"
        report.add("deliveries", "problem" if deliveries[0] in lost else "note", text)


def _shown(lost: list[LoggedDelivery]) -> str:
    """The answers with their counts, and the newest one."""
    counts = Counter(each.status_code or "no answer" for each in lost)
    often = ", ".join(f"{number} × {answer}" for answer, number in counts.items())
    at = datetime.fromtimestamp(lost[0].delivered_at, UTC)
    return f"{often}; the newest: {lost[0].event} at {at:%Y-%m-%d %H:%M} UTC"
