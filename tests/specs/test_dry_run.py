"""A deployment that only keeps what it would post: it reads and asks as ever, and writes nothing to GitHub."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kodiai.core.review.run import Run
from local.github import AppSetup, LocalGitHub
from local.github.failures import server_error
from local.github.state import Review
from local.machine import GitHubAccess, LocalMachine
from local.model import is_find
from local.readable_ledger import ReadableLedger
from tests.git_repository import GitRepository
from tests.specs.conftest import BASE_FILES, EVERYTHING, Opened, Stage, Switchable, a_stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, PULL, SHELF, UPDATES, questions, until
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import answering, say
from tests.specs.test_outsiders import WAITS, last, open_as
from tests.waits import Waits

# A query is a POST, and so is the request for a token.
_READS = {"POST /graphql", "POST /app/installations/{installation_id}/access_tokens"}


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The system with a public repository."""
    folder: Path = tmp_path_factory.mktemp("dry")
    with a_stage(folder, events=EVERYTHING, parameters={"github/publish": "dry-run"}) as stage:
        stage.github.set_private(False)
        stage.model.answers = answering()
        yield stage
        assert stage.github.violations == []


def writes(stage: Stage) -> list[str]:
    """The routes of the requests that change something on GitHub."""
    routes = [seen.route for seen in stage.github.requests]
    return [route for route in routes if not route.startswith("GET ") and route not in _READS]


def kept(opened: Opened) -> list[Run]:
    """Its runs, oldest first."""
    ledger = opened.ledger
    assert isinstance(ledger, ReadableLedger)
    return list(ledger.runs())


def paths(run: Run) -> list[str]:
    """The paths of the inline comments of a kept review."""
    assert run.staged is not None
    assert run.staged.review is not None
    return [comment.path for comment in run.staged.review.comments]


def test_a_review_is_kept_whole_and_every_push_is_reviewed_once(dry: Stage) -> None:
    """Each kept review has all that is open, as nothing of it was posted before; only what is new is read.

    A person who asks once more for the same head gets nothing more.
    """
    dry.model.answers = says(a_report(a_finding()))
    opened = open_as(dry, "ann", "write")
    since = dry.asked
    dry.model.answers = says(a_report(OFF_BY_ONE))
    opened.push(dry.commit(SHELF, opened.head))
    opened.ask_for_review()

    assert [line["outcome"] for line in opened.outcomes] == ["completed", "completed", "skipped"]
    assert opened.outcomes[-1]["reason"] == f"reviewed at {opened.head[:7]} already"
    assert questions(dry, is_find, since) == 1
    first, second = kept(opened)
    assert [(run.status, run.kept, run.review_id) for run in (first, second)] == [("completed", "dry-run", None)] * 2
    assert (paths(first), paths(second)) == (["src/orders.py"], ["src/orders.py", "src/stock.py"])
    assert second.staged is not None
    assert (second.staged.check.title, second.staged.check.conclusion) == (
        "Address before merging · 2 major",
        "neutral",
    )
    assert second.facts["verdict"] == "address-before-merging"
    assert opened.ledger.findings() == ()
    assert writes(dry) == []


@dataclass
class Pilot:
    """A GitHub with a branch of three commits, and a deployment whose `github/publish` is changed.

    The functions remember parameters for five minutes; a machine over the same data reads them again.
    """

    github: LocalGitHub
    folder: Path
    heads: list[str]
    base: str
    model: Switchable = field(default_factory=Switchable)
    waits: Waits = field(init=False)

    @contextmanager
    def deployed(self, publish: str) -> Iterator[LocalMachine]:
        github = self.github
        access = GitHubAccess(github.url, github.credentials)
        with LocalMachine(
            access,
            webhook_secret="s3cret",
            answers=self.model,
            data=self.folder / "data",
            parameters={"embeddings/model": "off", "github/publish": publish},
        ) as machine:
            github.webhook_url = machine.system.webhook_url
            self.waits = Waits(machine)
            yield machine

    def settle(self) -> None:
        assert self.github.settle()
        self.waits.settle()

    def until_tried_again(self, machine: LocalMachine) -> None:
        """Wait until the review could not be finished."""
        assert self.github.settle()
        until(lambda: any(line.get("outcome") == "retry" for line in machine.system.log_lines))

    def runs(self, machine: LocalMachine, number: int) -> list[tuple[str, str | None, bool]]:
        """Each run: how it ended, how it was kept, and whether it was posted."""
        runs = machine.ledger(self.github.repository.ref, number).runs()
        return [(run.status, run.kept, run.review_id is not None) for run in runs]

    def posted(self, number: int) -> list[Review]:
        ours = self.github.bot_login
        return [each for each in self.github.state.reviews_of(number, ours) if each.body]

    def commented(self, number: int) -> dict[str, str]:
        """The paths of our comments by their ids."""
        comments = self.github.state.comments_of(number, self.github.bot_login)
        return {str(comment.id): comment.place.path for comment in comments}


