"""The services that embed texts: the real SDK and the real HTTP client over real HTTP."""

import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from kodiai.core.errors import Broken, KodiaiError, Retry
from kodiai.edges.aws import HASTY
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage
from kodiai.ports.models import EmbeddingPurpose, Embeddings
from local.aws import LocalAws
from local.aws.embeddings import embed
from local.server import Server
from tests.edges.deployed_aws import client_at
from tests.raw_server import RawAnswer, raw_answer, serving
from tests.tables import each_row

PURPOSES: tuple[EmbeddingPurpose, ...] = ("document", "query")
NUMBERS = [0.6, 0.8, *[0] * 1_022]


@contextmanager
def titan(url: str) -> Iterator[TitanEmbeddings]:
    with closing(client_at("bedrock-runtime", url, config=HASTY)) as client:
        yield TitanEmbeddings(client)


@contextmanager
def voyage(url: str) -> Iterator[VoyageEmbeddings]:
    with connect_voyage(SecretStr("pa-swordfish"), url) as client:
        yield VoyageEmbeddings(client, "voyage-code-3")


BOTH = pytest.mark.parametrize("edge", [titan, voyage])
Edge = Callable[[str], AbstractContextManager[Embeddings]]


def answer_of(edge: Edge, numbers: Any) -> dict[str, Any]:
    """An answer of the service with this embedding."""
    return {"embedding": numbers} if edge is titan else {"data": [{"index": 0, "embedding": numbers}]}


def embedded(edge: Edge, *answers: RawAnswer) -> list[float]:
    with serving(*answers) as (url, _), edge(url) as embeddings:
        return list(embeddings.embed("text", "query"))


@contextmanager
def recording() -> Iterator[tuple[str, list[tuple[str, str, str | None, Any]]]]:
    """The address of a Voyage, and the requests that it gets: method, path, authorization and body."""
    requests = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        asked = (request.method, request.url.path, request.headers.get("authorization"), await request.json())
        requests.append(asked)
        await JSONResponse(answer_of(voyage, NUMBERS))(scope, receive, send)

    server = Server(answer)
    server.start()
    try:
        yield server.url, requests
    finally:
        server.stop()


def test_titan_embeds_a_text_in_1024_normalized_numbers(aws: LocalAws) -> None:
    """A document and a query of the same words are the same."""
    embeddings = TitanEmbeddings(aws.client("bedrock-runtime"))

    document, query = [embeddings.embed("The loop never ends", purpose) for purpose in PURPOSES]

    assert document == query == embed("The loop never ends")
    assert math.isclose(math.hypot(*document), 1)
    assert len(document) == 1_024


def test_voyage_is_told_what_a_text_is_embedded_for() -> None:
    """With its model, the dimensions of the index and the key."""
    with recording() as (url, requests), voyage(url) as embeddings:
        found = [embeddings.embed("The loop never ends", purpose) for purpose in PURPOSES]

    asked = {"input": ["The loop never ends"], "model": "voyage-code-3", "output_dimension": 1_024}
    assert requests == [
        ("POST", "/v1/embeddings", "Bearer pa-swordfish", {**asked, "input_type": "document"}),
        ("POST", "/v1/embeddings", "Bearer pa-swordfish", {**asked, "input_type": "query"}),
    ]
    assert found == [NUMBERS, NUMBERS]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x" * 8_001, "x" * 8_000),
        ("数" * 3_000, "数" * 2_666),
        ("a lone \ud800", "a lone ?"),
    ],
)
def test_a_text_is_cut_to_what_every_model_takes(aws: LocalAws, text: str, cut: str) -> None:
    """8,000 bytes are at most 8,000 tokens, in every script; what is no Unicode is not sent."""
    with recording() as (url, requests), voyage(url) as embeddings:
        embeddings.embed(text, "document")
    by_titan = TitanEmbeddings(aws.client("bedrock-runtime")).embed(text, "document")

    assert requests[0][3]["input"] == [cut]
    assert by_titan == embed(cut)


@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        *([*NUMBERS[:-1], *rest] for rest in ([], [0.0, 0.0], [math.nan], ["0.5"], [True])),
        None,
        *(b"", b"[]", b"{", b'{"data": [], "embedding": "no"}', b"<html>", b"\xff"),
    ],
)
def test_an_answer_without_1024_finite_numbers_is_broken(edge: Edge, answer: Any) -> None:
    """The index would refuse it, or it would be near to nothing."""
    body = answer if isinstance(answer, bytes) else json.dumps(answer_of(edge, answer)).encode()

    with pytest.raises(Broken, match=r"^The answer is no embedding of 1,024 numbers\.$"):
        embedded(edge, raw_answer(body=body))


@BOTH
def test_whole_numbers_are_numbers(edge: Edge) -> None:
    """JSON does not distinguish 0 from 0.0."""
    assert embedded(edge, raw_answer(body=json.dumps(answer_of(edge, NUMBERS)).encode())) == NUMBERS


@each_row(
    ("answer", "error", "text"),
    [
        (raw_answer(400), Broken, "The text cannot be embedded: Voyage says 400."),
        (raw_answer(302), Broken, "The text cannot be embedded: Voyage says 302."),
        (raw_answer(401), Broken, "The Voyage key is not accepted: look at the parameter embeddings/voyage-api-key."),
        (raw_answer(403), Broken, "The Voyage key is not accepted: look at the parameter embeddings/voyage-api-key."),
        (raw_answer(429), Retry, "The text cannot be embedded: Voyage says 429."),
        (raw_answer(500), Retry, "The text cannot be embedded: Voyage says 500."),
        (raw_answer(503), Retry, "The text cannot be embedded: Voyage says 503."),
        (raw_answer(body=b"{", missing=5), Retry, "The text cannot be embedded: Voyage: RemoteProtocolError."),
    ],
)
def test_a_refusal_of_voyage_is_broken_or_tried_again(answer: RawAnswer, error: type[KodiaiError], text: str) -> None:
    """A person can change a key; a busy service becomes free by itself."""
    with pytest.raises(error) as raised:
        embedded(voyage, answer)

    assert str(raised.value) == text


def test_voyage_says_when_it_may_be_asked_again() -> None:
    """As every HTTP service does."""
    with pytest.raises(Retry) as raised:
        embedded(voyage, raw_answer(429, headers={"retry-after": "7"}))

    assert raised.value.after_seconds == 7


def test_a_service_that_hangs_is_asked_once_for_two_seconds() -> None:
    """A review does not wait longer for what it can do without; a second try would double the time."""
    hangs = raw_answer(missing=10, body=b"{", stalls=True)

    def seconds(edge: Edge) -> tuple[float, int]:
        with serving(hangs, hangs) as (url, server), edge(url) as embeddings:
            began = time.monotonic()
            with pytest.raises(Retry):
                embeddings.embed("text", "query")
            return time.monotonic() - began, len(server.asked)

    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(seconds, (titan, voyage)))

    assert [tries for _, tries in taken] == [1, 1]
    assert all(1.9 < each < 2.9 for each, _ in taken)


def test_titan_embeds_a_text_once_whatever_it_is_for() -> None:
    """Most findings that a review remembers were looked for before."""
    with (
        serving(raw_answer(body=json.dumps(answer_of(titan, NUMBERS)).encode())) as (url, server),
        titan(url) as embeddings,
    ):
        vectors = [embeddings.embed("text", purpose) for purpose in PURPOSES]

    assert vectors == [NUMBERS, NUMBERS]
    assert len(server.asked) == 1
