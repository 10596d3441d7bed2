"""Which edges the functions get from their settings; nothing is asked."""

import pytest

from kodiai.core.config.settings import EmbeddingSettings
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings
from kodiai.edges.vectors import S3VectorIndex
from kodiai.wiring import _embeddings, _index


def settings(model: str, key: str = "") -> EmbeddingSettings:
    url = {"embeddings/voyage-base-url": "https://api.voyageai.com"}
    values = {"embeddings/model": model, "embeddings/voyage-api-key": key, **url}
    return EmbeddingSettings.from_parameters(values, "/kodiai")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("KODIAI_VECTOR_BUCKET", "kodiai-prod-memory")


@pytest.mark.parametrize(
    ("chosen", "kind"),
    [
        (settings("titan-embed-text-v2"), TitanEmbeddings),
        (settings("titan-embed-text-v2", "a key that is left"), TitanEmbeddings),
        (settings("voyage-code-3", "key"), VoyageEmbeddings),
    ],
)
def test_the_model_decides_about_the_edge_and_the_index(chosen: EmbeddingSettings, kind: type) -> None:
    """The index has its name from the model: vectors of different models never mix."""
    embeddings, index = _embeddings(chosen), _index(chosen)

    assert isinstance(embeddings, kind)
    assert isinstance(index, S3VectorIndex)
    assert index.name == f"{chosen.model}-1024"


def test_a_deployment_without_embeddings_has_no_index() -> None:
    """A review then remembers nothing."""
    assert (_embeddings(settings("off")), _index(settings("off"))) == (None, None)


def test_clients_outlive_an_event_until_a_setting_changes() -> None:
    """Building one takes some milliseconds, and a connection some more."""
    first = _embeddings(settings("voyage-code-3", "key"))

    again, rotated = (_embeddings(settings("voyage-code-3", key)) for key in ("key", "another key"))

    assert again is first
    assert rotated is not first
