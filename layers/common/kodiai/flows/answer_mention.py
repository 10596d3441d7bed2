"""Answer a mention: who says it → what is meant → commands, a decision, an answer → said once → remembered."""

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from kodiai.core.config import read_config
from kodiai.core.conversation.comment import Discussion
from kodiai.core.conversation.may_mention import may_mention
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.understanding import Understood, understand
from kodiai.core.errors import Broken, KodiaiError, Refused
from kodiai.core.events.job import Mention
from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.findings.verdict import verdict
from kodiai.core.words import talk as words
from kodiai.core.words.finding import joined
from kodiai.flows.answers import OverBudget
from kodiai.flows.mention.answer import Spoken, answer
from kodiai.flows.mention.commands import carry_out
from kodiai.flows.mention.heard import Heard
from kodiai.flows.mention.settle import Settled, settle
from kodiai.flows.mention.turns import begin_turn
from kodiai.flows.review.gather import CONFIG_PATH
from kodiai.flows.review.outcome import Outcome
from kodiai.flows.world import World
from kodiai.ports import Check, JsonObject, Permission, Settlement, UnreadableFindings, Usage


def answer_mention(job: Mention, world: World) -> Outcome:
    """Read what somebody said, do what follows from it, and say what is to be said, once.

    Everything before the last write may be done again by a redelivery: each step knows what it did for this comment.
    Raises Retry or Broken.
    """
    if world.settings.github.only_shows:
        return Outcome("skipped", "this deployment only shows what it would post")
    if world.talk.was_served(job.said.key):
        return Outcome("skipped", "it was served before", {"key": job.said.key})
    known, history = _finding(job, world)
    if known is None and not may_mention(job.said.text):
        return Outcome("read", "nobody is called, and the thread is not ours", {"key": job.said.key})
    standing = world.github.standing(CONFIG_PATH, briefly=True)
    config = read_config(standing.config)
    if not config.mention.enabled:
        return Outcome("skipped", "mentions are turned off in .kodiai.yml", {"key": job.said.key})
    ours = handles(world.settings.bot_login, config.mention.aliases)
    understood = understand(job.said.text, ours)
    if not understood.mentioned and (known is None or understood.meaning is None):
        return Outcome("read", "nothing is said to us", {"key": job.said.key, "understood": understood.words})
    heard = Heard(
        mention=job,
        standing=standing,
        config=config,
        handles=ours,
        permission=_permission(job, world),
        known=known,
        history=history,
        bot_login=world.settings.bot_login,
    )
    return _serve(world, heard, understood)


def _finding(job: Mention, world: World) -> tuple[KnownFinding | None, tuple[Past, ...]]:
    """The finding whose thread a reply stands in, with its history, as far as the ledger knows and can be read."""
    if job.said.reply_to is None:
        return None, ()
    with suppress(UnreadableFindings):
        return world.talk.finding_at(str(job.said.reply_to)) or (None, ())
    return None, ()


def _permission(job: Mention, world: World) -> Permission:
    """What GitHub says of who said it; where GitHub does not say, they may do nothing."""
    try:
        return world.github.permission(job.sender)
    except Refused:
        return "none"


def _refusal(heard: Heard) -> str | None:
    """Why somebody is not answered, None where nothing stands against it."""
    allowed = heard.config.mention.allowed_users
    if heard.config.refusal is not None:
        return heard.config.refusal
    if heard.permission == "none":
        return words.cannot_read(heard.by)
    if allowed is not None and heard.by.lower() not in {login.lower() for login in allowed}:
        return words.not_allowed(heard.by)
    return None


@dataclass(frozen=True)
class _Served:
    """What came of it so far: what is to be said, what changed, and what the model said.

    `argued` is whether that was its answer to an argument against the finding.
    """

    lines: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    review: bool = False
    acted: bool = False
    refused: bool = False
    spoken: Spoken | None = None
    argued: bool = False


def _serve(world: World, heard: Heard, understood: Understood) -> Outcome:
    """Acknowledge it, do it, say it, and write down that it was done."""
    if understood.mentioned:
        if not world.github.react(heard.mention.said, "eyes"):
            return Outcome("skipped", "it was deleted", {"key": heard.key})
        refusal = _refusal(heard)
        if refusal is not None:
            return _end(world, heard, understood, _refused(world, heard, refusal))
    elif heard.config.refusal is not None:
        return Outcome("skipped", "the settings cannot be followed", {"key": heard.key})
    discussion = None
    if understood.mentioned and heard.thread is not None and (understood.asks or heard.known is None):
        discussion = world.github.discussion(heard.mention.said)
        if discussion is None:
            return Outcome("skipped", "it was deleted", {"key": heard.key})
        heard = _at_root(world, heard, discussion)
    return _end(world, heard, understood, _done(world, heard, understood, discussion))


