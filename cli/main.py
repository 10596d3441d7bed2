"""The `kodiai` command: parses its arguments, and reports every error in one clear line.

A command's modules are imported when it runs: all of them together take seconds.
"""

import argparse
import errno
import io
import os
import shutil
import sys
from collections.abc import Sequence
from importlib import import_module

from cli.commands import parse
from cli.errors import CommandError
from cli.parser import one_line
from kodiai.core.errors import KodiaiError
from local.follower import DeliveryFailed

_FAILED, _INTERRUPTED, _BROKEN_PIPE = 1, 130, 141
_PORT_ERRORS = {
    errno.EADDRINUSE: "is in use: stop the program that uses it, or choose another port with --port",
    errno.EACCES: "needs more privileges: choose a port above 1023 with --port",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 if it failed, 2 if its arguments are wrong.

    It is 3 if a proposal was not accepted. It is 130 after Ctrl-C, and 141 if the reader of the output has closed it,
    such as `head`; as in a shell.
    """
    try:
        try:
            return _run_reporting_errors(parse(arguments))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the flush at the end must not fail
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _report("interrupted", _INTERRUPTED)


def _run_reporting_errors(arguments: argparse.Namespace) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without emoji still shows the rest
    try:
        return _run(arguments)
    except BrokenPipeError:
        raise
    except Exception as error:
        reason = _reason(error, getattr(arguments, "port", 0))
        if reason is None:
            raise
        return _report(reason, _FAILED)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command in {"review", "rules", "serve"}:
        if shutil.which("git") is None:
            raise CommandError("git is not found on the PATH: install it, then try again.")
        _print_at_once("starting")
    module = import_module(f"cli.{vars(arguments).get('module') or arguments.command.replace('-', '_')}")
    return module.run(arguments) or 0


def _print_at_once(what: str) -> None:
    """Show a step before an import that takes seconds; on a terminal the next line overwrites it."""
    print(f"… {what}", file=sys.stderr, end="\r" if sys.stderr.isatty() else "\n", flush=True)


def _reason(error: Exception, port: int) -> str | None:
    """The error in words where the user can do something about it, None where it is a bug."""
    if isinstance(error, CommandError | DeliveryFailed | KodiaiError | TimeoutError):
        return str(error)
    import httpx  # noqa: PLC0415

    from local.folder import UnusableFolder  # noqa: PLC0415
    from local.github import UnusableRepository  # noqa: PLC0415

    match error:
        case UnusableRepository() | UnusableFolder():
            return str(error)
        case OSError(errno=int(number), filename=None) if port and number in _PORT_ERRORS:
            return f"port {port} {_PORT_ERRORS[number]}."
        case OSError(filename=str() as name, strerror=str() as why):
            return f"{name}: {why}"
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case httpx.HTTPStatusError(response=response, request=request):
            return f"GitHub answered {response.status_code} to {request.method} {request.url}"
        case httpx.HTTPError():
            return f"GitHub cannot be reached ({error}): check the network, GITHUB_API_URL."
    return None


def _report(reason: str, status: int) -> int:
    print(f"kodiai: {one_line(reason)}", file=sys.stderr)
    return status
