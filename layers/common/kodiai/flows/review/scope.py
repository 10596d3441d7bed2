"""Scope: what of it is read in this run, and which findings of before are asked about again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.scope import Mode, Scope, Skipped, choose_scope
from kodiai.core.events.job import Trigger
from kodiai.core.findings.finding import rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.settings import Limits
from kodiai.flows.review.gather import Gathered

_MOST_ASKED_BACK = 30


@dataclass(frozen=True)
class Chosen:
    """What is read, and what is asked back; of `not_asked_back` findings there was no room for, which stay open."""

    scope: Scope
    asked_back: tuple[KnownFinding, ...] = ()
    not_asked_back: int = 0


def choose(gathered: Gathered, limits: Limits, trigger: Trigger) -> Chosen:
    """Choose the mode, the files and the findings; nothing is read where every hunk was read before."""
    mode, reason = _mode(gathered, trigger)
    scope = choose_scope(
        gathered.files,
        mode=mode,
        reason=reason,
        changed=_changed(gathered, mode),
        skip_paths=gathered.config.review.skip_paths,
        batch_tokens=limits.batch_tokens,
        read_files=limits.read_files,
    )
    if mode != "full":
        scope = _with_left_out(scope, gathered)
    if mode == "unchanged":
        return Chosen(scope)
    wanted = _to_ask_back(gathered)
    return Chosen(scope, wanted[:_MOST_ASKED_BACK], len(wanted[_MOST_ASKED_BACK:]))


def _changed(gathered: Gathered, mode: Mode) -> Mapping[str, Sequence[int]] | None:
    if mode == "full" or gathered.difference is None:
        return None
    return {} if mode == "unchanged" else gathered.difference.changed


def _with_left_out(scope: Scope, gathered: Gathered) -> Scope:
    """Name the files that no run has had room for: they do not stand as they were reviewed."""
    changed = gathered.difference.changed if gathered.difference else {}
    left = [
        Skipped(file.path, file.left_out)
        for file in gathered.snapshot.files
        if file.left_out and file.path not in changed
    ]
    return replace(scope, skipped=(*scope.skipped, *left), as_reviewed=scope.as_reviewed - len(left))


def _mode(gathered: Gathered, trigger: Trigger) -> tuple[Mode, str]:
    if trigger == "full_review":
        return "full", "requested"
    if gathered.previous_head is None:
        return "full", "no-prior-review"
    if gathered.previous_snapshot is None or gathered.difference is None:
        return "full", "snapshot-missing"
    if gathered.snapshot.config != gathered.previous_snapshot.config:
        return "full", "config-changed"
    return "incremental" if gathered.difference.is_new else "unchanged", f"since-{gathered.previous_head[:7]}"


def _to_ask_back(gathered: Gathered) -> tuple[KnownFinding, ...]:
    """The open findings whose code is not as it was, or of which people claim something; the gravest first.

    Of one that was restored nobody knows how its code was.
    """
    still = [each for each in gathered.known if each.status == "open" and not gathered.stances[each.id].settles]
    wanted = [
        each
        for each in still
        if gathered.stances[each.id].claim or each.id in gathered.restored or _is_elsewhere(gathered, each)
    ]
    return tuple(sorted((gathered.moved(each) for each in wanted), key=lambda each: rank(each.finding)))


def _is_elsewhere(gathered: Gathered, known: KnownFinding) -> bool:
    """Whether its code changed since the last run, or before that without an answer."""
    if known.hunk is None or gathered.is_touched(known):
        return gathered.is_touched(known)
    return known.hunk not in gathered.snapshot.hunks(gathered.path_now(known.finding.path))
