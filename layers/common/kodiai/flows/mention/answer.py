"""Answer: the model says something to a person, about the code as it is at one head."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kodiai.core.conversation.comment import Comment, Discussion
from kodiai.core.conversation.context import (
    ConversationMaterial,
    ThreadMaterial,
    conversation_context,
    said_before,
    thread_context,
)
from kodiai.core.findings.locate import places
from kodiai.core.model.messages import Text
from kodiai.core.model.usage import Usage
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.visible import VisibleTree
from kodiai.core.review.material import part_block
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import talk as words
from kodiai.core.words.incoming import incoming
from kodiai.core.words.outgoing import Withheld, outgoing
from kodiai.flows.mention.heard import Heard
from kodiai.flows.mention.turns import ANSWER_TOKENS, MOST_INPUT_TOKENS, left_usd
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader, TokenBudget, converse
from kodiai.flows.world import World
from kodiai.prompts.load import load

_SHOWN_TOKENS = 3_000
_TOOL_TURNS = 4
_LONGEST_QUESTION = 4_000
_LONGEST_DESCRIPTION = 4_000
_CONCEDED = "CONCEDED"


@dataclass(frozen=True)
class Spoken:
    """What the model said, as it is posted, and what it took: tokens, and US dollars (None: a model has no price).

    `conceded` is whether it takes the finding back. `warnings` say what it had to do without.
    """

    text: str
    usage: Usage
    cost_usd: float | None
    conceded: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Material:
    """What the model is shown, and which texts of people it holds."""

    context: str
    texts: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def answer(world: World, heard: Heard, discussion: Discussion | None) -> Spoken:
    """Ask the model, with tools that only read, and clean what it says. Raises OverBudget, Retry, Broken."""
    whole = world.github.tree(heard.pull_request.head, world.settings.limits.archive_bytes)
    tree = VisibleTree(lambda: whole, heard.config.review.skip_paths)
    material = _conversation(world, heard) if discussion is None else _thread(heard, discussion, Sources(tree))
    answers = ModelAnswers(
        world.model, world.ledger, world.settings, world.deadline, allowance=left_usd(world, heard.config.budget)
    )
    reader = Reader(
        answers,
        world.settings.models.reviewer,
        None,
        tree,
        min(world.settings.limits.tool_turns, _TOOL_TURNS),
        brief="answer",
        most_tokens=ANSWER_TOKENS,
        thrift=TokenBudget(MOST_INPUT_TOKENS, _SHOWN_TOKENS),
    )
    question = _cut(incoming(heard.mention.said.text), _LONGEST_QUESTION)
    said = converse(reader, _blocks(heard, material.context, question), not_in_key="")
    total, cost = answers.use.total, answers.use.cost_usd
    spoken = Spoken(words.UNANSWERED, total, cost, warnings=material.warnings)
    if said.stop_reason == "refusal" or not said.text.strip():
        return spoken
    text, conceded = _without_concession(said.text)
    try:
        cleaned = outgoing(text, heard.handles, (*material.texts, question))
    except Withheld as why:
        return replace(spoken, text=words.withheld(why.reason))
    return replace(spoken, text=cleaned or words.UNANSWERED, conceded=conceded)


def _blocks(heard: Heard, context: str, question: str) -> list[Text]:
    asked = json.dumps({"by": heard.by, "said": question}, ensure_ascii=False)
    return [Text(context), part_block("answer", [load("answer_part"), f"# Said to you\n\n{asked}"])]


def _without_concession(text: str) -> tuple[str, bool]:
    """Take off the last line by which the model takes its finding back, and say whether there was one."""
    body, _, last = text.strip().rpartition("\n")
    return (body.strip(), True) if last.strip() == _CONCEDED else (text.strip(), False)


def _thread(heard: Heard, discussion: Discussion, sources: Sources) -> _Material:
    """The thread that the question stands in, as it was before it."""
    said, pull_request = heard.mention.said, heard.pull_request
    before = _cleaned(said_before(discussion.comments, said))
    opening = next((each for each in before if discussion.opening and each.id == discussion.opening.id), None)
    lines = sources.lines(heard.known.finding.path if heard.known else discussion.path)
    material = ThreadMaterial(
        repository=pull_request.repository,
        number=pull_request.number,
        title=incoming(said.title),
        author=pull_request.author,
        head=pull_request.head,
        path=discussion.path,
        line=discussion.line,
        hunk=discussion.hunk,
        finding=heard.known,
        history=heard.history,
        opening=opening.body if opening else None,
        lines=lines,
        at=_at(heard, sources),
        turns=tuple(each for each in before if each is not opening),
    )
    budget = heard.config.mention.conversation.context_budget_chars
    texts = (*(each.body for each in before), discussion.hunk)
    return _Material(thread_context(material, budget), texts, tuple(_warnings(heard, discussion)))


def _warnings(heard: Heard, discussion: Discussion) -> Iterator[str]:
    if discussion.opening is None:
        yield "the comment that began this thread was deleted"
    elif discussion.opening.is_ours and heard.known is None:
        yield "the finding of this thread is not in the ledger, or cannot be read"


def _at(heard: Heard, sources: Sources) -> tuple[int, int] | None:
    """The lines at which the finding's code stands at the head."""
    if heard.known is None:
        return None
    finding = heard.known.finding
    found = places(finding.quote, finding.path, sources.lines)
    near = min(found, key=lambda place: abs(place.start_line - finding.start_line), default=None)
    return (near.start_line, near.end_line) if near else None


def _conversation(world: World, heard: Heard) -> _Material:
    """The pull request, its findings and what was said about it before."""
    said, pull_request = heard.mention.said, heard.pull_request
    before = _cleaned(said_before(world.github.conversation(), said))
    stood = pull_request.body_edited is None or pull_request.body_edited < said.at
    description = _cut(incoming(pull_request.body), _LONGEST_DESCRIPTION) if stood else None
    warnings: tuple[str, ...] = ()
    try:
        known = world.ledger.findings()
    except UnreadableFindings as why:
        known, warnings = (), (str(why),)
    material = ConversationMaterial(
        repository=pull_request.repository,
        number=pull_request.number,
        title=incoming(said.title),
        author=pull_request.author,
        description=description,
        base=pull_request.base_ref,
        head=pull_request.head,
        known=known,
        comments=before,
    )
    return _Material(conversation_context(material), (*(each.body for each in before), description or ""), warnings)


def _cleaned(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    return tuple(replace(comment, body=incoming(comment.body)) for comment in comments)


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[:characters]}…"
