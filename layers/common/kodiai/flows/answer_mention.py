"""Answer a mention: load → permit → understand → act → draft → reply → remember."""

from contextlib import ExitStack

from kodiai.core.events.job import Mention
from kodiai.core.outcome import Ended, Outcome
from kodiai.core.plan.eligibility import foreign_event_reason
from kodiai.flows.memory import Memory
from kodiai.flows.mention.act import act
from kodiai.flows.mention.draft import draft
from kodiai.flows.mention.load import load
from kodiai.flows.mention.permit import permit
from kodiai.flows.mention.remember import remember
from kodiai.flows.mention.reply import reply
from kodiai.flows.mention.understand import understand
from kodiai.flows.pull_request_ports import PullRequestPorts


def answer_mention(mention: Mention, ports: PullRequestPorts) -> Outcome:
    """Read a comment, do what it asks for, and reply, once.

    A redelivery may do everything before the last write again: each step knows what it did for this comment.
    Raises Retry or Broken.
    """
    github, conversation, ledger, model = ports.github, ports.conversation, ports.ledger, ports.model
    proposals, code, queue = ports.proposals, ports.code, ports.queue
    memory = Memory(ports.embeddings, ports.index, ports.memory)
    if (reason := foreign_event_reason(mention, ports.bot_login)) is not None:
        return Outcome("skipped", reason)
    if ports.settings.github.dry_run:
        return Outcome("skipped", "this deployment only shows what it would post")
    try:
        with ExitStack() as on_exit:
            context = load(
                mention, on_exit, conversation, github, ports.parser, ports.deadline, ports.settings, ports.bot_login
            )
            commenter = permit(context, github)
            intent = understand(context, commenter, github, conversation, ledger, model)
            result = act(
                context, commenter, intent, github, conversation, ledger, memory, ports.memory, proposals, code, queue
            )
            drafted = draft(context, commenter, intent, result, github, ledger, model, proposals, queue)
            lines, answer = reply(context, commenter, intent, result, drafted, github, ledger, model)
            return remember(
                context,
                commenter,
                intent,
                result,
                drafted,
                lines,
                answer,
                github,
                conversation,
                ledger,
                memory,
                ports.memory,
            )
    except Ended as ended:
        return ended.outcome
