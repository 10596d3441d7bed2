"""The input of a review, made by the real steps from files, findings and threads that a test names."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.contents import Entry
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.keys import Config
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.conversation.reading import Reading, ReplyDecision, reading_name
from kodiai.core.events.job import Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Reply, Thread
from kodiai.core.model.messages import ModelAnswer, Text, answer_to_json
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.run import PullRequestState
from kodiai.flows.review.admit import Admission
from kodiai.flows.review.hear import hear
from kodiai.flows.review.load import load
from tests.builders import PARSER, FilesTree, a_file, a_pull_request
from tests.core.config.test_settings import DEPLOYMENT, PREFIX

LAST_HEAD = "0123456" + "0" * 33
PULL_REQUEST = a_pull_request(
    repository="octo/hello", url="https://github.com/octo/hello/pull/7", title="Stream the report", author="otto"
)
SETTINGS = DeploymentSettings.from_parameters(DEPLOYMENT, PREFIX)
LIMITS = SETTINGS.limits


def file(path: str, *hunks: str, **given: Any) -> ChangedFile:
    """A file that is changed by these hunks; other hunks make other contents of it."""
    return a_file(path, **{"patch": "\n".join(hunks) or None, "blob": "\n".join(hunks), **given})


def key(hunk: str) -> str:
    """The key of a hunk."""
    return file("any.py", hunk).hunks[0].key


def limited(limits: Mapping[str, int]) -> DeploymentSettings:
    """The settings with other limits."""
    return SETTINGS.model_copy(update={"limits": LIMITS.model_copy(update=limits)})


@dataclass
class Site:
    """GitHub, as far as it is read: the files, and who may write; `asked` are those of whom that was asked."""

    files: Sequence[ChangedFile]
    writers: Collection[str]

    def __post_init__(self) -> None:
        self.asked: list[str] = []

    def changed_files(self) -> tuple[ChangedFile, ...]:
        return tuple(self.files)

    def merge_base(self, base: str, _head: str) -> str:
        return base

    def entries(self, _commit: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """Moved files, which are as they were; GitHub gives nothing of others."""
        moved = [file for file in self.files if file.previous_path]
        known = {path: file.blob for file in moved for path in (file.path, file.previous_path)}
        return {path: Entry("100644", known[path], 10) for path in paths if path in known}

    def may_write(self, login: str) -> bool:
        self.asked.append(login)
        return login in self.writers


@dataclass
class Books:
    """The ledger, as far as it is read."""

    before: Snapshot | None
    known: Sequence[KnownFinding]
    readings: Mapping[str, Any]
    kept: UnpostedReview | None = None

    def unposted(self, run_id: str) -> UnpostedReview | None:
        assert run_id == "run2"
        return self.kept

    def snapshot(self, run_id: str) -> Snapshot | None:
        assert run_id == "run1"
        return self.before

    def findings(self) -> Sequence[KnownFinding]:
        return self.known

    def kept_answer(self, question: str) -> Any:
        return self.readings.get(question)


def a_reading(reply: Reply, decision: ReplyDecision) -> tuple[str, Any]:
    """A model's earlier reading of a reply: its name, and the answer that is kept under it."""
    found = Reading(words=reply.body, doubt="none", decision=decision)
    answer = ModelAnswer("quick", (Text(found.model_dump_json()),), "end_turn")
    return reading_name(reply), answer_to_json(answer)


def remembered(*states: Sequence[ChangedFile], config: Config | None = None) -> Snapshot | None:
    """The knowledge about these states of the pull request after a run at each, oldest first."""
    snapshot: Snapshot | None = None
    for files in states:
        seen = Snapshot.of(files, (config or Config()).key)
        snapshot = seen.after(snapshot) if snapshot else seen
    return snapshot


@dataclass(frozen=True)
class Circumstances:
    """The circumstances of a run.

    `readings` are a model's earlier readings of replies, `unposted` is the review that a superseded run has kept.
    """

    is_first: bool = False
    writers: Collection[str] = ("ann",)
    site: Site | None = None
    readings: Iterable[tuple[str, Any]] = ()
    trigger: Trigger = "synchronize"
    config: Config = field(default_factory=Config)
    unposted: UnpostedReview | None = None


def loaded(
    now: Sequence[ChangedFile],
    before: Snapshot | None = None,
    known: Sequence[KnownFinding] = (),
    threads: Sequence[Thread] = (),
    **given: Any,
) -> ReviewInput:
    """The input of a run on a pull request by otto; `before` is the snapshot of the last run."""
    run = Circumstances(**given)
    state = PullRequestState(None, None, None) if run.is_first else PullRequestState(None, "run1", LAST_HEAD)
    state = replace(state, unposted_run="run2" if run.unposted else None)
    on_github = PullRequestSnapshot(PULL_REQUEST, None, tuple(threads))
    ports = SimpleNamespace(
        github=run.site or Site(now, run.writers),
        ledger=Books(before, known, dict(run.readings), run.unposted),
        bot_login="kodiai[bot]",
        settings=SETTINGS,
        deadline=SimpleNamespace(attempt=SimpleNamespace(started=0.0)),
    )
    return load(run.trigger, Admission(on_github, run.config, state, None, None), cast(Any, ports))


def planned(review_input: ReviewInput, files: Mapping[str, str] | None = None) -> ReviewPlan:
    """The scope of a run; `files` are those at the head."""
    view = RepositoryView(FilesTree(files or {}), PARSER)
    return plan_review(review_input, hear(review_input, None), view, SETTINGS)
