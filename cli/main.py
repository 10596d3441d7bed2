"""The `kodiai` command: reads its arguments, and turns what goes wrong into one clear line.

What a command needs is imported when it runs: all of it together takes seconds.
"""

import argparse
import errno
import io
import os
import shutil
import sys
from collections.abc import Sequence

from cli.follow import Unfinished
from cli.parser import one_line, parse
from kodiai.core.errors import KodiaiError

_FAILED, _INTERRUPTED, _BROKEN_PIPE = 1, 130, 141
_PORT_TROUBLE = {
    errno.EADDRINUSE: "is in use: stop what uses it, or choose another one with --port",
    errno.EACCES: "may not be used by you: choose one above 1023 with --port",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 where it failed, 2 where its arguments are wrong.

    130 is that of Ctrl-C, 141 that of a reader who went away, such as `head`; both as a shell has them.
    """
    try:
        try:
            return _carry_out(parse(arguments))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is flushed into it at the end
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _ended("interrupted", _INTERRUPTED)


def _carry_out(arguments: argparse.Namespace) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no emoji still shows the rest
    try:
        _run(arguments)
    except BrokenPipeError:
        raise
    except Exception as error:
        reason = _reason(error, getattr(arguments, "port", 0))
        if reason is None:
            raise
        return _ended(reason, _FAILED)
    return 0


def _run(arguments: argparse.Namespace) -> None:
    if arguments.command in {"review", "serve"}:
        if shutil.which("git") is None:
            raise Unfinished("git is not found on the PATH: install it, then try again.")
        _say_at_once("starting")
    match arguments.command:
        case "review":
            from cli.review import review as run  # noqa: PLC0415 - see above, here and below
        case "serve":
            from cli.serve import serve as run  # noqa: PLC0415
        case "up":
            from cli.up import up as run  # noqa: PLC0415
        case _:
            from cli.dead import dead as run  # noqa: PLC0415
    run(arguments)


def _say_at_once(what: str) -> None:
    """Show that something is done, before what takes seconds; on a terminal the next line takes its place."""
    print(f"… {what}", file=sys.stderr, end="\r" if sys.stderr.isatty() else "\n", flush=True)


def _reason(error: Exception, port: int) -> str | None:
    """Say what went wrong where a person can do something about it, None where it is a bug."""
    if isinstance(error, Unfinished | KodiaiError | TimeoutError):
        return str(error)
    import httpx  # noqa: PLC0415

    from local.folder import UnusableFolder  # noqa: PLC0415
    from local.github import UnusableRepository  # noqa: PLC0415

    match error:
        case UnusableRepository() | UnusableFolder():
            return str(error)
        case OSError(errno=int(number), filename=None) if port and number in _PORT_TROUBLE:
            return f"port {port} {_PORT_TROUBLE[number]}."
        case OSError(filename=str() as name, strerror=str() as why):
            return f"{name}: {why}"
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case httpx.HTTPStatusError(response=response, request=request):
            return f"GitHub answered {response.status_code} to {request.method} {request.url}"
        case httpx.HTTPError():
            return f"GitHub cannot be reached ({error}): check the network, and GITHUB_API_URL."
    return None


def _ended(reason: str, status: int) -> int:
    print(f"kodiai: {one_line(reason)}", file=sys.stderr)
    return status
