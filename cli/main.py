"""The `kodiai` command: reads its arguments, and turns what goes wrong into one clear line.

What a command needs is imported when it runs: all of it together takes seconds.
"""

import argparse
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from cli.acts import complaint, push, reply, speaker
from cli.follow import Unfinished
from kodiai.core.errors import KodiaiError

_QUEUES = ("reviews", "mentions")
_PULL_REQUEST = re.compile(r"[\w.-]+/[\w.-]+#[1-9]\d*")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 where it failed, 2 where its arguments are wrong."""
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no emoji still shows the rest
    try:
        parsed.run(parsed)
    except KeyboardInterrupt:
        return _failed("interrupted")
    except Exception as error:
        reason = _reason(error)
        if reason is None:
            raise
        return _failed(reason)
    return 0


def _review(arguments: argparse.Namespace) -> None:
    if arguments.acts and not arguments.repo:
        arguments.refuse("--push, --as and --reply go with --repo")
    if arguments.acts and (wrong := complaint(arguments.acts)):
        arguments.refuse(wrong)
    from cli.review import review  # noqa: PLC0415 - see above, here and below

    review(arguments)


def _serve(arguments: argparse.Namespace) -> None:
    if arguments.sample and arguments.data:
        arguments.refuse("--data goes with --repo: the sample is made anew each time")
    from cli.serve import serve  # noqa: PLC0415

    serve(arguments)


def _up(arguments: argparse.Namespace) -> None:
    from cli.up import up  # noqa: PLC0415

    up(arguments)


def _dead(arguments: argparse.Namespace) -> None:
    from cli.dead import dead_list, dead_redrive, dead_show  # noqa: PLC0415

    {"list": dead_list, "show": dead_show, "redrive": dead_redrive}[arguments.action](arguments)


def _reason(error: Exception) -> str | None:
    """Say what went wrong where a person can do something about it, None where it is a bug."""
    from local.folder import UnusableFolder  # noqa: PLC0415 - see below

    if isinstance(error, Unfinished | KodiaiError | TimeoutError | UnusableFolder):
        return str(error)
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    import httpx  # noqa: PLC0415

    from local.github import UnusableRepository  # noqa: PLC0415

    match error:
        case UnusableRepository():
            return str(error)
        case httpx.HTTPStatusError(response=response, request=request):
            return f"GitHub answered {response.status_code} to {request.method} {request.url}"
        case httpx.HTTPError():
            return f"{type(error).__name__}: {error}"
    return None


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
        "With ANTHROPIC_API_KEY Claude reviews (ANTHROPIC_BASE_URL: elsewhere), without it only offline checks run.",
    )
    what = reviewing.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=Path, metavar="PATH", help="a local git repository; it is only read")
    what.add_argument("--sample", action="store_true", help="the bundled sample, three pushes with planted defects")
    what.add_argument(
        "--pr", type=_pull_request, metavar="OWNER/REPO#N", help="on GitHub (GITHUB_API_URL, GITHUB_TOKEN)"
    )
    _add_acts(reviewing)
    reviewing.add_argument("--config", type=Path, metavar="FILE", help="the .kodiai.yml to go by, not the base's own")
    reviewing.add_argument("--dry-run", action="store_true", help="with --pr: print the review, do not post it")
    reviewing.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    reviewing.add_argument("--html", type=Path, metavar="FILE", help="write the result as a page")
    reviewing.set_defaults(run=_review, refuse=reviewing.error)

    _add_serve(commands)

    upping = commands.add_parser(
        "up",
        help="run the doors, queues and local AWS for any GitHub",
        description="Runs until it is stopped. GITHUB_API_URL and GITHUB_TOKEN (or GITHUB_APP_ID and "
        "GITHUB_APP_PRIVATE_KEY) say which GitHub, KODIAI_WEBHOOK_SECRET what its webhooks are signed with.",
    )
    upping.add_argument("--port", type=int, default=0, metavar="N", help="the webhook's port (default: a free one)")
    upping.set_defaults(run=_up)

    dead = commands.add_parser(
        "dead",
        help="list what could not be done, and put it back",
        description="The dead letters of a deployment, or of what `kodiai up` runs. Region, credentials and profile "
        "are found as the AWS CLI finds them.",
    )
    dead.set_defaults(run=_dead, queues=_QUEUES)
    _add_dead(dead.add_subparsers(required=True, metavar="COMMAND", dest="action"))
    return parser


def _add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serving = commands.add_parser(
        "serve",
        help="work with the reviewer on a pull request's page, on this machine",
        description="Opens a pull request of a local repository on a page of its own, reviews it, and notices new "
        "commits, until it is stopped. With ANTHROPIC_API_KEY Claude reviews, without it only offline checks run.",
    )
    what = serving.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=Path, metavar="PATH", help="a local git repository; it is only read")
    what.add_argument("--sample", action="store_true", help="the bundled sample, with planted defects; kept in memory")
    serving.add_argument("--head", default="HEAD", metavar="REF", help="the branch to merge (default: the present one)")
    serving.add_argument("--base", metavar="REF", help="the branch to merge it into (default: the default branch)")
    serving.add_argument("--config", type=Path, metavar="FILE", help="the .kodiai.yml to go by, not the base's own")
    serving.add_argument("--port", type=int, default=0, metavar="N", help="the page's port (default: the last, or any)")
    kept = serving.add_mutually_exclusive_group()
    kept.add_argument("--data", type=Path, metavar="FOLDER", help="where to keep all state (default: the user's own)")
    kept.add_argument("--memory", action="store_true", help="keep nothing")
    serving.set_defaults(run=_serve, refuse=serving.error)


def _add_acts(reviewing: argparse.ArgumentParser) -> None:
    """What happens with --repo, in the order in which it is given: all goes into one list."""
    acts = reviewing.add_argument_group("with --repo, each as often as you like, played in the order given")
    acts.add_argument(
        "--push",
        action="append",
        dest="acts",
        type=push,
        metavar="HEAD[,BASE]",
        help="a commit that is pushed, and where the base branch stands then (default: one push, of HEAD)",
    )
    acts.add_argument(
        "--as",
        action="append",
        dest="acts",
        type=speaker,
        metavar="LOGIN[:ROLE]",
        help="who speaks in the replies that follow: read, triage, write (default), maintain or admin",
    )
    acts.add_argument(
        "--reply",
        action="append",
        dest="acts",
        type=reply,
        metavar="N:TEXT",
        help="what is said to the N-th inline comment, as they are printed, of the latest review that has any; "
        "0 is the pull request itself. @kodiai calls the reviewer, \\n begins a line",
    )


def _add_dead(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    where = argparse.ArgumentParser(add_help=False)
    where.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
    where.add_argument("--queue", choices=_QUEUES, help="only the dead letters of this queue (default: both)")
    where.add_argument("--endpoint-url", type=_address, metavar="URL", help="another SQS, such as that of `kodiai up`")
    form = argparse.ArgumentParser(add_help=False)
    form.add_argument("--json", action="store_true", help="print all that is known, as JSON")

    commands.add_parser("list", parents=[where, form], help="a line for each dead letter")

    showing = commands.add_parser("show", parents=[where, form], help="everything that is known of one")
    showing.add_argument("id", metavar="ID", help="its ID, or how it begins")

    redriving = commands.add_parser("redrive", parents=[where], help="put them back into the queue they came from")
    redriving.add_argument("ids", nargs="*", metavar="ID", help="an ID, or how it begins")
    redriving.add_argument("--all", action="store_true", help="all of them")
    redriving.set_defaults(refuse=redriving.error)


def _pull_request(text: str) -> str:
    if not _PULL_REQUEST.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not OWNER/REPO#N")
    return text


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise argparse.ArgumentTypeError(f"{text!r} is not the address of a server")
    return text
