"""What can be typed after `kodiai`: commands, options, and what is wrong with them in one line."""

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from cli.acts import complaint, push, reply, speaker
from cli.values import address, folder, folder_to_make, output_file, port, pull_request, settings_file
from local.rendering.visible import visible_line

_LONGEST = 500
QUEUES = ("reviews", "mentions")
_REVIEWER = "With ANTHROPIC_API_KEY set Claude reviews, without it only offline checks run."
_ALONE = "--base goes with the current branch; with --repo it is the second part of --push HEAD,BASE"


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line each, and whose examples keep their lines."""

    def __init__(self, *, example: str = "", **more: object) -> None:
        epilog = f"example:\n  {example}" if example else None
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(epilog=epilog, formatter_class=form, **more)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """End with what is wrong and where to read more."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


def one_line(text: str) -> str:
    """Give a message as one line that no terminal obeys, cut short where it is very long."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the arguments; what is wrong with them ends the process with exit status 2."""
    parser = _Parser(
        prog="kodiai",
        description="Reviews pull requests, on this machine.",
        example="kodiai review            # the current branch, with what is not committed yet",
    )
    parser.add_argument("--version", action="version", version=f"kodiai {version('kodiai')}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    _add_review(commands)
    _add_serve(commands)
    _add_up(commands)
    _add_dead(commands)
    read, unknown = parser.parse_known_args(arguments)
    if read.command is None:
        parser.error("name a command: review, serve, up or dead")
    if unknown:
        read.refuse(f"unrecognized arguments: {' '.join(unknown)}")
    if wrong := _complaint(read):
        read.refuse(wrong)
    return read


def _complaint(read: argparse.Namespace) -> str | None:
    """Say which options do not go together, None where they do."""
    match read.command, read:
        case "review", argparse.Namespace(acts=acts, repo=None) if acts:
            return "--push, --as and --reply go with --repo"
        case "review", argparse.Namespace(acts=acts) if acts and (wrong := complaint(acts)):
            return wrong
        case "review", argparse.Namespace(base=str()) if read.repo or read.sample or read.pr:
            return _ALONE
        case "review", argparse.Namespace(dry_run=True, pr=None):
            return "--dry-run goes with --pr: nothing else is posted anywhere"
        case "review", argparse.Namespace(config=config, pr=str()) if config:
            return "--config goes with a local repository: on GitHub the base branch's own .kodiai.yml counts"
        case "review", argparse.Namespace(json=json, html=html) if json and html and json.resolve() == html.resolve():
            return "--json and --html name the same file"
        case "serve", argparse.Namespace(sample=True, data=data) if data:
            return "--data goes with --repo: the sample is made from scratch each time"
        case "dead", argparse.Namespace(action=None):
            return "name a command: list, show or redrive"
        case "dead", argparse.Namespace(action="redrive", all=every, ids=ids) if every == bool(ids):
            return "give either the IDs of dead letters or --all"
    return None


def _add_review(commands: "argparse._SubParsersAction[_Parser]") -> None:
    reviewing = commands.add_parser(
        "review",
        help="review the current branch, any local repository, or a pull request on GitHub",
        usage="kodiai review [--base BRANCH | --repo PATH | --sample | --pr OWNER/REPO#N] [options]",
        description="Reviews the current branch against the default branch, with what is not committed yet; "
        f"your repository is only read.\n{_REVIEWER}",
        example="kodiai review --html review.html",
    )
    what = reviewing.add_mutually_exclusive_group()
    what.add_argument("--repo", type=folder, metavar="PATH", help="the commits of another local repository")
    what.add_argument("--sample", action="store_true", help="the bundled sample: three pushes with planted defects")
    what.add_argument(
        "--pr", type=pull_request, metavar="OWNER/REPO#N", help="a pull request on GitHub, with GITHUB_TOKEN"
    )
    reviewing.add_argument("--base", metavar="BRANCH", help="what the current branch is compared with")
    reviewing.add_argument("--dry-run", action="store_true", help="with --pr: print the review, do not post it")
    reviewing.add_argument("--config", type=settings_file, metavar="FILE", help="settings instead of the base's own")
    reviewing.add_argument("--full", action="store_true", help="print the whole reviews, as they are posted")
    reviewing.add_argument("--html", type=output_file, metavar="FILE", help="write the result as a page")
    reviewing.add_argument("--json", type=output_file, metavar="FILE", help="write the result as JSON")
    reviewing.set_defaults(refuse=reviewing.error)
    _add_acts(reviewing)


def _add_acts(reviewing: argparse.ArgumentParser) -> None:
    """What happens with --repo, in the order in which it is given: all goes into one list."""
    acts = reviewing.add_argument_group("with --repo, as often as you like, played in the order given")
    acts.add_argument(
        "--push",
        action="append",
        dest="acts",
        type=push,
        metavar="HEAD[,BASE]",
        help="push this commit, onto the base as it stands then (default: one push, of HEAD)",
    )
    acts.add_argument(
        "--as",
        action="append",
        dest="acts",
        type=speaker,
        metavar="LOGIN[:ROLE]",
        help="who writes the replies that follow: read, triage, write (default), maintain or admin",
    )
    acts.add_argument(
        "--reply",
        action="append",
        dest="acts",
        type=reply,
        metavar="N:TEXT",
        help="reply to the N-th inline comment of the latest review that has any, as --full prints them; 0 is the "
        "pull request itself. @kodiai mentions the reviewer, \\n starts a new line",
    )


def _add_serve(commands: "argparse._SubParsersAction[_Parser]") -> None:
    serving = commands.add_parser(
        "serve",
        help="show a pull request on a page of its own, and work with the reviewer there",
        description="Opens a pull request of a local repository on a page, reviews it, and notices new commits, "
        f"until you press Ctrl-C.\n{_REVIEWER}",
        example="kodiai serve --repo . --head my-branch",
    )
    what = serving.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=folder, metavar="PATH", help="a local git repository; it is only read")
    what.add_argument("--sample", action="store_true", help="the bundled sample, with planted defects")
    serving.add_argument("--head", default="HEAD", metavar="REF", help="the branch to merge (default: the current one)")
    serving.add_argument("--base", metavar="REF", help="the branch to merge it into (default: the default branch)")
    serving.add_argument("--config", type=settings_file, metavar="FILE", help="settings instead of the base's own")
    serving.add_argument("--port", type=port, default=0, metavar="N", help="the page's port (default: the last)")
    kept = serving.add_mutually_exclusive_group()
    kept.add_argument("--data", type=folder_to_make, metavar="FOLDER", help="where state is kept (default: your own)")
    kept.add_argument("--memory", action="store_true", help="keep nothing")
    serving.set_defaults(refuse=serving.error)


