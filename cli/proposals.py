"""`kodiai propose`, `claim`, `release`, `verdict`, `status`, `apply` and `close`: proposals, over the API."""

import argparse
import json
import sys
import time
import uuid
from urllib.parse import quote

from cli.errors import CommandError
from cli.proposal_output import listed, shown
from cli.proposals_api import Json, ProposalsApi
from cli.proposed_change import read_diff, read_intent, repository_of_remote

NOT_ACCEPTED = 3
"""The exit status if a proposal was rejected, sent back or closed."""

_POLL_SECONDS = 2.0
_WAITING = {"pending", "claimed"}
_REFUSED = {"rejected", "changes_requested", "closed"}


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status. Raises CommandError."""
    if arguments.command == "propose":
        return _propose(arguments)
    api = ProposalsApi(arguments.url)
    if arguments.command == "status":
        return _status(api, arguments)
    path = f"{_path(arguments.id)}/{arguments.command}"
    agent = _agent(arguments)
    match arguments.command:
        case "claim":
            claimed = api.send("POST", path, {"seconds": arguments.seconds, "agent": agent}, _key(arguments))
            return _print(claimed, arguments)
        case "verdict":
            names = ("decision", "notes", "generation")
            api.send("POST", path, {**{name: getattr(arguments, name) for name in names}, "agent": agent})
        case "close" | "release":
            api.send("POST", path, {"note": arguments.note, "agent": agent})
        case _:
            return _print(api.send("POST", path, {"agent": agent}), arguments)
    _print(api.get(_path(arguments.id)), arguments)
    return 0


def _propose(arguments: argparse.Namespace) -> int:
    api = ProposalsApi(arguments.url)
    before = api.get(_path(arguments.revise)) if arguments.revise is not None else {}
    intent = read_intent(arguments.intent, arguments.description, arguments.change, before)
    number, base = before.get("pull_request", arguments.pull_request), arguments.base or before.get("base")
    diff = read_diff(arguments.diff, base, number)
    content = {**intent, "diff": diff.text, "agent": _agent(arguments)}
    if before:
        proposal = api.send("PUT", _path(before["id"]), content)
    else:
        target = {
            "repository": arguments.repo or repository_of_remote(),
            "pull_request": number,
            "base": diff.base if number is None else None,
            "reviewed_by": arguments.reviewed_by,
        }
        proposal = api.send("POST", "/proposals", {**target, **content}, _key(arguments))
    return _print(_waited(api, proposal["id"], arguments) if arguments.wait else proposal, arguments)


def _status(api: ProposalsApi, arguments: argparse.Namespace) -> int:
    if arguments.id is None:
        repository = arguments.repo or repository_of_remote()
        found = api.get(
            "/proposals", repository=repository, status=arguments.status, pull_request=arguments.pull_request
        )
        if arguments.json:
            print(json.dumps(found, indent=2))
        else:
            print(*listed(repository, found["proposals"]), sep="\n")
        return 0
    if arguments.diff:
        print(api.text(f"{_path(arguments.id)}/diff"), end="")
        return 0
    if arguments.wait:
        return _print(_waited(api, arguments.id, arguments), arguments)
    _print(api.get(_path(arguments.id)), arguments)
    return 0


def _waited(api: ProposalsApi, proposal_id: str, arguments: argparse.Namespace) -> Json:
    """The proposal once it is neither pending nor claimed."""
    end = time.monotonic() + arguments.timeout
    print(f"… waiting for a verdict on {proposal_id}", file=sys.stderr, flush=True)
    while True:
        proposal = api.get(_path(proposal_id))
        if proposal["status"] not in _WAITING:
            return proposal
        if time.monotonic() + _POLL_SECONDS > end:
            raise CommandError(
                f"There is no verdict on {proposal_id} after {arguments.timeout} seconds: it is {proposal['status']}."
                f" kodiai status {proposal_id} --wait waits again."
            )
        time.sleep(_POLL_SECONDS)


def _print(proposal: Json, arguments: argparse.Namespace) -> int:
    """Print a proposal; the exit status by what became of it."""
    if arguments.json:
        print(json.dumps(proposal, indent=2))
    else:
        print(*shown(proposal), sep="\n")
    return NOT_ACCEPTED if proposal["status"] in _REFUSED else 0


def _path(proposal_id: str) -> str:
    return f"/proposals/{quote(proposal_id, safe='')}"


def _agent(arguments: argparse.Namespace) -> dict[str, str] | None:
    details = ("agent_type", "role", "phase", "plan", "task")
    return {name: text for name in details if (text := getattr(arguments, name)) is not None} or None


def _key(arguments: argparse.Namespace) -> str:
    """The key that was given; without one, a request that is sent again is still the same one."""
    return arguments.key or str(uuid.uuid4())
