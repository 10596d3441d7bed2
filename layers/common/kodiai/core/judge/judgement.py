"""The judgement: the findings that are kept, repeat an earlier one or are dropped, and where they are shown."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kodiai.core.config.keys import ReviewConfig
from kodiai.core.findings.finding import SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.identity import finding_ids
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.source import Source
from kodiai.core.findings.suggestion import Offer
from kodiai.core.judge.ruling import FIX_WORDS
from kodiai.core.judge.team_rules import NO_TEAM_RULES, TeamRulesStanding
from kodiai.core.plan.candidate import UNDECIDED, JudgeDecision
from kodiai.core.text.layout import short_text


@dataclass(frozen=True)
class Anchor:
    """Lines that GitHub takes a comment on, 1-based, both included, on the new side."""

    path: str
    start_line: int
    end_line: int

    def overlaps(self, finding: Finding) -> bool:
        """Whether they share a line with a finding."""
        return self.path == finding.path and self.start_line <= finding.end_line and finding.start_line <= self.end_line


@dataclass(frozen=True)
class Placement:
    """The lines for a finding's comment (None: there are none), the key of its hunk, the offer of its replacement."""

    anchor: Anchor | None
    hunk: str | None
    offer: Offer


@dataclass(frozen=True)
class KeptFinding:
    """A finding that counts, in the ledger and in the verdict.

    `anchor` is the place of its inline comment, None if it gets none. `suggestion` is offered instead of its lines,
    None if nothing is offered.
    `hunk` is the key of the hunk that has its lines, None if none has.
    """

    id: str
    finding: Finding
    anchor: Anchor | None
    hunk: str | None = None
    suggestion: str | None = None

    @property
    def inline(self) -> bool:
        """Whether it gets an inline comment."""
        return self.anchor is not None


@dataclass(frozen=True)
class SuppressedFinding:
    """A finding that is not kept, with its fate and the reason that the details show."""

    finding: Finding
    reason: str
    fate: str = ""


@dataclass(frozen=True)
class Judgement:
    """All reported findings, each in one of the first three fields.

    `kept` has the most severe first. `suppressed` has those too that are undecided.
    `repeated` are open findings of earlier reviews, by their ids.
    `resolved` is the code that resolves earlier findings, by their ids.
    `judged` is how many candidates the judge ruled on, `unjudged` how many have no ruling that could be followed.
    `refused_replacements` is how many replacements of kept findings are not offered, by reason. `decisions` are those
    that the rest follows from. `team_rules` is the standing of the team's rules, whose failures are among `kept`.
    """

    kept: tuple[KeptFinding, ...]
    suppressed: tuple[SuppressedFinding, ...]
    repeated: Mapping[str, Finding] = field(default_factory=dict)
    resolved: Mapping[str, Evidence] = field(default_factory=dict)
    judged: int = 0
    unjudged: int = 0
    refused_replacements: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    decisions: tuple[JudgeDecision, ...] = ()
    team_rules: TeamRulesStanding = NO_TEAM_RULES

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """The findings that have to be judged again."""
        return tuple(each.finding for each in self.suppressed if each.fate == UNDECIDED)

    @property
    def doubted(self) -> tuple[SuppressedFinding, ...]:
        """The kept findings of which two rulings do not agree, or that have only the first, with the reasons."""
        decisions = (each for each in self.decisions if each.outcome == "kept" and each.fate == "unjudged")
        return tuple(
            SuppressedFinding(each.finding, each.reason) for each in decisions if each.reason != each.finding.caveat
        )


@dataclass(frozen=True)
class EarlierFindings:
    """The results of a review about earlier findings, whose ids are `ids`.

    `repeated` and `suppressed` are reported findings that by code alone are earlier ones, open and dismissed;
    `resolved` is the code that resolves one, by its id.
    """

    ids: Collection[str] = ()
    repeated: Mapping[str, Finding] = field(default_factory=dict)
    suppressed: Sequence[SuppressedFinding] = ()
    resolved: Mapping[str, Evidence] = field(default_factory=dict)


