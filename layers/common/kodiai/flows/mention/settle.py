"""Settle: what a reply in a finding's thread decides, and how it is taken back."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import DECISIONS
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import stands
from kodiai.core.repository.tree import lines_of
from kodiai.core.words import talk as words
from kodiai.flows.mention.heard import Heard
from kodiai.flows.world import World

Told = Literal["always", "if called", "never"]
"""To whom something is said: to everybody, only to who has called us, or to the log alone."""


@dataclass(frozen=True)
class Settled:
    """What a reply came to: whether the finding is settled by it, and what there is to say of that."""

    changed: bool
    line: str = ""
    told: Told = "always"


UNSETTLED = Settled(changed=False)


def settle(world: World, heard: Heard, known: KnownFinding, meaning: Meaning) -> Settled:
    """Change the finding where the reply settles it and its author may; "done" counts where the code is gone."""
    if meaning == "reopen":
        return reopen(world, heard, known)
    status = "fixed" if meaning == "done" else DECISIONS.get(meaning)
    if status is None:
        return UNSETTLED
    if not heard.can_be_decided(known):
        return Settled(changed=False, line=words.closed_before(known.status), told="if called")
    if status == "fixed" and _still_stands(world, heard, known):
        return Settled(changed=False, line=words.still_there(heard.pull_request.head), told="if called")
    if not heard.may_settle:
        # That something is done needs no permission: the next review looks at the code.
        told = "if called" if status == "fixed" else _once(world, heard)
        return Settled(changed=False, line=words.may_not_settle(known.finding), told=told)
    resolved = heard.resolve_threads(world, [known]) if status == "fixed" else frozenset()
    decision = heard.decision(status, f"{heard.by} decided so", resolved_thread=bool(resolved))
    if world.talk.decide(known.id, decision):
        return Settled(changed=True, line=words.dismissed(meaning, heard.by), told=_first(world, heard))
    return Settled(changed=False, line=words.closed_before("something else was decided"), told="if called")


def reopen(world: World, heard: Heard, known: KnownFinding) -> Settled:
    """Open a closed finding again, with its thread where we resolved it."""
    if not heard.may_settle:
        return Settled(changed=False, line=words.MAY_NOT_REOPEN, told=_once(world, heard))
    if not world.talk.reopen(known.id, heard.decision(None, f"{heard.by} reopened it")):
        return Settled(changed=False, line=words.OPEN_ALREADY)
    for thread in heard.standing.threads:
        if thread.finding == known.id and thread.resolved_by == heard.bot_login:
            world.github.unresolve_thread(thread.id)
    return Settled(changed=False, line=words.reopened(heard.by), told=_first(world, heard))


def _first(world: World, heard: Heard) -> Told:
    """A review that has read the same reply meanwhile may have said what was understood."""
    return "always" if heard.is_first_to_say(world) else "never"


def _once(world: World, heard: Heard) -> Told:
    """That somebody may not decide is said once to each person on a pull request."""
    return "always" if world.talk.tells(f"may-not-settle-{heard.by.lower()}", heard.key) else "never"


def _still_stands(world: World, heard: Heard, known: KnownFinding) -> bool:
    finding, head = known.finding, heard.pull_request.head

    def read_lines(path: str) -> list[str] | None:
        return lines_of(world.github.file(path, head))

    return stands(finding.quote, finding.path, read_lines)
