"""Guards that keep the flows from losing or repeating anything: lines of the layer, and the damage without each."""

from dataclasses import dataclass

from tests.faults.campaign import Case
from tests.faults.deaths import Death
from tests.faults.flows import FLOWS, KEEP_ANSWER, POST_REVIEW, STORE_FINDINGS, UPDATE_THREADS
from tests.faults.trial import Fault, Point

BY_NAME = {flow.name: flow for flow in FLOWS}


@dataclass(frozen=True)
class Guard:
    """A line of the layer, what it becomes where the guard is taken away, and the fault that it guards against.

    `damage` is how the sentence begins that says what is seen of it then, at once or after the next push.
    """

    name: str
    file: str
    line: str
    without: str
    call: str
    death: Death
    damage: str
    flow: str = "first review"

    @property
    def case(self) -> Case:
        return Case(BY_NAME[self.flow], Fault(Point(self.call, 1), self.death))


LEASE = Guard(
    "lease",
    "edges/ledger_table.py",
    "update(self._key(sort), lease, when=is_free)",
    'update(self._key(sort), lease, when=is_free._replace(text=f"({FREE} OR attribute_exists(pk))"))',
    POST_REVIEW,
    Death.OVERTAKEN,
    "2 reviews, not 1",
)
MARK = Guard(
    "mark",
    "flows/review/session.py",
    "self._ledger.stage(run.id, pending, reconciled.seen, lasting=self.is_dry_run)",
    "self._ledger.keep_snapshot(run.id, reconciled.seen)",
    POST_REVIEW,
    Death.KILLED_AFTER,
    "reviews on GitHub",
    "first review, pushed meanwhile",
)
MARKER_OF_A_REVIEW = Guard(
    "marker of a review",
    "flows/review/session.py",
    "self.posted = self._github.find_review(run.id)",
    "self.posted = None",
    POST_REVIEW,
    Death.KILLED_AFTER,
    "2 reviews, not 1",
)
PREFIX_OF_THINKING = Guard(
    "prefix of thinking",
    "edges/messages_api.py",
    "block.prefix != str(prefix)",
    "False",
    "Model find, after a tool",
    Death.KILLED_AFTER,
    "the message is dead",
    "first review, committed on meanwhile",
)
# None of these is in the way of the others' faults, nor does what they leave behind.
APART = (
    Guard(
        "marker of a check run",
        "flows/review/session.py",
        "self._note_check(self._github.find_check(run.head, _external_id(pull_request, run.id)))",
        "pass",
        "GitHub POST check-runs",
        Death.KILLED_AFTER,
        "check of run",
    ),
    Guard(
        "marker of a reply",
        "core/review/thread_actions.py",
        "otherwise=None if said else act.otherwise,",
        "otherwise=act.otherwise,",
        UPDATE_THREADS,
        Death.KILLED_AFTER,
        "reply of run and finding",
        "re-review",
    ),
    Guard(
        "conditional write",
        "edges/ledger.py",
        '"reported", Condition(_FIRST)',
        '"reported", Condition("(attribute_exists(pk) OR attribute_not_exists(pk))")',
        STORE_FINDINGS,
        Death.KILLED_AFTER,
        "record of finding",
    ),
    Guard(
        "kept answer",
        "flows/model/answers.py",
        "return (answer_from_json(kept) if kept else None), spending",
        "return None, spending",
        KEEP_ANSWER,
        Death.KILLED_AFTER,
        "a kept answer",
    ),
)
GUARDS = (LEASE, MARK, MARKER_OF_A_REVIEW, PREFIX_OF_THINKING, *APART)
# Of what people say, which GitHub tells only where it lets us resolve threads.
TALK = (
    Guard(
        "marker of an answer",
        "edges/github_comments.py",
        'answered_key(comment["body"] or "") == key',
        "False",
        "GitHub POST pulls/{id}/comments/{id}/replies",
        Death.KILLED_AFTER,
        "answer to",
        "asked",
    ),
)