def judgement(
    decisions: Sequence[JudgeDecision],
    earlier: EarlierFindings,
    place: Callable[[Finding], Placement],
    config: ReviewConfig,
    problems: tuple[str, ...] = (),
    team_rules: TeamRulesStanding = NO_TEAM_RULES,
) -> Judgement:
    """Name what is kept, and choose what gets a comment: the most severe first, as far as cap and floor go.

    Cap and floor of the settings decide what is shown, never what counts. A finding without a ruling gets a comment
    only if it blocks, and a MINOR one only if it comes with a suggestion. The team's rules that fail come first.
    """
    max_comments, floor = config.max_comments, config.severity.min_level
    ranked = sorted(decisions, key=lambda each: rank(each.finding))
    kept = [_with_dependency(each, ranked) for each in ranked if each.outcome == "kept"]
    new = [*team_rules.failing, *(each.finding for each in kept if each.known is None)]
    fresh = iter(finding_ids(new, earlier.ids))
    placed: dict[str, KeptFinding] = {}
    commented = 0
    for finding in team_rules.failing:
        name, placement = next(fresh), place(finding)
        where = placement.anchor if commented < max_comments else None
        commented += where is not None
        placed[name] = KeptFinding(name, finding, where, placement.hunk)
    refused: list[str | None] = []
    twice: list[SuppressedFinding] = []
    for each in kept:
        if each.known in placed:  # an earlier finding that is back is back once
            twice.append(SuppressedFinding(each.finding, f"the same as {each.known}", each.fate))
            continue
        placement = place(each.finding)
        is_quiet = each.finding.severity == "MINOR" and placement.offer.text is None
        is_listed = (each.fate == "unjudged" and not each.finding.blocks) or is_quiet
        has_room = commented < max_comments
        anchor = placement.anchor if has_room and is_shown(each.finding, floor) and not is_listed else None
        suggestion = placement.offer.text if anchor is not None else None
        commented += anchor is not None
        name = each.known or next(fresh)
        finding = each.finding if suggestion is not None else _with_fix(each)
        placed[name] = KeptFinding(name, finding, anchor, placement.hunk, suggestion)
        is_withheld = each.candidate.finding.replacement is not None and each.finding.replacement is None
        refused.append("not found complete and correct" if is_withheld else placement.offer.refused)
    ruled_out = [
        SuppressedFinding(each.finding, each.reason, UNDECIDED if each.outcome == UNDECIDED else each.fate)
        for each in decisions
        if each.outcome in ("suppressed", UNDECIDED)
    ]
    again = {each.known: each.finding for each in reversed(ranked) if each.known and each.outcome == "repeated"}
    unjudged = sum(each.fate == "unjudged" for each in decisions)
    return Judgement(
        kept=tuple(sorted(placed.values(), key=lambda each: rank(each.finding))),
        suppressed=(*ruled_out, *twice, *earlier.suppressed),
        repeated={**earlier.repeated, **again, **team_rules.repeated},
        resolved={**earlier.resolved, **team_rules.resolved},
        judged=len(decisions) - unjudged,
        unjudged=unjudged,
        refused_replacements=Counter(why for why in refused if why),
        problems=problems,
        decisions=tuple(decisions),
        team_rules=team_rules,
    )


def is_shown(finding: Finding, floor: Severity) -> bool:
    """Whether a finding is severe enough to be shown."""
    return SEVERITIES.index(finding.severity) <= SEVERITIES.index(floor)


def _with_dependency(kept: JudgeDecision, decisions: Iterable[JudgeDecision]) -> JudgeDecision:
    """The decision with the title, as people read it, of the finding that it depends on, if that stands."""
    on = kept.candidate.depends_on
    others = (each for each in decisions if each.outcome in ("kept", "repeated") and each is not kept)
    title = next((each.finding.title for each in others if on == each.candidate.finding.title), None) if on else None
    return replace(kept, finding=kept.finding.model_copy(update={"once_fixed": title})) if title else kept


def _with_fix(kept: JudgeDecision) -> Finding:
    """The finding with its reader's words for the fix where the judge left them to a suggestion."""
    fix = kept.finding.fix or short_text(kept.candidate.finding.fix, FIX_WORDS)
    return kept.finding.model_copy(update={"fix": fix})


def anchor(finding: Finding, source: Source) -> Anchor | None:
    """Anchor a finding at its own lines, as far as one hunk has them, else at its cause; None if no hunk has either."""
    own = _within_hunk(source, finding.path, finding.start_line, finding.end_line)
    if own is not None or finding.cause is None:
        return own
    cause = locate(finding.cause.quote, finding.cause.path, None, source)
    return _within_hunk(source, cause.path, cause.start_line, cause.end_line) if cause else None


def _within_hunk(source: Source, path: str, start: int, end: int) -> Anchor | None:
    file = source.changed(path)
    hunk = file.hunk_at(start, end) if file and not file.is_rebuilt else None
    return Anchor(path, max(start, hunk.new_lines[0]), min(end, hunk.new_lines[-1])) if hunk else None
