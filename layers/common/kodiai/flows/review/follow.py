"""Follow: what has become of the findings that were told before."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import Judgement
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.lifecycle import FindingUpdate, Observation, follow
from kodiai.core.findings.locate import ReadLines, places, stands
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.review.input import ReviewInput

TAKEN_BACK = "the change that it was about was taken back"


def follow_up(
    gathered: ReviewInput,
    judgement: Judgement,
    asked_back: Sequence[KnownFinding],
    answers: Mapping[str, EarlierAnswer],
    read_lines: ReadLines,
) -> tuple[FindingUpdate, ...]:
    """Follow each finding that is not posted again, and note where it stands now."""
    asked = {each.id for each in asked_back}
    posted_again = {kept.id for kept in judgement.kept}
    files = {file.path: file for file in gathered.files}
    followed = []
    for known in gathered.known:
        if known.id in posted_again:
            continue
        reported = judgement.repeated.get(known.id)
        seen = replace(
            _seen(gathered, known),
            was_asked=known.id in asked,
            answered=answers.get(known.id) if known.id in asked else None,
            resolved=judgement.resolved.get(known.id),
            reported=reported,
        )
        each = follow(gathered.moved(known), seen, read_lines)
        place = _place(gathered, each.known, reported, read_lines, files) if each.is_open else each.known
        followed.append(replace(each, known=place, before=known))
    return tuple(followed)


def follow_unread(gathered: ReviewInput, read_lines: ReadLines | None) -> tuple[FindingUpdate, ...]:
    """Follow the findings where nothing is new, so that nobody is asked: people's decisions, and what was taken back.

    `read_lines` gives the files at the head, None where no finding's code is gone.
    """
    followed = []
    for known in gathered.known:
        each = follow(gathered.moved(known), _seen(gathered, known), read_lines or _no_lines)
        each = replace(each, before=known)
        if (
            each.is_open
            and read_lines
            and was_taken_back(gathered, known)
            and not stands(each.finding.quote, each.finding.path, read_lines)
        ):
            gone = replace(each.known, status="fixed")
            each = replace(each, known=gone, turn="resolved", why=TAKEN_BACK)
        followed.append(each)
    return tuple(followed)


def with_threads(followed: Sequence[FindingUpdate], resolved: Collection[str]) -> tuple[FindingUpdate, ...]:
    """Note whose threads we resolved: only a person opens those again."""
    return tuple(
        replace(each, known=replace(each.known, resolved_thread=True)) if each.id in resolved else each
        for each in followed
    )


def was_taken_back(gathered: ReviewInput, known: KnownFinding) -> bool:
    """Whether the hunk that an open finding was told of is there no more."""
    return known.status == "open" and known.hunk is not None and gathered.is_touched(known)


def answers_by_finding(answers: Collection[EarlierAnswer]) -> dict[str, EarlierAnswer]:
    """One answer for each finding; where there are two, the one that does not call it addressed."""
    ordered = sorted(answers, key=lambda answer: answer.answer != "ADDRESSED")
    return {answer.finding: answer for answer in ordered}


def _seen(gathered: ReviewInput, known: KnownFinding) -> Observation:
    """What is known of a finding before anybody is asked about it."""
    thread = gathered.threads.get(known.id)
    # What was decided since then may have resolved a thread that was read before.
    decided_since = known.decided_at is not None and known.decided_at >= int(gathered.began)
    return Observation(
        stance=gathered.stances[known.id],
        is_back=gathered.is_back(known),
        is_unresolved=thread is not None and not thread.is_resolved and not decided_since,
    )


def _no_lines(path: str) -> list[str] | None:  # noqa: ARG001 - it stands in for a tree
    return None


def _place(
    gathered: ReviewInput,
    known: KnownFinding,
    reported: Finding | None,
    read_lines: ReadLines,
    files: Mapping[str, ChangedFile],
) -> KnownFinding:
    """Note the lines and the hunk where it stands now, by its own quote or by that of the report that repeats it.

    Where its code is not there any more, note the last head that had it: what changed since then may resolve it.
    """
    candidates = [known.finding]
    if reported is not None:
        names = ("path", "quote", "start_line", "end_line")
        candidates.append(known.finding.model_copy(update={name: getattr(reported, name) for name in names}))
    for candidate in candidates:
        found = places(candidate.quote, candidate.path, read_lines)
        if found:
            near = min(found, key=lambda place: abs(place.start_line - candidate.start_line))
            file = files.get(candidate.path)
            hunk = file.hunk_at(near.start_line, near.end_line) if file else None
            stands_at = candidate.model_copy(update={"start_line": near.start_line, "end_line": near.end_line})
            return replace(known, finding=stands_at, hunk=hunk.key if hunk else None, stood_at=None)
    return replace(known, stood_at=known.stood_at or gathered.previous_head)
