"""The corpus of the retrieval benchmark, and what the benchmark counts."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest

from bench.memory.__main__ import main
from bench.memory.corpus import CorpusFinding, CorpusRepository, PullRequest, Report, read_corpus
from bench.memory.cost import Assumptions, Prices, costs
from bench.memory.latency import measure
from bench.memory.retrieval import Distances, best_threshold, fill, hits, kept, leaks, quantile, recall, search
from kodiai.core.findings.finding import Finding
from kodiai.core.memory.outcome import embedded_text
from kodiai.core.memory.remembered import Neighbor, RememberedFinding, Vector
from kodiai.ports import EmbeddingPurpose

CORPUS = read_corpus()
_SEQUENCE = 8  # words
_MOST_SHARED = 0.1  # of the sequences of three words


def reports(repository: CorpusRepository) -> list[Report]:
    again = [finding.again for finding in repository.findings]
    return [*repository.findings, *(each for each in again if each is not None)]


def sequences(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return set(zip(*(words[start:] for start in range(length)), strict=False))


def test_the_corpus_is_large_and_varied() -> None:
    """Enough repositories, findings, second reports and pull requests; most kinds are in several repositories."""
    findings = [(repository.repository, finding) for repository in CORPUS for finding in repository.findings]
    kinds = Counter(kind for kind, _ in {(finding.kind, name) for name, finding in findings})

    assert len(CORPUS) >= 20
    assert len(findings) >= 500
    assert sum(finding.again is not None for _, finding in findings) >= 150
    assert sum(len(repository.pull_requests) for repository in CORPUS) >= 60
    assert len({repository.language for repository in CORPUS}) >= 10
    assert sum(repositories >= 5 for repositories in kinds.values()) >= 15


@pytest.mark.parametrize("repository", CORPUS, ids=lambda repository: repository.repository)
def test_texts_have_the_length_of_findings(repository: CorpusRepository) -> None:
    """Titles, problems and mechanisms are as long as those of reviewers; a second report may be shorter."""
    words = [(len(each.problem.split()), len(each.mechanism.split())) for each in reports(repository)]

    assert all(len(each.title) <= 80 for each in reports(repository))
    assert all(problem <= 45 and mechanism <= 120 for problem, mechanism in words)
    assert all(len(finding.mechanism.split()) >= 60 for finding in repository.findings)
    assert all(mechanism >= 30 for _, mechanism in words)


@pytest.mark.parametrize("repository", CORPUS, ids=lambda repository: repository.repository)
def test_ids_are_unique_and_pull_requests_name_known_ones(repository: CorpusRepository) -> None:
    """A pull request recalls one to three findings; a second report is about another file."""
    ids = [finding.id for finding in repository.findings]

    assert len(set(ids)) == len(ids)
    assert all(1 <= len(set(pull.recalls) & set(ids)) == len(pull.recalls) <= 3 for pull in repository.pull_requests)
    assert all(finding.again.path != finding.path for finding in repository.findings if finding.again)


def test_no_repository_is_there_twice() -> None:
    """A repository's name is its id in the index."""
    names = [repository.repository for repository in CORPUS]

    assert len(set(names)) == len(names)


def test_no_text_repeats_another() -> None:
    """No two texts have eight words in a row in common, nor many sequences of three."""
    texts = [each.text for repository in CORPUS for each in reports(repository)]
    where = defaultdict(set)
    for number, text in enumerate(texts):
        for sequence in sequences(text, _SEQUENCE):
            where[sequence].add(number)
    short = [sequences(text, 3) for text in texts]
    common: Counter[tuple[int, int]] = Counter()
    owners = defaultdict(list)
    for number, found in enumerate(short):
        for sequence in found:
            owners[sequence].append(number)
    for numbers in owners.values():
        common.update(itertools.combinations(numbers, 2))

    repeated = [" ".join(sequence) for sequence, numbers in where.items() if len(numbers) > 1]
    alike = [
        (texts[one], texts[other])
        for (one, other), count in common.items()
        if count > _MOST_SHARED * min(len(short[one]), len(short[other]))
    ]

    assert repeated == []
    assert alike == []


def test_the_text_of_a_finding_is_the_one_that_the_product_embeds() -> None:
    """Otherwise the figures would be about other texts."""
    each = CORPUS[0].findings[0]
    finding = Finding(
        severity=each.severity,
        category=each.category,
        kind="impact",
        path=each.path,
        start_line=1,
        end_line=1,
        title=each.title,
        explanation=each.mechanism,
        problem=each.problem,
        quote="",
    )

    assert each.text == embedded_text(finding)


# A hand-made case: a text is embedded as the letter that it begins with, and letters are as far as they are.


class LetterEmbeddings:
    def embed(self, text: str, purpose: EmbeddingPurpose) -> Vector:
        assert purpose in {"document", "query"}
        return [float(ord(text[0]))]


class LetterIndex:
    """An index over one number; `filters` is what the real one always does."""

    name = "letters"

    def __init__(self, *, filters: bool = True) -> None:
        self._filters = filters
        self.found: list[tuple[RememberedFinding, Vector]] = []

    def nearest(
        self, vector: Vector, repository_ids: Sequence[int], most: int, *, only_judged: bool = False
    ) -> tuple[Neighbor, ...]:
        readable = [
            Neighbor(finding, abs(stored[0] - vector[0]) / 10)
            for finding, stored in self.found
            if (not self._filters or finding.repository_id in repository_ids) and (finding.is_judged or not only_judged)
        ]
        return tuple(sorted(readable, key=lambda each: each.distance)[:most])

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
        self.found += findings

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        return {finding.key: vector for finding, vector in self.found if finding.key in keys}

    def delete(self, keys: Sequence[str]) -> None:
        self.found = [each for each in self.found if each[0].key not in keys]


