"""The command line of proposals: `kodiai propose`, `claim`, `verdict`, `status`, `close` and `apply`."""

import argparse
from typing import Any

from cli.option_types import Commands, number, repository, url

_TOKEN = "The GitHub token is KODIAI_GITHUB_TOKEN, GITHUB_TOKEN, GH_TOKEN, or that of `gh auth token`."  # noqa: S105
_ID = "P-0123456789abcdef0123"
_STATUSES = ("pending", "claimed", "changes_requested", "approved", "rejected", "applied", "closed")


def add_commands(commands: "Commands[Any]") -> None:
    """Add the commands."""
    _add_propose(commands)
    _add_claim(commands)
    _add_verdict(commands)
    _add_status(commands)
    text = "Makes one commit of an approved proposal, on its pull request's branch or on a new one."
    _with_id(_add(commands, "apply", "make the commit of an approved proposal", text, _ID))
    close = _with_id(_add(commands, "close", "close a proposal", "Closes a proposal for good.", _ID))
    close.add_argument("--note", metavar="TEXT", help="why")


def conflict(read: argparse.Namespace) -> str | None:
    """The options that cannot be combined, None where they can."""
    match read.command, read:
        case "propose", argparse.Namespace(diff="-", intent="-"):
            return "--diff and --intent cannot both be read from stdin"
        case "propose", argparse.Namespace(revise=str()) if read.repo or read.key or read.reviewed_by:
            return "--repo, --key and --reviewed-by cannot be revised"
        case "propose", argparse.Namespace(revise=None, diff=str(), base=None, pull_request=None):
            return "--diff requires --pull-request or --base: what it was made against"
        case "status", argparse.Namespace(id=None) if read.diff or read.wait:
            return "--diff and --wait require the ID of a proposal"
        case "status", argparse.Namespace(id=str()) if read.repo or read.status or read.pull_request:
            return "--repo, --pull-request and --status are for the list, without an ID"
        case "verdict", argparse.Namespace(decision="request_changes" | "comment", notes=None):
            return f"{read.decision} requires --notes"
    return None


def _add_propose(commands: "Commands[Any]") -> None:
    propose = _add(
        commands,
        "propose",
        "propose a change for review",
        "Proposes the current branch, with what is not committed yet, or another diff.",
        '--pull-request 7 --description "Close the file" --change "use with: it stays open" --wait',
        usage="kodiai propose [--pull-request N] [--base COMMIT] [--diff FILE] [--revise ID] [options]",
    )
    propose.add_argument("--repo", type=repository, metavar="OWNER/NAME", help="the repository (default: of origin)")
    propose.add_argument("--pull-request", type=number, metavar="N", help="the pull request that it is for")
    propose.add_argument(
        "--base",
        metavar="COMMIT",
        help="what the diff is against, and without --pull-request what it is for (default: what is pushed of the "
        "branch with --pull-request, else the default branch)",
    )
    propose.add_argument("--diff", metavar="FILE", help="another diff, - for stdin")
    propose.add_argument("--description", metavar="TEXT", help="what it does; its first line is the commit's subject")
    propose.add_argument("--change", action="append", default=[], metavar="'WHAT: WHY'", help="one change, repeatable")
    propose.add_argument("--intent", metavar="FILE", help="description and changes as JSON, - for stdin")
    propose.add_argument("--reviewed-by", choices=("kodiai", "anyone"), help="who reviews it (default: kodiai)")
    propose.add_argument("--key", metavar="KEY", help="your name for it: with the same key it is the same proposal")
    propose.add_argument(
        "--revise",
        metavar="ID",
        help="replace the diff of this proposal of yours; what is not given of description and changes stays",
    )
    _add_wait(propose)
    _add_agent(propose)


def _add_claim(commands: "Commands[Any]") -> None:
    text = "Claims somebody else's proposal. It is rejected if its diff does not apply."
    claim = _with_id(_add(commands, "claim", "claim a proposal for review", text, _ID))
    claim.add_argument("--seconds", type=number, metavar="N", help="how long it is yours (default: 1800)")
    claim.add_argument("--key", metavar="KEY", help="your name for it: with the same key it is the same claim")


def _add_verdict(commands: "Commands[Any]") -> None:
    text = "Gives a verdict on a proposal that you have claimed."
    verdict = _with_id(
        _add(commands, "verdict", "give the verdict of your claim", text, f"{_ID} approve --generation 1")
    )
    verdict.add_argument("decision", choices=("approve", "request_changes", "comment"), help="what you decide")
    verdict.add_argument("--generation", type=number, required=True, metavar="N", help="that of your claim")
    verdict.add_argument("--notes", metavar="TEXT", help="what is to be said, in Markdown")


def _add_status(commands: "Commands[Any]") -> None:
    text = "Shows a proposal with its history, or lists those of a repository, newest first."
    status = _add(commands, "status", "show a proposal, or those of a repository", text, f"{_ID} --wait")
    status.add_argument("id", nargs="?", metavar="ID", help="the ID of a proposal")
    status.add_argument("--diff", action="store_true", help="print its diff, and nothing else")
    status.add_argument("--repo", type=repository, metavar="OWNER/NAME", help="the repository (default: of origin)")
    status.add_argument("--pull-request", type=number, metavar="N", help="only those for this pull request")
    status.add_argument("--status", choices=_STATUSES, help="only those of this status")
    _add_wait(status)


def _add(
    commands: "Commands[Any]", name: str, brief: str, text: str, example: str, **more: Any
) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=brief, description=f"{text}\n{_TOKEN}", example=f"kodiai {name} {example}", **more
    )
    made.set_defaults(module="proposals")
    made.add_argument(
        "--url", type=url, metavar="URL", help="the address of the deployment's API (default: KODIAI_URL)"
    )
    made.add_argument("--json", action="store_true", help="print the answer of the API as JSON")
    return made


def _with_id(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("id", metavar="ID", help="the ID of the proposal")
    _add_agent(parser)
    return parser


def _add_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wait", action="store_true", help="wait until it is approved, rejected or sent back")
    parser.add_argument("--timeout", type=number, default=900, metavar="SECONDS", help="for how long (default: 900)")


def _add_agent(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the program that acts for you, in its own words")
    group.add_argument("--agent-type", metavar="TEXT", help="the program, such as claude-code")
    group.add_argument("--role", metavar="TEXT", help="its role, such as implementer")
    for detail in ("phase", "plan", "task"):
        group.add_argument(f"--{detail}", metavar="TEXT", help=f"the {detail} that it works on")
