"""Examine: ask the reviewers, sift what they report, have the gravest of it verified, and judge."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Judgement, to_verify
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.verification import Verification
from kodiai.core.reviewers import Reviewer
from kodiai.flows.answers import Answers
from kodiai.flows.review.ask import Asked, ask, batches_of
from kodiai.flows.review.conversation import Reader
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.facts import RepositoryFacts
from kodiai.flows.review.follow import answers_by_finding
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.judge import judge_candidates, sift_reports
from kodiai.flows.review.scope import Chosen
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Usages
from kodiai.flows.review.verify import Verifier
from kodiai.flows.world import World
from kodiai.ports import Tree


@dataclass(frozen=True)
class Examined:
    """What a run made of the changes.

    `earlier` are the answers about findings of before, by their ids; `reviewers` who was asked;
    `left_out` how many of what there was no room to show them; `verified` how many findings had a second look.
    """

    asked: Asked
    earlier: Mapping[str, EarlierAnswer]
    judgement: Judgement
    reviewers: tuple[Reviewer, ...]
    left_out: Mapping[str, int]
    verified: int


def examine(
    world: World, answers: Answers, gathered: Gathered, chosen: Chosen, tree: Tree, sources: Sources
) -> Examined:
    """Have the changes in scope read and judged; what was answered on an earlier try is not asked for again.

    Raises OutOfTime where the time left does not suffice for the next answer.
    """
    settings = world.settings
    model, effort = settings.models.reader(chosen.scope.tier)
    reader = Reader(answers, model, effort, tree, settings.limits.tool_turns)
    extractor = Extractor(answers, settings.models.extractor)
    most = settings.limits.parallel_calls
    usages = Usages(tree, world.time_left)
    batches = batches_of(gathered, chosen, sources, usages, world.time_left)
    asked = ask(reader, extractor, batches, most, is_last_try=world.turn.is_last)
    earlier = answers_by_finding(asked.earlier)
    beside = [batch.material.beside for batch in batches]
    facts = RepositoryFacts(sources, usages, gathered.files, [*beside, *asked.looked_up])
    verifier = Verifier(reader, extractor, sources.lines, is_last_try=world.turn.is_last)
    verifications: dict[str, Verification] = {}
    rejected: dict[Finding, str] = {}
    while True:
        sifted = sift_reports(gathered, asked, earlier, facts, sources.lines, rejected)
        wanted = to_verify(sifted, gathered.config.review.verify)
        candidates = [each for each in wanted if each.id not in verifications]
        if not candidates:
            break
        found = verifier.verify(candidates, batches, most)
        verifications |= found
        rejected |= {each.finding: found[each.id].why for each in candidates if found[each.id].outcome == "rejected"}
    return Examined(
        asked=asked,
        earlier=earlier,
        judgement=judge_candidates(gathered, sifted, verifications),
        reviewers=tuple(dict.fromkeys(name for batch in batches for name in batch.reviewers)),
        left_out=sum((batch.material.left_out for batch in batches), Counter()),
        verified=len(verifications),
    )
