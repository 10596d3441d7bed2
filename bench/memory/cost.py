"""What the memory costs on AWS, calculated from published prices."""

from dataclasses import dataclass

_GB = 1024**3
_TB = 1024**4
_SMALLEST_PUT = 128 * 1024
_FIRST_TIER = 100_000  # vectors; what a query processes beyond them is cheaper


@dataclass(frozen=True)
class Prices:
    """US dollars, us-east-1. Sources: https://aws.amazon.com/s3/pricing/ and https://aws.amazon.com/bedrock/pricing/."""

    stored_gb_month: float = 0.06
    written_gb: float = 0.20
    million_queries: float = 2.50
    processed_tb: float = 0.004
    processed_tb_beyond: float = 0.002
    million_tokens: float = 0.02


@dataclass(frozen=True)
class Assumptions:
    """What 1,000 reviews do; sizes in bytes.

    `queries` of a review: one for the pull request, and one for each of six candidate findings.
    `writes` of a review: its new findings, and twice the outcomes of earlier ones, each one request.
    `filterable` and `text` are the metadata of a vector that a query may filter by, and the rest.
    """

    reviews: int = 1_000
    findings: int = 3
    queries: int = 7
    writes: int = 3
    months: int = 12
    vectors: int = 100_000
    tokens: int = 180
    vector: int = 4 * 1024
    key: int = 35
    filterable: int = 140
    text: int = 400


def costs(assumptions: Assumptions, prices: Prices) -> dict[str, float]:
    """US dollars for each part."""
    it = assumptions
    queries = it.reviews * it.queries
    compared = it.vector + it.key + it.filterable
    first, beyond = min(it.vectors, _FIRST_TIER), max(0, it.vectors - _FIRST_TIER)
    processed = compared * (first * prices.processed_tb + beyond * prices.processed_tb_beyond) / _TB
    stored = it.reviews * it.findings * (compared + it.text) / _GB
    # A request with the findings of one review is far below the smallest that is billed.
    written = it.reviews * it.writes * max(_SMALLEST_PUT, it.findings * (compared + it.text)) / _GB
    return {
        "embeddings": it.reviews * (it.queries + it.findings) * it.tokens / 1e6 * prices.million_tokens,
        "queries": queries / 1e6 * prices.million_queries,
        "data processed": queries * processed,
        "writes": written * prices.written_gb,
        f"storage of {it.months} months": stored * it.months * prices.stored_gb_month,
    }
