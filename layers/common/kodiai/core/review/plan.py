"""Plan a review: what is read in which batches, by whom, and which earlier findings are asked about again."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.generated import ATTRIBUTES, BaseBranch
from kodiai.core.changes.scope import Scope, choose_scope
from kodiai.core.code.identifiers import names_in
from kodiai.core.code.names import is_builtin
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.model.messages import Text
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.file_changes import change_since
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.material import Material, earlier_block, material
from kodiai.core.review.moved import moved_code
from kodiai.core.reviewers import Reviewer, reviewers
from kodiai.core.settings import Limits

_MOST_ASKED_BACK = 30
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Batch:
    """Files that are shown together: what all requests about them begin with, and who reads them.

    `earlier` shows the earlier findings that the first reviewer answers about, whose ids are `asked_back`.
    `again` is whether the rest of the pull request was reviewed before.
    """

    files: Sequence[ChangedFile]
    reviewers: Sequence[Reviewer]
    material: Material
    again: bool
    asked_back: frozenset[str] = frozenset()
    earlier: Text | None = None

    @property
    def sums_up(self) -> Reviewer:
        """The reviewer who sums up, and looks back where there are findings to look back at."""
        return self.reviewers[0]


@dataclass(frozen=True)
class ReviewPlan:
    """What is read and which earlier findings are asked about again; nobody is asked where every change is known.

    `stances` are what people say of earlier findings, by id. `moved_code` leads from findings, by id, to the files in
    which their code stands now. `not_asked_back` is how many findings there was no room for, which stay open.
    """

    input: ReviewInput
    stances: Mapping[str, Stance]
    scope: Scope
    moved_code: Mapping[str, str] = field(default_factory=dict)
    asked_back: tuple[KnownFinding, ...] = ()
    not_asked_back: int = 0
    batches: tuple[Batch, ...] = ()

    @property
    def reviewers(self) -> tuple[Reviewer, ...]:
        """Who is asked."""
        return tuple(dict.fromkeys(name for batch in self.batches for name in batch.reviewers))

    @property
    def left_out(self) -> Counter[str]:
        """How many of what there was no room to show the reviewers, by reason."""
        return sum((batch.material.left_out for batch in self.batches), Counter())

    def at_head(self, known: KnownFinding) -> KnownFinding:
        """An earlier finding under the path that its code has now."""
        return at_head(self.input, self.moved_code, known)


def plan_review(
    review_input: ReviewInput, stances: Mapping[str, Stance], view: RepositoryView, limits: Limits
) -> ReviewPlan:
    """Choose the files and the earlier findings, and prepare what is shown of them.

    Raises OutOfTime where too little time is left to read files.
    """
    scope = plan_scope(review_input, view, limits)
    if review_input.is_unchanged:
        return ReviewPlan(review_input, stances, scope)
    moved = moved_code(review_input, view.lines)
    wanted = _to_ask_back(review_input, stances, moved)
    asked_back = wanted[:_MOST_ASKED_BACK]
    return ReviewPlan(
        input=review_input,
        stances=stances,
        scope=scope,
        moved_code=moved,
        asked_back=asked_back,
        not_asked_back=len(wanted) - len(asked_back),
        batches=_batches(review_input, scope, asked_back, view),
    )


def plan_scope(review_input: ReviewInput, view: RepositoryView, limits: Limits) -> Scope:
    """Choose the files; those at the head are looked at only where they tell whether a file has to be read."""
    mode, reason = review_input.mode_and_reason
    return choose_scope(
        review_input.files,
        mode=mode,
        reason=reason,
        changed=_changed(review_input),
        first=_first(review_input),
        skip_paths=review_input.config.review.skip_paths,
        base=lambda: _base(review_input, view),
        batch_tokens=limits.batch_tokens,
        read_files=limits.read_files,
    )


def at_head(review_input: ReviewInput, moved: Mapping[str, str], known: KnownFinding) -> KnownFinding:
    """An earlier finding under the path that its code has now."""
    path = moved.get(known.id) or review_input.path_now(known.finding.path)
    return replace(known, finding=known.finding.model_copy(update={"path": path}))


def _batches(
    review_input: ReviewInput, scope: Scope, asked_back: Sequence[KnownFinding], view: RepositoryView
) -> tuple[Batch, ...]:
    """Put each earlier finding to the changes of its file, or to the riskiest ones, and prepare what is shown."""
    files = scope.batches or (((),) if asked_back else ())
    home = {file.path: at for at, batch in enumerate(files) for file in batch}
    earlier: list[list[KnownFinding]] = [[] for _ in files]
    for known in asked_back:
        earlier[home.get(known.finding.path, 0)].append(known)
    again = scope.mode == "incremental"
    surroundings = Surroundings(files, view)

    def since(known: KnownFinding) -> str:
        return change_since(review_input, known, view)

    return tuple(
        Batch(
            files=batch,
            reviewers=reviewers(scope.tier, batch),
            material=material(review_input, batch, surroundings, again=again),
            again=again,
            asked_back=frozenset(known.id for known in back),
            earlier=earlier_block(review_input, back, view.lines, since) if back else None,
        )
        for batch, back in zip(files, earlier, strict=True)
    )


def _changed(review_input: ReviewInput) -> Mapping[str, Sequence[int]] | None:
    """The hunks that are new, and all of the files that earlier runs have left out, None where everything is read."""
    mode, _ = review_input.mode_and_reason
    if mode == "full" or review_input.difference is None:
        return None
    changed = {} if mode == "unchanged" else review_input.difference.changed
    return {
        **changed,
        **{path: range(len(review_input.snapshot.hunks(path))) for path in review_input.snapshot.left_out},
    }


def _first(review_input: ReviewInput) -> Collection[str]:
    """What goes before the rest: files that were left out; where all are read again, those that are new too."""
    if review_input.mode_and_reason[0] != "full" or review_input.difference is None:
        return review_input.snapshot.left_out
    return review_input.snapshot.left_out.union(review_input.difference.changed)


def _base(review_input: ReviewInput, view: RepositoryView) -> BaseBranch:
    """The base branch's files; a `.gitattributes` that the pull request itself changes says nothing of them."""
    is_touched = any(ATTRIBUTES in (file.path, file.previous_path) for file in review_input.files)
    attributes = b"" if is_touched else view.tree.read(ATTRIBUTES) or b""
    return BaseBranch.of(view.tree.paths(), attributes.decode("utf-8", "replace"), review_input.files)


