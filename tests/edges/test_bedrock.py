"""The edge to Claude on Bedrock: the real SDK, over real HTTP, to the local AWS and a model behind it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
import pytest

from kodiai.core.errors import Broken, Overloaded, Retry
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.core.model.prices import BedrockProfile
from kodiai.edges.bedrock import Bedrock, NoAccess, patient
from local.aws import LocalAws
from local.aws.failures import AwsFailure, slow
from local.aws.protocol import AwsError
from local.model import Answer, ModelStandIn, Script, failure, text
from tests.raw_server import RawAnswer, raw_answer, serving
from tests.tables import each_row

INVOKE = "Bedrock InvokeModel"
QUESTION = ModelRequest("claude-sonnet-5-5", "Review.", (user_message("Here is the change."),), 1_000, "low")


def to(url: str, key: str = "key") -> Callable[[float], Any]:
    """Connect to an address as the edge connects to Bedrock."""
    return lambda seconds: boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        config=patient(seconds),
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        region_name="eu-central-1",
    )


@dataclass(frozen=True)
class Scene:
    """A local AWS, and what answers for Claude in it."""

    aws: LocalAws
    model: ModelStandIn
    script: Script

    def say(self, *answers: Answer) -> None:
        self.script.then(*answers)

    def ask(self, question: ModelRequest = QUESTION, profile: BedrockProfile = "eu", timeout: float = 5) -> ModelAnswer:
        return Bedrock(profile, to(self.aws.address, self.aws.access_key())).answer(question, timeout)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    script = Script()
    with ModelStandIn(script) as model, LocalAws(messages_api=model.serve) as aws:
        yield Scene(aws, model, script)


def test_a_question_is_answered_by_the_model_of_the_profile(scene: Scene) -> None:
    """The answer is by the name that was asked: the price of that name is that of the profile."""
    scene.say(text("Looks good."))

    answer = scene.ask()

    assert (answer.text, answer.stop_reason, answer.model) == ("Looks good.", "end_turn", "claude-sonnet-5-5")
    assert answer.usage.input_tokens > 0
    assert scene.model.requests[-1].body["model"] == "eu.anthropic.claude-sonnet-5-5"
    assert scene.model.violations == []


def test_an_id_of_bedrock_stays_as_it_is(scene: Scene) -> None:
    """For models that this version does not know, and for those with a date in their ids."""
    for model in ("us.anthropic.claude-next-6", "claude-haiku-4-5"):
        scene.say(text("Done."))
        scene.ask(ModelRequest(model, "S", QUESTION.messages, 10, "low"), "global")

    asked = [each.body["model"] for each in scene.model.requests[-2:]]
    assert asked == ["us.anthropic.claude-next-6", "global.anthropic.claude-haiku-4-5-20251001-v1:0"]


@pytest.mark.parametrize(
    ("status", "retry_after", "kind", "waits", "code"),
    [
        (408, None, Retry, None, "ModelTimeoutException"),
        (429, 17, Overloaded, 17.0, "ThrottlingException"),
        (500, None, Retry, None, "InternalServerException"),
        (503, 2, Overloaded, 2.0, "ServiceUnavailableException"),
        (529, None, Overloaded, None, "ServiceUnavailableException"),
    ],
)
def test_a_busy_model_is_tried_again_after_as_long_as_it_says(
    scene: Scene, status: int, retry_after: float | None, kind: type[Retry], waits: float | None, code: str
) -> None:
    """One request was made: the SDK does not try by itself. Quotas are those of one model: another one may answer."""
    before = len(scene.model.requests)
    scene.say(failure(status, "come back later", retry_after=retry_after))

    with pytest.raises(Retry, match=f"{code} come back later$") as busy:
        scene.ask()

    assert (type(busy.value), busy.value.after_seconds) == (kind, waits)
    assert len(scene.model.requests) == before + 1


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ModelNotReadyException", 429, Overloaded),
        ("ModelErrorException", 424, Retry),
        ("SomethingElseException", 500, Retry),
    ],
)
def test_an_error_that_only_bedrock_has_is_understood(scene: Scene, code: str, status: int, kind: type[Retry]) -> None:
    """By the table of errors of InvokeModel."""
    scene.aws.fail_next(INVOKE, AwsFailure(AwsError(code, "No.", status)))

    with pytest.raises(Retry) as busy:
        scene.ask()

    assert type(busy.value) is kind


@pytest.mark.parametrize(
    "said",
    ["Input is too long for requested model.", "prompt is too long: 1200000 tokens > 1000000 maximum"],
)
def test_a_question_that_is_more_than_the_model_holds_has_an_empty_answer(scene: Scene, said: str) -> None:
    """It is data: the same question would be too long again."""
    scene.say(failure(400, said))

    answer = scene.ask()

    assert (answer.text, answer.stop_reason, answer.usage.calls) == ("", "model_context_window_exceeded", 1)


@pytest.mark.parametrize(("code", "status"), [("AccessDeniedException", 403), ("ResourceNotFoundException", 404)])
def test_a_model_that_may_not_be_asked_names_what_to_do(scene: Scene, code: str, status: int) -> None:
    """A person has to put it right; AWS's words, which name the account, are not passed on."""
    scene.aws.fail_next(INVOKE, AwsFailure(AwsError(code, "User: arn:aws:sts::123456789012:assumed-role/a", status)))

    with pytest.raises(NoAccess) as broken:
        scene.ask()

    assert str(broken.value) == (
        f"Bedrock gives no access to eu.anthropic.claude-sonnet-5-5 in eu-central-1: it is not permitted ({code}). "
        "Look which policy denies it, the role's or the organization's, and at the stack's BedrockProfile"
    )


