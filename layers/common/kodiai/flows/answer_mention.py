"""Answer a mention: whose thread → what is meant → who says it → what is done for them → said once → remembered."""

from contextlib import suppress
from dataclasses import asdict, replace

from kodiai.core.config import read_config
from kodiai.core.conversation.comment import Discussion, Permission
from kodiai.core.conversation.may_mention import may_mention
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.conversation.replies import MEANING_IN_WORDS
from kodiai.core.errors import Refused
from kodiai.core.events.job import Mention
from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.json_object import JsonObject
from kodiai.core.model.usage import Usage
from kodiai.core.outcome import Outcome
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import talk as words
from kodiai.core.words.finding import joined
from kodiai.flows.mention.heard import Heard
from kodiai.flows.mention.serve import Served, is_owed_an_answer, lift, refuse, say, serve, settle_by_answer
from kodiai.flows.mention.understood import Meant, meant
from kodiai.flows.review.gather import CONFIG_PATH
from kodiai.flows.world import World


def answer_mention(job: Mention, world: World) -> Outcome:
    """Read what somebody said, do what follows from it, and say what is to be said, once.

    Everything before the last write may be done again by a redelivery: each step knows what it did for this comment.
    Raises Retry or Broken.
    """
    if world.settings.github.only_shows:
        return Outcome("skipped", "this deployment only shows what it would post")
    known, history = _finding(job, world)
    if known is None and not may_mention(job.said.text):
        return Outcome("read", "nobody is called, and the thread is not ours", {"key": job.said.key})
    if not world.talk.claim(job.said.key, world.turn.owner, until=world.turn.deadline):
        return Outcome("skipped", "it was served before", {"key": job.said.key})
    try:
        return _understand(job, world, known, history)
    finally:
        world.talk.release(job.said.key, world.turn.owner)


def _understand(job: Mention, world: World, known: KnownFinding | None, history: tuple[Past, ...]) -> Outcome:
    """Find out what is meant, and whether it is meant for us."""
    standing = world.github.standing(CONFIG_PATH, briefly=True)
    config = read_config(standing.config)
    if not config.mention.enabled:
        return Outcome("skipped", "mentions are turned off in .kodiai.yml", {"key": job.said.key})
    ours = handles(world.settings.bot_login, config.mention.aliases)
    understood = parse_comment(job.said.text, ours)
    if not understood.mentioned and not _is_about(job, known, understood):
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


def _is_about(job: Mention, known: KnownFinding | None, understood: ParsedComment) -> bool:
    """Whether a reply that does not call us may say something about a finding: an open one, or one to be reopened."""
    if known is None:
        return False
    is_open = known.status == "open" or known.decided == job.said.key
    return understood.reopens or (is_open and (understood.meaning is not None or understood.says_more))


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


def _serve(world: World, heard: Heard, understood: ParsedComment) -> Outcome:
    """Acknowledge it, do it, say it, and write down that it was done."""
    refusal = _refusal(heard)
    if understood.mentioned:
        if not world.github.react(heard.mention.said, "eyes"):
            return Outcome("skipped", "it was deleted", {"key": heard.key})
        if refusal is not None:
            return _end(world, heard, understood, Meant(None), refuse(world, heard, refusal))
    elif heard.config.refusal is not None:
        return Outcome("skipped", "the settings cannot be followed", {"key": heard.key})
    # The replies of people whom we may not answer are understood by the table alone.
    said = meant(world, heard, understood) if refusal is None else Meant(understood.meaning)
    discussion = None
    asks = is_owed_an_answer(heard, understood, said.meaning)
    if heard.thread is not None and (asks or (understood.mentioned and heard.known is None)):
        discussion = world.github.discussion(heard.mention.said)
        if discussion is None:
            return Outcome("skipped", "it was deleted", {"key": heard.key})
        heard = _at_root(world, heard, discussion)
    return _end(world, heard, understood, said, serve(world, heard, understood, said.meaning, discussion))


def _at_root(world: World, heard: Heard, discussion: Discussion) -> Heard:
    """Know the thread by its first comment, where the reply names another one."""
    heard = replace(heard, root=discussion.root)
    if heard.known is None and discussion.root != heard.mention.said.reply_to:
        with suppress(UnreadableFindings):
            known, history = world.talk.finding_at(str(discussion.root)) or (None, ())
            return replace(heard, known=known, history=history)
    return heard


def _end(world: World, heard: Heard, understood: ParsedComment, said: Meant, served: Served) -> Outcome:
    """Say what is to be said, and write down that all of it was done."""
    spoken = served.spoken
    text = joined(*served.lines, spoken.text if spoken else "")
    if text:
        say(world, heard, heard.key, text)
    settled = (*served.settled, *settle_by_answer(world, heard, served))
    if settled:
        lift(world, heard)
    elif said.meaning is not None and not text and not understood.mentioned:
        world.github.react(heard.mention.said, "eyes")
    facts: JsonObject = {
        "key": heard.key,
        "understood": MEANING_IN_WORDS[said.meaning] if said.meaning else understood.words,
        "permission": heard.permission,
        "settled": len(settled),
        "review": served.review,
        "model": asdict(spoken.usage if spoken else Usage()),
        "reading": asdict(said.usage),
        "cost_usd": _sum(said.cost_usd, spoken.cost_usd if spoken else 0.0),
        "github_calls": sum(world.github.calls().values()),
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
    return Outcome("read", served.why_not or "nothing has to be done", facts)


def _sum(*costs: float | None) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
