"""Recall: what is remembered that concerns the pull request, and the precedents of new findings."""

from collections.abc import Sequence
from dataclasses import replace

from kodiai.core.memory.outcome import embedded_text
from kodiai.core.memory.precedents import may_be_unwanted, precedents
from kodiai.core.memory.recall import Recollection, fitting, query_text, rule_row, within
from kodiai.core.model.messages import Text
from kodiai.core.plan.candidate import Candidate
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.material import json_rows
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.memory import Memory
from kodiai.ports.stores import RepositoryMemory
from kodiai.prompts.load import load

_MOST_FILES = 20
_MOST_NEIGHBORS = 100


def recall(
    review_input: ReviewInput, view: RepositoryView, memory: Memory, store: RepositoryMemory, *, offline: bool
) -> Recollection:
    """Recall the repository's rules, and the findings near to the pull request, with one query.

    A sharing repository also gets those of its owner's other sharing repositories; the query itself names them all.
    `offline` is whether the embeddings compare words alone.
    """
    rules = store.rules()
    pull_request, config = review_input.pull_request, review_input.config.knowledge
    own, retrieval = pull_request.repository_id, config.retrieval
    shares = retrieval.enabled and config.sharing.enabled
    store.share(is_private=pull_request.is_private, shares=shares)
    pool = store.shared(with_private=pull_request.is_private) if shares else ()
    readable = [own, *(each for each in pool if each != own)]
    queries = [_query(review_input, view)] if memory.index_name is not None else []
    near = [each for found in memory.nearest(queries, readable, retrieval.top_k) for each in found]
    # The pull request's own findings are shown as what they are.
    here = (own, pull_request.number)
    found = [each for each in near if (each.remembered.repository_id, each.remembered.number) != here]
    recalled, rows = fitting(within(found, retrieval.distance_threshold), retrieval.max_context_chars)
    blocks = [_block("rules", json_rows(map(rule_row, rules)))] if rules else []
    similar = [_block("recalled", rows)] if recalled else []
    return Recollection(
        rules=rules,
        recalled=recalled,
        blocks=(*blocks, *similar),
        not_in_key=tuple(each.text for each in similar),
        distances=tuple(round(each.distance, 4) for each in found),
        is_offline=offline,
    )


def _block(prompt: str, rows: str) -> Text:
    return Text(f"{load(prompt).strip()}\n\n{rows}")


def _query(review_input: ReviewInput, view: RepositoryView) -> str:
    paths = [file.path for file in review_input.files]
    names = (name for file in review_input.new_files[:_MOST_FILES] for name in view.touched_code(file).names)
    return query_text(review_input.pull_request.title, paths, dict.fromkeys(names))


def with_precedents(
    candidates: Sequence[Candidate], review_input: ReviewInput, memory: Memory
) -> tuple[Candidate, ...]:
    """The candidates with the dismissed findings of this repository that may make them unwanted.

    To look for those of each takes two requests: first the ledger is asked whether there can be any.
    """
    asked = [each for each in candidates if may_be_unwanted(each.finding)]
    if not asked or not memory.may_have_precedents():
        return tuple(candidates)
    texts = [embedded_text(each.finding) for each in asked]
    own, threshold = review_input.pull_request.repository_id, review_input.config.knowledge.retrieval.distance_threshold
    found = memory.nearest(texts, [own], _MOST_NEIGHBORS, only_judged=True)
    of = {each.number: precedents(within(near, threshold)) for each, near in zip(asked, found, strict=True)}
    return tuple(replace(each, precedents=of.get(each.number, ())) for each in candidates)
