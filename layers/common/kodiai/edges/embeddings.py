"""The services that embed texts: Amazon Titan on Bedrock, and Voyage.

APIs: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html and
https://docs.voyageai.com/reference/embeddings-api
"""

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import httpx
from pydantic import Field, SecretStr, TypeAdapter

from kodiai.core.config.settings import EMBEDDING_DIMENSIONS
from kodiai.core.errors import Broken, Retry
from kodiai.core.memory.remembered import Vector
from kodiai.edges.aws import HASTY, connect, translated
from kodiai.edges.calls import CallLog
from kodiai.edges.https import read_retry_after, trusted

if TYPE_CHECKING:
    from kodiai.ports.models import EmbeddingPurpose

_TITAN = "amazon.titan-embed-text-v2:0"
# Titan takes 8,192 tokens and 50,000 characters, Voyage more. A token is at least one byte.
_MOST_BYTES = 8_000
# A vector takes some 33 kB.
_MOST_KEPT = 200
_TIMEOUT = httpx.Timeout(2, connect=1)

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_VECTOR = TypeAdapter[list[float]](
    Annotated[list[_Number], Field(min_length=EMBEDDING_DIMENSIONS, max_length=EMBEDDING_DIMENSIONS)],
)


def connect_bedrock() -> Any:
    """Connect to Bedrock, with short time-outs and no retry."""
    return connect("bedrock-runtime", HASTY)


class TitanEmbeddings:
    """The port `Embeddings`: Amazon Titan Text Embeddings V2 on Bedrock, which knows no documents and queries.

    A text is embedded once, its first 8,000 bytes: findings that a review remembers may have been looked for before.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._kept = lru_cache(_MOST_KEPT)(self._embedded)

    def embed(self, text: str, purpose: "EmbeddingPurpose") -> Vector:  # noqa: ARG002 - the port gives it
        return self._kept(text)

    def _embedded(self, text: str) -> Vector:
        request = {"inputText": _cut(text), "dimensions": EMBEDDING_DIMENSIONS, "normalize": True}
        with translated("The text cannot be embedded", "Bedrock"):
            answer = self._client.invoke_model(
                modelId=_TITAN, body=json.dumps(request), contentType="application/json", accept="application/json"
            )
            body = answer["body"].read()
        return _vector(body, "embedding")


def connect_voyage(api_key: SecretStr, base_url: str) -> httpx.Client:
    """Connect to Voyage, with short time-outs and no retry."""
    headers = {"Authorization": f"Bearer {api_key.get_secret_value()}"}
    return httpx.Client(base_url=base_url, headers=headers, timeout=_TIMEOUT, verify=trusted())


class VoyageEmbeddings:
    """The port `Embeddings`: the first 8,000 bytes of a text, by a model of Voyage that may give 1,024 dimensions."""

    def __init__(self, client: httpx.Client, model: str) -> None:
        self._client = client
        self._model = model

    def embed(self, text: str, purpose: "EmbeddingPurpose") -> Vector:
        request = {
            "input": [_cut(text)],
            "model": self._model,
            "input_type": purpose,
            "output_dimension": EMBEDDING_DIMENSIONS,
        }
        with CallLog("voyage") as calls:
            calls.sent("POST /v1/embeddings")
            try:
                response = self._client.post("/v1/embeddings", json=request)
            except httpx.HTTPError as error:
                raise Retry(f"The text cannot be embedded: Voyage: {type(error).__name__}.") from error
            calls.answered(status=response.status_code)
        _check(response)
        return _vector(response.content, "data", 0, "embedding")


def _check(response: httpx.Response) -> None:
    """Raise Retry where Voyage is busy, Broken where it refuses us: https://docs.voyageai.com/docs/error-codes ."""
    if response.is_success:
        return
    status = response.status_code
    if status in (401, 403):
        raise Broken("The Voyage key is not accepted: look at the parameter embeddings/voyage-api-key.")
    text = f"The text cannot be embedded: Voyage says {status}."
    if status in (408, 429) or response.is_server_error:
        raise Retry(text, read_retry_after(response.headers.get("retry-after", "")))
    raise Broken(text)


def _cut(text: str) -> str:
    """The start of a text; what is no Unicode is replaced."""
    return text.encode(errors="replace")[:_MOST_BYTES].decode(errors="ignore")


def _vector(body: bytes, *place: str | int) -> Vector:
    """Read the embedding at a place of an answer. Raises Broken."""
    try:
        found = json.loads(body)
        for step in place:
            found = found[step]
        return _VECTOR.validate_python(found)
    except (ValueError, LookupError, TypeError) as error:  # a ValidationError is a ValueError
        raise Broken(f"The answer is no embedding of {EMBEDDING_DIMENSIONS:,} numbers.") from error
