"""Commands: what a person orders in so many words, done at once and once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import yaml

from kodiai.core.conversation.command import Command, CommandName
from kodiai.core.conversation.parsed_comment import ParsedComment
from kodiai.core.events.job import Job, Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.check import Check
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import talk as words
from kodiai.flows.mention.heard import Heard
from kodiai.flows.mention.settle import reopen
from kodiai.flows.world import World

TAKES_WRITE: frozenset[CommandName] = frozenset({"full review", "pause", "resume", "resolve", "apply", "break glass"})
"""What takes write access to the repository."""

_TRIGGERS: Mapping[CommandName, Trigger] = {
    "resume": "synchronize",
    "review": "rerequested",
    "full review": "full_review",
}


@dataclass(frozen=True)
class Effect:
    """What commands came to: what is to be said, the findings that changed, and the review that was begun."""

    lines: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    review: Trigger | None = None
    refused: bool = False


@dataclass
class _Done:
    lines: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    refused: bool = False


def carry_out(world: World, heard: Heard, understood: ParsedComment) -> Effect:
    """Carry out commands in their order; of several that begin a review the most thorough one does.

    What looks like a command and is none gets a line each.
    """
    done = _Done()
    allowed = [command for command in understood.commands if _may(world, command, heard, done)]
    for command in allowed:
        if command.name in _COMMANDS:
            _COMMANDS[command.name](world, heard, command, done)
    for unknown in understood.unknown:
        done.lines.append(words.unknown_command(unknown.word, unknown.closest))
        done.refused = True
    triggers = [_TRIGGERS[command.name] for command in allowed if command.name in _TRIGGERS]
    trigger = max(triggers, key=list(_TRIGGERS.values()).index, default=None)
    if trigger is not None:
        world.queue.send("reviews", _job(heard, trigger))
    return Effect(tuple(done.lines), tuple(done.settled), trigger, done.refused)


def _may(world: World, command: Command, heard: Heard, done: _Done) -> bool:
    """Whether somebody may give a command; a review that passes a pause is for who might end the pause."""
    if heard.may_write:
        return True
    paused_by = world.talk.paused_by() if command.name == "review" else None
    if paused_by is None and command.name not in TAKES_WRITE:
        return True
    done.lines.append(words.takes_write(command.name) if paused_by is None else words.review_paused(paused_by))
    done.refused = True
    return False


def _job(heard: Heard, trigger: Trigger) -> Job:
    mention = heard.mention
    return Job(
        delivery=mention.delivery,
        repository=mention.repository,
        number=mention.number,
        installation=mention.installation,
        trigger=trigger,
        sender=mention.sender,
    )


def _help(_world: World, heard: Heard, _command: Command, done: _Done) -> None:
    done.lines.append(words.help_text(heard.handle))


def _config(_world: World, heard: Heard, _command: Command, done: _Done) -> None:
    settings = heard.config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
    shown = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    done.lines.append(words.config_text(shown, heard.config.problems))


def _pause(world: World, heard: Heard, _command: Command, done: _Done) -> None:
    world.talk.pause(heard.by)
    done.lines.append(words.paused(heard.by))


def _resume(world: World, _heard: Heard, _command: Command, done: _Done) -> None:
    world.talk.pause(None)
    done.lines.append(words.resumed())


def _resolve(world: World, heard: Heard, _command: Command, done: _Done) -> None:
    """Settle the finding of the thread, or all that are open."""
    if heard.mention.said.surface == "thread":
        if heard.known is None:
            done.lines.append(words.NO_FINDING)
        elif not heard.can_be_decided(heard.known):
            done.lines.append(words.closed_before(heard.known.status))
        else:
            settled = _dismiss(world, heard, [heard.known])
            done.settled += settled
            done.lines += [words.dismissed_by_command(heard.by)] if settled else []
        return
    try:
        settled = _dismiss(world, heard, filter(heard.can_be_decided, world.ledger.findings()))
    except UnreadableFindings:
        done.lines.append(words.UNREADABLE)
        return
    done.settled += settled
    done.lines.append(words.resolved(len(settled)) if settled else words.NOTHING_OPEN)


def _reopen(world: World, heard: Heard, _command: Command, done: _Done) -> None:
    """Open the finding of the thread again."""
    if heard.known is None:
        done.lines.append(words.NO_FINDING if heard.thread is not None else words.REOPEN_WHERE)
        return
    reopened = reopen(world, heard, heard.known)
    done.lines += [reopened.line] if reopened.told == "always" else []
    done.refused |= not heard.may_settle


def _dismiss(world: World, heard: Heard, findings: Iterable[KnownFinding]) -> list[str]:
    """Settle findings as dismissed, with their threads resolved as far as we may; the ids of those that were open."""
    known = list(findings)
    resolved = heard.resolve_threads(world, known)
    return [
        each.id
        for each in known
        if world.talk.decide(
            each.id,
            heard.decision("dismissed", f"{heard.by} said resolve", resolved_thread=each.id in resolved),
        )
    ]


def _break_glass(world: World, heard: Heard, command: Command, done: _Done) -> None:
    """Take back our requests for changes, and let everybody see who wanted that and why."""
    if not command.rest:
        done.lines.append(words.SAY_WHY)
    elif not heard.requests_for_changes:
        done.lines.append(words.NOTHING_BLOCKS)
    else:
        why = f"{heard.by} broke the glass: {command.rest}"
        lifted = heard.requests_for_changes
        world.github.settle(PublishActions(check_id=None, check=Check("", ""), lifted=lifted, lifted_why=why))
        done.lines.append(words.glass_broken(heard.by, command.rest))


def _not_available(_world: World, _heard: Heard, command: Command, done: _Done) -> None:
    done.lines.append(words.not_available(command.name))


# Of "review" and "full review" the review is all that follows.
_COMMANDS: Mapping[CommandName, Callable[[World, Heard, Command, _Done], None]] = {
    "help": _help,
    "config": _config,
    "pause": _pause,
    "resume": _resume,
    "resolve": _resolve,
    "reopen": _reopen,
    "break glass": _break_glass,
    "propose": _not_available,
    "fix": _not_available,
    "apply": _not_available,
}
