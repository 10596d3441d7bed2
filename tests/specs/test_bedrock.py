"""Claude on Bedrock: the same system, with the models over Bedrock's wire protocol and the role's permissions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from local.aws.failures import AwsFailure
from local.aws.protocol import AwsError
from local.machine import MachineOptions
from local.model import ModelRequest, is_answer, text
from tests.specs.conftest import EVERYTHING, Stage, a_stage
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says

INVOKE = "Bedrock InvokeModel"
# The template's own models and prices.
OWN = dict.fromkeys(("models/reviewer", "models/replies", "models/fallback", "models/prices"), "")
CHOICES = {
    "models/tiers": '{"trivial": {"effort": "low", "judge": {"model": "claude-opus-5-5", "effort": "max"}}}',
    "models/roles": '{"answer": {"model": "claude-haiku-5-5", "effort": "high"}}',
}
DISCOUNT = "def total(prices, discount):\n    return sum(prices) + discount\n"
MORE = f"{DISCOUNT}\n\ndef left(stock, sold):\n    return stock - sold\n"

NEGATIVE = a_finding(
    start_line=6,
    end_line=6,
    title="The stock can be negative",
    explanation="Selling more than there is leaves less than nothing.",
    quote="return stock - sold",
)

pytestmark = pytest.mark.xdist_group("bedrock")


@pytest.fixture(scope="module")
def bedrock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A stack with ModelProvider=bedrock, and nothing else that a stack with Anthropic's API does not have."""
    stack = {"ModelProvider": "bedrock", "BedrockProfile": "global"}
    parameters = {**OWN, **CHOICES, "anthropic/api-key": "", "limits/parallel-calls": "1"}
    folder = tmp_path_factory.mktemp("bedrock")
    with a_stage(
        folder, events=EVERYTHING, parameters=parameters, options=MachineOptions(stack_parameters=stack)
    ) as stage:
        yield stage


@pytest.fixture(scope="module")
def anthropic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The same stack with Anthropic's API."""
    parameters = {**OWN, **CHOICES, "limits/parallel-calls": "1"}
    with a_stage(tmp_path_factory.mktemp("anthropic"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage


@dataclass(frozen=True)
class Shown:
    """A pull request as a person sees it, the questions to the model, and the logged costs."""

    reviews: list[Any]
    comments: list[Any]
    check: Any
    prompts: list[Any]
    models: list[str]
    costs: list[Any]


def plain(stage: Stage, text: str) -> str:
    """A text without what differs from run to run: its id, its time, and where GitHub is."""
    return re.sub(r"run=[0-9a-f]+|- Time: .*", "", text.replace(stage.github.url, ""))


def opened_and_pushed(stage: Stage) -> Shown:
    """Open a pull request with a finding, push a change that has none, and look at it."""
    since = stage.asked
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open({"src/orders.py": DISCOUNT}, config=ON_PUSH)
    stage.model.answers = says(a_report(NEGATIVE))
    opened.push(stage.commit({"src/orders.py": MORE}, opened.head))
    requests = stage.requests[since:]
    assert stage.machine.model is not None
    assert stage.machine.model.violations == []
    return Shown(
        reviews=[plain(stage, each["body"]) for each in opened.reviews],
        comments=[(each["path"], each["line"], plain(stage, each["body"])) for each in opened.comments],
        check=[plain(stage, f"{text}") for text in opened.check["output"].values()],
        prompts=[{name: value for name, value in each.body.items() if name != "model"} for each in requests],
        models=[each.body["model"] for each in requests],
        costs=[(each["outcome"], each["cost_usd"]) for each in opened.outcomes],
    )


def test_the_same_review_over_bedrock(bedrock: Stage, anthropic: Stage) -> None:
    """The same prompts reach the same models under Bedrock's names, and two reviews and a check run are the same."""
    by_bedrock, by_anthropic = opened_and_pushed(bedrock), opened_and_pushed(anthropic)

    assert len(by_anthropic.reviews) == 2
    assert by_anthropic.comments
    assert by_bedrock.reviews == by_anthropic.reviews
    assert by_bedrock.comments == by_anthropic.comments
    assert by_bedrock.check == by_anthropic.check
    assert by_bedrock.prompts == by_anthropic.prompts
    assert who_did_what(by_anthropic) == {
        "find": {("claude-sonnet-5-5", "low")},
        "judge": {("claude-opus-5-5", "max")},
    }
    assert by_bedrock.models == [f"global.anthropic.{each}" for each in by_anthropic.models]
    assert by_bedrock.costs == by_anthropic.costs
    assert all(cost > 0 for _, cost in by_bedrock.costs)


def who_did_what(shown: Shown) -> dict[str, set[tuple[str, str]]]:
    """The models that were asked with their efforts, by kind of question."""
    found: dict[str, set[tuple[str, str]]] = {}
    for model, body in zip(shown.models, shown.prompts, strict=True):
        found.setdefault(ModelRequest(body).kind, set()).add((model, body["output_config"]["effort"]))
    return found


def test_an_answer_comes_from_the_model_and_with_the_effort_of_its_role(bedrock: Stage) -> None:
    """The mention function's role may ask Bedrock too."""
    bedrock.model.answers = says(a_report()).when(is_answer, text("Because carts are small."), always=True)
    opened = bedrock.open({"src/orders.py": DISCOUNT})

    bedrock.github.comment(opened.number, f"@{bedrock.github.bot_login.removesuffix('[bot]')} why is there no limit?")
    bedrock.settle()

    asked = bedrock.questions[-1]
    assert (asked["model"], asked["output_config"]) == ("global.anthropic.claude-haiku-5-5", {"effort": "high"})
    [answer] = [each for each in bedrock.github.state.issue_comments.values() if "carts" in each.body]
    assert answer.body.startswith("Because carts are small.")


def test_a_throttled_model_is_waited_for_and_then_replaced(bedrock: Stage) -> None:
    """From the second attempt on the fallback answers; what it costs is counted under its own name."""
    bedrock.model.answers = says(a_report())
    bedrock.machine.aws.fail_next(INVOKE, AwsFailure(AwsError("ThrottlingException", "Too many tokens", 429)), times=2)

    opened = bedrock.open({"src/orders.py": DISCOUNT})

    assert [each["outcome"] for each in opened.outcomes] == ["retry", "completed"]
    [details] = [line for line in opened.reviews[0]["body"].splitlines() if line.startswith("- Model: ")]
    assert details.startswith("- Model: claude-opus-5-5, ")


def test_a_model_without_access_ends_the_review_with_what_to_do(bedrock: Stage) -> None:
    """The dead letter says it; once somebody's question has subscribed the account, a redrive does the review."""
    bedrock.model.answers = says(a_report())
    bedrock.machine.aws.model_access.is_subscribed = False

    opened = bedrock.open({"src/orders.py": DISCOUNT})

    [letter] = opened.dead
    assert letter.reason == (
        "Bedrock gives no access to global.anthropic.claude-sonnet-5-5 in us-east-1: the account is not subscribed to "
        "it (AccessDeniedException). Somebody who may aws-marketplace:Subscribe runs `kodiai doctor`: its question "
        "subscribes the account"
    )

    bedrock.machine.aws.model_access.is_subscribed = True
    opened.redrive()

    assert len(opened.reviews) == 1
