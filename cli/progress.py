"""Progress of a running review: a moving display on a terminal, a line for each step elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from rich import progress
from rich.console import Console
from rich.text import Text

from local.rendering.visible import visible_line


class _StepColumn(progress.ProgressColumn):
    """A step's name, its detail and its seconds."""

    def render(self, task: progress.Task) -> Text:
        """Give them on one line."""
        seconds = task.finished_time if task.finished else task.elapsed
        return Text.assemble(task.description, " ", (task.fields["detail"], "dim"), (f" {seconds or 0:.1f} s", "dim"))


class Progress:
    """The steps of one push after another, such as "delivering the webhook" and "reviewing".

    Its methods may be called from any thread. On a terminal the running step has a spinner and the finished ones
    are above it, until they are replaced by what is printed; elsewhere each step is a plain line, once.
    It is on stderr, unless there is another `console`; `clock` gives seconds.
    """

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._clock = clock
        self._lock = threading.RLock()
        self._last = ("", "")
        self._display: progress.Progress | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether a line can be overwritten."""
        return self._console.is_terminal

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._display = progress.Progress(
                progress.SpinnerColumn(finished_text=Text("✓", "green")),
                _StepColumn(),
                console=self._console,
                get_time=self._clock,
                transient=True,
                refresh_per_second=8,
                redirect_stdout=False,  # the result is printed there, no step
                redirect_stderr=False,
            )
            self._display.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None

    def step(self, name: str, detail: str = "") -> None:
        """Continue with a step; the name of the running one again only changes its detail."""
        step = visible_line(name), visible_line(detail)
        with self._lock:
            if step == self._last:
                return
            if self._display is None:
                self._console.print(Text(f"… {' '.join(step)}".rstrip(), "dim"), soft_wrap=True)
            elif step[0] == self._last[0]:
                self._display.update(self._display.task_ids[-1], detail=step[1])
            else:
                for running in self._display.task_ids[-1:]:
                    self._display.update(running, completed=1)
                self._display.add_task(step[0], total=1, detail=step[1])
            self._last = step

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to what is printed; the next step starts a new display."""
        self.__exit__()
        with self._lock:
            self._last = ("", "")
        try:
            yield
        finally:
            self.__enter__()
