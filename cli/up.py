"""`kodiai up`: the whole system with local AWS, against any GitHub API, until it is stopped."""

import argparse
import os
import signal
import threading
from contextlib import suppress

from cli.credentials import app_or_token_access, check_model
from cli.errors import CommandError
from cli.log_line import print_line
from local.machine import LocalMachine, MachineOptions

EXPOSED = (
    "All ports are on 127.0.0.1. {} takes signed webhooks and requests with a GitHub token; the address with the key\n"
    "opens the local AWS, which holds the App's private key: give it to nobody."
)


def run(arguments: argparse.Namespace) -> None:
    """Run the command until it is interrupted. Raises CommandError where a variable is not set."""
    secret = os.environ.get("KODIAI_WEBHOOK_SECRET")
    if not secret:
        raise CommandError("KODIAI_WEBHOOK_SECRET is not set: GitHub signs the webhooks with it.")
    check_model()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with LocalMachine(
        app_or_token_access(),
        webhook_secret=secret,
        parameters={"limits/quiet-seconds": ""},
        options=MachineOptions(port=arguments.port),
    ) as machine:
        machine.system.on_log(print_line)
        print(f"Webhook address: {machine.system.webhook_url}")
        print(f"Proposals: {machine.system.api_url}/proposals, for agents {machine.system.api_url}/mcp")
        print(f"Dead letters: kodiai dead-letters list --endpoint-url {machine.aws.access_url}")
        print(f"Remembered: kodiai memory --repo OWNER/NAME --endpoint-url {machine.aws.access_url}")
        print(f"Reviews: kodiai show OWNER/REPO#N --endpoint-url {machine.aws.access_url}")
        print("Model: " + ("none, offline checks only (no ANTHROPIC_API_KEY)" if machine.model else "Claude"))
        print(EXPOSED.format(machine.system.api_url))
        print("Stop with Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
