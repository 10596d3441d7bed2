"""Turns: whether one more answer may begin; it is counted before anything is asked."""

from datetime import UTC, datetime

from kodiai.core.conversation.decision import Counted
from kodiai.core.words import conversation as words
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.session import MentionSession

MOST_INPUT_TOKENS = 20_000
"""The most tokens of all questions of one answer together, with the default budget of characters."""

ANSWER_TOKENS = 3_000
"""The most tokens of an answer."""

_MOST_LINES = 10


def begin_turn(heard: Heard, thread: int | None, session: MentionSession, counted: Counted = "turns") -> str | None:
    """Begin an answer or a reading in a thread, or in the conversation (None); None if the limits allow it.

    Otherwise the line about the limit, "" if that line was posted before, or if the next review reads the reply anyway.
    """
    conversation, place = session.ports.conversation, f"thread-{thread}" if thread else "conversation"
    most = heard.context.config.mention.conversation.max_turns_per_pr
    reached, what = conversation.begin(session.key, place, most, counted), str(counted)
    match reached, counted:
        case None, _:
            return None
        case "turns", "turns":
            line = words.too_many_turns(most)
        case "turns", "readings":
            line = words.too_many_readings(most)
        case _, "turns":
            what, line = f"pace-{place}", words.TOO_FAST
        case _:
            return ""
    return line if conversation.is_first_to_post(what, session.key) else ""


def begin_lines(heard: Heard, session: MentionSession) -> str | None:
    """Begin an answer that costs nothing; None if the limits allow it, otherwise as `begin_turn` says.

    Without a limit we and a program that answers every comment would never come to an end.
    """
    commenter, conversation = heard.commenter, session.ports.conversation
    if not commenter.may_write:
        return begin_turn(heard, heard.context.thread, session)
    day = datetime.fromtimestamp(session.ports.deadline.clock.now(), UTC).date()
    what = f"lines-{commenter.login.lower()}-{day}"
    if conversation.is_first_to_post(what, session.key, _MOST_LINES):
        return None
    is_first = conversation.is_first_to_post(f"limit-of-{what}", session.key)
    return words.too_many_lines(_MOST_LINES) if is_first else ""
