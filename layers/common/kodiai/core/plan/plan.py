"""Plan a review: what is read in which batches, by whom, and which earlier findings are asked about again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.generated import ATTRIBUTES, BaseBranch
from kodiai.core.changes.scope import Scope, Unread, choose_scope
from kodiai.core.changes.show import token_size
from kodiai.core.config.settings import DeploymentSettings, Limits
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.known import KnownFinding
from kodiai.core.json_object import JsonObject
from kodiai.core.memory.recall import NOTHING_RECALLED, Recollection
from kodiai.core.model.messages import Text, Usage
from kodiai.core.plan.by_code import answers_by_code
from kodiai.core.plan.carry import carried_answers
from kodiai.core.plan.earlier import at_head, changes_since, findings_to_recheck, moved_code
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.input_budget import InputBudget
from kodiai.core.plan.material import Material, listed_row, material, recheck_row, rows_block
from kodiai.core.plan.reviewers import RULES_ONLY, SMALL_LINES, Reviewer, reviewers
from kodiai.core.plan.since import since_last_review
from kodiai.core.plan.snapshot import REVIEW_GUIDE
from kodiai.core.plan.team_rules import AskedRules, asked_rules, files_with_rules
from kodiai.core.plan.unposted import UnpostedAnswer
from kodiai.core.repository.moves import with_broken_references
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens

_MOST_RECHECKED = 30
# Of one conversation, for an estimate, in tokens: the instructions, what is looked up, and the report.
_INSTRUCTIONS = 4_000
_LOOKED_UP = 10_000
_REPORT = 4_000
# What may be looked up about changes, in tokens: at least, and times those of the changes. Two who read four pull
# requests by hand looked up 14,000 to 54,000, of which the last third gave nothing that was worth a comment.
_LOOKED_UP_FIRST = 30_000, 6
_LOOKED_UP_AGAIN = 3_000, 2
# About each earlier finding.
_LOOKED_UP_PER_FINDING = 1_000
_EARLIER = "Findings of earlier reviews"
_OTHER_DIFFS = "Files of these findings, as they changed since their last review"


@dataclass(frozen=True)
class Batch:
    """Files that are shown together: what all requests about them begin with, and who reads them.

    `earlier` shows the earlier findings that the lead answers about, whose ids are `rechecked`.
    `again` is whether the rest of the pull request was reviewed before. `look_up_tokens` are those that tools may show
    its readers together, and again its judge. `posted` are the open findings of earlier reviews in its files, by id, as
    reviewers are shown them. `language` is the tag of the language in which findings are written, None for English;
    `has_guide` is whether the base branch has guidance for reviewers only. `is_small` is whether its only reader also
    rules on what it reports, unless that blocks. `whole` are the paths of the files whose whole difference to the last
    read head is shown.
    """

    files: Sequence[ChangedFile]
    reviewers: Sequence[Reviewer]
    material: Material
    again: bool
    look_up_tokens: int = _LOOKED_UP_FIRST[0]
    rechecked: frozenset[str] = frozenset()
    earlier: tuple[Text, ...] = ()
    posted: Mapping[str, JsonObject] = field(default_factory=dict)
    language: str | None = None
    has_guide: bool = False
    is_small: bool = False
    whole: frozenset[str] = frozenset()
    team_rules: AskedRules | None = None

    @property
    def lead(self) -> Reviewer:
        """The reviewer who sums up, and answers about earlier findings."""
        return self.reviewers[0]

    def likely_usage(self) -> Usage:
        """The likely usage: one conversation writes the material to the cache, the others and the judge read it.

        It errs on the expensive side.
        """
        shown = _INSTRUCTIONS + sum(estimated_tokens(block.text) for block in self.material.blocks)
        looked_up = min(_LOOKED_UP, self.look_up_tokens)
        readers = len(self.reviewers)
        return Usage(
            cache_write_tokens=shown + (readers + 1) * looked_up,
            cache_read_tokens=shown * readers,
            output_tokens=readers * _REPORT,
        )


@dataclass(frozen=True)
class ReviewPlan:
    """The changes to read, and the earlier findings to recheck; no batches if all was reviewed before.

    `stances` are what people say about earlier findings, by finding id; `moved_code` are the files that have the code
    of findings now, by finding id. `answered` are the answers about earlier findings that hold, by finding id: they are
    not asked about. `not_rechecked` is how many findings there was no room for, which stay open.
    `recollection` is what is remembered that concerns the pull request. `offline` is whether only checks run, and no
    model reads it.
    """

    input: ReviewInput
    stances: Mapping[str, Stance]
    scope: Scope
    moved_code: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, UnpostedAnswer] = field(default_factory=dict)
    rechecked: tuple[KnownFinding, ...] = ()
    not_rechecked: int = 0
    batches: tuple[Batch, ...] = ()
    recollection: Recollection = NOTHING_RECALLED
    offline: bool = False

    @property
    def reviewers(self) -> tuple[Reviewer, ...]:
        """The reviewers of everything that this review reports about."""
        before = self.input.unposted.reviewers if self.input.unposted else ()
        return tuple(dict.fromkeys((*before, *(name for batch in self.batches for name in batch.reviewers))))

    @property
    def guidance(self) -> Mapping[str, tuple[int, int]]:
        """The files of guidance that were shown, with the sections that each batch with them saw, and all of them."""
        found: dict[str, tuple[int, int]] = {}
        for each in (each for batch in self.batches for each in batch.material.guidance):
            sections = each.sections, each.sections + len(each.missing)
            found[each.path] = min(found.get(each.path, sections), sections)
        return found

    def at_head(self, known: KnownFinding) -> KnownFinding:
        """An earlier finding under the path that its code has now."""
        return at_head(self.input, self.moved_code, known)


def plan_review(
    review_input: ReviewInput,
    stances: Mapping[str, Stance],
    view: RepositoryView,
    settings: DeploymentSettings,
    recollection: Recollection = NOTHING_RECALLED,
) -> ReviewPlan:
    """Choose the files and the earlier findings, and prepare what is shown of them, as far as the limits go.

    Four steps: difference → scope → material → batches. Raises OutOfTime if too little time is left to read files.
    """
    limits, rules_only = settings.limits, settings.models.is_rules_only
    if review_input.is_unchanged:
        return ReviewPlan(review_input, stances, _scope(_Difference(review_input), limits, rules_only=rules_only))
    difference = _difference(review_input, stances, view)
    scope = _scope(difference, limits, rules_only=rules_only)
    budget = InputBudget(limits.input_tokens_per_review, settings.models.price(scope.tier))
    scope = _affordable(scope, budget)
    planned = scope.batches or (((),) if difference.rechecked else ())
    material = _material(difference, replace(scope, batches=planned), recollection, view, rules_only=rules_only)
    scope, batches = _batches(material, scope, difference, budget, view)
    asked = asked_rules(difference.input, [batch.files for batch in batches], offline=settings.models.is_offline)
    return ReviewPlan(
        input=difference.input,
        stances=stances,
        scope=scope,
        moved_code=difference.moved_code,
        answered=difference.answered,
        rechecked=difference.rechecked if batches else (),
        not_rechecked=difference.not_rechecked + (0 if batches else len(difference.rechecked)),
        batches=tuple(replace(batch, team_rules=rules) for batch, rules in zip(batches, asked, strict=True)),
        recollection=recollection,
        offline=settings.models.is_offline,
    )


@dataclass(frozen=True)
class _Difference:
    """The changes since the last review, as code sees them, and what they mean for its findings.

    `input` has the references that moves break. `base` gives the base branch's files. The rest is as in the plan.
    """

    input: ReviewInput
    base: Callable[[], BaseBranch] = BaseBranch
    moved_code: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, UnpostedAnswer] = field(default_factory=dict)
    rechecked: tuple[KnownFinding, ...] = ()
    not_rechecked: int = 0

    @property
    def open_findings(self) -> list[KnownFinding]:
        """The open findings of earlier reviews, under the paths that their code has now."""
        found = self.input
        return [at_head(found, self.moved_code, each) for each in found.known if each.status == "open"]


def _difference(review_input: ReviewInput, stances: Mapping[str, Stance], view: RepositoryView) -> _Difference:
    files = with_broken_references(review_input.files, view, review_input.config.review.skip_paths)
    review_input = replace(review_input, files=files)
    moved = moved_code(review_input, view.lines)
    answered = {**carried_answers(review_input, stances, view), **answers_by_code(review_input)}
    open_again = findings_to_recheck(review_input, stances, moved, view.parser)
    wanted = [each for each in open_again if each.id not in answered]
    rechecked = tuple(wanted[:_MOST_RECHECKED])
    return _Difference(
        input=review_input,
        base=lambda: _base(review_input, view),
        moved_code=moved,
        answered=answered,
        rechecked=rechecked,
        not_rechecked=len(wanted) - len(rechecked),
    )


def _scope(difference: _Difference, limits: Limits, *, rules_only: bool) -> Scope:
    """Choose the files: all of them, or the new hunks and everything of the files that earlier runs left out.

    Files that no run has read come first. The files at the head are read only if a file may be generated or vendored.
    A review that only rules on the team's rules reads the files that these are for.
    """
    review_input = difference.input
    mode, reason = review_input.mode_and_reason
    new = review_input.since.changed if mode != "unchanged" else {}
    snapshot = review_input.snapshot
    left_out = snapshot.left_out
    whole = {path: range(len(snapshot.hunks(path))) for path in left_out}
    unread = Unread(
        mode=mode,
        reason=reason,
        changed=None if mode == "full" else {**new, **whole},
        first=left_out.union(new) if mode == "full" else left_out,
    )
    return choose_scope(
        files_with_rules(review_input) if rules_only else review_input.files,
        unread,
        skip_paths=review_input.config.review.skip_paths,
        base=difference.base,
        batch_tokens=limits.batch_tokens,
        read_files=limits.read_files,
    )


def _affordable(scope: Scope, budget: InputBudget) -> Scope:
    """The scope without the batches whose changes alone are over the budget, which need not be prepared."""
    fitting = budget.fitting(scope.batches, lambda batch: Usage(cache_write_tokens=sum(map(token_size, batch))))
    return scope.without(_over(scope, sum(1 for _ in fitting), budget))


def _over(scope: Scope, batches: int, budget: InputBudget) -> list[Skipped]:
    """The files that are not, or not in all their pieces, in the first batches."""
    return [Skipped(file.path, budget.reason) for batch in scope.batches[batches:] for file in batch]


def _material(
    difference: _Difference, scope: Scope, recollection: Recollection, view: RepositoryView, *, rules_only: bool
) -> Iterator[Batch]:
    """Prepare what is shown of each batch, one after the other: a budget may end it."""
    review_input, open_findings = difference.input, difference.open_findings
    again, surroundings = scope.mode == "incremental", Surroundings(view)
    asked = {each.finding.path for each in difference.rechecked}
    for files in scope.batches:
        shown, whole = since_last_review(review_input, files, view, asked) if again else (files, frozenset[str]())
        around = surroundings.of(shown)
        lines = sum(file.lines_to_read for file in (shown if again else scope.files))
        yield Batch(
            files=files,
            reviewers=RULES_ONLY if rules_only else reviewers(files, lines, again=again),
            material=material(review_input, shown, around, recollection, again=again),
            again=again,
            look_up_tokens=_look_up_tokens(shown, again=again),
            posted=_posted(open_findings, files),
            language=review_input.config.review.language,
            has_guide=any(each.path == REVIEW_GUIDE for each in review_input.on_github.guidance),
            is_small=again and lines <= SMALL_LINES,
            whole=whole,
        )


def _batches(
    prepared: Iterable[Batch], scope: Scope, difference: _Difference, budget: InputBudget, view: RepositoryView
) -> tuple[Scope, tuple[Batch, ...]]:
    """Take batches as far as the budget goes, and put each earlier finding in the batch of its file.

    One whose file is in no batch is in the riskiest one. Gives the scope too, without what is over the budget.
    """
    batches = list(budget.fitting(prepared, Batch.likely_usage))
    over = _over(scope, len(batches), budget)
    unread = {skipped.path for skipped in over}
    batches = [batch for batch in batches if unread.isdisjoint(file.path for file in batch.files)]
    home = {file.path: at for at, batch in enumerate(batches) for file in batch.files}
    earlier: list[list[KnownFinding]] = [[] for _ in batches]
    for known in difference.rechecked if batches else ():
        earlier[home.get(known.finding.path, 0)].append(known)
    asked = (
        _asking(batch, known, difference, view) if known else batch
        for batch, known in zip(batches, earlier, strict=True)
    )
    return scope.without(over), tuple(asked)


def _asking(batch: Batch, back: Sequence[KnownFinding], difference: _Difference, view: RepositoryView) -> Batch:
    """The batch whose lead also answers about earlier findings, and may look up more.

    The difference of a file to the last review is shown once, whatever the number of its findings.
    """
    diffs = changes_since(difference.input, back, batch.whole, view)
    shown = [{"path": path, "diff": diff} for (path, _), diff in diffs.items()]
    blocks = [rows_block(_OTHER_DIFFS, shown)] if shown else []
    return replace(
        batch,
        look_up_tokens=batch.look_up_tokens + _LOOKED_UP_PER_FINDING * len(back),
        rechecked=frozenset(known.id for known in back),
        earlier=(*blocks, rows_block(_EARLIER, [recheck_row(difference.input, each, view) for each in back])),
    )


def _posted(open_findings: Sequence[KnownFinding], files: Sequence[ChangedFile]) -> dict[str, JsonObject]:
    """The open findings in these files that readers must not report again; rules are ruled on again."""
    paths = {file.path for file in files}
    found = (each for each in open_findings if each.finding.path in paths and each.finding.rule is None)
    return {each.id: listed_row(each.finding) for each in found}


def _look_up_tokens(files: Sequence[ChangedFile], *, again: bool) -> int:
    """The tokens that may be looked up about changes, in proportion to them, and at least enough to understand one.

    A push that touches little must not cost what the whole pull request did.
    """
    least, times = _LOOKED_UP_AGAIN if again else _LOOKED_UP_FIRST
    return max(least, times * sum(map(token_size, files)))


def _base(review_input: ReviewInput, view: RepositoryView) -> BaseBranch:
    """The base branch's files; a `.gitattributes` that the pull request itself changes does not count."""
    is_touched = any(ATTRIBUTES in (file.path, file.previous_path) for file in review_input.files)
    attributes = b"" if is_touched else view.tree.read(ATTRIBUTES) or b""
    return BaseBranch.of(view.tree.paths(), attributes.decode("utf-8", "replace"), review_input.files)
