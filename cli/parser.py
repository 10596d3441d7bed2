"""The command line of `kodiai`: commands and options, with every error in one line."""

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from cli import operators_parser, proposals_parser
from cli.option_types import (
    Commands,
    duration,
    folder,
    input_file,
    new_folder,
    output_file,
    port,
    pull_request,
    settings_file,
)
from cli.scenario import order_error, push, react, reply, speaker
from local.rendering.visible import visible_line

_LONGEST = 500
_REVIEWER = "With ANTHROPIC_API_KEY set Claude reviews, without it only offline checks run."
_BASE_ALONE = "--base is for the current branch; with --repo use --push HEAD,BASE"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line each, and whose examples keep their lines."""

    def __init__(self, *, example: str = "", **more: Any) -> None:
        epilog = f"example:\n  {example}" if example else None
        super().__init__(epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter, **more)
        self.set_defaults(refuse=self.error)

    def error(self, message: str) -> NoReturn:
        """Exit with what is wrong and where to read more."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


def one_line(text: str) -> str:
    """Give a message as one line without control characters, cut short where it is very long."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; errors in them exit with status 2."""
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
    _add_config(commands)
    operators_parser.add_commands(commands)
    proposals_parser.add_commands(commands)
    read, unknown = parser.parse_known_args(arguments)
    if read.command is None:
        parser.error(f"name a command: {', '.join(commands.choices)}")
    if unknown:
        read.refuse(f"unrecognized arguments: {' '.join(unknown)}")
    if wrong := _conflict(read) or operators_parser.conflict(read) or proposals_parser.conflict(read):
        read.refuse(wrong)
    operators_parser.name_stage(read)
    return read


def _conflict(read: argparse.Namespace) -> str | None:
    """Which options cannot be combined, None where they can."""
    match read.command, read:
        case "review", argparse.Namespace(steps=steps, repo=None) if steps:
            return "--push, --as, --reply and --react require --repo"
        case "review", argparse.Namespace(steps=steps) if steps and (wrong := order_error(steps)):
            return wrong
        case "review", argparse.Namespace(base=str()) if read.repo or read.sample or read.pr:
            return _BASE_ALONE
        case "review", argparse.Namespace(dry_run=True, pr=None):
            return "--dry-run requires --pr: nothing else is posted"
        case "review", argparse.Namespace(config=config, pr=str()) if config:
            return "--config is for a local repository: on GitHub the .kodiai.yml of the base branch is used"
        case "review", argparse.Namespace(json=json, html=html) if json and html and json.resolve() == html.resolve():
            return "--json and --html name the same file"
        case "serve", argparse.Namespace(sample=True, data=data) if data:
            return "--data requires --repo: the sample is created again each time"
        case "config", argparse.Namespace(action=None):
            return "name a command: check"
    return None


