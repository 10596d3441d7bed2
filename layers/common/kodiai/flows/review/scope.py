"""Scope: what of it is read in this run, and which findings of before are asked about again."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from kodiai.core.changes.base import ATTRIBUTES, Base
from kodiai.core.changes.scope import Mode, Scope, choose_scope
from kodiai.core.code.identifiers import names_in
from kodiai.core.code.names import builtin
from kodiai.core.events.job import Trigger
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.repository.tree import Tree
from kodiai.core.review.input import ReviewInput
from kodiai.core.settings import Limits

_MOST_ASKED_BACK = 30
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Chosen:
    """What is read, and what is asked back; of `not_asked_back` findings there was no room for, which stay open."""

    scope: Scope
    asked_back: tuple[KnownFinding, ...] = ()
    not_asked_back: int = 0


def choose(gathered: ReviewInput, limits: Limits, trigger: Trigger, tree: Callable[[], Tree]) -> Chosen:
    """Choose the mode, the files and the findings; nothing is read where every hunk was read before.

    `tree` gives the files at the head; it is called only where they tell whether a file has to be read.
    """
    mode, reason = _mode(gathered, trigger)
    scope = choose_scope(
        gathered.files,
        mode=mode,
        reason=reason,
        changed=_changed(gathered, mode),
        first=_first(gathered, mode),
        skip_paths=gathered.config.review.skip_paths,
        base=cache(partial(_base, gathered, tree)),
        batch_tokens=limits.batch_tokens,
        read_files=limits.read_files,
    )
    if mode == "unchanged":
        return Chosen(scope)
    return asking_back(scope, gathered)


def asking_back(scope: Scope, gathered: ReviewInput) -> Chosen:
    """Choose the findings that are asked back, by what people say of them as far as it is known."""
    wanted = _to_ask_back(gathered)
    return Chosen(scope, wanted[:_MOST_ASKED_BACK], len(wanted[_MOST_ASKED_BACK:]))


def _changed(gathered: ReviewInput, mode: Mode) -> Mapping[str, Sequence[int]] | None:
    """The hunks that are new, and all of the files that earlier runs have left out, None where everything is read."""
    if mode == "full" or gathered.difference is None:
        return None
    changed = {} if mode == "unchanged" else gathered.difference.changed
    return {**changed, **{path: range(len(gathered.snapshot.hunks(path))) for path in gathered.snapshot.left_out}}


def _first(gathered: ReviewInput, mode: Mode) -> Collection[str]:
    """What goes before the rest: files that were left out; where all are read again, those that are new too."""
    if mode != "full" or gathered.difference is None:
        return gathered.snapshot.left_out
    return gathered.snapshot.left_out.union(gathered.difference.changed)


def _base(gathered: ReviewInput, tree: Callable[[], Tree]) -> Base:
    """The base branch's files; a `.gitattributes` that the pull request itself changes says nothing of them."""
    head = tree()
    is_touched = any(ATTRIBUTES in (file.path, file.previous_path) for file in gathered.files)
    attributes = b"" if is_touched else head.read(ATTRIBUTES) or b""
    return Base.under(head.paths(), attributes.decode("utf-8", "replace"), gathered.files)


def _mode(gathered: ReviewInput, trigger: Trigger) -> tuple[Mode, str]:
    if trigger == "full_review":
        return "full", "requested"
    if gathered.previous_head is None:
        return "full", "no-prior-review"
    if gathered.previous_snapshot is None or gathered.difference is None:
        return "full", "snapshot-missing"
    if gathered.snapshot.config != gathered.previous_snapshot.config:
        return "full", "config-changed"
    is_unchanged = not gathered.difference.is_new and not gathered.snapshot.waits
    return "unchanged" if is_unchanged else "incremental", f"since-{gathered.previous_head[:7]}"


def _to_ask_back(gathered: ReviewInput) -> tuple[KnownFinding, ...]:
    """The open findings whose code is not as it was, or of which people claim something, the most severe first.

    A fix may be elsewhere: new hunks that mention a name of a finding's code are reason enough.
    Of one that was restored nobody knows how its code was.
    """
    mentioned = _mentioned(gathered)
    still = [each for each in gathered.known if each.status == "open" and not gathered.stances[each.id].settles]
    wanted = [
        each
        for each in still
        if gathered.stances[each.id].claim
        or each.id in gathered.restored
        or _is_elsewhere(gathered, each)
        or not mentioned.isdisjoint(names_in_finding(each.finding))
    ]
    return tuple(sorted((gathered.moved(each) for each in wanted), key=lambda each: rank(each.finding)))


def _mentioned(gathered: ReviewInput) -> frozenset[str]:
    """The words on the changed lines of hunks that the last run did not see."""
    changed = gathered.difference.changed if gathered.difference else {}
    hunks = (file.hunks[at] for file in gathered.files if file.path in changed for at in changed[file.path])
    return frozenset(
        word for hunk in hunks for line in hunk.lines if line.marker != " " for word in _WORD.findall(line.text)
    )


def names_in_finding(finding: Finding) -> frozenset[str]:
    """The names in a finding's quote and cause that are worth looking for: neither short nor the language's own."""
    quoted = [(finding.path, finding.quote), *([(finding.cause.path, finding.cause.quote)] if finding.cause else [])]
    names = {name for path, quote in quoted for name in names_in(path, quote.split("\n"))}
    return frozenset(name for name in names if len(name) >= _SHORTEST_NAME and not builtin(finding.path, name))


def _is_elsewhere(gathered: ReviewInput, known: KnownFinding) -> bool:
    """Whether its code changed since the last run, or before that without an answer."""
    if known.hunk is None or gathered.is_touched(known):
        return gathered.is_touched(known)
    return known.hunk not in gathered.snapshot.hunks(gathered.path_now(known.finding.path))