def _add_up(commands: "argparse._SubParsersAction[_Parser]") -> None:
    upping = commands.add_parser(
        "up",
        help="run the whole system for a GitHub App behind a tunnel",
        description="Receives webhooks and reviews, until you press Ctrl-C. It needs KODIAI_WEBHOOK_SECRET, and\n"
        "GITHUB_TOKEN or GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY; GITHUB_API_URL names another GitHub.\n" + _REVIEWER,
        example="kodiai up --port 8080",
    )
    upping.add_argument("--port", type=port, default=0, metavar="N", help="the webhook's port (default: a free one)")
    upping.set_defaults(refuse=upping.error)


def _add_dead(commands: "argparse._SubParsersAction[_Parser]") -> None:
    dead = commands.add_parser(
        "dead",
        help="list messages that could not be done, and put them back",
        description="The dead letters of a deployment, or of `kodiai up`. Region, credentials and profile are found as "
        "the AWS\nCLI finds them.",
        example="kodiai dead list --stage prod",
    )
    dead.set_defaults(queues=QUEUES, refuse=dead.error)
    actions = dead.add_subparsers(metavar="COMMAND", dest="action")
    where = _Parser(add_help=False)
    where.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
    where.add_argument("--queue", choices=QUEUES, help="only this queue's (default: both)")
    where.add_argument("--endpoint-url", type=address, metavar="URL", help="another SQS, such as that of `kodiai up`")
    form = _Parser(add_help=False)
    form.add_argument("--json", action="store_true", help="print everything that is known, as JSON")

    listing = actions.add_parser(
        "list",
        parents=[where, form],
        help="one line for each",
        description="Prints one line for each dead letter.",
        example="kodiai dead list --stage prod",
    )
    listing.set_defaults(refuse=listing.error)
    showing = actions.add_parser(
        "show",
        parents=[where, form],
        help="everything that is known about one",
        description="Prints everything that is known about one dead letter.",
        example="kodiai dead show 9f1c2d3e --stage prod",
    )
    showing.add_argument("id", metavar="ID", help="its ID, or the first characters of it")
    showing.set_defaults(refuse=showing.error)
    redriving = actions.add_parser(
        "redrive",
        parents=[where],
        help="put them back",
        description="Puts dead letters back into the queue that they came from.",
        example="kodiai dead redrive --all --stage prod",
    )
    redriving.add_argument("ids", nargs="*", metavar="ID", help="an ID, or the first characters of it")
    redriving.add_argument("--all", action="store_true", help="all of them")
    redriving.set_defaults(refuse=redriving.error)
