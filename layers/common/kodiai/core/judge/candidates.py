"""The reports of the reviewers, and their candidates: placed at their code, with facts about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kodiai.core.changes.changed_file import ChangedLines, Skipped
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import (
    PriorFinding,
    has_same_code,
    is_dismissed_near,
    on_same_lines,
    quote_key,
    same_by_code,
)
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, KnownFinding
from kodiai.core.findings.locate import locate, placed
from kodiai.core.findings.prior import PriorFindings
from kodiai.core.findings.report import EarlierAnswer, Reported, Summary
from kodiai.core.findings.source import Source
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.earlier import names_of, nearest_place
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.repository.facts import Facts

_NOWHERE = "The quoted code stands nowhere in that file."
_MOST_KEPT_SHOWN = 40


@dataclass(frozen=True)
class Reports:
    """The reports of the reviewers about everything in the plan.

    `summaries` sum up the change. `findings` are those of all reports, and those by code. `earlier` are the answers
    about earlier findings, by finding id. `unread` are the files that some reviewer could not read in full, each with
    the reasons; `problems` are such reasons if there is no file to name. `rulings` are those on the team's rules, of
    each batch that was asked.
    """

    summaries: tuple[Summary, ...] = ()
    findings: tuple[Reported, ...] = ()
    earlier: Mapping[str, EarlierAnswer] = field(default_factory=dict)
    unread: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    rulings: tuple[TeamRuling, ...] = ()


def answers_by_finding(answers: Iterable[EarlierAnswer]) -> dict[str, EarlierAnswer]:
    """One answer for each finding; of two the one that does not call it addressed."""
    ordered = sorted(answers, key=lambda answer: answer.answer != "ADDRESSED")
    return {answer.finding: answer for answer in ordered}


def check(
    reported: Iterable[Reported],
    prior: Sequence[PriorFinding],
    change: ChangedLines,
    source: Source,
    facts: Facts,
) -> tuple[tuple[Candidate, ...], dict[str, Finding], list[SuppressedFinding]]:
    """Locate what was reported, and identify earlier findings as far as code decides that; nothing is lost.

    Gives the candidates, the open findings of earlier reviews that are reported again, by their ids, and those that
    people dismissed on this very code.
    """
    candidates: list[Candidate] = []
    repeated: dict[str, Finding] = {}
    suppressed: list[SuppressedFinding] = []
    earlier = PriorFindings(prior)
    for each in reported:
        finding, quote_found = placed(each.finding, source)
        near = earlier.near(finding)
        same = next((one for one in near if same_by_code(one, finding)), None)
        # Whether it is more severe now is for the judge to decide.
        is_worse = same is not None and rank(finding)[0] < rank(same.finding)[0]
        if same is not None and same.known.status == "open" and not is_worse:
            repeated[same.id] = finding
        elif (
            same is not None
            and same.known.status in DECIDED_BY_PEOPLE
            and quote_key(same.finding.quote) == quote_key(finding.quote)
        ):
            suppressed.append(SuppressedFinding(finding, same.known.dismissal, "known"))
        else:
            candidate = Candidate(
                number=len(candidates) + 1,
                reviewer=each.reviewer,
                finding=finding,
                quote_found=quote_found,
                introduced=_is_brought(finding, change),
                is_all_new=_is_all_new(finding, change, source.read_lines.parser),
                depends_on=each.depends_on,
                overlapping=tuple(one.id for one in near if on_same_lines(one, finding)),
                presumed=_presumed(same, [one for one in near if has_same_code(one, finding)]),
                beside=tuple(one.id for one in near if is_dismissed_near(one, finding)),
            )
            candidates.append(candidate)
    standing = [each for each in candidates if each.quote_found]
    notes = {
        each.number: found
        for each, found in zip(standing, facts.notes([each.finding for each in standing]), strict=True)
    }
    noted = tuple(replace(each, notes=notes.get(each.number, (_NOWHERE,))) for each in candidates)
    return noted, repeated, suppressed


def _presumed(same: PriorFinding | None, alike: Sequence[PriorFinding]) -> str | None:
    """The earlier finding that it is by its title or its code, an open one before a closed one."""
    found = [*([same] if same is not None else []), *alike]
    return next((one.id for one in sorted(found, key=lambda one: one.known.status != "open")), None)


def prior_findings(plan: ReviewPlan, answers: Mapping[str, EarlierAnswer], source: Source) -> tuple[PriorFinding, ...]:
    """The findings of earlier reviews in their present state, with people's decisions since."""
    found = []
    for known in plan.input.known:
        stance, now = plan.stances[known.id], plan.at_head(known)
        if known.status == "open" and stance.settles is not None:
            now = replace(now, status=stance.settles, settled_by=stance.by)
        place = _own_place(plan, now, source) or _shown_place(now, answers.get(known.id), source)
        found.append(PriorFinding(now, place, place or _likely_place(now, source)))
    return tuple(found)


def _own_place(plan: ReviewPlan, known: KnownFinding, source: Source) -> tuple[int, int] | None:
    """The place of its code: in its own hunk, else its only place; None if that is not certain."""
    path = known.finding.path
    places = source.read_lines.places(known.finding.quote, path)
    file = plan.input.by_path.get(path)
    own = file.section_of(known.hunk) if file is not None else None
    alone = [place for place in places.found if own is not None and place.start_line in own.new_lines] or places.found
    return (alone[0].start_line, alone[0].end_line) if len(alone) == 1 else None


def _likely_place(known: KnownFinding, source: Source) -> tuple[int, int]:
    """The place of its code that is closest to where it stood, else the lines on which it stood."""
    finding = known.finding
    place = nearest_place(finding, source.read_lines)
    return (place.start_line, place.end_line) if place else (finding.start_line, finding.end_line)


def _shown_place(known: KnownFinding, answer: EarlierAnswer | None, source: Source) -> tuple[int, int] | None:
    """The place at which a reviewer shows that the edited code still has the problem."""
    if answer is None or answer.answer not in ("PARTIAL", "NOT_ADDRESSED"):
        return None
    found = locate(answer.quote, answer.path or known.finding.path, known.finding.start_line, source)
    return (found.start_line, found.end_line) if found and found.path == known.finding.path else None


def _is_brought(finding: Finding, change: ChangedLines) -> bool:
    """Whether the change touches its lines, breaks a reference there, or has what causes it elsewhere."""
    place = finding.path, finding.start_line, finding.end_line
    if change.touches(*place) or change.broken(*place):
        return True
    return finding.cause is not None and change.has(finding.cause.path, finding.cause.quote)


def _is_all_new(finding: Finding, change: ChangedLines, parser: CodeParser) -> bool:
    """Whether code alone tells that the problem was not there before: the change writes every name of its code."""
    place = finding.path, finding.start_line, finding.end_line
    words = names_of(finding, parser) or frozenset(finding.quote.split())
    return bool(change.broken(*place)) or change.is_all_new(*place, words)


def kept_near(kept: Sequence[JudgeDecision], group: Iterable[Candidate]) -> list[JudgeDecision]:
    """The kept candidates that a group is shown, as each of them may be the same: at most 40, in their order.

    Those come first that share a file with the group, their causes included, and then the latest.
    """
    paths = {path for each in group for path in each.finding.paths}
    nearest = sorted(range(len(kept)), key=lambda at: (paths.isdisjoint(kept[at].finding.paths), -at))
    return [kept[at] for at in sorted(nearest[:_MOST_KEPT_SHOWN])]
