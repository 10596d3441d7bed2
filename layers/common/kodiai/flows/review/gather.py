"""Gather: what the pull request changes, what was seen and said of it before, and what people answered."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

from kodiai.core.changes.snapshot import Snapshot, difference
from kodiai.core.config import Config
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.stance import Listener, Read, Stance
from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.findings.known import KnownFinding
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.run import PullRequestState
from kodiai.flows.model.replies import NotRead, ReplyReader, read_before
from kodiai.flows.review.restore import told_before
from kodiai.flows.world import World

CONFIG_PATH = ".kodiai.yml"


def gather(world: World, standing: PullRequestSnapshot, config: Config, state: PullRequestState) -> ReviewInput:
    """Read the files from GitHub, the past from the ledger or our own marks, and what people said from the threads."""
    files = world.github.changed_files()
    snapshot = Snapshot.of(files, config.key)
    before = world.ledger.snapshot(state.completed_run) if state.completed_run else None
    told = told_before(world, standing, state, files)
    threads = _threads(standing, told.known)
    listener = _listener(world, standing.pull_request, config)
    listener = replace(listener, read=read_before(world.ledger, _replies(listener, told.known, threads)))
    stances = _stances(listener, told.known, threads)
    return ReviewInput(
        standing=standing,
        config=config,
        files=files,
        snapshot=snapshot.after(before) if before else snapshot,
        previous_head=state.completed_head,
        previous_snapshot=before,
        difference=difference(snapshot, before) if before else None,
        known=told.as_ended(threads, stances, world.settings.bot_login).known,
        threads=threads,
        stances=stances,
        listener=listener,
        problems=[*config.problems, *(f"not seen: {what}" for what in standing.unseen), *told.problems],
        began=world.turn.started,
        restored=told.restored,
    )


def with_replies_read(gathered: ReviewInput, reader: ReplyReader) -> ReviewInput:
    """Have those replies read that nobody has read; what cannot be read now stays unread, and its finding open.

    Raises what `Answers.to` raises where the model is busy, or the time is up.
    """
    meanings = dict(gathered.listener.read.meanings)
    for known in gathered.known:
        for reply in gathered.stances[known.id].unread:
            turns = gathered.threads[known.id].replies
            with suppress(NotRead):
                name = reading_name(reply.id, reply.body)
                meanings[name] = reader.meaning(known.finding, turns[: turns.index(reply)], reply)
    if len(meanings) == len(gathered.listener.read.meanings):
        return gathered
    listener = replace(gathered.listener, read=Read(meanings))
    return replace(gathered, listener=listener, stances=_stances(listener, gathered.known, gathered.threads))


def _threads(standing: PullRequestSnapshot, known: Sequence[KnownFinding]) -> dict[str, Thread]:
    """Each finding's thread; of one that was told anew the thread of its latest comment."""
    comments = {each.id: each.comment_id for each in known}
    ordered = sorted(standing.threads, key=lambda thread: thread.comment_id == comments.get(thread.finding))
    return {thread.finding: thread for thread in ordered}


def _listener(world: World, pull_request: PullRequest, config: Config) -> Listener:
    """Who reads the threads; who of the people may write is asked of GitHub where it matters, once for each."""
    us = world.settings.bot_login
    ours = handles(us, config.mention.aliases) if config.mention.enabled else frozenset[str]()
    return Listener(us, ours, pull_request.author, cache(world.github.may_write))


def _stances(listener: Listener, known: Sequence[KnownFinding], threads: Mapping[str, Thread]) -> dict[str, Stance]:
    return {each.id: listener.stance(each, threads.get(each.id)) for each in known}


def _replies(listener: Listener, known: Sequence[KnownFinding], threads: Mapping[str, Thread]) -> Iterator[Reply]:
    """The replies about open findings that only a model understands."""
    for each in known:
        if each.status == "open" and each.id in threads:
            yield from listener.beyond_the_table(threads[each.id])