@pytest.fixture
def pilot(tmp_path: Path) -> Iterator[Pilot]:
    """A pilot of a repository."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit(BASE_FILES, branch="main")
    heads = [repository.commit(DISCOUNT, base)]
    for files in (SHELF, {"notes.txt": "1\n"}):
        heads.append(repository.commit(files, heads[-1]))
    with LocalGitHub(repository.path, app=AppSetup(webhook_secret="s3cret")) as github:
        yield Pilot(github, tmp_path, heads, base)
        assert github.violations == []


def finds(machine: LocalMachine) -> int:
    """The number of times that changes were read."""
    assert machine.model is not None
    return sum(is_find(request.body) for request in machine.model.requests)


def test_the_first_review_after_a_pilot_posts_all_that_is_open(pilot: Pilot) -> None:
    """One push before the switch, one after it: what was read and judged before is not paid for again.

    The next push continues what was posted.
    """
    with pilot.deployed("dry-run") as machine:
        pilot.model.answers = says(a_report(a_finding()))
        number = pilot.github.open_pull_request(pilot.heads[0], pilot.base)
        pilot.settle()
    with pilot.deployed("post") as machine:
        pilot.model.answers = says(a_report(OFF_BY_ONE))
        pilot.github.push(number, pilot.heads[1])
        pilot.settle()
        since = finds(machine)
        pilot.model.answers = says(a_report())
        pilot.github.push(number, pilot.heads[2])
        pilot.settle()

        assert (since, finds(machine)) == (1, 2)
        assert pilot.runs(machine, number) == [
            ("completed", "dry-run", False),
            ("completed", None, True),
            ("completed", None, False),
        ]
        known = machine.ledger(pilot.github.repository.ref, number).findings()
        assert {each.comment_id: each.finding.path for each in known} == pilot.commented(number)
    assert set(pilot.commented(number).values()) == {"src/orders.py", "src/stock.py"}
    [review] = pilot.posted(number)
    assert ":red_circle: **Address before merging** · 2 major" in review.body
    assert "Re-Review" not in review.body
    titles = {check.title for check in pilot.github.state.checks.values()}
    assert titles == {"Address before merging · 2 major"}


def test_a_dry_run_that_was_cut_off_is_posted_after_the_switch(pilot: Pilot) -> None:
    """The same run goes on, and nothing is asked twice."""
    with pilot.deployed("dry-run") as machine:
        pilot.model.answers = says(a_report(a_finding()))
        pilot.github.fail_next(PULL, server_error(), times=3)
        number = pilot.github.open_pull_request(pilot.heads[0], pilot.base)
        pilot.until_tried_again(machine)
        assert pilot.runs(machine, number) == [("running", None, False)]
    with pilot.deployed("post") as machine:
        pilot.settle()

        assert finds(machine) == 0
        assert pilot.runs(machine, number) == [("completed", None, True)]
    assert len(pilot.posted(number)) == 1
    assert list(pilot.commented(number).values()) == ["src/orders.py"]


def test_a_review_that_was_posted_before_a_switch_back_counts_as_posted(pilot: Pilot) -> None:
    """It was cut off behind the review: its findings are stored with their comments, and never posted again."""
    with pilot.deployed("post") as machine:
        pilot.model.answers = says(a_report(a_finding()))
        pilot.github.fail_next(UPDATES, server_error(), times=3)
        number = pilot.github.open_pull_request(pilot.heads[0], pilot.base)
        pilot.until_tried_again(machine)
    with pilot.deployed("dry-run") as machine:
        before = len(pilot.github.requests)
        pilot.settle()

        assert pilot.runs(machine, number) == [("completed", None, True)]
        assert [each.status for each in machine.ledger(pilot.github.repository.ref, number).findings()] == ["open"]
        routes = {seen.route for seen in pilot.github.requests[before:]}
        assert {route for route in routes if not route.startswith("GET ")} <= _READS
    assert len(pilot.posted(number)) == 1


def test_a_review_that_waits_shows_nothing(dry: Stage) -> None:
    """Comments are not answered either: the log has the reason."""
    opened = open_as(dry, "stranger")
    say(opened, "@kodiai why?", "ann", "write")

    assert last(opened) == ("skipped", WAITS)
    assert (opened.checks(opened.head), writes(dry)) == ([], [])