def _to_ask_back(
    review_input: ReviewInput, stances: Mapping[str, Stance], moved: Mapping[str, str]
) -> tuple[KnownFinding, ...]:
    """The open findings whose code is not as it was, or of which people claim something, the most severe first.

    A fix may be elsewhere: new hunks that mention a name of a finding's code are reason enough.
    Of one that was restored nobody knows how its code was.
    """
    mentioned = _mentioned(review_input)
    still = [each for each in review_input.known if each.status == "open" and not stances[each.id].settles]
    wanted = [
        each
        for each in still
        if stances[each.id].claim
        or each.id in review_input.restored
        or _is_elsewhere(review_input, each)
        or not mentioned.isdisjoint(names_in_finding(each.finding))
    ]
    return tuple(sorted((at_head(review_input, moved, each) for each in wanted), key=lambda each: rank(each.finding)))


def _mentioned(review_input: ReviewInput) -> frozenset[str]:
    """The words on the changed lines of hunks that the last run did not see."""
    changed = review_input.difference.changed if review_input.difference else {}
    hunks = (file.hunks[at] for file in review_input.files if file.path in changed for at in changed[file.path])
    return frozenset(
        word for hunk in hunks for line in hunk.lines if line.marker != " " for word in _WORD.findall(line.text)
    )


def names_in_finding(finding: Finding) -> frozenset[str]:
    """The names in a finding's quote and cause that are worth looking for: neither short nor the language's own."""
    quoted = [(finding.path, finding.quote), *([(finding.cause.path, finding.cause.quote)] if finding.cause else [])]
    names = {name for path, quote in quoted for name in names_in(path, quote.split("\n"))}
    return frozenset(name for name in names if len(name) >= _SHORTEST_NAME and not is_builtin(finding.path, name))


def _is_elsewhere(review_input: ReviewInput, known: KnownFinding) -> bool:
    """Whether its code changed since the last run, or before that without an answer."""
    if known.hunk is None or review_input.is_touched(known):
        return review_input.is_touched(known)
    return known.hunk not in review_input.snapshot.hunks(review_input.path_now(known.finding.path))
