"""Progress while a push is on its way: moving on a terminal, a line for each step elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from local.rendering.visible import visible_line


@dataclass
class _Step:
    name: str
    detail: str
    began: float
    ended: float | None = None


class Progress:
    """The steps of one push after another, such as "webhook accepted", "gather", "ask", "publish".

    Its methods may be called from any thread. On a terminal the running step has a spinner and the finished ones
    stand above it, until they give way to what is printed; elsewhere each step is a plain line, once.
    `clock` gives seconds.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._moving = console.is_terminal and not console.is_dumb_terminal
        self._lock = threading.RLock()
        self._spinner = Spinner("dots")
        self._steps: list[_Step] = []
        self._live: Live | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether a line can be written over."""
        return self._console.is_terminal

    def __enter__(self) -> Self:
        """Start moving, where there is a terminal."""
        if self._moving:  # a new display each time: an old one would wipe as many lines as it had when it stopped
            self._live = Live(
                console=self._console,
                get_renderable=self._render,
                transient=True,
                refresh_per_second=8,
                redirect_stdout=False,  # what is printed there is the result, not a step
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop moving, and take the steps off the terminal."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def step(self, name: str, detail: str = "") -> None:
        """Go on to a step; the name of the running one again only changes its detail."""
        name, detail = visible_line(name), visible_line(detail)
        with self._lock:
            now = self._clock()
            running = self._steps[-1] if self._steps else None
            if running and (running.name, running.detail) == (name, detail):
                return
            if running and running.name == name:
                running.detail = detail
            else:
                if running:
                    running.ended = now
                self._steps.append(_Step(name, detail, now))
            if not self._moving:
                self._console.print(Text(f"… {name} {detail}".rstrip(), "dim"), soft_wrap=True)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to what came of the push; the next step begins a new one."""
        self.__exit__(None, None, None)
        with self._lock:
            self._steps = []
        try:
            yield
        finally:
            self.__enter__()

    def _render(self) -> Table:
        """Give the steps so far, the running one with a spinner, each with its seconds."""
        rows = Table.grid(padding=(0, 1))
        with self._lock:
            for step in self._steps:
                mark = self._spinner if step.ended is None else Text("✓", "green")
                seconds = (self._clock() if step.ended is None else step.ended) - step.began
                rows.add_row(mark, Text.assemble(step.name, " ", (step.detail, "dim")), Text(f"{seconds:.1f} s", "dim"))
        return rows
