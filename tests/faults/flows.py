"""The flows that must survive any death at any call; a new capability adds its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.faults.deaths import Death
from tests.faults.scene import DISCOUNT, Scene
from tests.faults.trial import Trial

EVERY_DEATH = (
    Death.KILLED_BEFORE,
    Death.KILLED_AFTER,
    Death.ANSWER_LOST,
    Death.ANSWERS_LOST,
    Death.ERRORS,
    Death.LIMITED,
    Death.OUT_OF_TIME,
)
# Killed before a call is killed after the one before it; the first flow tries the other deaths at the same calls.
ONE_KILL_ONE_LOSS = (Death.KILLED_AFTER, Death.ANSWERS_LOST)


@dataclass(frozen=True)
class Flow:
    """One thing that the system does.

    `begin` starts it for one trial and returns the pull request's number.
    `reviewed` is whether its head ends up reviewed, `reviewed_later` whether it is once the change is pushed again.
    `reviews` is how many reviews there are, None where it depends on when the fault struck.
    `continued` is whether it takes more than one message.
    """

    name: str
    begin: Callable[[Scene, Trial], int]
    deaths: Sequence[Death] = EVERY_DEATH
    reviewed: bool = True
    reviewed_later: bool = True
    reviews: int | None = 1
    continued: bool = False


def _first_review(scene: Scene, trial: Trial) -> int:
    return scene.open(trial, _discount(scene))


def _discount(scene: Scene) -> dict[str, str]:
    """A change, and a file that makes this pull request's head one of its own."""
    return {"src/orders.py": DISCOUNT, "notes.txt": f"{len(scene.github.state.pulls)}\n"}


def _pushed_meanwhile(scene: Scene, trial: Trial) -> int:
    """As soon as the fault strikes there is a newer head: the message that comes again finds that one."""
    number = len(scene.github.state.pulls) + 1
    trial.meanwhile = lambda: push(scene, number)
    return scene.open(trial, _discount(scene))


def _closed_meanwhile(scene: Scene, trial: Trial) -> int:
    """As soon as the fault strikes the pull request is closed: nothing may be left open on it."""
    number = len(scene.github.state.pulls) + 1
    trial.meanwhile = lambda: scene.github.close(number)
    return scene.open(trial, _discount(scene))


def _overtaken(scene: Scene, trial: Trial) -> int:
    """While the model reads there is a newer head: nothing is posted for the old one."""
    number = len(scene.github.state.pulls) + 1
    scene.reviewer.before[number] = lambda: push(scene, number)
    return scene.open(trial, _discount(scene))


def _continued(scene: Scene, trial: Trial) -> int:
    """The model is so slow that the review has to go on as a fresh message."""
    scene.reviewer.slow.add(len(scene.github.state.pulls) + 1)
    return scene.open(trial, _discount(scene))


def _nothing_new(scene: Scene, trial: Trial) -> int:
    """A head that was reviewed is committed anew."""
    number = scene.open(None, _discount(scene))
    scene.settle()
    scene.trials[number] = trial
    commit_anew(scene, number)
    return number


def _refused(scene: Scene, trial: Trial) -> int:
    """The repository's settings restrict, and cannot be read: a person has to mend them first."""
    base = scene.commit({".kodiai.yml": "review:\n  skipPaths: 7\n"})
    return scene.open(trial, _discount(scene), base)


def push(scene: Scene, number: int) -> None:
    """Push a commit that changes one more file."""
    head = scene.github.state.pulls[number].head_sha
    scene.github.push(number, scene.commit({f"src/more_{number}.py": f"n = {number}\n"}, head))


def commit_anew(scene: Scene, number: int) -> None:
    """Push the same change in a new commit, to a pull request that is opened again where it was closed.

    Where the run before it was completed and remembered, nothing is asked and nothing is posted.
    """
    pull = scene.github.state.pulls[number]
    if pull.state == "closed":
        scene.github.reopen(number)
    scene.github.push(number, scene.repository.commit_again(pull.head_sha))


FLOWS = (
    Flow("first review", _first_review),
    Flow("first review, pushed meanwhile", _pushed_meanwhile, ONE_KILL_ONE_LOSS, reviews=None),
    Flow("first review, closed meanwhile", _closed_meanwhile, ONE_KILL_ONE_LOSS, reviewed=False, reviews=None),
    Flow("overtaken by a push", _overtaken, ONE_KILL_ONE_LOSS),
    Flow("nothing new", _nothing_new, ONE_KILL_ONE_LOSS),
    Flow("refused", _refused, ONE_KILL_ONE_LOSS, reviewed=False, reviewed_later=False, reviews=0),
    Flow("continued", _continued, ONE_KILL_ONE_LOSS, continued=True),
)
