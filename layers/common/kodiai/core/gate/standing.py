"""The standing of pull requests: what their check runs say, and the commits whose check runs depend on several."""

from collections.abc import Mapping
from dataclasses import dataclass

from kodiai.core.gate.gate import PASSING, Conclusion, worst

Heads = Mapping[int, str]
"""Pull requests by their numbers, each with its head."""


@dataclass(frozen=True)
class Standing:
    """The statement of the check run of a pull request's head, and whether the pull request is open."""

    head: str
    check_id: str | None
    conclusion: Conclusion
    title: str
    is_open: bool = True


@dataclass(frozen=True)
class OpenedGate:
    """A person's decision to let a head pass, whatever its review says; `by` is their login."""

    head: str
    by: str
    why: str


@dataclass(frozen=True)
class Mirror:
    """A commit whose check run shows the standings of several pull requests.

    It is the head that they share, or a commit of a merge queue.
    """

    commit: str
    heads: Heads

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its pull requests."""
        return tuple(sorted(self.heads))

    @property
    def is_shared_head(self) -> bool:
        """Whether the commit is the head of the pull requests itself."""
        return set(self.heads.values()) == {self.commit}


@dataclass(frozen=True)
class Member:
    """A pull request in a mirror, as the ledger has it. `is_under_review` is whether a run has begun and not ended."""

    standing: Standing | None
    is_under_review: bool
    mirrors: tuple[Mirror, ...] = ()

    def standing_at(self, head: str) -> Standing | None:
        """The standing, None if it is that of another head, or of a pull request that is closed."""
        found = self.standing
        return found if found is not None and found.head == head and found.is_open else None


@dataclass(frozen=True)
class Standings:
    """The standings of the pull requests in a mirror, by their numbers.

    `pending` are under review, `unknown` were not reviewed at their head. In a head that is shared neither counts:
    each of these pull requests gets a check run of its own when its review ends.
    """

    known: Mapping[int, Standing]
    pending: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()

    @property
    def worst(self) -> tuple[int, Conclusion] | None:
        """The pull request with the worst conclusion, the first of several; None if none is known."""
        if not self.known:
            return None
        conclusion = worst(each.conclusion for each in self.known.values())
        return next((number, conclusion) for number, each in self.known.items() if each.conclusion == conclusion)

    @property
    def conclusion(self) -> Conclusion | None:
        """The conclusion of the check run, None while a review goes on that may still make it worse."""
        found = self.worst
        if found is None or (self.pending and found[1] in PASSING):
            return None
        return found[1]


def standings(mirror: Mirror, members: Mapping[int, Member]) -> Standings:
    """Sort the pull requests of a mirror by what is known of them."""
    known, pending, unknown = {}, [], []
    for number, head in sorted(mirror.heads.items()):
        member = members[number]
        if (found := member.standing_at(head)) is not None:
            known[number] = found
        elif mirror.is_shared_head:
            continue
        elif member.is_under_review:
            pending.append(number)
        else:
            unknown.append(number)
    return Standings(known, tuple(pending), tuple(unknown))
