"""A candidate: a reported finding that the judge decides about."""

from dataclasses import dataclass

from kodiai.core.findings.finding import Finding


@dataclass(frozen=True)
class Candidate:
    """A reported finding at the lines where its code stands.

    `number` is its place in the run, from 1. `stands` is whether its quote is in the code; `brought` whether the
    change touches its lines or its cause. `lost_replacement` is whether its replacement was made for other lines.
    `notes` are facts about its code.
    `twins` are the ids of earlier findings about the same lines; `presumed` is the one of them that it is by path, code
    and category, unless the judge says that it is another problem.
    """

    number: int
    reviewer: str
    finding: Finding
    stands: bool = True
    brought: bool = True
    lost_replacement: bool = False
    notes: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    presumed: str | None = None
