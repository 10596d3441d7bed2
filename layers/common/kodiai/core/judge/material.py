"""The material of the judge, in groups: candidates, earlier findings, and claims that one is resolved."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.long_lines import shortened
from kodiai.core.code.names import is_builtin
from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.evidence import LinesChanged, changes_since, evidence_for
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import Source
from kodiai.core.github.comment import Thread
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.ruling import Ruling
from kodiai.core.memory.recall import precedent_row
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.earlier import diff_of, names_of
from kodiai.core.plan.material import recent_replies
from kodiai.core.plan.plan import Batch, ReviewPlan
from kodiai.core.repository.tree import ReadAtCommit

# Of more at once each gets less attention.
_MOST_TOGETHER = 20
_CONTEXT_LINES = 12


@dataclass(frozen=True)
class ResolutionClaim:
    """An earlier finding that a reviewer calls resolved, with the code that may resolve it.

    `before` and `after` are the code then and the change of its file, "" as far as the batch shows it anyway.
    """

    prior: PriorFinding
    evidence: Evidence
    before: str
    after: str
    why: str


def claims(
    plan: ReviewPlan,
    prior: Sequence[PriorFinding],
    answers: Mapping[str, EarlierAnswer],
    source: Source,
    read_at: ReadAtCommit,
) -> tuple[ResolutionClaim, ...]:
    """The claims that the judge has to decide, and has not decided; the others change nothing."""
    addressed = (
        (each, answers[each.id])
        for each in prior
        if each.id in answers
        and answers[each.id].answer == "ADDRESSED"
        and each.known.status == "open"
        and each.id not in plan.answered
    )
    found = (_claim(plan, each, answer, source, read_at) for each, answer in addressed)
    return tuple(claim for claim in found if isinstance(claim, ResolutionClaim))


def why_not_resolved(plan: ReviewPlan, source: Source, read_at: ReadAtCommit, answer: EarlierAnswer) -> str | None:
    """The reason why the code that an answer quotes does not resolve its finding, None if it may."""
    known = next(each for each in plan.input.known if each.id == answer.finding)
    claim = _claim(plan, PriorFinding(plan.at_head(known), None), answer, source, read_at)
    return claim if isinstance(claim, str) else None


def _claim(
    plan: ReviewPlan, prior: PriorFinding, answer: EarlierAnswer, source: Source, read_at: ReadAtCommit
) -> ResolutionClaim | str:
    """The claim, or the reason why the code does not bear it out."""
    if prior.id in plan.moved_code:
        return f"its code stands in {plan.moved_code[prior.id]} now"
    parser = source.read_lines.parser
    finding, head = prior.finding, plan.input.stood_at(prior.known)
    is_shown = head == plan.input.last_read_head and any(finding.path in batch.whole for batch in plan.batches)

    def read_then(path: str) -> list[str] | None:
        return read_at(plan.input.path_then(path), head) if head else None

    now, then = source.read_lines(finding.path), read_then(finding.path)
    before = "" if is_shown else _around(then, finding.start_line)
    if now is None:
        return ResolutionClaim(prior, Evidence(finding.path, ""), before, "(deleted)", answer.why)
    quoted = locate(answer.quote, answer.path or finding.path, finding.start_line, source)
    path = quoted.path if quoted else finding.path
    its_now = source.read_lines(path) or []
    its_then = then if path == finding.path else read_then(path)
    # If the file cannot be compared with itself, new hunks tell what changed.
    added = (line for hunk in plan.input.new_hunks(path) for line in hunk.lines if line.marker == "+")
    by_hunks = LinesChanged(frozenset(line.new for line in added if line.new))
    about_code = finding.is_about_code
    code = parser.changed_code(path, its_now, its_then) if its_then is not None and about_code else None
    changed = changes_since(its_then, its_now, code) if its_then is not None else by_hunks
    names = _names(finding, then, now, path, parser) if then is not None and about_code else frozenset()
    evidence = evidence_for(finding, quoted, source.read_lines, changed, names)
    if isinstance(evidence, str):
        return evidence
    diffs = [diff_of(finding.path, then, now)] if then is not None and not is_shown else []
    diffs += [diff_of(path, its_then, its_now)] if path != finding.path and its_then is not None else []
    after = "\n".join(diffs) or ("" if is_shown else _around(its_now, quoted.start_line if quoted else 1))
    return ResolutionClaim(prior, evidence, before, after, answer.why)


def _names(finding: Finding, then: Sequence[str], now: Sequence[str], path: str, parser: CodeParser) -> frozenset[str]:
    """The names that code at a path has if it concerns the finding, none if any code there may concern it.

    In another file that is also what the new lines of the finding's own file name; what is local to functions means
    something else there.
    """
    around = parser.outline(finding.path, then).enclosing(finding.start_line, finding.end_line)
    names = names_of(finding, parser)
    if not names or not (around or path != finding.path):
        return frozenset()
    if path != finding.path:
        added = parser.identifiers(finding.path, now, changes_since(then, now).added)
        names |= {each.name for each in added or () if not is_builtin(finding.path, each.name)}
        bound = parser.bound_names(finding.path, now, names)
        places = {name: bound.bindings(name) for name in names} if bound else {}
        names -= {name for name, each in places.items() if each and all(place.is_local for place in each)}
    return names | {definition.name for definition in around}


def _around(lines: Sequence[str] | None, line: int) -> str:
    """The lines around one of them; a note if they cannot be read."""
    if lines is None:
        return "(cannot be read)"
    return shortened("\n".join(lines[max(0, line - 1 - _CONTEXT_LINES) : line + _CONTEXT_LINES]))


def groups(
    candidates: Sequence[Candidate], claims: Sequence[ResolutionClaim], batches: Sequence[Batch]
) -> Iterator[tuple[int, Sequence[Candidate], Sequence[ResolutionClaim]]]:
    """At most twenty candidates each, of the batch that shows their file or of the riskiest one, most severe first.

    The first of each is the place of that batch.
    """
    home = {file.path: at for at, batch in reversed([*enumerate(batches)]) for file in batch.files}
    here_of: dict[int, list[Candidate]] = defaultdict(list)
    for each in sorted(candidates, key=lambda each: rank(each.finding)):
        here_of[home.get(each.finding.path, 0)].append(each)
    asked_of: dict[int, list[ResolutionClaim]] = defaultdict(list)
    for claim in claims:
        asked_of[home.get(claim.prior.finding.path, 0)].append(claim)
    for at in range(len(batches)):
        here, asked = here_of[at], asked_of[at]
        for start in range(0, len(here), _MOST_TOGETHER) or ([0] if asked else []):
            yield at, here[start : start + _MOST_TOGETHER], asked if start == 0 else ()


def candidate_row(candidate: Candidate) -> JsonObject:
    """A candidate as its reviewer reported it, with the notes about its code."""
    finding = candidate.finding
    return {
        "number": candidate.number,
        "reviewer": candidate.reviewer,
        "severity": finding.severity,
        "category": finding.category,
        "kind": finding.kind,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "mechanism": finding.explanation,
        **({"fix": finding.fix} if finding.fix else {}),
        "quote": finding.quote,
        **({"older": True} if finding.pre_existing else {}),
        **({"cause": finding.cause.model_dump()} if finding.cause else {}),
        **({"depends_on": candidate.depends_on} if candidate.depends_on else {}),
        **({"replacement": _replacement(finding)} if finding.replacement is not None else {}),
        "presumed": candidate.presumed,
        **({"beside": candidate.beside} if candidate.beside else {}),
        "notes": candidate.notes,
        **({"dismissed_before": list(map(precedent_row, candidate.precedents))} if candidate.precedents else {}),
    }


def _replacement(finding: Finding) -> JsonObject:
    first, last = finding.replaced_lines
    return {"lines": f"{first}-{last}", "text": finding.replacement}


def kept_row(decision: JudgeDecision) -> JsonObject:
    """A candidate that an earlier group kept."""
    finding = decision.finding
    return {
        "number": decision.candidate.number,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "problem": finding.problem,
    }


def let_go_row(decision: JudgeDecision, ruling: Ruling) -> JsonObject:
    """A candidate that the first ruling lets go, with that ruling and the earlier finding that it takes it for."""
    said = {"fate", "same_as", "known", "unwanted", "path", "quote", "why", "severity", "kind", "pre_existing"}
    return {"number": decision.candidate.number, "ruled": ruling.model_dump(include=said, exclude_defaults=True)}


def claim_row(claim: ResolutionClaim) -> JsonObject:
    """An earlier finding that a reviewer calls resolved, with the code before and after."""
    finding = claim.prior.finding
    return {
        "finding": claim.prior.id,
        "title": finding.title,
        "problem": finding.problem_text,
        "quote": finding.quote,
        **({"before": claim.before} if claim.before else {}),
        **({"after": claim.after} if claim.after else {}),
        "evidence": {"path": claim.evidence.path, "quote": claim.evidence.quote},
        "why": claim.why,
    }


def prior_row(prior: PriorFinding, thread: Thread | None) -> JsonObject:
    """An earlier finding in its present state, with what people said about it."""
    finding = prior.finding
    return {
        "finding": prior.id,
        "status": prior.known.status,
        "severity": finding.severity,
        "category": finding.category,
        "path": finding.path,
        "now": f"stands at line {prior.place[0]}" if prior.place else "its code was edited or removed",
        "title": finding.title,
        "problem": finding.problem_text,
        "quote": finding.quote,
        "said": recent_replies(thread),
    }