def report(title: str) -> Report:
    return Report(path="again.py", title=title, problem="p", mechanism="m")


def finding(name: str, kind: str, again: str = "") -> CorpusFinding:
    return CorpusFinding(
        id=name,
        severity="MINOR",
        category="style",
        kind=kind,
        path="a.py",
        title=name,
        problem="p",
        mechanism="m",
        again=report(again) if again else None,
    )


def repository(name: str, findings: Sequence[CorpusFinding], *pulls: PullRequest) -> CorpusRepository:
    return CorpusRepository(
        repository=name, language="Python", about="tests", findings=tuple(findings), pull_requests=pulls
    )


# "b again" is next to "b", but "g again" is further from "a" than five others are.
LETTERS = (
    repository(
        "o/one",
        [finding("a", "first", again="g again"), finding("b", "second", again="b again"), finding("c", "second")]
        + [finding(name, "third") for name in "defg"],
        PullRequest(title="a", paths=(), symbols=(), recalls=("a", "g")),
    ),
    repository("o/two", [finding("a", "first")]),
)


def test_recall_and_distances_of_a_hand_made_case() -> None:
    """Of two second reports one is found; of the two findings that the pull request should recall, one is."""
    index = LetterIndex()
    fill(LETTERS, LetterEmbeddings(), index)

    found = search(LETTERS, LetterEmbeddings(), index)

    assert recall(found.reported_again) == 0.5
    assert recall(found.everywhere) == 0.5
    assert recall(found.pull_requests) == 0.5
    assert recall(found.known) == 1.0
    assert found.distances == Distances(
        same_problem=(0.0, 0.6),
        same_kind=(0.1,),
        other_kind=(0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5),
        pull_request=(0.0, 0.6),
    )
    assert (leaks(found.own), leaks(found.pooled), hits(found.pooled)) == (0, 0, 16)


def test_a_hit_of_a_repository_that_was_not_asked_for_is_a_leak() -> None:
    """An index that does not filter leaks one hit for each of the ten queries for the first, seven for the second."""
    index = LetterIndex(filters=False)
    fill(LETTERS, LetterEmbeddings(), index)

    found = search(LETTERS, LetterEmbeddings(), index)

    assert leaks(found.own) == 10 + 7


def test_a_threshold_keeps_what_is_not_further_away() -> None:
    """The best threshold is where the same problem is kept most and everything else least."""
    distances = Distances((0.1, 0.2, 0.6), (0.3, 0.5), (0.4, 0.7, 0.8), (0.9,))

    assert kept(distances.same_problem, 0.2) == 2 / 3
    assert quantile(distances.same_problem, 0.5) == 0.2
    assert quantile(distances.same_problem, 0.9) == 0.6
    assert best_threshold(distances) == 0.2


def test_an_index_grows_to_each_size_and_is_asked_for_one_repository() -> None:
    """Copies have keys of their own, so that no one overwrites another."""
    index = LetterIndex()
    fill(LETTERS, LetterEmbeddings(), index)
    copied, index.found = index.found, []

    measured = list(measure(index, copied, [1_200, 600]))

    assert [each.vectors for each in measured] == [600, 1_200]
    assert len({each.key for each, _ in index.found}) == 1_200
    assert len(index.nearest([0.0], [0], 1_000)) == 500


def test_costs_follow_from_prices_and_assumptions() -> None:
    """A write is billed as 128 KB at least, and vectors beyond 100,000 are compared at a lower price."""
    assumptions = Assumptions(
        reviews=1_000, findings=2, queries=5, writes=2, months=10, vectors=200_000, tokens=100, vector=4_000, key=0,
        filterable=0, text=0,
    )  # fmt: skip
    prices = Prices(
        stored_gb_month=1, written_gb=8, million_queries=1_000, processed_tb=2, processed_tb_beyond=1, million_tokens=1
    )

    assert costs(assumptions, prices) == pytest.approx(
        {
            "embeddings": 0.7,
            "queries": 5.0,
            "data processed": 5_000 * 4_000 * 300_000 / 1024**4,
            "writes": 2_000 / 1024,
            "storage of 10 months": 8_000_000 / 1024**3 * 10,
        }
    )


def test_the_program_prints_all_figures_and_finds_no_leak(capsys: pytest.CaptureFixture[str]) -> None:
    """Three repositories through the real edges, over HTTP, into an index of the local AWS."""
    findings = sum(len(each.findings) for each in CORPUS[:3])
    again = sum(finding.again is not None for each in CORPUS[:3] for finding in each.findings)
    pulls = sum(len(each.pull_requests) for each in CORPUS[:3])
    queries = {each.repository: len(reports(each)) + len(each.pull_requests) for each in CORPUS[:3]}
    found = sum(len(each.findings) * queries[each.repository] for each in CORPUS[:3])

    status = main(["--repositories", "3", "--sizes", "50"])

    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert status == 0
    assert lines[0] == f"{findings} findings of 3 repositories; {again} reported again, {pulls} pull requests"
    assert f"leaks: 0 of {found:,} hits of {findings + again + pulls} queries for one repository" in lines
    assert f"       0 of {again * findings:,} hits of {again} queries for three repositories that share" in printed
    assert re.search(r"(?m)^ +50 +\d+\.\d +\d+\.\d +1\.0 +\d+$", printed)
    assert re.search(r"(?m)^per 1,000 reviews +\$0\.\d{4}$", printed)
