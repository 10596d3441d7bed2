"""Proposals and their parts, ready to use: each builder takes what matters to a test and fills in the rest."""

from typing import Any

from kodiai.core.proposals.proposal import Actor, Content, Decision, IntendedChange, Intent, Proposal, Verdict

PROPOSAL = "P-0123456789abcdef0123"


def an_actor(login: str = "ann") -> Actor:
    """A person without a program."""
    return Actor(login=login)


def a_content(diff: str, description: str = "Close the file") -> Content:
    """A diff with what it is for."""
    change = IntendedChange(what="close the file", why="it stays open after an error")
    return Content(intent=Intent(description=description, changes=(change,)), diff=diff)


def a_proposal(content: Content, **given: Any) -> Proposal:
    """A proposal of ann's that was just submitted to acme/widgets, for nobody's review in particular."""
    return Proposal.model_validate(
        {
            "id": PROPOSAL,
            "repository": "acme/widgets",
            "repository_id": 1,
            "owner_id": 100,
            "number": None,
            "base": "b" * 40,
            "proposer": an_actor(),
            "reviewed_by": "anyone",
            "intent": content.intent,
            "content": content.digest,
            "created": 1_000.0,
            "updated": 1_000.0,
            **given,
        }
    )


def a_verdict(by: str, generation: int, decision: Decision = "approve", notes: str = "", at: float = 1_000) -> Verdict:
    """A verdict of a person."""
    return Verdict(decision=decision, notes=notes, by=an_actor(by), generation=generation, at=at)
