"""The errors of AWS in the words of Kodiai: of each edge, and of each code."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from pydantic import SecretStr

from kodiai.core.errors import Broken, KodiaiError, Retry
from kodiai.edges.aws import translated
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage
from kodiai.edges.parameters import SsmParameters
from kodiai.edges.queue import SqsJobQueue
from kodiai.edges.repository_data import S3StoredVectors
from kodiai.edges.vectors import S3VectorIndex
from tests.builders import a_job
from tests.edges.deployed_aws import aws_that_says, client_at, nobody_there
from tests.tables import each_row


def send(url: str) -> None:
    SqsJobQueue(client_at("sqs", url), {"reviews": f"{url}/1/reviews.fifo"}).send("reviews", a_job())


def read(url: str) -> None:
    SsmParameters(client_at("ssm", url), "/kodiai/prod").read("webhook")


def find(url: str) -> None:
    S3VectorIndex(client_at("s3vectors", url), "bucket", "model-4").nearest([1.0], [1], 5)


def embed(url: str) -> None:
    TitanEmbeddings(client_at("bedrock-runtime", url)).embed("text", "query")


def forget(url: str) -> None:
    S3StoredVectors(client_at("s3vectors", url), "memory").delete(["1/7/F-1"])


EDGES = [
    (send, "The job cannot be sent to the queue reviews: ", "SQS says {}."),
    (read, "The parameters below /kodiai/prod/webhook cannot be read: ", "SSM says {}."),
    (find, "The index of the memory cannot be used: ", "S3 Vectors says {}."),
    (embed, "The text cannot be embedded: ", "Bedrock says {}."),
    (forget, "The vector indexes cannot be listed: ", "S3 Vectors says {}: inside information"),
]


@pytest.mark.parametrize(("ask", "what", "why"), EDGES, ids=[ask.__name__ for ask, *_ in EDGES])
def test_an_edge_is_broken_where_aws_refuses_it_and_tries_again_where_it_is_busy_or_not_reached(
    ask: Callable[[str], None], what: str, why: str
) -> None:
    """AWS's own message may name accounts, so only what a person runs repeats it; its error stays as the cause."""
    answers: list[tuple[int, str, type[KodiaiError]]] = [
        (403, "AccessDeniedException", Broken),
        (503, "ServiceUnavailableException", Retry),
    ]
    for status, code, error in answers:
        with aws_that_says(status, code) as url, pytest.raises(error) as raised:
            ask(url)
        assert str(raised.value) == what + why.format(code)
        assert isinstance(raised.value.__cause__, ClientError)

    with pytest.raises(Retry) as unreached:
        ask(nobody_there())
    assert str(unreached.value) == f"{what}EndpointConnectionError."


@each_row(
    ("status", "code", "error"),
    [
        (400, "AccessDeniedException", Broken),
        (400, "InvalidKeyId", Broken),
        (400, "QueueDoesNotExist", Broken),
        (400, "ValidationException", Broken),
        (404, "ResourceNotFoundException", Broken),
        (400, "RequestThrottled", Retry),
        (400, "ThrottlingException", Retry),
        (400, "ProvisionedThroughputExceededException", Retry),
        (408, "ModelTimeoutException", Retry),
        (429, "TooManyRequestsException", Retry),
        (429, "ModelNotReadyException", Retry),
        (500, "Whatever", Retry),
        (503, "ServiceUnavailableException", Retry),
    ],
)
def test_a_code_or_a_status_says_whether_to_try_again(status: int, code: str, error: type[KodiaiError]) -> None:
    """A busy service becomes free by itself."""
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}

    with pytest.raises(error, match=rf"^It cannot be done: AWS says {code}\.$"), translated("It cannot be done", "AWS"):
        raise ClientError(answer, "Operation")  # type: ignore[arg-type]  # the rest of its metadata is not looked at


def test_missing_credentials_are_not_tried_again() -> None:
    """No later attempt has them."""
    refusal = r"^It cannot be done: Unable to locate credentials$"
    with pytest.raises(Broken, match=refusal), translated("It cannot be done", "AWS"):
        raise NoCredentialsError


def test_a_voyage_that_is_not_reached_is_tried_again() -> None:
    """A connection that fails is the world's business, not our bug."""
    with connect_voyage(SecretStr("key"), nobody_there()) as client, pytest.raises(Retry, match="Connect"):
        VoyageEmbeddings(client, "voyage-code-3").embed("text", "query")
