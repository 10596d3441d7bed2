"""Load: what the pull request changes, what earlier runs have seen and found, and what people answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from kodiai.core.changes.snapshot import Snapshot, difference
from kodiai.core.config import Config
from kodiai.core.conversation.comment import Reply, Thread
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.stance import ThreadReader
from kodiai.core.events.job import Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.input import ReviewInput
from kodiai.flows.deadline import Deadline
from kodiai.flows.model.replies import read_before
from kodiai.flows.review.admit import Admission
from kodiai.flows.review.restore import earlier_findings
from kodiai.ports import GitHub, Ledger


def load(
    trigger: Trigger, admission: Admission, github: GitHub, ledger: Ledger, bot_login: str, deadline: Deadline
) -> ReviewInput:
    """Read the files from GitHub, the past from the ledger or our own marks, and what people said from the threads.

    Raises OutOfTime where too little time is left to post a review.
    """
    on_github, config, state = admission.on_github, admission.config, admission.state
    files = github.changed_files()
    snapshot = Snapshot.of(files, config.key)
    before = ledger.snapshot(state.completed_run) if state.completed_run else None
    earlier = earlier_findings(ledger, on_github, state, files)
    threads = _threads(on_github, earlier.known)
    reader = _reader(github, bot_login, on_github.pull_request, config)
    reader = replace(reader, readings=read_before(ledger, _replies(reader, earlier.known, threads)))
    return ReviewInput(
        trigger=trigger,
        on_github=on_github,
        config=config,
        files=files,
        snapshot=snapshot.after(before) if before else snapshot,
        previous_head=state.completed_head,
        previous_snapshot=before,
        difference=difference(snapshot, before) if before else None,
        known=earlier.as_ended(threads, reader).known,
        threads=threads,
        reader=reader,
        problems=[*config.problems, *(f"not seen: {what}" for what in on_github.unseen), *earlier.problems],
        began=deadline.attempt.started,
        restored=earlier.restored,
    )


def _threads(on_github: PullRequestSnapshot, known: Sequence[KnownFinding]) -> dict[str, Thread]:
    """Each finding's thread; of one that was posted again the thread of its latest comment."""
    comments = {each.id: each.comment_id for each in known}
    ordered = sorted(on_github.threads, key=lambda thread: thread.comment_id == comments.get(thread.finding))
    return {thread.finding: thread for thread in ordered}


def _reader(github: GitHub, us: str, pull_request: PullRequest, config: Config) -> ThreadReader:
    """The reader of the threads; GitHub is asked who may write where it matters, once for each person."""
    ours = handles(us, config.mention.aliases) if config.mention.enabled else frozenset[str]()
    return ThreadReader(us, ours, pull_request.author, cache(github.may_write))


def _replies(reader: ThreadReader, known: Sequence[KnownFinding], threads: Mapping[str, Thread]) -> Iterator[Reply]:
    """The replies about open findings that only a model understands."""
    for each in known:
        if each.status == "open" and each.id in threads:
            yield from reader.not_in_table(threads[each.id])
