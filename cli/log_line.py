"""Prints lines of the functions' log for the operator of a system in a terminal."""

import json
from collections.abc import Mapping
from typing import Any

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


def _print(text: str) -> None:
    """Print a line in one piece: several threads print, and the end of a line is another write otherwise."""
    print(f"{text}\n", end="", flush=True)
