"""Check: the check run of a head, which says that the work has begun, and how it ended."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from kodiai.core.errors import Refused
from kodiai.core.findings.finding import Finding
from kodiai.core.pull_request import PullRequest
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.run import Run
from kodiai.core.words import check as words
from kodiai.core.words.secrets import masked
from kodiai.flows.world import World

# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_NOTE = 16_000


def open_check(world: World, run: Run, pull_request: PullRequest, *, resumed: bool) -> Run:
    """Show that the work has begun, in the check run that an earlier try has opened or in a new one.

    On the last try the check run is closed before the work: should this one be killed too, nobody is left to do it.
    """
    said = Check(*words.LAST_TRY, conclusion="neutral") if world.turn.is_last else Check(*words.STARTED)
    if resumed:
        run = find_check(world, run, pull_request)
    if world.settings.github.dry_run:
        return run
    if run.check_id is None:
        check_id = world.github.start_check(run.head, _external_id(run, pull_request), said)
        return _noted(world, run, check_id)
    with suppress(Refused):  # who may not show it may still review
        world.github.update_check(run.check_id, said)
    return run


def find_check(world: World, run: Run, pull_request: PullRequest) -> Run:
    """Know the check run of a run: it may have been opened without having been written down."""
    if run.check_id is not None or world.settings.github.dry_run:
        return run
    return _noted(world, run, world.github.find_check(run.head, _external_id(run, pull_request)))


def _noted(world: World, run: Run, check_id: str | None) -> Run:
    if check_id is None:
        return run
    world.ledger.note_check(run.id, check_id)
    return replace(run, check_id=check_id)


def _external_id(run: Run, pull_request: PullRequest) -> str:
    return f"{pull_request.repository}#{pull_request.number}@{run.id}"


def close_check(world: World, run: Run, said: tuple[str, str]) -> None:
    """Show why there is no review."""
    if run.check_id is not None:
        world.github.update_check(run.check_id, Check(*said, conclusion="neutral"))


def annotations(findings: Iterable[Finding]) -> tuple[Annotation, ...]:
    """Notes on findings that no inline comment carries."""
    return tuple(map(_annotation, findings))


def _annotation(finding: Finding) -> Annotation:
    message = "\n\n".join(filter(None, (finding.problem or finding.explanation, finding.fix)))
    return Annotation(
        path=finding.path,
        start_line=finding.start_line,
        end_line=finding.end_line,
        level="warning" if finding.blocks else "notice",
        title=masked(f"[{finding.severity}] {finding.title}")[:255],
        message=masked(message)[:_LONGEST_NOTE],
    )
