"""Prints lines of the functions' log for the operator of a system in a terminal."""

import json
from collections.abc import Mapping
from typing import Any

from kodiai.core.words.details import scope_reason

_WORKERS = {"ReviewFunction": "Review", "MentionFunction": "Comment"}
_API_FUNCTION = "ProposalsFunction"
_CLIENT_ERROR = 400
_API = ("method", "route", "tool", "login", "proposal")
_SHOWN = (*_API, "repository", "pull_request", "trigger", "outcome", "reason", "mode", "cause", "seconds")


def print_line(line: Mapping[str, Any]) -> None:
    """Print an outcome in short, and anything else as it is; external calls are too many to print."""
    match line.get("message"):
        case "outcome":
            fields = "  ".join(f"{name}={line[name]}" for name in _SHOWN if line.get(name) is not None)
            _print(f"{line['function']}: {fields}")
        case "call":
            return
        case _:
            _print(line.get("text") or json.dumps(dict(line), default=str))


def print_event(line: Mapping[str, Any]) -> None:
    """Print a sentence about what became of an event, once it is done, and lines about trouble as they are."""
    outcome = line.get("outcome")
    if line.get("message") == "outcome" and line["function"] == _API_FUNCTION:
        _print_request(line)
    elif line.get("message") == "outcome":
        if outcome in ("queued", "nothing"):
            return
        number, trigger, seconds = line.get("pull_request"), line.get("trigger"), line.get("seconds")
        of = f"{_WORKERS.get(line['function'], line['function'])}{f' #{number}' if number else ''}"
        why, took = scope_reason(str(line.get("reason") or "")), f" ({seconds:.1f} s)" if seconds else ""
        _print(f"{of}{f', {trigger}' if trigger else ''}: {outcome}{f', {why}' if why else ''}{took}")
    elif line.get("text") or line.get("level") in ("WARNING", "ERROR", "CRITICAL"):
        print_line(line)


def _print_request(line: Mapping[str, Any]) -> None:
    """Print a request to the API, except one in which a program only makes itself known."""
    tool, status = line.get("tool"), int(line["status"])
    if tool is None and line["route"] == "/mcp" and status < _CLIENT_ERROR:
        return
    what = " ".join(filter(None, (tool or f"{line['method']} {line['route']}", line.get("proposal"))))
    refused = f", refused with {status}" if status >= _CLIENT_ERROR else ""
    _print(
        f"{'Agent' if tool else 'API'}, {line.get('login') or 'somebody'}: {what}{refused} ({line['seconds']:.1f} s)"
    )


def _print(text: str) -> None:
    """Print a line in one piece: several threads print, and the end of a line is another write otherwise."""
    print(f"{text}\n", end="", flush=True)
