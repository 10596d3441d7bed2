"""Examine: ask the reviewers, check what they report against the code, and have it judged."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.touched import Touched
from kodiai.core.findings.anchor import anchor
from kodiai.core.findings.enforce import LocateQuote
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import Judgement, Placement, judgement
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import ReadLines, Source, locate
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.suggestion import Offer, offer
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.tree import Tree, lines_of
from kodiai.core.repository.usages import Usages
from kodiai.core.review.candidates import check, prior_findings
from kodiai.core.review.claims import ReadThen, claims
from kodiai.core.review.claims import change_since as file_change
from kodiai.core.review.input import ReviewInput
from kodiai.core.reviewers import Reviewer
from kodiai.core.words.secrets import secret_in
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader
from kodiai.flows.review.ask import Asked, ask, batches_of
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.follow import answers_by_finding
from kodiai.flows.review.judge import Judge
from kodiai.flows.review.read import Batch
from kodiai.flows.review.scope import Chosen
from kodiai.flows.world import World


@dataclass(frozen=True)
class Examined:
    """What a run made of the changes.

    `earlier` are the answers about findings of earlier reviews, by their ids; `reviewers` who was asked;
    `left_out` how many of what there was no room to show them; `problems` what could not be done.
    """

    asked: Asked
    earlier: Mapping[str, EarlierAnswer]
    judgement: Judgement
    reviewers: tuple[Reviewer, ...]
    left_out: Mapping[str, int]
    problems: tuple[str, ...] = ()


def examine(
    world: World, answers: ModelAnswers, gathered: ReviewInput, chosen: Chosen, tree: Tree, sources: Sources
) -> Examined:
    """Have the changes in scope read and judged; what was answered on an earlier try is not asked for again.

    Raises OutOfTime where the time left does not suffice for the next answer.
    """
    settings = world.settings
    model, effort = settings.models.reader(chosen.scope.tier)
    reader = Reader(answers, model, effort, tree, settings.limits.tool_turns)
    extractor = Extractor(answers, settings.models.extractor)
    most = settings.limits.parallel_calls
    usages = Usages(tree, world.deadline.left)
    read_then = _read_then(world)

    def change_since(known: KnownFinding) -> str:
        return file_change(gathered, known, sources.lines, read_then)

    batches = batches_of(gathered, chosen, sources, usages, world.deadline.left, change_since)
    asked = ask(reader, extractor, batches, most, is_last_try=world.turn.is_last)
    earlier = answers_by_finding(asked.earlier)
    found, problems = _judged(world, reader, gathered, asked, earlier, batches, sources, usages, tree, read_then)
    return Examined(
        asked=asked,
        earlier=earlier,
        judgement=found,
        reviewers=tuple(dict.fromkeys(name for batch in batches for name in batch.reviewers)),
        left_out=sum((batch.material.left_out for batch in batches), Counter()),
        problems=problems,
    )


def _judged(
    world: World,
    reader: Reader,
    gathered: ReviewInput,
    asked: Asked,
    earlier: Mapping[str, EarlierAnswer],
    batches: tuple[Batch, ...],
    sources: Sources,
    usages: Usages,
    tree: Tree,
    read_then: ReadThen,
) -> tuple[Judgement, tuple[str, ...]]:
    """Check what was reported, have it judged, and choose what is shown."""
    source = Source(sources.lines, gathered.files, tree.paths())
    prior = prior_findings(gathered, earlier, source)
    change = Touched(gathered.files)
    checked = check(asked.findings, prior, change, source, Facts(sources, usages, gathered.files))
    claimed = claims(gathered, prior, earlier, source, read_then)
    locate_quote = partial(locate, source=source)
    files = {file.path: file for file in gathered.files}
    judge = Judge(reader, prior, gathered.threads, locate_quote, is_last_try=world.turn.is_last)
    judged = judge.judge(checked.candidates, claimed, batches)
    found = judgement(
        judged.decisions,
        repeated=checked.repeated,
        dropped=checked.dropped,
        resolved=judged.resolved,
        taken=[known.id for known in gathered.known],
        place=lambda finding: _placement(finding, files, locate_quote, sources.lines),
        max_comments=gathered.config.review.max_comments,
        floor=gathered.config.review.severity.min_level,
    )
    return found, judged.problems


def _read_then(world: World) -> ReadThen:
    """Read files at earlier heads, each once. Raises OutOfTime where too little time is left."""
    read: dict[tuple[str, str], list[str] | None] = {}

    def read_then(path: str, head: str) -> list[str] | None:
        world.deadline.need(world.settings.limits.publish_seconds)
        if (path, head) not in read:
            read[path, head] = lines_of(world.github.file(path, head))
        return read[path, head]

    return read_then


def _placement(
    finding: Finding, files: Mapping[str, ChangedFile], locate_quote: LocateQuote, read_lines: ReadLines
) -> Placement:
    """Where a finding can be commented on, and whether its replacement may be offered there."""
    file = files.get(finding.path)
    hunk = file.hunk_at(finding.start_line, finding.end_line) if file else None
    where = anchor(finding, files, locate_quote)
    offered = offer(finding, read_lines(finding.path) or ())
    if offered.text is not None and secret_in(offered.text):
        offered = Offer(refused="it holds a secret")
    elif offered.text is not None and (where is None or not where.is_at(finding)):
        offered = Offer(refused="its lines take no comment")
    return Placement(where, hunk.key if hunk else None, offered)
