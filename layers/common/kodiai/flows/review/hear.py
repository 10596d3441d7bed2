"""Hear: determine what people say about the findings of earlier reviews."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import Stance
from kodiai.core.plan.input import ReviewInput
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.replies import UnreadReply, reply_meaning


def hear(review_input: ReviewInput, answers: ModelAnswers | None) -> Mapping[str, Stance]:
    """The stances of people on each finding, by its id; replies that nobody has read yet are read with `answers`.

    A reply that cannot be read now stays unread, and its finding open. An author without write access has a limit
    of replies that are read as answers; earlier ones decide nothing.
    Raises what `ModelAnswers.to` raises if the model is busy, or the time is up.
    """
    stances = _stances(review_input)
    if answers is None:
        return stances
    readings = {**review_input.reader.readings, **_too_many(review_input, stances)}
    for known in review_input.known:
        for reply in stances[known.id].unread:
            if reading_name(reply) in readings:
                continue
            turns = review_input.threads[known.id].replies
            with suppress(UnreadReply):
                meaning = reply_meaning(answers, known.finding, turns[: turns.index(reply)], reply)
                readings[reading_name(reply)] = meaning
    reader = replace(review_input.reader, readings=readings)
    return _stances(replace(review_input, reader=reader))


def _too_many(review_input: ReviewInput, stances: Mapping[str, Stance]) -> dict[str, Meaning | None]:
    """The unread replies of an author without write access that nobody reads, as replies that decide nothing."""
    reader, most = review_input.reader, review_input.config.mention.conversation.max_turns_per_pr
    unread = [reply for stance in stances.values() for reply in stance.unread if reply.author == reader.author]
    if len(unread) <= most or reader.may_write(reader.author):
        return {}
    unread.sort(key=lambda reply: int(reply.id))
    return dict.fromkeys(map(reading_name, unread[: len(unread) - most]))


def _stances(review_input: ReviewInput) -> dict[str, Stance]:
    reader, threads = review_input.reader, review_input.threads
    return {known.id: reader.stance(known, threads.get(known.id)) for known in review_input.known}
