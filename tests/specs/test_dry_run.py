"""A deployment that only keeps what it would post: it reads and asks as ever, and writes nothing to GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kodiai.core.review.review import Run
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import is_find
from local.readable_ledger import ReadableLedger
from tests.git_repository import GitRepository
from tests.specs.conftest import BASE_FILES, EVERYTHING, Opened, Stage, Switchable, a_stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF, questions
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import answering, say
from tests.specs.test_outsiders import WAITS, last, open_as

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
    assert questions(dry, since, is_find) == 1
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


def test_the_first_review_after_a_pilot_posts_all_that_is_open(tmp_path: Path) -> None:
    """One push before the switch, one after it: what was read and judged before is not paid for again.

    The next push continues what was posted.
    """
    repository, model = GitRepository(tmp_path / "widgets.git"), Switchable()
    base = repository.commit(BASE_FILES, branch="main")
    first = repository.commit(DISCOUNT, base)
    second = repository.commit(SHELF, first)
    third = repository.commit({"notes.txt": "1\n"}, second)
    with LocalGitHub(repository.path, webhook_secret="s3cret") as github:
        access = GitHubAccess(github.url, {"github/app-id": github.app_id, "github/private-key": github.private_key})
        asked, runs = [], []
        for publish, heads in (("dry-run", [first]), ("post", [second, third])):
            with LocalMachine(
                access,
                webhook_secret="s3cret",
                publish=publish,
                answers=model,
                warm=False,
                data=tmp_path / "data",
                parameters={"embeddings/model": "off"},
            ) as machine:
                github.webhook_url = machine.system.webhook_url
                for head in heads:
                    finding = {first: a_finding(), second: OFF_BY_ONE}.get(head)
                    model.answers = says(a_report(finding) if finding else a_report())
                    if head == first:
                        number = github.open_pull_request(head, base)
                    else:
                        github.push(number, head)
                    assert github.settle()
                    machine.system.wait_until_quiet(60)
                assert machine.model is not None
                asked.append(sum(is_find(request.body) for request in machine.model.requests))
                runs = list(machine.ledger(github.repository.ref, number).runs())
                known = machine.ledger(github.repository.ref, number).findings()

    assert asked == [1, 2]
    assert [(run.kept, run.review_id is not None) for run in runs] == [("dry-run", False), (None, True), (None, False)]
    [review] = [each for each in github.state.reviews_of(number, github.bot_login) if each.body]
    comments = github.state.comments_of(number, github.bot_login)
    assert {comment.place.path for comment in comments} == {"src/orders.py", "src/stock.py"}
    assert {each.comment_id for each in known} == {str(comment.id) for comment in comments}
    assert ":red_circle: **Address before merging** · 2 major" in review.body
    assert "Re-Review" not in review.body
    assert {check.title for check in github.state.checks.values()} == {"Address before merging · 2 major"}
    assert github.violations == []


def test_a_review_is_made_and_not_posted(dry: Stage) -> None:
    """The line `outcome` has its figures."""
    asked = dry.asked

    opened = open_as(dry, "ann", "write")

    assert last(opened)[0] == "completed"
    assert dry.asked > asked
    assert (opened.reviews, opened.checks(opened.head), writes(dry)) == ([], [], [])


def test_a_review_that_waits_shows_nothing(dry: Stage) -> None:
    """What somebody says is not answered either: the log has the reason."""
    opened = open_as(dry, "stranger")
    say(opened, "@kodiai why?", "ann", "write")

    assert last(opened) == ("skipped", WAITS)
    assert (opened.checks(opened.head), writes(dry)) == ([], [])
