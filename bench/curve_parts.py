"""The pure parts of a review, each as work on an input of any size, in the worst case that it can get."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from bench.large import (
    HEAD,
    PARSER,
    LargeFile,
    findings_in,
    known_as,
    large_file,
    large_files,
    large_finding,
    large_input,
    reading,
    thread_about,
    view_of,
)
from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.changes.patch import parse_patch
from kodiai.core.changes.scope import Scope, choose_scope
from kodiai.core.changes.show import show_file
from kodiai.core.changes.snapshot import Coverage, Snapshot, difference
from kodiai.core.conversation.comment import Opening
from kodiai.core.conversation.stance import Stance
from kodiai.core.diffs.apply_check import apply_diff
from kodiai.core.diffs.diff import affected_files
from kodiai.core.diffs.suggestion import suggestion_for
from kodiai.core.diffs.write_diff import diff_of as written_diff
from kodiai.core.findings.delta import delta
from kodiai.core.findings.enforce import Candidate, JudgeContext, JudgeDecision, complaints, decide
from kodiai.core.findings.evidence import changes_since
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import (
    Anchor,
    Judgement,
    KeptFinding,
    Placement,
    SuppressedFinding,
    anchor,
    judgement,
)
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import ReportedFinding, read_report
from kodiai.core.findings.restored import restored
from kodiai.core.findings.ruling import Ruling
from kodiai.core.findings.source import Source
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.model.messages import ModelUse
from kodiai.core.model.prices import Price
from kodiai.core.proposals.target import FILE, TreeEntry
from kodiai.core.repository.facts import Facts
from kodiai.core.review.candidates import Reports, check, prior_findings
from kodiai.core.review.compose import compose
from kodiai.core.review.earlier import diff_of, findings_to_recheck, moved_code
from kodiai.core.review.judge_material import groups
from kodiai.core.review.plan import ReviewPlan, plan_review
from kodiai.core.review.reconcile import Reconciliation, reconcile
from kodiai.core.review.review import PendingReview, Run
from kodiai.core.review.thread_actions import left_to_do, thread_actions
from kodiai.core.settings import Limits, Models
from kodiai.core.words.details import ReviewDetails
from kodiai.core.words.embedded import embedded_findings, with_embedded_findings
from kodiai.core.words.links import Links
from kodiai.core.words.markers import review_marker
from kodiai.core.words.posted import posted
from kodiai.core.words.review import first_review, re_review

Work = Callable[[], object]

HUNKS = 100_000
HUNKS_OF_ONE_FILE = 20_480
FINDINGS = 10_240
FILES = 3_072
LINES = 100_000
_HUNKS_A_FILE = 100
_BATCH_TOKENS = 60_000
_SNAPSHOT: TypeAdapter[Snapshot] = TypeAdapter(Snapshot)
_STAGED: TypeAdapter[PendingReview] = TypeAdapter(PendingReview)
_LINKS = Links("https://github.com/octo/app/pull/7", HEAD)
_RUN = Run("1f2e3d4c5b6a7980", HEAD, "b" * 40, "running", 0.0)
_NOTHING_SAID = Stance()


@dataclass(frozen=True)
class Part:
    """A pure part of a review.

    `prepare` makes an input of a size, in units such as "hunks", and gives the work that is measured. `largest` is the
    size up to which the time has to stay in proportion.
    """

    name: str
    unit: str
    largest: int
    prepare: Callable[[int], Work]


PARTS: list[Part] = []


def _part(name: str, unit: str, largest: int) -> Callable[[Callable[[int], Work]], Callable[[int], Work]]:
    def noted(prepare: Callable[[int], Work]) -> Callable[[int], Work]:
        PARTS.append(Part(name, unit, largest, prepare))
        return prepare

    return noted


def _changed(files: Sequence[LargeFile]) -> list[ChangedFile]:
    """The changed files, in which nothing is parsed yet."""
    return [file.changed for file in files]


def _many(hunks: int, **given: Any) -> list[LargeFile]:
    return large_files(hunks, max(hunks // _HUNKS_A_FILE, 1), **given)


# Changes.


@_part("parse a patch", "hunks", HUNKS_OF_ONE_FILE)
def _parse(hunks: int) -> Work:
    return partial(parse_patch, large_file(hunks, alike=True).changed.patch or "")


@_part("parse patches of many files", "hunks", HUNKS)
def _parse_many(hunks: int) -> Work:
    files = _changed(_many(hunks))
    return lambda: [parse_patch(file.patch or "") for file in files]


@_part("parse a long line", "characters", 10_000_000)
def _parse_long(characters: int) -> Work:
    return partial(parse_patch, f"@@ -1 +1 @@\n-{'x ' * (characters // 2)}\n+{'y ' * (characters // 2)}")


def _compared(now: Sequence[ChangedFile], then: Sequence[ChangedFile]) -> object:
    before = Snapshot.of(then, "settings")
    snapshot = Snapshot.of(now, "settings")
    return difference(snapshot, before), snapshot.after(before)


@_part("snapshot, a file against another change", "hunks", HUNKS_OF_ONE_FILE)
def _snapshot_other(hunks: int) -> Work:
    now, then = (_changed([large_file(hunks, suffix=suffix)]) for suffix in ("", "  # then"))
    return partial(_compared, now, then)


@_part("snapshot, all hunks alike", "hunks", HUNKS_OF_ONE_FILE)
def _snapshot_alike(hunks: int) -> Work:
    now, then = (_changed([large_file(count, alike=True)]) for count in (hunks, hunks - 1))
    return partial(_compared, now, then)


@_part("snapshot, many files", "hunks", HUNKS)
def _snapshot_many(hunks: int) -> Work:
    now, then = (_changed(_many(hunks, suffix=suffix)) for suffix in ("", "  # then"))
    return partial(_compared, now, then)


@_part("snapshot, all files renamed", "files", FILES)
def _snapshot_renamed(files: int) -> Work:
    then = [large_file(1, f"old/{at}.py", suffix=f"  # {at}").changed for at in range(files)]
    now = [replace(file, path=f"new/{at}.py", previous_path=None) for at, file in enumerate(reversed(then))]
    return partial(_compared, now, then)


@_part("snapshot, stored and read", "hunks", HUNKS)
def _snapshot_stored(hunks: int) -> Work:
    snapshot = Snapshot.of(_changed(_many(hunks)), "settings")
    return lambda: _SNAPSHOT.validate_json(_SNAPSHOT.dump_json(snapshot))


def _scope(files: Sequence[ChangedFile], **given: Any) -> Scope:
    return choose_scope(
        files, mode="full", reason="requested", batch_tokens=_BATCH_TOKENS, read_files=len(files), **given
    )


@_part("scope and batches, one file", "hunks", HUNKS_OF_ONE_FILE)
def _scope_one(hunks: int) -> Work:
    return partial(_scope, _changed([large_file(hunks)]))


@_part("scope and batches, many files", "hunks", HUNKS)
def _scope_many(hunks: int) -> Work:
    return partial(_scope, _changed(_many(hunks)))


@_part("scope and batches, every other hunk", "hunks", HUNKS_OF_ONE_FILE)
def _scope_some(hunks: int) -> Work:
    file = large_file(hunks).changed
    return partial(_scope, [file], changed={file.path: range(0, hunks, 2)})


@_part("show a file", "hunks", HUNKS_OF_ONE_FILE)
def _show(hunks: int) -> Work:
    return partial(show_file, large_file(hunks).changed)


def _unread(_: str) -> None:
    return None


def _found_hunks(file: ChangedFile, places: Sequence[tuple[int, int]]) -> object:
    lines = ChangedLines([file])
    return [(file.hunk_at(*place), file.takes_comment_on(*place), lines.touches(file.path, *place)) for place in places]


@_part("hunks of findings", "findings", FINDINGS)
def _hunks_of_findings(count: int) -> Work:
    file = large_file(count)
    return partial(_found_hunks, file.changed, [(each.start_line, each.end_line) for each in findings_in(file, count)])


@_part("a finding on very many lines", "lines", 100_000_000)
def _on_many_lines(lines: int) -> Work:
    return partial(_found_hunks, large_file(1, "src/app.py").changed, [(100, 100 + lines)])


# What the model reports, and what code makes of it.


@_part("read a report", "findings", FINDINGS)
def _read_report(count: int) -> Work:
    found = [ReportedFinding(**each.model_dump(include={*ReportedFinding.model_fields})) for each in _findings(count)]
    rows = ",".join(each.model_dump_json() for each in found)
    text = f'{{"what_changed": "", "strengths": [], "suggestions": [], "findings": [{rows}], "earlier": []}}'
    return partial(read_report, text)


def _findings(count: int) -> list[Finding]:
    return findings_in(large_file(count), count)


def _source(files: Sequence[LargeFile], *, others: int = 0) -> Source:
    paths = [*(file.changed.path for file in files), *(f"lib/{at}/other.py" for at in range(others))]
    return Source(reading(files), tuple(_changed(files)), tuple(paths))


@_part("locate quotes in a growing file", "findings", FINDINGS)
def _locate_in_one(count: int) -> Work:
    file = large_file(count)
    source, found = _source([file]), findings_in(file, count)
    return lambda: [locate(each.quote, each.path, each.start_line, source) for each in found]


@_part("locate one quote that stands everywhere", "findings", FINDINGS)
def _locate_alike(count: int) -> Work:
    file = large_file(count, alike=True)
    source, found = _source([file]), findings_in(file, count)
    return lambda: [locate(each.quote, each.path, each.start_line, source) for each in found]


@_part("locate quotes that are nowhere", "findings", FINDINGS)
def _locate_nowhere(count: int) -> Work:
    file = large_file(count)
    source = _source([file])
    return lambda: [locate(f"nothing_{at}()", file.changed.path, None, source) for at in range(count)]


@_part("locate quotes in many files", "findings", FINDINGS)
def _locate_in_many(count: int) -> Work:
    files = large_files(count, max(count // 4, 1))
    source = _source(files, others=count * 10)
    found = [finding for file in files for finding in findings_in(file, 4)]
    return lambda: [locate(each.quote, f"/{each.path}:1", each.start_line, source) for each in found]


def _checked(file: LargeFile, found: Sequence[Finding], known: Sequence[KnownFinding]) -> object:
    source, view = _source([file]), view_of([file])
    plan = _plan([file], known)
    prior = prior_findings(plan, {}, source)
    facts = _NoFacts(view, [file.changed])
    reported = [
        ("generalist", ReportedFinding(**each.model_dump(include={*ReportedFinding.model_fields}))) for each in found
    ]
    return check(reported, prior, ChangedLines([file.changed]), source, facts)


class _NoFacts(Facts):
    """No facts: they are about the repository, and no part of this."""

    def prepare(self, findings: object) -> None:
        """Nothing."""

    def notes(self, *_: object) -> tuple[str, ...]:
        """None."""
        return ()


def _plan(
    files: Sequence[LargeFile],
    known: Sequence[KnownFinding],
    before: Sequence[LargeFile] | None = None,
    **given: Any,
) -> ReviewPlan:
    threads = {each.id: thread_about(each) for each in known}
    review_input = large_input(files, files if before is None else before, known, threads)
    return ReviewPlan(
        review_input,
        {each.id: _NOTHING_SAID for each in known},
        _scope([]),
        rechecked=tuple(known),
        **given,
    )


@_part("check candidates against earlier findings", "findings", FINDINGS)
def _check_many(count: int) -> Work:
    file = large_file(count)
    found = findings_in(file, count)
    known = [known_as(each, at, hunk=None) for at, each in enumerate(findings_in(file, count, title="Another problem"))]
    return partial(_checked, file, found, known)


@_part("check candidates, all on one line", "findings", FINDINGS)
def _check_alike(count: int) -> Work:
    file = large_file(10)
    line = findings_in(file, 1)[0]
    found = [large_finding(at, line.path, line.quote, line.start_line) for at in range(count)]
    known = [known_as(each.model_copy(update={"title": f"Old {at}"}), at) for at, each in enumerate(found)]
    return partial(_checked, file, found, known)


@_part("check candidates, the earlier code is gone", "findings", FINDINGS)
def _check_gone(count: int) -> Work:
    file = large_file(count)
    gone = findings_in(large_file(count, suffix="  # then"), count, title="Another problem")
    return partial(_checked, file, findings_in(file, count), [known_as(each, at) for at, each in enumerate(gone)])


def _candidates(count: int) -> list[Candidate]:
    return [Candidate(at + 1, "generalist", each) for at, each in enumerate(_findings(count))]


def _decided(candidates: Sequence[Candidate], rulings: dict[int, Ruling]) -> object:
    context = JudgeContext(lambda *_: None)
    numbers = frozenset(each.number for each in candidates)
    said = [list(complaints(each, rulings.get(each.number), context, numbers)) for each in candidates]
    return said, decide(candidates, rulings, context, "it was silent")


@_part("decide, all merged into one", "findings", FINDINGS)
def _decide_merged(count: int) -> Work:
    rulings = {at: Ruling(number=at, fate="same-as", same_as=1, severity="MINOR") for at in range(2, count + 1)}
    return partial(_decided, _candidates(count), rulings)


@_part("decide, one long chain", "findings", FINDINGS)
def _decide_chain(count: int) -> Work:
    rulings = {at: Ruling(number=at, fate="same-as", same_as=at - 1, severity="MINOR") for at in range(2, count + 1)}
    return partial(_decided, _candidates(count), rulings)


@_part("decide without a judge", "findings", FINDINGS)
def _decide_alone(count: int) -> Work:
    return partial(_decided, _candidates(count), {})


@_part("groups for the judge", "findings", FINDINGS)
def _groups(count: int) -> Work:
    files = large_files(count, max(count // 10, 1))
    batches: Any = [_Batch((file.changed,)) for file in files]
    found = [finding for file in files for finding in findings_in(file, 10)]
    candidates = [Candidate(at + 1, "generalist", each) for at, each in enumerate(found)]
    return lambda: list(groups(candidates, (), batches))


@dataclass(frozen=True)
class _Batch:
    files: tuple[ChangedFile, ...]


@_part("judgement and places of comments", "findings", FINDINGS)
def _judgement(count: int) -> Work:
    file = large_file(count)
    decisions = [
        JudgeDecision(Candidate(at + 1, "generalist", each), "kept", "keep", each)
        for at, each in enumerate(findings_in(file, count))
    ]
    files = {file.changed.path: file.changed}

    def place(finding: Finding) -> Placement:
        return Placement(anchor(finding, files, lambda *_: None), None, Offer())

    return lambda: judgement(
        decisions, repeated={}, suppressed=(), resolved={}, taken=[], place=place, max_comments=count, floor="MINOR"
    )


@_part("judgement, all findings alike", "findings", FINDINGS)
def _judgement_alike(count: int) -> Work:
    one = _findings(1)[0]
    decisions = [
        JudgeDecision(Candidate(at, "generalist", one), "kept", "keep", one, f"F-{at:012x}" if at % 2 else None)
        for at in range(count)
    ]
    taken = [f"F-{at:012x}" for at in range(count)]
    place = Placement(Anchor(one.path, 1, 1), None, Offer())
    return lambda: judgement(
        decisions,
        repeated={},
        suppressed=(),
        resolved={},
        taken=taken,
        place=lambda _: place,
        max_comments=count,
        floor="MINOR",
    )


@_part("check a replacement", "lines", HUNKS_OF_ONE_FILE)
def _offer(lines: int) -> Work:
    code = ["value = 1"] * (3 * lines)
    finding = large_finding(1, "notes.md", "\n".join(code[:lines]), lines + 1, end_line=2 * lines)
    finding = finding.model_copy(update={"replacement": "\n".join(["value = 1"] * (lines - 1) + ["value = 2"])})
    return partial(offer, finding, code, PARSER)


# Earlier findings.


@_part("code that moved to other files", "findings", FINDINGS)
def _moved(count: int) -> Work:
    files = [large_file(1, f"src/part_{at}/app.py", suffix=f"  # {at}") for at in range(count // 4)]
    gone = [known_as(large_finding(at, "src/gone.py", f"    vanished = compute_{at}()", 1), at) for at in range(count)]
    review_input, read = large_input(files, [], gone), reading(files)
    return lambda: moved_code(review_input, read)


@_part("which earlier findings to ask about", "findings", FINDINGS)
def _recheck(count: int) -> Work:
    file, before = large_file(count), large_file(count, suffix="  # then")
    known = [known_as(each, at) for at, each in enumerate(findings_in(file, count))]
    review_input = large_input([file], [before], known)
    stances = {each.id: _NOTHING_SAID for each in known}
    return lambda: findings_to_recheck(review_input, stances, {}, _NoNames())  # type: ignore[arg-type]


class _NoNames:
    """A parser that finds no names: to parse is no part of this."""

    def identifiers(self, *_: object) -> None:
        return None


@_part("plan a review", "hunks", HUNKS)
def _plan_review(hunks: int) -> Work:
    files = _many(hunks, suffix="  # new")
    then = _many(hunks)
    limits = Limits.model_construct(
        batch_tokens=_BATCH_TOKENS, read_files=len(files), input_tokens_per_review=1_000_000_000
    )
    price = Price(input=1.0, output=1.0, cache_read=1.0, cache_write=1.0)
    models = Models.model_construct(reviewer="a model", tiers={}, prices={"a model": price})
    texts = [replace(file, changed=replace(file.changed, path=f"{file.changed.path}.txt")) for file in files]
    before = [replace(file, changed=replace(file.changed, path=f"{file.changed.path}.txt")) for file in then]
    review_input, view = large_input(texts, before), view_of(texts)
    return lambda: plan_review(review_input, {}, view, limits, models)


def _reconciled(plan: ReviewPlan, files: Sequence[LargeFile], found: Judgement | None = None) -> Reconciliation:
    return reconcile(plan, Reports(), found or Judgement((), ()), reading(files), offline=False)


@_part("reconcile earlier findings in one file", "findings", FINDINGS)
def _reconcile_one(count: int) -> Work:
    file = large_file(count)
    keys = [hunk.key for hunk in file.changed.hunks]
    known = [known_as(each, at, hunk=keys[at % len(keys)]) for at, each in enumerate(findings_in(file, count))]
    plan = _plan([file], known, [large_file(count - 1, suffix="  # then")])
    return partial(_reconciled, plan, [file])


@_part("reconcile, every finding quotes the same", "findings", FINDINGS)
def _reconcile_alike(count: int) -> Work:
    file = large_file(count, alike=True)
    key = file.changed.hunks[0].key
    known = [known_as(each, at, hunk=key) for at, each in enumerate(findings_in(file, count))]
    return partial(_reconciled, _plan([file], known, [large_file(1, alike=True)]), [file])


@_part("reconcile in many files, nothing new", "findings", FINDINGS)
def _reconcile_many(count: int) -> Work:
    files = large_files(count, min(max(count // 4, 1), FILES))
    known = [
        known_as(finding, 4 * at + each, hunk="0" * 16, status="fixed")
        for at, file in enumerate(files)
        for each, finding in enumerate(findings_in(file, 4))
    ]
    return partial(_reconciled, _plan(files, known), files)


@_part("restore findings from threads", "findings", FINDINGS)
def _restored(count: int) -> Work:
    file = large_file(count)
    known = [known_as(each, at) for at, each in enumerate(findings_in(file, count))]
    threads = [thread_about(each) for each in known]
    listed = {each.id: each.finding for each in known}
    openings = [
        replace(thread, opening=Opening("**[MAJOR] x**", each.finding.path, (1, 1), (1, 1), ""))
        for thread, each in zip(threads, known, strict=True)
    ]
    return lambda: restored(openings, listed, [file.changed])


@_part("changes of a file since then", "hunks", HUNKS_OF_ONE_FILE)
def _changes_since(hunks: int) -> Work:
    file = large_file(hunks)
    return partial(changes_since, file.then, file.now)


@_part("changes of a file, all lines alike", "hunks", HUNKS_OF_ONE_FILE)
def _changes_alike(hunks: int) -> Work:
    file = large_file(hunks, alike=True)
    return partial(changes_since, file.then, file.now)


@_part("the diff of a file since then", "hunks", HUNKS_OF_ONE_FILE)
def _diff_since(hunks: int) -> Work:
    file = large_file(hunks)
    return partial(diff_of, "src/app.py", file.then, file.now)


def _updates(count: int, **given: Any) -> tuple[list[FindingUpdate], list[KnownFinding]]:
    known = [known_as(each, at + 1) for at, each in enumerate(_findings(count))]
    return [FindingUpdate(each, each, **given) for each in known], known


@_part("delta", "findings", FINDINGS)
def _delta(count: int) -> Work:
    updates, _ = _updates(count)
    new = [KeptFinding(f"N-{at}", each, None) for at, each in enumerate(_findings(count))]

    def work() -> object:
        changes = delta(new, updates)
        return changes.update, changes.verdict, changes.is_news

    return work


@_part("thread actions", "findings", FINDINGS)
def _threads(count: int) -> Work:
    updates, known = _updates(count, transition="resolved")
    threads = {each.id: thread_about(each) for each in known}

    def work() -> object:
        actions = thread_actions(updates, threads, _RUN)
        return left_to_do(actions, list(threads.values()), _RUN)

    return work


@_part("thread actions, one long thread", "replies", FINDINGS)
def _long_thread(count: int) -> Work:
    [known] = [known_as(each, 1) for each in _findings(1)]
    thread = thread_about(known, count)
    said = Stance(settles="dismissed", meaning="by_design", by="ann", reply=thread.replies[-1].id)
    update = FindingUpdate(known, known, transition="dismissed", stance=said)
    return lambda: thread_actions([update], {known.id: thread}, _RUN)


# What people read.


def _read_scope(files: Sequence[ChangedFile]) -> Scope:
    return replace(_scope([]), files=tuple(files), total_files=len(files))


def _review_details() -> ReviewDetails:
    return ReviewDetails(_RUN.id, HEAD, _LINKS, ["Totals are added."], [], [], [], ModelUse(), 1.0)


@_part("write a first review", "findings", FINDINGS)
def _first_review(count: int) -> Work:
    new = [KeptFinding(f"N-{at}", each, None) for at, each in enumerate(_findings(count))]
    dropped = [SuppressedFinding(each, "It is not worth it.") for each in _findings(count)]
    changes = delta(new, (), Coverage(1, 0))
    return lambda: first_review(_read_scope([]), changes, dropped, _review_details())


@_part("write a re-review", "findings", FINDINGS)
def _re_review(count: int) -> Work:
    updates, _ = _updates(count)
    new = [KeptFinding(f"N-{at}", each, None) for at, each in enumerate(_findings(count))]
    changes = delta(new, updates, Coverage(1, 0))
    return lambda: re_review(_read_scope([]), changes, (), _review_details(), HEAD)


@_part("embed findings in a body", "findings", FINDINGS)
def _embedded(count: int) -> Work:
    body = f"A review.\n\n{review_marker(_RUN.id, HEAD)}"
    named = [(f"F-{at:012x}", each) for at, each in enumerate(_findings(count))]
    return lambda: embedded_findings(with_embedded_findings(body, named))


@_part("compose and store the whole review", "findings", FINDINGS)
def _compose(count: int) -> Work:
    file = large_file(count)
    known = [known_as(each, at) for at, each in enumerate(findings_in(file, count, title="Earlier"))]
    plan = _plan([file], known, [large_file(1)])
    at_lines = [(f"F-{count + at:012x}", each) for at, each in enumerate(findings_in(file, count))]
    kept = [KeptFinding(name, each, Anchor(each.path, each.start_line, each.end_line)) for name, each in at_lines]
    found = Judgement(tuple(kept), ())
    reconciled = _reconciled(_plan([large_file(1)], []), [], found)
    updates = tuple(FindingUpdate(replace(each, heard="1"), each, "resolved") for each in known)
    changes = delta(kept, updates)
    reconciled = replace(reconciled, updates=updates, changes=changes)

    def work() -> object:
        read = reading([file])
        pending = compose(_RUN, plan, Reports(), found, reconciled, ModelUse(), seconds=1.0, read_lines=read)
        return _STAGED.validate_json(_STAGED.dump_json(pending, by_alias=True))

    return work


@_part("clean a text of long lines", "characters", 1_000_000)
def _posted(characters: int) -> Work:
    line = "a `b` @c " * (characters // 36)
    return partial(posted, "\n".join([line] * 4))


# Proposals.


def _git_diff(files: Sequence[LargeFile]) -> str:
    parts = []
    for file in files:
        path = file.changed.path
        parts += [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}", file.changed.patch or ""]
    return "\n".join([*parts, ""])


def _entry(lines: Sequence[str]) -> TreeEntry:
    return TreeEntry(FILE, "".join(f"{line}\n" for line in lines).encode())


@_part("read a diff", "hunks", HUNKS)
def _read_diff(hunks: int) -> Work:
    return partial(affected_files, _git_diff(_many(hunks)))


@_part("apply a diff to one file", "hunks", HUNKS_OF_ONE_FILE)
def _apply_one(hunks: int) -> Work:
    file = large_file(hunks)
    return partial(apply_diff, _git_diff([file]), {file.changed.path: _entry(file.then)})


@_part("apply a diff, all hunks alike", "hunks", HUNKS_OF_ONE_FILE)
def _apply_alike(hunks: int) -> Work:
    file = large_file(hunks, alike=True)
    return partial(apply_diff, _git_diff([file]), {file.changed.path: _entry(file.then)})


@_part("apply a diff that does not fit", "hunks", HUNKS_OF_ONE_FILE)
def _apply_wrong(hunks: int) -> Work:
    file = large_file(hunks)
    return partial(apply_diff, _git_diff([file]), {file.changed.path: _entry([f"{line} " for line in file.then])})


@_part("apply a diff to many files", "hunks", HUNKS)
def _apply_many(hunks: int) -> Work:
    files = _many(hunks)
    return partial(apply_diff, _git_diff(files), {file.changed.path: _entry(file.then) for file in files})


@_part("write a diff", "hunks", HUNKS_OF_ONE_FILE)
def _write_diff(hunks: int) -> Work:
    file = large_file(hunks)
    return partial(written_diff, {"a.py": _entry(file.then)}, {"a.py": _entry(file.now)})


@_part("a diff as a suggestion", "lines", LINES)
def _suggestion(lines: int) -> Work:
    text = [f"line {at}\n" for at in range(1, lines + 1)]
    at = lines - 1
    diff = (
        f"--- a/a.py\n+++ b/a.py\n@@ -{at - 1},3 +{at - 1},3 @@\n line {at - 1}\n-line {at}\n+other\n line {at + 1}\n"
    )
    return partial(suggestion_for, diff, "a.py", (at, at), text)
