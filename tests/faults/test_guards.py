"""Each guard is needed: without it, a fault that is survived with it leaves something twice or loses something."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.campaign import Case, Result, run
from tests.faults.deaths import Death
from tests.faults.flows import FLOWS, POST_REVIEW, SETTLE
from tests.faults.scene import Pace, a_scene
from tests.faults.trial import Fault, Point
from tests.layers import changed_layer

# Systems that run against the clock: one at a time.
pytestmark = pytest.mark.xdist_group("faults")

# Time enough for a review on a machine with other things to do; a lease that nobody gives back is waited for.
QUICK = Pace(timeout=8, visibility=3, answer=2, publish=1, at_once=2)
# Long enough for a second delivery to begin, and to end, beside the first.
LONG = Pace(timeout=12, visibility=3, answer=2, publish=1, at_once=2)
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
    ', only=condition, given={"now": int(now)}',
    "",
    POST_REVIEW,
    Death.OVERTAKEN,
    "2 reviews, not 1",
)
MARK = Guard(
    "mark",
    "flows/review/session.py",
    "self._ledger.stage(run.id, pending)\n            self._deadline.need(",
    "self._deadline.need(",
    POST_REVIEW,
    Death.KILLED_AFTER,
    "reviews on GitHub",
    "first review, pushed meanwhile",
)
MARKER_OF_A_REVIEW = Guard(
    "marker of a review",
    "flows/review/session.py",
    "self.posted = None if self.is_dry_run else self._github.find_review(run.id)",
    "self.posted = None",
    POST_REVIEW,
    Death.KILLED_AFTER,
    "2 reviews, not 1",
)
# None of these is in the way of the others' faults, nor does what they leave behind.
APART = (
    Guard(
        "marker of a check run",
        "flows/review/session.py",
        "self._note_check(self._github.find_check(run.head, _external_id(run, pull_request)))",
        "pass",
        "GitHub POST check-runs",
        Death.KILLED_AFTER,
        "check of run",
    ),
    Guard(
        "marker of a reply",
        "core/review/thread_actions.py",
        "say=None if said else act.say,",
        "say=act.say,",
        SETTLE,
        Death.KILLED_AFTER,
        "reply of run and finding",
        "re-review",
    ),
    Guard(
        "conditional write",
        "edges/ledger.py",
        '"told", _FIRST',
        '"told", "attribute_exists(pk) OR attribute_not_exists(pk)"',
        "DynamoDB UpdateItem FINDING",
        Death.KILLED_AFTER,
        "record of finding",
    ),
    Guard(
        "kept answer",
        "flows/model/answers.py",
        "if kept is not None:",
        "if False:",
        "DynamoDB TransactWriteItems ANSWER STATE MONTH",
        Death.KILLED_AFTER,
        "a kept answer",
    ),
)
GUARDS = (LEASE, MARK, MARKER_OF_A_REVIEW, *APART)
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


def test_with_every_guard_in_its_place_all_of_this_is_survived() -> None:
    """The same faults as below."""
    with a_scene(LONG) as scene:
        results = list(run(scene, [guard.case for guard in GUARDS]))

    assert [result for result in results if not result.survived] == []


@pytest.mark.parametrize(
    "guards", [(LEASE,), (MARK,), (MARKER_OF_A_REVIEW,), APART, TALK], ids=lambda all_: all_[0].name
)
def test_without_this_guard_a_fault_is_not_survived(guards: Sequence[Guard], tmp_path: Path) -> None:
    """The functions run with a layer of which a line was changed; guards with nothing in common go together."""
    pace = LONG if guards == (LEASE,) else QUICK
    layer = layer_without(guards, tmp_path)
    with a_scene(pace, layer=layer, may_resolve=guards[0].case.flow.may_resolve) as scene:
        results = list(run(scene, [guard.case for guard in guards]))

    for guard, result in zip(guards, results, strict=True):
        seen = damages(result)
        assert any(each.removeprefix("later: ").startswith(guard.damage) for each in seen), (guard.name, seen)


def layer_without(guards: Sequence[Guard], folder: Path) -> Path:
    """A copy of the layer without these guards."""
    return changed_layer(folder, [(guard.file, guard.line, guard.without) for guard in guards])


def damages(result: Result) -> list[str]:
    """What a person, or the bookkeeping, sees of it."""
    paid = ["a kept answer was paid for again"] if result.kept_paid_again else []
    return [*result.verdict.duplicates, *result.verdict.losses, *paid]