def test_an_account_that_has_never_used_a_model_is_told_what_is_missing() -> None:
    """Anthropic's form comes first; then the first question of somebody with rights on the Marketplace subscribes."""
    may_ask = {"Action": "bedrock:InvokeModel", "Resource": "*"}
    may_subscribe = {"Action": "aws-marketplace:Subscribe", "Resource": "*"}
    with ModelStandIn(Script(text("Yes"), text("Yes"))) as model, LocalAws(messages_api=model.serve) as aws:
        bedrock = Bedrock("eu", to(aws.address, aws.access_key()))
        aws.model_access.has_form = aws.model_access.is_subscribed = False
        aws.permissions.give("operator", [may_ask])
        with pytest.raises(NoAccess, match=r"uses it for \(ResourceNotFoundException\)\. Fill in the form"):
            bedrock.answer(QUESTION, 5)
        aws.model_access.has_form = True
        with pytest.raises(NoAccess, match=r"not subscribed to it \(AccessDeniedException\)\. Somebody who may"):
            bedrock.answer(QUESTION, 5)

        aws.permissions.give("operator", [may_ask, may_subscribe])
        bedrock.answer(QUESTION, 5)
        aws.permissions.give("operator", [may_ask])

        assert bedrock.answer(QUESTION, 5).text == "Yes"


def test_a_request_that_is_refused_names_the_model_and_what_bedrock_says(scene: Scene) -> None:
    """A wrong id, a profile that does not have the model, or our fault."""
    said = "Invocation of model ID anthropic.claude-x with on-demand throughput isn't supported"
    scene.aws.fail_next(INVOKE, AwsFailure(AwsError("ValidationException", said)))

    with pytest.raises(Broken) as broken:
        scene.ask(ModelRequest("anthropic.claude-x", "S", QUESTION.messages, 10, "low"))

    assert str(broken.value) == (
        f"Bedrock refused the request to anthropic.claude-x in eu-central-1: ValidationException {said}. "
        "If it does not know the model, look at the stack's BedrockProfile and at the parameters models/…"
    )


def test_a_model_that_is_too_slow_or_out_of_reach_is_tried_again(scene: Scene) -> None:
    """The time-out is what the caller has left."""
    scene.aws.fail_next(INVOKE, slow(3))
    with pytest.raises(Retry, match="in time"):
        scene.ask(timeout=0.2)

    scene.say(text("Lost").cut())
    with pytest.raises(Retry, match="cannot be reached"):
        scene.ask()

    with pytest.raises(Retry, match="cannot be reached"):
        Bedrock("eu", to("http://127.0.0.1:9")).answer(QUESTION, 5)


@each_row(
    "answer",
    [
        *map(partial(raw_answer, 200), (b"", b"null", b"{}", b'{"type": "error"}', b'{"content": [', b"<html>")),
        raw_answer(200, b'{"content": []', missing=100),
    ],
)
def test_an_unreadable_answer_is_tried_again(answer: RawAnswer) -> None:
    """Asked once, and nothing invented; half of one is none."""
    with serving(answer) as (url, server), pytest.raises(Retry) as why:
        Bedrock("eu", to(url)).answer(QUESTION, 5)

    assert type(why.value) is Retry
    assert server.paths == ["/model/eu.anthropic.claude-sonnet-5-5/invoke"]


def test_several_threads_ask_with_one_client(scene: Scene) -> None:
    """It is made once, whoever asks first."""
    made: list[float] = []
    connect = to(scene.aws.address, scene.aws.access_key())

    def counted(seconds: float) -> Any:
        made.append(seconds)
        return connect(seconds)

    bedrock = Bedrock("us", counted)
    scene.say(*[text("Done.")] * 4)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: bedrock.answer(QUESTION, 5).text, range(4)))

    assert (answers, made) == (["Done."] * 4, [5])
