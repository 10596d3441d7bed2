"""Answer a mention: load → permit → understand → act → draft → reply → remember."""

from kodiai.core.events.job import Mention
from kodiai.core.outcome import Outcome
from kodiai.flows.mention.act import act
from kodiai.flows.mention.draft import draft
from kodiai.flows.mention.load import load
from kodiai.flows.mention.permit import permit
from kodiai.flows.mention.remember import remember
from kodiai.flows.mention.reply import reply
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.mention.understand import understand
from kodiai.flows.pull_request_ports import PullRequestPorts


def answer_mention(mention: Mention, ports: PullRequestPorts) -> Outcome:
    """Read a comment, do what it asks for, and reply, once.

    A redelivery may do everything before the last write again: each step knows what it did for this comment.
    Raises Retry or Broken, with the comment given back.
    """
    with MentionSession(mention, ports) as session:
        heard = permit(load(session), session)
        understood = understand(heard, session)
        acted = draft(act(understood, session), session)
        session.outcome = remember(reply(acted, session), session)
    return session.outcome
