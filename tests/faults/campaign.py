"""A campaign: a flow is recorded once, then tried once for every call and every kind of death."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tests.faults.acts import commit_anew
from tests.faults.flows import Flow
from tests.faults.invariants import Verdict, judge
from tests.faults.scene import Scene
from tests.faults.trial import Fault, Point, Trial

_RECORDINGS = 5
# As many pull requests as a scene is done with long before it is given up.
_AT_THE_SAME_TIME = 60


@dataclass(frozen=True)
class Case:
    """One flow with one fault."""

    flow: Flow
    fault: Fault


@dataclass(frozen=True)
class Result:
    """The result of one trial: right after it, and after what came next."""

    case: Case
    verdict: Verdict
    paid_again: int
    kept_paid_again: int

    @property
    def survived(self) -> bool:
        """Whether nobody can tell."""
        return self.verdict.holds and not self.kept_paid_again


def record(scene: Scene, flow: Flow) -> Sequence[Point]:
    """Carry a flow out without a fault, and return its calls. Raises AssertionError where it does not even work.

    On a machine with other things to do a review may run out of time by itself: then it is recorded once more.
    """
    scene.github.trusting = False
    for _ in range(_RECORDINGS):
        trial = Trial(None)
        begin(scene, [(flow, trial)])
        scene.settle()
        undisturbed = flow.ends.reviewed or flow.ends.reviews is None
        expected = replace(flow.ends, reviewed=undisturbed)
        verdict = judge(scene, trial.number, expected)
        assert verdict.holds, f"{flow.name}, undisturbed: {verdict}"
        if flow.continued == scene.was_continued(trial.number):
            return tuple(trial.calls)
    raise AssertionError(f"{flow.name}: this machine is too slow for the pace")


def begin(scene: Scene, trials: Sequence[tuple[Flow, Trial]]) -> None:
    """Start flows for trials, all at the same time, after the first reviews of those that go on from one."""
    firsts = {id(trial): flow.first(scene) for flow, trial in trials if flow.first is not None}
    scene.settle()
    for flow, trial in trials:
        if id(trial) in firsts:
            scene.watch(trial, firsts[id(trial)])
        if flow.meanwhile is not None:
            trial.meanwhile = partial(_meanwhile, scene, flow, trial)
        flow.begin(scene, trial)


def _meanwhile(scene: Scene, flow: Flow, trial: Trial) -> None:
    assert flow.meanwhile is not None
    flow.meanwhile(scene, trial.number)


def cases_of(scene: Scene, flows: Sequence[Flow]) -> list[Case]:
    """Every death of a flow at every call that it makes."""
    return [
        Case(flow, Fault(point, death))
        for flow in flows
        for point in record(scene, flow)
        for death in flow.deaths_at(point)
    ]


def run(scene: Scene, cases: Sequence[Case]) -> Iterator[Result]:
    """Try each on a pull request of its own, many at the same time; then let each go on once more."""
    for at in range(0, len(cases), _AT_THE_SAME_TIME):
        yield from _run_together(scene, cases[at : at + _AT_THE_SAME_TIME])


def _run_together(scene: Scene, cases: Sequence[Case]) -> Iterator[Result]:
    scene.github.trusting = True
    begun = [(case.flow, Trial(case.fault)) for case in cases]
    begin(scene, begun)
    scene.settle()
    dead = [letter["Body"] for letter in scene.dead()]
    first = [_first_verdict(scene, flow, trial, dead) for flow, trial in begun]
    for flow, trial in begun:
        (flow.again or commit_anew)(scene, trial.number)
    scene.settle()
    for case, (flow, trial), before in zip(cases, begun, first, strict=True):
        reviews = flow.ends.reviews if flow.ends.reviewed else None
        kept = flow.ends.kept and not flow.reviewed_later
        expected = replace(flow.ends, reviewed=flow.reviewed_later, reviews=reviews, kept=kept)
        later = judge(scene, trial.number, expected)
        verdict = Verdict(
            (*before.duplicates, *(f"later: {each}" for each in later.duplicates)),
            (*before.losses, *(f"later: {each}" for each in later.losses)),
        )
        yield Result(case, verdict, trial.paid_again, trial.kept_paid_again)


def _first_verdict(scene: Scene, flow: Flow, trial: Trial, dead: Sequence[str]) -> Verdict:
    """The verdict right after the fault."""
    verdict = judge(scene, trial.number, flow.ends)
    more = [] if trial.struck else ["the fault never struck"]
    more += ["the message is dead"] if any(f'"number":{trial.number},' in body for body in dead) else []
    return replace(verdict, losses=(*verdict.losses, *more))
