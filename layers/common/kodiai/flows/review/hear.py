"""Hear: what people say of the findings of earlier reviews."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.stance import Stance
from kodiai.core.review.input import ReviewInput
from kodiai.flows.model.replies import NotRead, ReplyReader


def hear(review_input: ReviewInput, reader: ReplyReader | None) -> Mapping[str, Stance]:
    """What people say of each finding, by its id; a `reader` has those replies read that nobody has read.

    What cannot be read now stays unread, and its finding open.
    Raises what `ModelAnswers.to` raises where the model is busy, or the time is up.
    """
    thread_reader = review_input.reader
    threads = review_input.threads
    stances = {known.id: thread_reader.stance(known, threads.get(known.id)) for known in review_input.known}
    readings = dict(thread_reader.readings)
    if reader is None:
        return stances
    for known in review_input.known:
        for reply in stances[known.id].unread:
            turns = threads[known.id].replies
            with suppress(NotRead):
                readings[reading_name(reply)] = reader.meaning(known.finding, turns[: turns.index(reply)], reply)
    if len(readings) == len(thread_reader.readings):
        return stances
    thread_reader = replace(thread_reader, readings=readings)
    return {known.id: thread_reader.stance(known, threads.get(known.id)) for known in review_input.known}
