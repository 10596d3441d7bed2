"""Plan a review: what is read in which batches, by whom, and which earlier findings are asked about again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.generated import ATTRIBUTES, BaseBranch
from kodiai.core.changes.scope import Scope, choose_scope
from kodiai.core.changes.show import token_size
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.known import KnownFinding
from kodiai.core.memory.recall import NOTHING_RECALLED, Recollection
from kodiai.core.model.messages import Text
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.earlier import at_head, findings_to_recheck, moved_code
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.material import Material, material, recheck_row, rows_block
from kodiai.core.reviewers import Reviewer, reviewers
from kodiai.core.settings import Limits

_MOST_RECHECKED = 30
# What may be looked up about the changes of a push, however small they are, and about each earlier finding, in tokens.
_LOOKED_UP_AGAIN = 3_000
_LOOKED_UP_PER_FINDING = 1_000
_EARLIER = "Findings of earlier reviews"


@dataclass(frozen=True)
class Batch:
    """Files that are shown together: what all requests about them begin with, and who reads them.

    `earlier` shows the earlier findings that the lead answers about, whose ids are `rechecked`.
    `again` is whether the rest of the pull request was reviewed before. `look_up_tokens` are those that tools may show
    its reviewers, and again its judge, None if the settings alone limit them.
    """

    files: Sequence[ChangedFile]
    reviewers: Sequence[Reviewer]
    material: Material
    again: bool
    look_up_tokens: int | None
    rechecked: frozenset[str] = frozenset()
    earlier: Text | None = None

    @property
    def lead(self) -> Reviewer:
        """The reviewer who sums up, and answers about earlier findings."""
        return self.reviewers[0]


@dataclass(frozen=True)
class ReviewPlan:
    """What is read, and which earlier findings are asked about again; no batches if every change was reviewed before.

    `stances` are what people say about earlier findings, by finding id; `moved_code` are the files that have the code
    of findings now, by finding id. `not_rechecked` is how many findings there was no room for, which stay open.
    `recollection` is what is remembered that concerns the pull request.
    """

    input: ReviewInput
    stances: Mapping[str, Stance]
    scope: Scope
    moved_code: Mapping[str, str] = field(default_factory=dict)
    rechecked: tuple[KnownFinding, ...] = ()
    not_rechecked: int = 0
    batches: tuple[Batch, ...] = ()
    recollection: Recollection = NOTHING_RECALLED

    @property
    def reviewers(self) -> tuple[Reviewer, ...]:
        """The reviewers of everything that this review reports about."""
        before = self.input.unposted.reviewers if self.input.unposted else ()
        return tuple(dict.fromkeys((*before, *(name for batch in self.batches for name in batch.reviewers))))

    def at_head(self, known: KnownFinding) -> KnownFinding:
        """An earlier finding under the path that its code has now."""
        return at_head(self.input, self.moved_code, known)


def plan_review(
    review_input: ReviewInput,
    stances: Mapping[str, Stance],
    view: RepositoryView,
    limits: Limits,
    recollection: Recollection = NOTHING_RECALLED,
) -> ReviewPlan:
    """Choose the files and the earlier findings, and prepare what is shown of them.

    Raises OutOfTime if too little time is left to read files.
    """
    scope = _scope(review_input, view, limits)
    if review_input.is_unchanged:
        return ReviewPlan(review_input, stances, scope)
    moved = moved_code(review_input, view.lines)
    wanted = findings_to_recheck(review_input, stances, moved, view.parser)
    rechecked = wanted[:_MOST_RECHECKED]
    return ReviewPlan(
        input=review_input,
        stances=stances,
        scope=scope,
        moved_code=moved,
        rechecked=rechecked,
        not_rechecked=len(wanted) - len(rechecked),
        batches=_batches(review_input, scope, rechecked, view, recollection),
        recollection=recollection,
    )


def _scope(review_input: ReviewInput, view: RepositoryView, limits: Limits) -> Scope:
    """Choose the files: all of them, or the new hunks and everything of the files that earlier runs left out.

    Files that no run has read come first. The files at the head are read only if a file may be generated or vendored.
    """
    mode, reason = review_input.mode_and_reason
    new = review_input.since.changed if mode != "unchanged" else {}
    snapshot = review_input.snapshot
    left_out = snapshot.left_out
    whole = {path: range(len(snapshot.hunks(path))) for path in left_out}
    return choose_scope(
        review_input.files,
        mode=mode,
        reason=reason,
        changed=None if mode == "full" else {**new, **whole},
        first=left_out.union(new) if mode == "full" else left_out,
        skip_paths=review_input.config.review.skip_paths,
        base=lambda: _base(review_input, view),
        batch_tokens=limits.batch_tokens,
        read_files=limits.read_files,
    )


def _batches(
    review_input: ReviewInput,
    scope: Scope,
    rechecked: Sequence[KnownFinding],
    view: RepositoryView,
    recollection: Recollection,
) -> tuple[Batch, ...]:
    """Put each earlier finding in the batch of its file, or in the riskiest one, and prepare what is shown."""
    files = scope.batches or (((),) if rechecked else ())
    home = {file.path: at for at, batch in enumerate(files) for file in batch}
    earlier: list[list[KnownFinding]] = [[] for _ in files]
    for known in rechecked:
        earlier[home.get(known.finding.path, 0)].append(known)
    again = scope.mode == "incremental"
    surroundings = Surroundings(files, view)
    return tuple(
        Batch(
            files=batch,
            reviewers=reviewers(scope.tier, batch),
            material=material(review_input, batch, surroundings, recollection, again=again),
            again=again,
            look_up_tokens=_look_up_tokens(batch, back) if again else None,
            rechecked=frozenset(known.id for known in back),
            earlier=rows_block(_EARLIER, [recheck_row(review_input, each, view) for each in back]) if back else None,
        )
        for batch, back in zip(files, earlier, strict=True)
    )


def _look_up_tokens(files: Sequence[ChangedFile], back: Sequence[KnownFinding]) -> int:
    """How much may be looked up about the changes of a push: twice as much as they are, and some for earlier findings.

    A push that touches little must not cost what the whole pull request did.
    """
    least = _LOOKED_UP_AGAIN + _LOOKED_UP_PER_FINDING * len(back)
    return max(least, 2 * sum(map(token_size, files)))


def _base(review_input: ReviewInput, view: RepositoryView) -> BaseBranch:
    """The base branch's files; a `.gitattributes` that the pull request itself changes does not count."""
    is_touched = any(ATTRIBUTES in (file.path, file.previous_path) for file in review_input.files)
    attributes = b"" if is_touched else view.tree.read(ATTRIBUTES) or b""
    return BaseBranch.of(view.tree.paths(), attributes.decode("utf-8", "replace"), review_input.files)
