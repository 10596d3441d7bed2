"""The `kodiai` command: reads its arguments, and turns what goes wrong into one clear line."""

import argparse
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx

from cli.follow import Unfinished
from cli.review import review
from cli.up import up
from local.github import UnusableRepository

_PULL_REQUEST = re.compile(r"[\w.-]+/[\w.-]+#[1-9]\d*")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 where it failed, 2 where its arguments are wrong."""
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no emoji still shows the rest
    try:
        parsed.run(parsed)
    except (Unfinished, UnusableRepository, TimeoutError) as error:
        return _failed(str(error))
    except httpx.HTTPStatusError as error:
        return _failed(f"GitHub answered {error.response.status_code} to {error.request.method} {error.request.url}")
    except (OSError, httpx.HTTPError) as error:
        return _failed(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        return _failed("interrupted")
    return 0


def _failed(reason: str) -> int:
    print(f"kodiai: {' '.join(reason.split())}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kodiai", description="A pull-request reviewer, on this machine.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    reviewing = commands.add_parser(
        "review",
        help="review a pull request and show what is posted",
        description="Reviews the pushes of a local repository as one pull request, or one that exists on GitHub. "
        "With ANTHROPIC_API_KEY Claude reviews (ANTHROPIC_BASE_URL: elsewhere), without it the offline reviewer.",
    )
    what = reviewing.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=Path, metavar="PATH", help="a local git repository; it is only read")
    what.add_argument("--sample", action="store_true", help="the bundled sample, three pushes with planted defects")
    what.add_argument(
        "--pr", type=_pull_request, metavar="OWNER/REPO#N", help="on GitHub (GITHUB_API_URL, GITHUB_TOKEN)"
    )
    reviewing.add_argument(
        "--push",
        action="append",
        metavar="HEAD[,BASE]",
        help="with --repo: a commit that is pushed, and where the base branch stands then; again for the next push",
    )
    reviewing.add_argument("--config", type=Path, metavar="FILE", help="the .kodiai.yml to go by, not the base's own")
    reviewing.add_argument("--dry-run", action="store_true", help="with --pr: print the review, do not post it")
    reviewing.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    reviewing.add_argument("--html", type=Path, metavar="FILE", help="write the result as a page")
    reviewing.set_defaults(run=review)

    serving = commands.add_parser(
        "up",
        help="run the doors, queues and local AWS for any GitHub",
        description="Runs until it is stopped. GITHUB_API_URL and GITHUB_TOKEN (or GITHUB_APP_ID and "
        "GITHUB_APP_PRIVATE_KEY) say which GitHub, KODIAI_WEBHOOK_SECRET what its webhooks are signed with.",
    )
    serving.add_argument("--port", type=int, default=0, metavar="N", help="the webhook's port (default: a free one)")
    serving.set_defaults(run=up)
    return parser


def _pull_request(text: str) -> str:
    if not _PULL_REQUEST.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not OWNER/REPO#N")
    return text
