"""Load: read what the pull request changes, what earlier runs saw and found, and what people answered."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.generated import is_generated, is_vendored
from kodiai.core.changes.snapshot import NO_DIFFERENCE, Snapshot, difference
from kodiai.core.code.cache import Cache, size_of_lines
from kodiai.core.code.parser import CodeParser
from kodiai.core.config.settings import Limits
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.stance import ThreadReader
from kodiai.core.events.job import Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Thread
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.restored import closed_by_us, restored
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.repository.tree import Tree, VisibleTree, lines_of
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.run import PullRequestState, UnreadableFindings
from kodiai.core.text.layout import counted
from kodiai.flows.model.replies import kept_meanings
from kodiai.flows.pull_request_ports import Deadline, PullRequestPorts
from kodiai.flows.review.admit import Admission
from kodiai.flows.review.contents import with_read_contents
from kodiai.ports.github import GitHub
from kodiai.ports.ledger import Ledger


def load(trigger: Trigger, admission: Admission, ports: PullRequestPorts) -> ReviewInput:
    """Read the files and threads from GitHub, and the past from the ledger or from our own markers."""
    on_github, config, state = admission.on_github, admission.config, admission.state
    github, ledger, bot_login = ports.github, ports.ledger, ports.bot_login
    files = with_read_contents(
        github.changed_files(),
        on_github.pull_request,
        config.review.skip_paths,
        github,
        ports.settings.limits,
        ports.deadline,
    )
    snapshot = Snapshot.of(files, config.key)
    before = ledger.snapshot(state.completed_run) if state.completed_run else None
    unposted = _unposted(trigger, state, config.key, ledger)
    last = unposted.snapshot if unposted else before
    known, lost, problems = earlier_findings(ledger, on_github, state, files)
    # Of a finding that was posted again the thread of its latest comment counts.
    comments = {each.id: each.comment_id for each in known}
    ordered = sorted(on_github.threads, key=lambda thread: thread.comment_id == comments.get(thread.finding))
    threads = {thread.finding: thread for thread in ordered}
    ours = handles(bot_login, config.mention.aliases) if config.mention.enabled else frozenset[str]()
    # GitHub is asked who may write only if it matters, and once for each person.
    reader = ThreadReader(bot_login, ours, on_github.pull_request.author, cache(github.may_write))
    open_threads = [threads[each.id] for each in known if each.status == "open" and each.id in threads]
    replies = [reply for thread in open_threads for reply in reader.not_in_table(thread)]
    reader = replace(reader, readings=kept_meanings(ledger, replies))
    return ReviewInput(
        trigger=trigger,
        on_github=on_github,
        config=config,
        files=files,
        snapshot=snapshot.after(last) if last else snapshot,
        previous_head=state.completed_head,
        previous_snapshot=before,
        difference=difference(snapshot, before) if before else None,
        known=[_closed_by_us(each, threads.get(each.id), reader) if each.id in lost else each for each in known],
        threads=threads,
        reader=reader,
        problems=[*config.problems, *(f"not seen: {what}" for what in on_github.unseen), *problems],
        began=ports.deadline.attempt.started,
        restored=lost,
        unposted=unposted,
        since=difference(snapshot, last) if last else NO_DIFFERENCE,
        awaits_ci=state.awaits_ci,
    )


def _unposted(trigger: Trigger, state: PullRequestState, config: str, ledger: Ledger) -> UnpostedReview | None:
    """The review that this run goes on from; a person who asks for a full review wants everything read again."""
    if state.unposted_run is None or trigger == "full_review":
        return None
    unposted = ledger.unposted(state.unposted_run)
    return unposted if unposted is not None and unposted.continues(state.completed_run, config) else None


def earlier_findings(
    ledger: Ledger, on_github: PullRequestSnapshot, state: PullRequestState, files: Sequence[ChangedFile]
) -> tuple[tuple[KnownFinding, ...], frozenset[str], tuple[str, ...]]:
    """The ledger's findings, with those on GitHub that it lacks if it has lost a review or cannot be read.

    Gives the findings, the ids of the restored ones, and problems.
    """
    known: tuple[KnownFinding, ...] = ()
    unreadable = None
    try:
        known = ledger.findings()
    except UnreadableFindings as why:
        unreadable = str(why)
    if unreadable is None and state.completed_run is not None:
        return known, frozenset(), ()
    newest, ids = on_github.newest_review, {each.id for each in known}
    found = restored(on_github.threads, newest.listed if newest else {}, files)
    lost = tuple(each for each in found if each.id not in ids)
    if not lost:
        return known, frozenset(), (f"{unreadable}: something may be posted twice",) if unreadable else ()
    why_lost = unreadable or "the earlier reviews are not in the ledger"
    problem = f"{why_lost}: {counted(len(lost), 'finding')} restored from GitHub"
    return (*known, *lost), frozenset(each.id for each in lost), (problem,)


def _closed_by_us(known: KnownFinding, thread: Thread | None, reader: ThreadReader) -> KnownFinding:
    """A restored finding as it was when it was lost: closed if we closed it, unless people have decided since."""
    stance = reader.stance(known, thread)
    is_decided = stance.reopened_by is not None or stance.settles not in (None, "dismissed")
    return known if is_decided else closed_by_us(known, thread, reader.us)


def open_repository(
    review_input: ReviewInput, github: GitHub, parser: CodeParser, limits: Limits, deadline: Deadline
) -> RepositoryView:
    """The repository at the head, and single files at other commits; each is read when it is needed, and once.

    A file that is as the last run saw it is not read again at that run's head. Reading raises OutOfTime if too little
    time is left to post a review.
    """

    def check_time() -> None:
        deadline.need(limits.publish_seconds)

    def open_tree() -> Tree:
        return github.tree(review_input.pull_request.head, limits.archive_bytes, check_time)

    def read_at(path: str, commit: str) -> list[str] | None:
        if commit == review_input.previous_head and review_input.is_as_before(path):
            return view.lines(review_input.path_now(path))
        return kept(f"{commit}:{path}")

    def read(name: str) -> list[str] | None:
        check_time()
        return lines_of(github.contents([name])[name])

    kept = Cache(read, size_of_lines)
    view = RepositoryView(VisibleTree(open_tree, review_input.config.review.skip_paths), parser, read_at, deadline.left)
    return view


def prefetch(review_input: ReviewInput, tree: Tree) -> None:
    """Fetch what a review reads in any case together: what is new, and the files of earlier findings, now and then."""
    read = (file.path for file in review_input.new_files if file.hunks and file.status != "removed")
    paths = {path for path in read if not (is_vendored(path) or is_generated(path, ()))}
    open_findings = [each for each in review_input.known if each.status == "open"]
    then = {
        f"{head}:{each.finding.path}"
        for each in open_findings
        if (head := review_input.stood_at(each)) and not review_input.is_as_before(each.finding.path)
    }
    head = review_input.last_read_head
    then |= {
        f"{head}:{review_input.since.path_then(path)}" for path in paths & review_input.since.changed.keys() if head
    }
    tree.prefetch(paths.union(review_input.path_now(each.finding.path) for each in open_findings), then)
