"""The requests of a sweep to GitHub and to the table, over HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.core.events.missed import Installation, KnownRuns, LastEvents, OpenPullRequest
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.github_app import GitHubApp
from kodiai.edges.github_repositories import GitHubRepositories
from kodiai.edges.sweep_store import DynamoSweepStore
from local.github import AppSetup, LocalGitHub
from local.github.failures import forbidden_field, server_error
from local.readable_ledger import ReadableLedger
from tests.builders import WIDGETS
from tests.core.events.test_missed import NEW
from tests.edges.conftest import TurnableClock
from tests.edges.github_scene import PAUSE_SECONDS, Pushed, push, settings, token_settings
from tests.edges.ledger_scene import a_run

GRANTED = {"metadata": "read", "pull_requests": "read"}
OTHER = RepositoryRef(name="acme/other", id=99, owner_id=WIDGETS.owner_id)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Pushed:
    return push(tmp_path_factory.mktemp("made") / "widgets.git")


@pytest.fixture
def github(made: Pushed) -> Iterator[LocalGitHub]:
    with LocalGitHub(made.path, app=AppSetup(webhook_url="http://127.0.0.1:9/")) as running:
        yield running
        assert running.violations == []


@pytest.fixture
def app(github: LocalGitHub) -> Iterator[GitHubApp]:
    with GitHubApp(settings(github), pause_seconds=PAUSE_SECONDS) as app:
        yield app


@pytest.fixture
def store(table: Any, clock: TurnableClock) -> DynamoSweepStore:
    return DynamoSweepStore(table, clock)


def opened(github: LocalGitHub, made: Pushed, **more: Any) -> int:
    return github.open_pull_request(made.head, made.base, **more)


def repositories(github: LocalGitHub, **more: Any) -> GitHubRepositories:
    installation = Installation(github.installation_id, 0.0, {**GRANTED, **more})
    return GitHubRepositories(settings(github), installation, pause_seconds=PAUSE_SECONDS)


def test_the_log_is_read_page_by_page_as_far_as_it_is_wanted(github: LocalGitHub, app: GitHubApp, made: Pushed) -> None:
    """Newest first. What is older is not asked for."""
    number = opened(github, made)
    github.trusting = True
    for at in range(130):
        github.describe(number, f"{at}")
    github.trusting = False
    assert github.settle()

    every = list(app.deliveries(0))
    newest = every[0].delivered_at
    since = len(github.requests)
    none = list(app.deliveries(newest + 1))

    assert [each.id for each in every] == [each.id for each in reversed(github.deliveries)]
    assert (every[-1].event, every[-1].action, every[-1].status_code) == ("pull_request", "opened", 0)
    assert not every[-1].redelivery
    assert not every[-1].succeeded
    assert (none, len(github.requests) - since) == ([], 1)


def test_a_redelivery_keeps_its_guid_and_is_sent_once(github: LocalGitHub, app: GitHubApp, made: Pushed) -> None:
    """A redelivery without an answer may have been sent. An id that GitHub does not know is refused."""
    opened(github, made)
    assert github.settle()
    [first] = app.deliveries(0)

    app.redeliver(first.id)
    assert github.settle()
    github.fail_next("POST /app/hook/deliveries/{delivery_id}/attempts", server_error(takes_effect=True))
    with pytest.raises(Retry):
        app.redeliver(first.id)
    assert github.settle()

    assert [(each.guid, each.redelivery) for each in app.deliveries(0)] == [
        (first.guid, True),
        (first.guid, True),
        (first.guid, False),
    ]
    with pytest.raises(Refused):
        app.redeliver(7)


def test_the_app_knows_its_installations(github: LocalGitHub, app: GitHubApp) -> None:
    """With what they were granted, and since when they are there."""
    [installation] = app.installations()
    assert installation.id == github.installation_id
    assert installation.permissions["pull_requests"] == "write"
    assert 0 <= github.repository.started - installation.since < 1

    github.uninstall()
    assert app.installations() == []


def test_the_open_pull_requests_of_all_repositories_are_read_with_few_requests(
    github: LocalGitHub, made: Pushed
) -> None:
    """A token, a list, a query, and one more for each hundred that are recent; closed ones are none."""
    github.trusting = True
    numbers = [opened(github, made, draft=at == 0) for at in range(30)]
    github.close(numbers[5])
    github.trusting = False

    with repositories(github) as edge:
        refs = edge.repositories()
        found = list(edge.updated(refs, since=0))
        none = list(edge.updated(refs, since=github.repository.now() + 1))

    assert refs == [github.repository.ref]
    assert sorted(each.number for each in found) == [each for each in numbers if each != numbers[5]]
    first = next(each for each in found if each.number == numbers[0])
    pull = github.state.pulls[numbers[0]]
    assert first == OpenPullRequest(
        repository=github.repository.ref,
        number=numbers[0],
        id=first.id,
        head=made.head,
        draft=True,
        created_at=int(pull.created_at),
        updated_at=int(pull.updated_at),
        author="octocat",
        by_bot=False,
        association="COLLABORATOR",
    )
    assert none == []
    asked = [each.route for each in github.requests]
    assert len(asked) == 5
    [token] = github.tokens
    assert token.permissions == GRANTED


def test_a_pull_request_that_moves_while_it_is_read_is_read_once(github: LocalGitHub, made: Pushed) -> None:
    """One that changes comes first, and moves the others to the next page."""
    github.trusting = True
    numbers = [opened(github, made) for _ in range(25)]
    github.trusting = False

    with repositories(github) as edge:
        reading = edge.updated(edge.repositories(), since=0)
        first = next(reading)
        github.describe(numbers[0], "It comes first now.")
        found = [first, *reading]

    read = [each.number for each in found]
    assert len(read) == len(set(read))
    assert set(numbers) - set(read) <= {numbers[0]}


def test_a_bot_has_the_name_that_webhooks_give_it(github: LocalGitHub, made: Pushed) -> None:
    """GraphQL leaves "[bot]" out."""
    opened(github, made, author="renovate[bot]")

    with repositories(github) as edge:
        [bot] = edge.updated(edge.repositories(), since=0)

    assert (bot.author, bot.by_bot) == ("renovate[bot]", True)


def test_the_times_of_a_head_and_of_leaving_draft_are_read(github: LocalGitHub, made: Pushed) -> None:
    """As far as GitHub says so."""
    number = opened(github, made, draft=True)
    with repositories(github) as edge:
        [before] = edge.last_events(list(edge.updated(edge.repositories(), since=0)))
        github.ready(number)
        some = list(edge.updated(edge.repositories(), since=0))
        [after] = edge.last_events(some)
        github.fail_next("POST /graphql LastEvents", forbidden_field("commit"))
        [unseen] = edge.last_events(some)

    assert before.ready_at is None
    assert before.committed_at is not None
    assert after.ready_at is not None
    assert github.repository.now() - after.ready_at < 30
    assert unseen == LastEvents(None, after.ready_at)


def test_an_installation_without_the_permission_is_refused(github: LocalGitHub) -> None:
    """Nothing is asked."""
    installation = Installation(github.installation_id, 0.0, {"metadata": "read"})

    with GitHubRepositories(settings(github), installation) as edge, pytest.raises(Refused, match="may not read"):
        edge.repositories()

    assert github.requests == []


def test_a_token_reads_the_repositories_of_its_account(github: LocalGitHub, made: Pushed) -> None:
    """It needs no installation."""
    opened(github, made)
    by_token = token_settings(github.url, github.token_for("ann"))

    with GitHubRepositories(by_token, Installation(None, 0.0, {})) as edge:
        refs = edge.repositories()
        found = list(edge.updated(refs, since=0))

    assert refs == [github.repository.ref]
    assert len(found) == 1


def test_the_lease_is_one_and_ends(store: DynamoSweepStore, clock: TurnableClock) -> None:
    """Its owner stores until when all is settled; one who lost it stores nothing."""
    assert store.claim("one", until=1_010) == 0
    with pytest.raises(Retry, match="another sweep is at work") as busy:
        store.claim("two", until=1_020)
    assert busy.value.after_seconds == 10

    clock.time = 1_011
    assert store.claim("two", until=1_020) == 0
    store.release("one", 500)
    store.release("two", 900)

    assert store.claim("three", until=1_030) == 900


def test_the_ledger_says_which_heads_have_a_run(
    store: DynamoSweepStore, ledger: ReadableLedger, clock: TurnableClock
) -> None:
    """One under way, one that ended without a review, and those for which a sweep has asked."""
    pull = replace(NEW, number=7)
    nothing = store.runs_of([pull])
    ledger.claim("us", until=2_000)
    ledger.start("us", a_run())
    under_way = store.runs_of([pull, replace(pull, id="PR_2", number=8)])
    ledger.end("us", a_run().id, "failed", "it was refused")
    store.note(pull)

    assert nothing == [KnownRuns()]
    assert under_way[0].is_under_way
    assert not under_way[1].is_under_way
    [ended] = store.runs_of([pull])
    assert ended == KnownRuns(heads=frozenset({a_run().head}), swept=pull.state)
    clock.time += 8 * 86_400
    assert store.runs_of([pull])[0].swept is None


def test_repositories_that_were_worked_for_are_known(store: DynamoSweepStore) -> None:
    """By the entry that everything about a repository begins with."""
    store.note(NEW)

    assert store.worked_for([OTHER, WIDGETS]) == {WIDGETS.id}
    assert store.worked_for([]) == set()
