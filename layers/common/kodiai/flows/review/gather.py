"""Gather: what the pull request changes, what was seen and said of it before, and what people answered."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.coverage import Coverage
from kodiai.core.changes.snapshot import Difference, Snapshot, difference
from kodiai.core.config import Config
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.stance import Listener, Read, Stance
from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.findings.known import KnownFinding
from kodiai.flows.replies import NotRead, ReplyReader, read_before
from kodiai.flows.review.restore import told_before
from kodiai.flows.world import World
from kodiai.ports import PullRequest, PullRequestState, Standing

CONFIG_PATH = ".kodiai.yml"


@dataclass(frozen=True)
class Gathered:
    """The pull request with its files, as they are now and as the last completed run saw them.

    `known` are the findings that were told before, `stances` what people say of them, by id, as `listener` reads it.
    `difference` is None where there is nothing to compare with. `began` is before any of it was read, in seconds
    since the epoch. `restored` are the ids of the findings that the ledger does not have. `moved_code` leads from
    findings, by their ids, to the files in which their code stands now.
    """

    standing: Standing
    config: Config
    files: Sequence[ChangedFile]
    snapshot: Snapshot
    previous_head: str | None
    previous_snapshot: Snapshot | None
    difference: Difference | None
    known: Sequence[KnownFinding]
    threads: Mapping[str, Thread]
    stances: Mapping[str, Stance]
    listener: Listener
    problems: Sequence[str]
    began: float = 0.0
    restored: frozenset[str] = frozenset()
    moved_code: Mapping[str, str] = field(default_factory=dict)

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.standing.pull_request

    @property
    def coverage_before(self) -> Coverage | None:
        """How much the last completed run left read and unread, None where that is not known."""
        return self.previous_snapshot.coverage if self.previous_snapshot else None

    def moved(self, known: KnownFinding) -> KnownFinding:
        """A finding under the path that its file has now."""
        path = self.moved_code.get(known.id) or self.path_now(known.finding.path)
        return replace(known, finding=known.finding.model_copy(update={"path": path}))

    def path_now(self, path: str) -> str:
        """Where a file of the last run stands now."""
        return self.difference.path_now(path) if self.difference else path

    def path_then(self, path: str) -> str:
        """Where a file of today stood at the last run."""
        renamed = self.difference.renamed if self.difference else {}
        return next((then for then, now in renamed.items() if now == path), path)

    def previous_hunks(self, path: str) -> tuple[str, ...]:
        """The keys of the hunks that the last run saw in a file of today, none where it saw none."""
        return self.previous_snapshot.hunks(self.path_then(path)) if self.previous_snapshot else ()

    def is_touched(self, known: KnownFinding) -> bool:
        """Whether the code that a finding is about is not what the last run saw."""
        return self.difference is not None and self.difference.touches(known.finding.path, known.hunk)

    def is_back(self, known: KnownFinding) -> bool:
        """Whether the change that a mended finding was told of is there again, and was not there at the last run."""
        if known.hunk is None or known.status != "fixed" or self.previous_snapshot is None:
            return False
        then = self.previous_snapshot.hunks(known.finding.path)
        now = self.snapshot.hunks(self.path_now(known.finding.path))
        return bool(then) and known.hunk in now and known.hunk not in then


def gather(world: World, standing: Standing, config: Config, state: PullRequestState) -> Gathered:
    """Read the files from GitHub, the past from the ledger or our own marks, and what people said from the threads."""
    files = world.github.changed_files()
    snapshot = Snapshot.of(files, config.key)
    before = world.ledger.snapshot(state.completed_run) if state.completed_run else None
    told = told_before(world, standing, state, files)
    threads = _threads(standing, told.known)
    listener = _listener(world, standing.pull_request, config)
    listener = replace(listener, read=read_before(world.ledger, _replies(listener, told.known, threads)))
    stances = _stances(listener, told.known, threads)
    return Gathered(
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


def with_replies_read(gathered: Gathered, reader: ReplyReader) -> Gathered:
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


def _threads(standing: Standing, known: Sequence[KnownFinding]) -> dict[str, Thread]:
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
