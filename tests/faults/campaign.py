"""A campaign: a flow is recorded once, then tried once for every call and every kind of death."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tests.faults.flows import Flow, commit_anew
from tests.faults.invariants import Verdict, judge
from tests.faults.scene import Scene
from tests.faults.trial import Fault, Point, Trial

_RECORDINGS = 5


@dataclass(frozen=True)
class Case:
    """One flow with one fault."""

    flow: Flow
    fault: Fault


@dataclass(frozen=True)
class Result:
    """What one trial came to: right after it, and after the same change was pushed once more."""

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
        number = flow.begin(scene, trial)
        scene.settle()
        undisturbed = flow.reviewed or flow.reviews is None
        verdict = judge(scene, number, reviewed=undisturbed, reviews=flow.reviews)
        assert verdict.holds, f"{flow.name}, undisturbed: {verdict}"
        if flow.continued == scene.was_continued(number):
            return tuple(trial.calls)
    raise AssertionError(f"{flow.name}: this machine is too slow for the pace")


def cases_of(scene: Scene, flows: Sequence[Flow]) -> list[Case]:
    """Every death of a flow at every call that it makes."""
    return [Case(flow, Fault(point, death)) for flow in flows for point in record(scene, flow) for death in flow.deaths]


def run(scene: Scene, cases: Sequence[Case]) -> Iterator[Result]:
    """Try all these at the same time, each on a pull request of its own; then push the same change again to each."""
    scene.github.trusting = True
    begun = [(case, trial := Trial(case.fault), case.flow.begin(scene, trial)) for case in cases]
    scene.settle()
    dead = [letter["Body"] for letter in scene.dead()]
    first = {}
    for case, trial, number in begun:
        verdict = judge(scene, number, reviewed=case.flow.reviewed, reviews=case.flow.reviews)
        if not trial.struck:
            verdict = replace(verdict, losses=(*verdict.losses, "the fault never struck"))
        if any(f'"number":{number},' in body for body in dead):
            verdict = replace(verdict, losses=(*verdict.losses, "the message is dead"))
        first[number] = verdict
    for _, _, number in begun:
        commit_anew(scene, number)
    scene.settle()
    for case, trial, number in begun:
        flow = case.flow
        later = judge(scene, number, reviewed=flow.reviewed_later, reviews=flow.reviews if flow.reviewed else None)
        verdict = Verdict(
            (*first[number].duplicates, *(f"after one more push: {each}" for each in later.duplicates)),
            (*first[number].losses, *(f"after one more push: {each}" for each in later.losses)),
        )
        yield Result(case, verdict, trial.paid_again, trial.kept_paid_again)
