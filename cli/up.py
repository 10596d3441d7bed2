"""`kodiai up`: the doors, the queues and local AWS, against any GitHub API, until it is stopped."""

import argparse
import os
import signal
import threading
from contextlib import suppress

from cli.access import app_or_token_access, check_model
from cli.follow import Unfinished
from cli.log_line import print_line
from local.machine import LocalMachine


def up(arguments: argparse.Namespace) -> None:
    """Carry out the command until it is interrupted. Raises Unfinished where something that it needs is not set."""
    secret = os.environ.get("KODIAI_WEBHOOK_SECRET")
    if not secret:
        raise Unfinished("KODIAI_WEBHOOK_SECRET is not set: it is the secret that GitHub signs the webhooks with.")
    check_model()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with LocalMachine(
        app_or_token_access(), webhook_secret=secret, port=arguments.port, parameters={"limits/quiet-seconds": ""}
    ) as machine:
        machine.system.on_log(print_line)
        print(f"Webhook address: {machine.system.webhook_url}")
        print(f"Dead letters: kodiai dead list --endpoint-url {machine.aws.address}")
        print("Model: " + ("none, offline checks only (no ANTHROPIC_API_KEY)" if machine.model else "Claude"))
        print("Stop with Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
