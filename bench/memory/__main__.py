"""How well remembered findings are found again, and what that takes: `python -m bench.memory`.

The corpus of bench/memory/repositories goes into an S3 Vectors index of the local AWS, with the local embedding, which
knows words and no meaning. `--bedrock` embeds with Amazon Titan (AWS credentials), `--voyage` with Voyage
(VOYAGE_API_KEY). The status is 1 if a hit is of a repository that was not asked for.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Iterator, Sequence

import boto3
from pydantic import SecretStr

from bench.memory import latency
from bench.memory.corpus import CorpusRepository, read_corpus
from bench.memory.cost import Assumptions, Prices, costs
from bench.memory.retrieval import (
    MOST_RECALLED,
    Answer,
    Distances,
    Retrieval,
    best_threshold,
    fill,
    hits,
    kept,
    leaks,
    quantile,
    recall,
    search,
)
from kodiai.core.config import Config
from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage
from kodiai.edges.vectors import S3VectorIndex
from kodiai.ports import Embeddings
from local.aws import LocalAws

_BUCKET = "bench"
_THRESHOLD = Config().knowledge.retrieval.distance_threshold
_CHARACTERS_A_TOKEN = 4.7  # AWS's average for English


def new_index(aws: LocalAws, name: str) -> S3VectorIndex:
    """Create an index as the template does."""
    client = aws.client("s3vectors")
    client.create_index(
        vectorBucketName=_BUCKET,
        indexName=name,
        dataType="float32",
        dimension=1024,
        distanceMetric="cosine",
        metadataConfiguration={"nonFilterableMetadataKeys": ["text"]},
    )
    return S3VectorIndex(client, _BUCKET, name)


def rows(corpus: Sequence[CorpusRepository], found: Retrieval) -> Iterator[str]:
    """What was found, in lines."""
    yield (
        f"{sum(len(each.findings) for each in corpus)} findings of {len(corpus)} repositories; "
        f"{len(found.reported_again)} reported again, {len(found.pull_requests)} pull requests"
    )
    yield ""
    yield f"{'recall@5':<34}{'all':>10}{f'within {_THRESHOLD}':>14}{'by chance':>12}"
    yield _recall("a problem that is reported again", found.reported_again)
    yield _recall("… among all repositories", found.everywhere, of=sum(len(each.findings) for each in corpus))
    yield _recall("a pull request", found.pull_requests)
    yield ""
    yield from _distance_rows(found.distances)
    yield ""
    asked = len(found.own)
    yield f"leaks: {leaks(found.own)} of {hits(found.own):,} hits of {asked:,} queries for one repository"
    yield (
        f"       {leaks(found.pooled)} of {hits(found.pooled):,} hits of {len(found.pooled)} queries for three "
        f"repositories that share; recall@5 {recall(found.pooled):.0%}"
    )


def _recall(name: str, answers: Sequence[Answer], of: int = 0) -> str:
    near = [
        Answer(each.asked, each.wanted, tuple(one for one in each.neighbors if one.distance <= _THRESHOLD))
        for each in answers
    ]
    chance = statistics.fmean(min(1.0, MOST_RECALLED / (of or len(each.neighbors))) for each in answers)
    return f"{name:<34}{recall(answers):>10.0%}{recall(near):>14.0%}{chance:>12.0%}"


def _distance_rows(distances: Distances) -> Iterator[str]:
    best = best_threshold(distances)
    most = quantile(distances.same_problem, 0.9)
    shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    thresholds = (_THRESHOLD, best, most)
    heads = "".join(f"{f'{share:.0%}':>7}" for share in shares) + "".join(
        f"{f'≤ {each:.2f}':>9}" for each in thresholds
    )
    yield f"{'cosine distance':<34}{'pairs':>7}{heads}"
    for name, values in (
        ("the same problem", distances.same_problem),
        ("the same kind, another problem", distances.same_kind),
        ("another kind", distances.other_kind),
        ("a pull request, what it recalls", distances.pull_request),
    ):
        cells = "".join(f"{quantile(values, share):>7.2f}" for share in shares)
        yield f"{name:<34}{len(values):>7,}{cells}" + "".join(f"{kept(values, each):>9.1%}" for each in thresholds)
    yield f"{best:.2f} separates the same problem best from all others; {most:.2f} keeps nine in ten of it."


def latency_rows(measured: Iterator[latency.Latency]) -> Iterator[str]:
    """How long queries take, in lines, as soon as each is measured."""
    yield f"{'vectors':>9}{'median ms':>12}{'p95 ms':>10}{'ratio':>8}{'MB':>8}"
    smallest = None
    for each in measured:
        smallest = smallest or each.median
        yield (
            f"{each.vectors:>9,}{each.median * 1000:>12.1f}{each.p95 * 1000:>10.1f}"
            f"{each.median / smallest:>8.1f}{each.memory / 1e6:>8.0f}"
        )
    yield f"A query asks for one repository of {latency.ONE_REPOSITORY}; the memory is of client and index together."


def cost_rows(assumptions: Assumptions) -> Iterator[str]:
    """What 1,000 reviews cost, in lines."""
    parts = costs(assumptions, Prices())
    yield from (f"{name:<34}${dollars:.4f}" for name, dollars in parts.items())
    yield f"{f'per {assumptions.reviews:,} reviews':<34}${sum(parts.values()):.4f}"
    yield f"assumed: {assumptions}"


def connect_embeddings(aws: LocalAws, options: argparse.Namespace) -> Embeddings:
    """The embeddings that were asked for."""
    if options.voyage:
        client = connect_voyage(SecretStr(os.environ["VOYAGE_API_KEY"]), "https://api.voyageai.com")
        return VoyageEmbeddings(client, "voyage-code-3")
    return TitanEmbeddings(boto3.client("bedrock-runtime") if options.bedrock else aws.client("bedrock-runtime"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all figures; 1 if anything leaked."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__.partition("\n")[0])
    real = parser.add_mutually_exclusive_group()
    real.add_argument("--bedrock", action="store_true", help="embed with Amazon Titan on Bedrock")
    real.add_argument("--voyage", action="store_true", help="embed with voyage-code-3, key in VOYAGE_API_KEY")
    parser.add_argument("--repositories", type=int, help="use only the first so many of the corpus")
    sizes = "the numbers of vectors among which a query is timed; none without a number"
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000], help=sizes)
    options = parser.parse_args(arguments)
    corpus = read_corpus()[: options.repositories]
    with LocalAws() as aws:
        aws.client("s3vectors").create_vector_bucket(vectorBucketName=_BUCKET)
        embeddings, index = connect_embeddings(aws, options), new_index(aws, "corpus")
        vectors = fill(corpus, embeddings, index)
        found = search(corpus, embeddings, index)
        print(*rows(corpus, found), sep="\n")
        if options.sizes:
            findings = [(each, vectors[each.key]) for one in corpus for each in one.remembered.values()]
            print()
            for row in latency_rows(latency.measure(new_index(aws, "growing"), findings, options.sizes)):
                print(row, flush=True)
    characters = statistics.fmean(len(finding.text) for each in corpus for finding in each.findings)
    print("", *cost_rows(Assumptions(tokens=round(characters / _CHARACTERS_A_TOKEN))), sep="\n")
    return 1 if leaks(found.own + found.pooled) else 0


if __name__ == "__main__":
    sys.exit(main())
