"""Turns: whether one more answer may begin; it is counted before anything is asked."""

from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.ports import ConversationStore

MOST_INPUT_TOKENS = 20_000
"""How many tokens all questions of one answer have together, with the default budget of characters."""

ANSWER_TOKENS = 3_000
"""How long an answer may be."""


def begin_turn(context: MentionContext, thread: int | None, conversation: ConversationStore) -> str | None:
    """Begin an answer in a thread, or in the conversation (None); None if the limits allow it.

    Otherwise the line about the limit, "" if that line was posted before.
    """
    place = f"thread-{thread}" if thread else "conversation"
    turns = context.config.mention.conversation.max_turns_per_pr
    match conversation.begin(context.key, place, turns):
        case None:
            return None
        case "turns":
            what, line = "turns", words.too_many_turns(turns)
        case "pace":
            what, line = f"pace-{place}", words.TOO_FAST
    return line if conversation.is_first_to_post(what, context.key) else ""
