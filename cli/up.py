"""`kodiai up`: the doors, the queues and local AWS, against any GitHub API, until it is stopped."""

import argparse
import json
import os
import signal
import threading
from collections.abc import Mapping
from typing import Any

from cli.access import app_or_token_access
from cli.follow import Unfinished
from local.machine import LocalMachine


def up(arguments: argparse.Namespace) -> None:
    """Carry out the command until it is interrupted. Raises Unfinished where something that it needs is not set."""
    secret = os.environ.get("KODIAI_WEBHOOK_SECRET")
    if not secret:
        raise Unfinished("KODIAI_WEBHOOK_SECRET is not set: it is the secret that GitHub signs the webhooks with.")
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with LocalMachine(app_or_token_access(), webhook_secret=secret, port=arguments.port) as machine:
        machine.system.on_log(_print)
        print(f"Webhook address: {machine.system.webhook_url}")
        print(f"Dead letters: kodiai dead list --endpoint-url {machine.aws.address}")
        print("Model: " + ("the offline reviewer (no ANTHROPIC_API_KEY)" if machine.model else "Claude"))
        print("Stop with Ctrl-C.", flush=True)
        stopped.wait()


def _print(line: Mapping[str, Any]) -> None:
    """Print a log line: an outcome in short, anything else as it is."""
    if line.get("message") == "outcome":
        names = ("repository", "pull_request", "trigger", "outcome", "reason", "mode", "seconds")
        said = "  ".join(f"{name}={line[name]}" for name in names if line.get(name) is not None)
        print(f"{line['function']}: {said}", flush=True)
    else:
        print(line.get("text") or json.dumps(dict(line), default=str), flush=True)
