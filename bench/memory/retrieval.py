"""What a search for remembered findings returns: recall, distances, and hits of repositories not asked for."""

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from bench.memory.corpus import CorpusRepository
from kodiai.core.memory.remembered import Neighbor, Vector
from kodiai.ports import Embeddings, VectorIndex

MOST_RECALLED = 5
_MOST_FOUND = 100  # the most that a query returns, and more findings than any repository here has


@dataclass(frozen=True)
class Answer:
    """What one query found, nearest first.

    `asked` are the ids of the repositories that it may find, `wanted` the keys of the findings that it should find.
    """

    asked: frozenset[int]
    wanted: frozenset[str]
    neighbors: tuple[Neighbor, ...]

    @property
    def recall(self) -> float:
        """The share of the wanted findings that are among the first five."""
        first = {neighbor.remembered.key for neighbor in self.neighbors[:MOST_RECALLED]}
        return len(first & self.wanted) / len(self.wanted)

    @property
    def leaked(self) -> int:
        """How many hits are of repositories that it must not find."""
        return sum(neighbor.remembered.repository_id not in self.asked for neighbor in self.neighbors)


@dataclass(frozen=True)
class Distances:
    """Cosine distances, sorted: of the second report of a problem to the findings of its repository.

    `pull_request` are those of pull requests to the findings that they should recall.
    """

    same_problem: tuple[float, ...]
    same_kind: tuple[float, ...]
    other_kind: tuple[float, ...]
    pull_request: tuple[float, ...]


@dataclass(frozen=True)
class Retrieval:
    """All answers. `known` asked for the findings themselves, `everywhere` for second reports among all repositories.

    `pooled` are second reports of three repositories that share, each asked for all three.
    """

    reported_again: tuple[Answer, ...]
    everywhere: tuple[Answer, ...]
    pull_requests: tuple[Answer, ...]
    known: tuple[Answer, ...]
    pooled: tuple[Answer, ...]
    distances: Distances

    @property
    def own(self) -> tuple[Answer, ...]:
        """The answers to all queries that asked for one repository."""
        return self.reported_again + self.pull_requests + self.known


def fill(corpus: Sequence[CorpusRepository], embeddings: Embeddings, index: VectorIndex) -> dict[str, Vector]:
    """Put the whole corpus into the index; the vectors by key."""
    vectors = {}
    for repository in corpus:
        remembered = repository.remembered
        found = [(remembered[each.id], embeddings.embed(each.text, "document")) for each in repository.findings]
        index.put(found)
        vectors.update({each.key: vector for each, vector in found})
    return vectors


def search(corpus: Sequence[CorpusRepository], embeddings: Embeddings, index: VectorIndex) -> Retrieval:
    """Ask with everything there is: second reports, pull requests, and the findings themselves."""
    again, everywhere, pulls, known, pooled = [], [], [], [], []
    distances: dict[str, list[float]] = {field.name: [] for field in fields(Distances)}
    ids = [repository.id for repository in corpus]
    sharing = ids[:3]

    def ask(text: str, asked: Sequence[int], wanted: Iterable[str]) -> Answer:
        neighbors = index.nearest(embeddings.embed(text, "query"), asked, _MOST_FOUND)
        return Answer(frozenset(asked), frozenset(wanted), neighbors)

    for repository in corpus:
        own = [repository.id]
        keys = {name: remembered.key for name, remembered in repository.remembered.items()}
        kinds = {keys[finding.id]: finding.kind for finding in repository.findings}
        for finding in repository.findings:
            key = keys[finding.id]
            known.append(ask(finding.text, own, [key]))
            if finding.again is None:
                continue
            answer = ask(finding.again.text, own, [key])
            again.append(answer)
            everywhere.append(ask(finding.again.text, ids, [key]))
            for neighbor in answer.neighbors:
                other = neighbor.remembered.key
                is_same = "same_problem" if other == key else "same_kind" if kinds.get(other) == finding.kind else ""
                distances[is_same or "other_kind"].append(neighbor.distance)
            if repository.id in sharing:
                pooled.append(ask(finding.again.text, sharing, [key]))
        for pull in repository.pull_requests:
            answer = ask(pull.text, own, [keys[each] for each in pull.recalls])
            pulls.append(answer)
            distances["pull_request"] += [
                neighbor.distance for neighbor in answer.neighbors if neighbor.remembered.key in answer.wanted
            ]
    return Retrieval(
        tuple(again),
        tuple(everywhere),
        tuple(pulls),
        tuple(known),
        tuple(pooled),
        Distances(**{name: tuple(sorted(values)) for name, values in distances.items()}),
    )


def recall(answers: Iterable[Answer]) -> float:
    """The mean recall among the first five."""
    return statistics.fmean(answer.recall for answer in answers)


def leaks(answers: Iterable[Answer]) -> int:
    """How many hits are of repositories that were not asked for."""
    return sum(answer.leaked for answer in answers)


def hits(answers: Iterable[Answer]) -> int:
    """How many findings were found, wanted or not."""
    return sum(len(answer.neighbors) for answer in answers)


def kept(distances: Sequence[float], threshold: float) -> float:
    """The share of distances that a threshold keeps."""
    return sum(distance <= threshold for distance in distances) / len(distances)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest of the sorted values that at least this share of them does not exceed."""
    return next(value for count, value in enumerate(values, start=1) if count >= share * len(values))


def best_threshold(distances: Distances) -> float:
    """The threshold at which the share of kept pairs is highest for the same problem less that of all others."""
    others = sorted(itertools.chain(distances.same_kind, distances.other_kind))
    return max(distances.same_problem, key=lambda each: kept(distances.same_problem, each) - kept(others, each))
