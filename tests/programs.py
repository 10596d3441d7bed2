"""Programs that run while a test looks at them."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_ROOT = Path(__file__).parents[1]


@contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A program, as Popen starts it. It is killed if the test fails: the end of the block would wait for it."""
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


@contextmanager
def started_python(source: str, *arguments: object) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A program of this project's Python that is written in a test, and its output."""
    command = [sys.executable, "-c", textwrap.dedent(source), *map(str, arguments)]
    with started(command, stdout=subprocess.PIPE, cwd=_ROOT) as process:
        assert process.stdout is not None
        yield process, process.stdout