def _at_root(world: World, heard: Heard, discussion: Discussion) -> Heard:
    """Know the thread by its first comment, where the reply names another one."""
    heard = replace(heard, root=discussion.root)
    if heard.known is None and discussion.root != heard.mention.said.reply_to:
        with suppress(UnreadableFindings):
            known, history = world.talk.finding_at(str(discussion.root)) or (None, ())
            return replace(heard, known=known, history=history)
    return heard


def _refused(world: World, heard: Heard, refusal: str) -> _Served:
    """Say it once to each person; after that a reaction has to do."""
    if world.talk.tells(f"refusal-{heard.by.lower()}", heard.key):
        return _Served((refusal,), refused=True)
    world.github.react(heard.mention.said, "confused")
    return _Served(refused=True)


def _done(world: World, heard: Heard, understood: Understood, discussion: Discussion | None) -> _Served:
    """Commands, then what a reply settles, then the model.

    Whoever may write gives commands as they like; whatever else leads to an answer is a turn, and counted.
    """
    known, meaning = heard.known, understood.meaning
    asks = understood.asks or (understood.mentioned and meaning is not None and known is None)
    if asks or (understood.commands and not heard.may_write):
        over = begin_turn(world, heard, f"thread-{heard.thread}" if heard.thread else "conversation")
        if over is not None and not (understood.commands and heard.may_write):
            return _limited(world, heard, over)
    else:
        over = None
    effect = carry_out(world, heard, understood.commands)
    settled = Settled(changed=False)
    if known is not None and meaning is not None and known.id not in effect.settled:
        settled = settle(world, heard, known, meaning)
    served = _Served(
        lines=(*effect.lines, *([settled.line] if understood.mentioned and settled.line else [])),
        settled=(*effect.settled, *([known.id] if known and settled.changed else [])),
        review=effect.review is not None,
        acted=bool(understood.commands) and not effect.refused,
        refused=effect.refused,
    )
    if over is not None:
        return replace(served, lines=(*served.lines, *([over] if over else [])))
    return _answered(world, heard, understood, discussion, served) if asks else served


def _limited(world: World, heard: Heard, line: str) -> _Served:
    """Say once that a limit is reached; after that a reaction has to do."""
    if not line:
        world.github.react(heard.mention.said, "confused")
    return _Served((line,) if line else (), refused=True)


def _answered(
    world: World, heard: Heard, understood: Understood, discussion: Discussion | None, served: _Served
) -> _Served:
    """Have the model answer; what it takes back stays open where that person may not settle it."""
    try:
        spoken = answer(world, heard, discussion)
    except OverBudget:
        line = words.no_money("budget")
        return replace(served, lines=(*served.lines, line), refused=True)
    except KodiaiError as why:
        if isinstance(why, Broken) or world.turn.is_last:
            with suppress(KodiaiError):
                _say(world, heard, f"{heard.key}-failed", words.FAILED)
        raise
    if spoken.conceded and heard.known is not None and not heard.may_settle:
        return replace(served, spoken=replace(spoken, text=joined(spoken.text, words.STILL_OPEN), conceded=False))
    return replace(served, spoken=spoken, argued=understood.meaning == "disagrees")


def _heard_out(world: World, heard: Heard, served: _Served) -> tuple[str, ...]:
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


def _end(world: World, heard: Heard, understood: Understood, served: _Served) -> Outcome:
    """Say what is to be said, and write down that all of it was done."""
    spoken = served.spoken
    text = joined(*served.lines, spoken.text if spoken else "")
    if text:
        _say(world, heard, heard.key, text)
    settled = (*served.settled, *_heard_out(world, heard, served))
    if settled:
        _lift(world, heard)
        world.github.react(heard.mention.said, "+1")
    elif not understood.mentioned:
        world.github.react(heard.mention.said, "eyes")
    facts: JsonObject = {
        "key": heard.key,
        "understood": understood.words,
        "permission": heard.permission,
        "settled": len(settled),
        "review": served.review,
        "model": asdict(spoken.usage if spoken else Usage()),
        "warning": "; ".join(spoken.warnings if spoken else ()),
        "head": heard.pull_request.head,
    }
    world.talk.finish(heard.key, facts)
    if spoken is not None:
        return Outcome("answered", "the model was asked", facts)
    if settled or served.acted:
        return Outcome("done", "it was done as it was said", facts)
    if served.refused:
        return Outcome("refused", served.lines[0] if served.lines else "it was told before", facts)
    return Outcome("read", "nothing has to be done", facts)


def _say(world: World, heard: Heard, key: str, text: str) -> None:
    world.github.answer(key, text, thread=heard.thread, since=heard.mention.said.at)


def _lift(world: World, heard: Heard) -> None:
    """Take our requests for changes back where people have settled the last finding that asked for them."""
    asking = tuple(review.id for review in heard.standing.reviews if review.requests_changes)
    if not asking:
        return
    still_open = [known.finding for known in world.ledger.findings() if known.status == "open"]
    if verdict(still_open) != "address-before-merging":
        world.github.settle(Settlement(check_id=None, check=Check("", ""), lifted=asking))