def _add_review(commands: "Commands[_Parser]") -> None:
    review = commands.add_parser(
        "review",
        help="review the current branch, any local repository, or a pull request on GitHub",
        usage="kodiai review [--base BRANCH | --repo PATH | --sample | --pr OWNER/REPO#N] [options]",
        description="Reviews the current branch against the default branch, with what is not committed yet; "
        f"your repository is only read.\n{_REVIEWER}",
        example="kodiai review --html review.html",
    )
    what = review.add_mutually_exclusive_group()
    what.add_argument("--repo", type=folder, metavar="PATH", help="the commits of another local repository")
    what.add_argument("--sample", action="store_true", help="the bundled sample: three pushes with planted defects")
    what.add_argument(
        "--pr", type=pull_request, metavar="OWNER/REPO#N", help="a pull request on GitHub, with GITHUB_TOKEN"
    )
    review.add_argument("--base", metavar="BRANCH", help="what the current branch is compared with")
    review.add_argument("--dry-run", action="store_true", help="with --pr: print the review, do not post it")
    review.add_argument("--config", type=settings_file, metavar="FILE", help="settings instead of the base's own")
    review.add_argument(
        "--patience",
        type=duration,
        default=60,
        metavar="DURATION",
        help="how long failed attempts wait in all before the last one, such as 90s or 10m (default: 1m)",
    )
    review.add_argument("--full", action="store_true", help="print complete reviews, as they are posted")
    review.add_argument("--html", type=output_file, metavar="FILE", help="write the result as an HTML report")
    review.add_argument("--json", type=output_file, metavar="FILE", help="write the result as JSON")
    group = review.add_argument_group("steps with --repo, repeatable, played in the given order")
    step: dict[str, Any] = {"action": "append", "dest": "steps"}
    group.add_argument(
        "--push",
        **step,
        type=push,
        metavar="HEAD[,BASE]",
        help="push this commit, with the base branch at that one (default: push HEAD once)",
    )
    group.add_argument(
        "--as",
        **step,
        type=speaker,
        metavar="LOGIN[:ROLE]",
        help="who replies and reacts from then on, with the role read, triage, write (default), maintain or admin",
    )
    group.add_argument(
        "--reply",
        **step,
        type=reply,
        metavar="N:TEXT",
        help="reply to the N-th inline comment of the latest review that has any, as --full prints them; 0 is the "
        "pull request itself. @kodiai mentions the reviewer, \\n starts a new line",
    )
    group.add_argument(
        "--react",
        **step,
        type=react,
        metavar="N:+1",
        help="react with 👍 to the N-th inline comment; N:-1 is 👎",
    )


def _add_serve(commands: "Commands[_Parser]") -> None:
    serve = commands.add_parser(
        "serve",
        help="show a pull request on a local web page, and work with the reviewer there",
        description="Opens a pull request of a local repository on a local web page, reviews it and every new commit, "
        f"until you press Ctrl-C.\n{_REVIEWER}",
        example="kodiai serve --repo . --head my-branch",
    )
    what = serve.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=folder, metavar="PATH", help="a local git repository; it is only read")
    what.add_argument("--sample", action="store_true", help="the bundled sample, with planted defects")
    serve.add_argument("--head", default="HEAD", metavar="REF", help="the branch to merge (default: the current one)")
    serve.add_argument("--base", metavar="REF", help="the branch to merge it into (default: the default branch)")
    serve.add_argument("--config", type=settings_file, metavar="FILE", help="settings instead of the base's own")
    serve.add_argument("--port", type=port, default=0, metavar="N", help="the page's port (default: the last one)")
    state = serve.add_mutually_exclusive_group()
    state.add_argument("--data", type=new_folder, metavar="FOLDER", help="the folder of the state (default: your own)")
    state.add_argument("--memory", action="store_true", help="keep the state in memory only")


def _add_up(commands: "Commands[_Parser]") -> None:
    up = commands.add_parser(
        "up",
        help="run the whole system for a GitHub App behind a tunnel",
        description="Receives webhooks and reviews, until you press Ctrl-C. It needs KODIAI_WEBHOOK_SECRET, and\n"
        "GITHUB_TOKEN or GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY; GITHUB_API_URL names another GitHub.\n" + _REVIEWER,
        example="kodiai up --port 8080",
    )
    up.add_argument("--port", type=port, default=0, metavar="N", help="the webhook's port (default: a free one)")


def _add_config(commands: "Commands[_Parser]") -> None:
    config = commands.add_parser(
        "config",
        help="check a settings file",
        description="Works with settings files, in the form of .kodiai.yml.",
        example="kodiai config check .kodiai.yml",
    )
    actions = config.add_subparsers(metavar="COMMAND", dest="action")
    check = actions.add_parser(
        "check",
        help="print the mistakes in a settings file, and the settings that it leads to",
        description="Prints each mistake with its effect, as a review says it, and the settings that are not the\n"
        "defaults. The exit status is 1 if there is a mistake.",
        example="kodiai config check .kodiai.yml",
    )
    check.add_argument("file", type=input_file, metavar="FILE", help="the file, called .kodiai.yml; - is stdin")
    check.add_argument("--json", action="store_true", help="print mistakes and all settings as JSON")
