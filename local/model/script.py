"""Scripted answers: what a test or a rehearsal makes the model say."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Self

from local.model.answers import Answer, Answers, Request

Step = Answer | Callable[[Request], Answer | None]
"""An answer, or what makes one of the request (None: this step has nothing to say to it after all)."""


class Script:
    """Plays answers in order, or to those requests that a predicate picks.

    A request goes to the first `when` that picks it and has an answer left, then to the answers in order,
    then to `otherwise`. Without `otherwise` the stand-in fails with 500: the script came to its end.
    """

    def __init__(self, *steps: Step, otherwise: Answers | None = None) -> None:
        self._steps: deque[Step] = deque(steps)
        self._picked: list[tuple[Callable[[Request], bool], deque[Step], bool]] = []
        self._otherwise = otherwise
        self._lock = threading.Lock()

    def then(self, *steps: Step) -> Self:
        """Add answers to the end of the row."""
        with self._lock:
            self._steps.extend(steps)
        return self

    def when(self, picks: Callable[[Request], bool], *steps: Step, always: bool = False) -> Self:
        """Keep answers for the requests that `picks` picks; with `always` the last one is repeated for ever."""
        with self._lock:
            self._picked.append((picks, deque(steps), always))
        return self

    @property
    def left(self) -> int:
        """The number of answers that have not been given, those for ever aside."""
        with self._lock:
            return len(self._steps) + sum(len(steps) for _, steps, always in self._picked if not always)

    def answer(self, request: Request) -> Answer | None:
        """Give the next answer to this request."""
        step = self._next(request)
        answer = step(request) if callable(step) else step
        if answer is None and self._otherwise is not None:
            return self._otherwise.answer(request)
        return answer

    def _next(self, request: Request) -> Step | None:
        with self._lock:
            for picks, steps, always in self._picked:
                if steps and picks(request):
                    return steps[0] if always and len(steps) == 1 else steps.popleft()
            return self._steps.popleft() if self._steps else None
