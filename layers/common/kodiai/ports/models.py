"""The models, as the flows reach them."""

from typing import Literal, Protocol

from kodiai.core.memory.remembered import Vector
from kodiai.core.model.messages import ModelAnswer, ModelRequest

EmbeddingPurpose = Literal["document", "query"]
"""The purpose of a vector: to be found later, or to find others."""


class Model(Protocol):
    """Claude."""

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Ask. Raises Retry where the API is busy, slow or cut off, Broken where the request or the key is wrong.

        Overloaded is the Retry of a model that has no room, whatever the others have. A request that is more than the
        model holds has an empty answer.
        """


class Embeddings(Protocol):
    """The model that turns texts into vectors."""

    def embed(self, text: str, purpose: EmbeddingPurpose) -> Vector:
        """Embed a text: to be found later (document), or to find others (query). Raises Retry and Broken."""
