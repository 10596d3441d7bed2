"""The deployment's caps on spending, and what tools may take of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kodiai.ports.ledger import Ledger
from local.model import OFFLINE_MODEL, ModelRequest, Request, is_answer, json_reply, tool_use, tools
from tests.specs.conftest import BASE_FILES, EVERYTHING, Opened, Stage, a_stage, as_described
from tests.specs.pushing import NOTES, ON_PUSH, push
from tests.specs.scripts import CHANGE as CHANGE_PROPOSED
from tests.specs.scripts import DISCOUNTED, a_report, says
from tests.specs.talking import answering, conversation, say
from tests.specs.test_proposals_api import FRESH, Scene
from tests.specs.test_reviewers import ALL, FILES, panel
from tests.specs.test_triggers import CHANGE

CAP = 0.5
DAY, MONTH = 50.0, 500.0
APPROVAL = {"checks": ["src/orders.py:2"], "notes": "", "decision": "approve"}
PRICE = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 3)
OWNER_CAP = "the deployment's cap `spending/per-owner-per-month-usd` is used up"
DAY_CAP = "the deployment's cap `spending/per-repository-per-day-usd` is used up"


@pytest.fixture(scope="module")
def spending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system with a low cap for a pull request, in which tools show little."""
    parameters = {
        "models/prices": json.dumps({OFFLINE_MODEL: PRICE}),
        "spending/per-pull-request-usd": str(CAP),
        "limits/tool-tokens-per-batch": "1000",
        "limits/tool-tokens-per-review": "1500",
    }
    with a_stage(tmp_path_factory.mktemp("spending"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage


@pytest.fixture
def paid(spending: Stage) -> Iterator[Stage]:
    """The system, with the offline reviewer until a test says something else."""
    yield from as_described(spending)


def elsewhere(stage: Stage, *, another_repository: bool) -> Ledger:
    """The ledger of another pull request of the same owner."""
    ref = stage.github.repository.ref
    return stage.machine.ledger(ref.model_copy(update={"id": ref.id + 1}) if another_repository else ref, 9_999)


def cost(opened: Opened) -> float:
    return opened.ledger.spending().pull_request_usd


@pytest.mark.parametrize(("another", "usd", "reason"), [(True, MONTH, OWNER_CAP), (False, DAY, DAY_CAP)])
def test_a_review_counts_what_other_pull_requests_spend_meanwhile(
    paid: Stage, another: bool, usd: float, reason: str
) -> None:
    """It posts what it has, names what was not read and the cap, and the next push reads it when there is money."""
    books = elsewhere(paid, another_repository=another)
    model = panel({})

    def answer(request: Request) -> Any:
        if ModelRequest(request).part == "behavior":
            books.spend(usd)
        return None

    paid.model.answers = Meanwhile(model, answer)

    opened = paid.open(FILES, config=ON_PUSH)

    missing = "; ".join(f"no {each} review: {reason}" for each in ALL[1:])
    [review] = opened.reviews
    for path in FILES:
        assert f"- {path} -- {missing}" in review["body"]
    assert opened.check["output"]["title"] == "Not fully reviewed · read 0 of 2 files"
    assert paid.outcome()["limits_reached"] == [reason.split("`")[1]]
    asked = paid.asked

    push(opened, NOTES)

    assert paid.asked == asked
    assert opened.check["output"]["summary"].startswith(f"T{reason[1:]}")
    assert paid.outcome()["outcome"] == "refused"

    books.spend(-usd)
    push(opened, {"src/more.py": "y = 1\n"})

    assert paid.asked > asked
    assert opened.check["conclusion"] == "success"


def test_a_mention_gets_one_line_when_a_cap_is_used_up(paid: Stage) -> None:
    """Nobody is asked, and nothing is tried again; a draft is refused in the same way."""
    paid.model.answers = says(a_report())
    opened = paid.open(CHANGE)
    paid.model.answers = answering("It adds a default.")
    asked = paid.asked
    books = elsewhere(paid, another_repository=True)
    books.spend(MONTH)

    say(opened, "@kodiai what does it do?")
    say(opened, "@kodiai propose a limit of ten")
    books.spend(-MONTH)

    assert paid.asked == asked
    assert conversation(opened) == [
        "`spending/per-owner-per-month-usd` leaves no room for another answer. Commands still work.",
        "`spending/per-owner-per-month-usd` leaves no room for a draft of this.",
    ]


def test_a_proposal_for_a_commit_is_reviewed_until_the_days_cap(paid: Stage) -> None:
    """All proposals for commits are no pull request that could spend its cap once and for all."""
    paid.model.answers = says(a_report()).when(is_proposal, json_reply(APPROVAL), always=True)
    opened = paid.open({**BASE_FILES, "src/orders.py": DISCOUNTED})
    scene = Scene(paid, opened, {"ann": paid.github.token_for("ann")})
    ref = paid.github.repository.ref
    books = paid.machine.ledger(ref, 0)
    body = {**CHANGE_PROPOSED, "repository": ref.name, "base": opened.head, "diff": FRESH, "reviewed_by": "kodiai"}

    books.spend(CAP)
    first = scene.ask("ann", "POST", "/proposals", body).headers["location"]
    paid.settle()
    books.spend(DAY)
    second = scene.ask("ann", "POST", "/proposals", {**body, "description": "Again"}).headers["location"]
    paid.settle()
    books.spend(-CAP - DAY)

    events = [scene.ask("ann", "GET", each).json() for each in (first, second)]
    assert [each["status"] for each in events] == ["approved", "pending"]
    assert "`spending/per-repository-per-day-usd` leaves no room for a review of this." in str(events[1]["events"])


def test_pushing_closing_and_reopening_for_ever_costs_no_more_than_the_cap(paid: Stage) -> None:
    """A head that was reviewed is not paid for again, and new heads are paid for until the cap."""
    paid.model.answers = says(a_report())
    opened = paid.open(CHANGE, config=ON_PUSH)
    opened.ledger.spend(CAP * 0.9)
    rounds = 0
    while paid.outcome()["outcome"] != "refused":
        rounds += 1
        push(opened, {"src/orders.py": f"def total(prices):\n    return sum(prices) or {rounds}\n"})
        asked = paid.asked
        paid.github.close(opened.number)
        paid.settle()
        paid.github.reopen(opened.number)
        paid.settle()
        assert paid.asked == asked
        assert rounds < 20

    assert CAP * 0.8 < cost(opened) < CAP * 1.05
    assert "the deployment's cap `spending/per-pull-request-usd` is used up" in opened.check["output"]["summary"]


def test_a_model_that_never_stops_reading_is_asked_for_its_report(paid: Stage) -> None:
    """Its tools show what the limits allow, and the report counts; the log names the limits."""
    table = "".join(f"row_{number} = 'a row that takes some tokens'\n" for number in range(200))
    model = panel({})

    def obey(request: Request) -> Any:
        if ModelRequest(request).may_read and not is_answer(request):
            return tools(tool_use("read_files", files=[{"path": "src/table.py"}]))
        return None

    paid.model.answers = Meanwhile(model, obey)

    opened = paid.open({**FILES, "src/table.py": table})

    shown = [str(block["content"]) for body in paid.questions for block in results(body)]
    assert max(map(len, shown)) <= 3_100
    assert max(ModelRequest(body).turns_taken for body in paid.questions) == 1
    [review] = opened.reviews
    assert "not read" not in review["body"].lower()
    assert paid.outcome()["limits_reached"] == ["limits/tool-tokens-per-batch"]


def is_proposal(request: Request) -> bool:
    return ModelRequest(request).kind == "proposal"


def results(body: Request) -> list[Any]:
    """The results of tools in a request."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return [block for block in blocks if block["type"] == "tool_result"]


class Meanwhile:
    """A model that does something first, and answers as another one unless that is an answer."""

    def __init__(self, model: Any, first: Any) -> None:
        self._model = model
        self._first = first

    def answer(self, request: Request) -> Any:
        return self._first(request) or self._model.answer(request)
