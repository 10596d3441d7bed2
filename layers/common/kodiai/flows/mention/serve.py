"""Serve: what is done for somebody, from commands to the model's answer, and what is to be said of it."""

from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.conversation.comment import Discussion
from kodiai.core.conversation.parsed_comment import ParsedComment
from kodiai.core.conversation.replies import Meaning
from kodiai.core.errors import Broken, KodiaiError
from kodiai.core.findings.verdict import verdict
from kodiai.core.review.check import Check
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import talk as words
from kodiai.core.words.finding import joined
from kodiai.flows.mention.answer import Spoken, answer
from kodiai.flows.mention.commands import carry_out
from kodiai.flows.mention.heard import Heard
from kodiai.flows.mention.settle import UNSETTLED, settle
from kodiai.flows.mention.turns import begin_turn
from kodiai.flows.model.answers import OverBudget
from kodiai.flows.world import World


@dataclass(frozen=True)
class Served:
    """What came of it so far: what is to be said, what changed, and what the model said.

    `argued` is whether that was its answer to an argument against the finding, `why_not` why a reply settles nothing.
    """

    lines: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    review: bool = False
    acted: bool = False
    refused: bool = False
    why_not: str = ""
    spoken: Spoken | None = None
    argued: bool = False


def is_owed_an_answer(heard: Heard, understood: ParsedComment, meaning: Meaning | None) -> bool:
    """Whether the model has to answer: a question to us, or an argument about an open finding by who may settle it.

    What a reply decides needs no further answer. What is said to us in the thread of no finding of ours is a question.
    """
    if understood.mentioned and heard.known is None:
        return understood.asks or understood.meaning is not None
    if meaning == "disagrees":
        return understood.mentioned or (heard.may_settle and heard.known is not None)
    return understood.asks and meaning is None


def serve(
    world: World, heard: Heard, understood: ParsedComment, meaning: Meaning | None, discussion: Discussion | None
) -> Served:
    """Commands, then what a reply settles, then the model.

    Whoever may write gives commands as they like; whatever else leads to an answer is a turn, and counted.
    """
    known, orders = heard.known, bool(understood.commands or understood.unknown)
    asks = is_owed_an_answer(heard, understood, meaning)
    if asks and not understood.mentioned and not heard.is_first_to_say(world):
        return Served(why_not="a review has answered it")
    over = None
    if asks or (orders and not heard.may_write):
        over = begin_turn(world, heard, f"thread-{heard.thread}" if heard.thread else "conversation")
        if over is not None and not (orders and heard.may_write):
            return _limited(world, heard, over, is_called=understood.mentioned)
    # What decides something, or is an argument, was no command that somebody got wrong.
    effect = carry_out(world, heard, understood if meaning is None else replace(understood, unknown=()))
    settled = UNSETTLED
    if known is not None and meaning is not None and known.id not in effect.settled:
        settled = settle(world, heard, known, meaning)
    says = settled.told == "always" or (settled.told == "if called" and understood.mentioned)
    served = Served(
        lines=(*effect.lines, *([settled.line] if says and settled.line else [])),
        settled=(*effect.settled, *([known.id] if known and settled.changed else [])),
        review=effect.review is not None,
        acted=(bool(understood.commands) and not effect.refused) or understood.reopens,
        refused=effect.refused,
        why_not=settled.line,
    )
    if over is not None:
        return replace(served, lines=(*served.lines, *([over] if over else [])))
    return _answered(world, heard, discussion, served, is_argument=meaning == "disagrees") if asks else served


def _limited(world: World, heard: Heard, line: str, *, is_called: bool) -> Served:
    """Say once that a limit is reached; after that a reaction has to do for who has called us."""
    if not line and is_called:
        world.github.react(heard.mention.said, "confused")
    return Served((line,) if line else (), refused=True)


def _answered(
    world: World, heard: Heard, discussion: Discussion | None, served: Served, *, is_argument: bool
) -> Served:
    """Have the model answer; what it takes back stays open where that person may not settle it."""
    try:
        spoken = answer(world, heard, discussion)
    except OverBudget:
        line = words.no_money("budget")
        return replace(served, lines=(*served.lines, line), refused=True)
    except KodiaiError as why:
        if isinstance(why, Broken) or world.turn.is_last:
            with suppress(KodiaiError):
                say(world, heard, f"{heard.key}-failed", words.FAILED)
        raise
    if spoken.conceded and heard.known is not None and not heard.may_settle:
        return replace(served, spoken=replace(spoken, text=joined(spoken.text, words.STILL_OPEN), conceded=False))
    if spoken.conceded and heard.known is not None and heard.can_be_decided(heard.known):
        spoken = replace(spoken, text=joined(spoken.text, words.conceded(heard.by)))
    return replace(served, spoken=spoken, argued=is_argument)


def settle_by_answer(world: World, heard: Heard, served: Served) -> tuple[str, ...]:
    """Write down what the model's answer means for the finding, once it stands; the finding, where that settles it.

    Before it stands nothing may change: the next try would show the model another finding, and ask anew.
    """
    known = heard.known
    if known is None or served.spoken is None or known.id in served.settled or not heard.can_be_decided(known):
        return ()
    if not served.spoken.conceded:
        if served.argued:
            world.talk.decide(known.id, heard.decision(None, "an argument was answered"))
        return ()
    resolved = heard.resolve_threads(world, [known])
    decision = heard.decision("conceded", "the argument was right", resolved_thread=bool(resolved))
    return (known.id,) if world.talk.decide(known.id, decision) else ()


def refuse(world: World, heard: Heard, refusal: str) -> Served:
    """Say it once to each person; after that a reaction has to do."""
    if world.talk.tells(f"refusal-{heard.by.lower()}", heard.key):
        return Served((refusal,), refused=True)
    world.github.react(heard.mention.said, "confused")
    return Served(refused=True)


def lift(world: World, heard: Heard) -> None:
    """Take our requests for changes back where people have settled the last finding that asked for them."""
    asking = heard.requests_for_changes
    if not asking:
        return
    try:
        still_open = [known.finding for known in world.ledger.findings() if known.status == "open"]
    except UnreadableFindings:
        return
    if verdict(still_open) != "address-before-merging":
        world.github.settle(PublishActions(check_id=None, check=Check("", ""), lifted=asking))


def say(world: World, heard: Heard, key: str, text: str) -> None:
    """Say it once under this key, where it was asked."""
    world.github.answer(key, text, thread=heard.thread, since=heard.mention.said.at)
