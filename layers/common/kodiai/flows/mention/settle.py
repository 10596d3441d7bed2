"""Settle: what a short reply in a finding's thread decides, at once and without the model."""

from collections.abc import Mapping
from dataclasses import dataclass

from kodiai.core.conversation.meaning import Meaning
from kodiai.core.findings.known import KnownFinding, Status
from kodiai.core.findings.locate import stands
from kodiai.core.words import talk as words
from kodiai.flows.mention.heard import Heard
from kodiai.flows.review.look_up import lines_of
from kodiai.flows.world import World

_DECISIONS: Mapping[Meaning, Status] = {
    "wont_fix": "wont_fix",
    "by_design": "wont_fix",
    "acknowledged": "acknowledged",
    "done": "fixed",
}


@dataclass(frozen=True)
class Settled:
    """What a reply came to: whether the finding is settled now, and what there is to say to who asked for it."""

    changed: bool
    line: str = ""


def settle(world: World, heard: Heard, known: KnownFinding, meaning: Meaning) -> Settled:
    """Change the finding where the reply settles it and its author may; "done" counts where the code is gone."""
    status = _DECISIONS.get(meaning)
    if status is None:
        return Settled(changed=False)
    if not heard.can_be_decided(known):
        return Settled(changed=False, line=words.closed_before(known.status))
    if status == "fixed" and _still_stands(world, heard, known):
        return Settled(changed=False, line=words.still_there(heard.pull_request.head))
    if not heard.may_settle:
        return Settled(changed=False, line=words.may_not_settle(known.finding))
    resolved = heard.resolve_threads(world, [known]) if status == "fixed" else frozenset()
    decision = heard.decision(status, f"{heard.by} decided so", resolved_thread=bool(resolved))
    if world.talk.decide(known.id, decision):
        return Settled(changed=True)
    return Settled(changed=False, line=words.closed_before("something else was decided"))


def _still_stands(world: World, heard: Heard, known: KnownFinding) -> bool:
    finding, head = known.finding, heard.pull_request.head

    def read_lines(path: str) -> list[str] | None:
        return lines_of(world.github.file(path, head))

    return stands(finding.quote, finding.path, read_lines)
