"""One pull request on its way through a flow, with at most one fault at one of its calls."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.faults.deaths import Death


@dataclass(frozen=True)
class Point:
    """The n-th call of a name (from 1), since the fault may strike."""

    call: str
    nth: int

    def __str__(self) -> str:
        return self.call if self.nth == 1 else f"{self.call} ({self.nth})"


@dataclass(frozen=True)
class Fault:
    """A death, and the call at which it happens."""

    point: Point
    death: Death


@dataclass
class Trial:
    """The course of one pull request. Called from the threads of several wires.

    `number` is the pull request's, 0 before it is opened; `head` is a commit whose events are the trial's too.
    `meanwhile` is done once, when the fault has struck.
    `paid_again` counts questions that the model answered more than once: those whose answer was lost
    before it could be kept, and the kept ones, which must be none.
    """

    fault: Fault | None
    number: int = 0
    head: str | None = None
    meanwhile: Callable[[], None] | None = None
    calls: list[Point] = field(default_factory=list)
    struck: bool = False
    paid_again: int = 0
    kept_paid_again: int = 0
    _counts: Counter[str] = field(default_factory=Counter)
    _broken: tuple[str, str] | None = None
    _asked: dict[str, bool] = field(default_factory=dict)
    _last_asked: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def meet(self, call: str, request_id: str) -> Death | None:
        """Note a call of an invocation, and say what goes wrong with it."""
        with self._lock:
            self._counts[call] += 1
            point = Point(call, self._counts[call])
            self.calls.append(point)
            if self.fault is None:
                return None
            if self.fault.death is Death.KILLED_EVERY_TIME and call == self.fault.point.call:
                self.struck = True
                return self.fault.death
            if not self.struck and point == self.fault.point:
                self.struck, self._broken = True, (call, request_id)
                return self.fault.death
            return self.fault.death if self.fault.death.lasts and self._broken == (call, request_id) else None

    def let_things_happen(self) -> None:
        """Do what is to be done meanwhile, at the first blow of a fault that lasts."""
        with self._lock:
            meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()

    def had_effect(self, call: str, body: bytes) -> None:
        """Note that a call was answered well by the service, whether or not the answer arrives."""
        with self._lock:
            if call.startswith("Model "):
                self._note_question(hashlib.sha256(body).hexdigest())
            elif call.startswith("DynamoDB TransactWriteItems ANSWER") and self._last_asked is not None:
                self._asked[self._last_asked] = True

    def _note_question(self, question: str) -> None:
        kept = self._asked.get(question)
        self.paid_again += kept is not None
        self.kept_paid_again += bool(kept)
        self._asked[question] = False
        self._last_asked = question
