"""The command line of `kodiai`: commands and options, with every error in one line."""

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from cli import proposals_parser
from cli.option_types import (
    days,
    folder,
    input_file,
    new_folder,
    number,
    output_file,
    port,
    pull_request,
    repository,
    settings_file,
    stage,
    template_parameter,
    url,
)
from cli.scenario import order_error, push, react, reply, speaker
from local.rendering.visible import visible_line

_LONGEST = 500
QUEUES = ("reviews", "mentions")
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


_Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse has no public name for it


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
    _add_setup(commands)
    _add_doctor(commands)
    _add_config(commands)
    _add_dead_letters(commands)
    _add_memory(commands)
    _add_forget(commands)
    _add_show(commands)
    _add_preview(commands)
    _add_stats(commands)
    proposals_parser.add_commands(commands)
    read, unknown = parser.parse_known_args(arguments)
    if read.command is None:
        parser.error(f"name a command: {', '.join(commands.choices)}")
    if unknown:
        read.refuse(f"unrecognized arguments: {' '.join(unknown)}")
    if wrong := _conflict(read) or proposals_parser.conflict(read):
        read.refuse(wrong)
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
        case "dead-letters", argparse.Namespace(action=None):
            return "name a command: list, show or redrive"
        case "dead-letters", argparse.Namespace(action="redrive", all=every, ids=ids) if every == bool(ids):
            return "give either the IDs of dead letters or --all"
        case "memory", argparse.Namespace(repo=None):
            return "the following arguments are required: --repo"
    return None


def _add_review(commands: "_Commands[_Parser]") -> None:
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


def _add_serve(commands: "_Commands[_Parser]") -> None:
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


def _add_up(commands: "_Commands[_Parser]") -> None:
    up = commands.add_parser(
        "up",
        help="run the whole system for a GitHub App behind a tunnel",
        description="Receives webhooks and reviews, until you press Ctrl-C. It needs KODIAI_WEBHOOK_SECRET, and\n"
        "GITHUB_TOKEN or GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY; GITHUB_API_URL names another GitHub.\n" + _REVIEWER,
        example="kodiai up --port 8080",
    )
    up.add_argument("--port", type=port, default=0, metavar="N", help="the webhook's port (default: a free one)")


def _add_setup(commands: "_Commands[_Parser]") -> None:
    setup = commands.add_parser(
        "setup",
        help="deploy into your AWS account, register the GitHub App, and connect both",
        description="Deploys into your AWS account, has you register and install the GitHub App in your browser, and\n"
        "connects both. It asks a few questions first. Each step that is done is skipped, so it can be run again at\n"
        "any time. Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai setup --stage prod",
    )
    setup.add_argument("--stage", type=stage, default="prod", help="the deployment's name (default: prod)")
    setup.add_argument("--owner", metavar="LOGIN", help="the organization or account that the App will belong to")
    setup.add_argument("--bedrock", action="store_true", help="use Claude on Amazon Bedrock, without an Anthropic key")
    setup.add_argument("--alarm-email", metavar="ADDRESS", help="where alarms go; an empty one for none")
    setup.add_argument("--github-api-url", type=url, metavar="URL", help="another GitHub: https://HOST/api/v3")
    setup.add_argument(
        "--set",
        type=template_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter of the template, such as ReviewConcurrency=5; repeatable, and kept from then on",
    )
    setup.add_argument(
        "--pr", type=pull_request, metavar="OWNER/REPO#N", help="review this pull request in the end, for you alone"
    )
    setup.add_argument("--upgrade", action="store_true", help="deploy this version over the one that is there")
    setup.add_argument("--no-browser", action="store_true", help="print the pages' addresses, do not open them")
    setup.add_argument("--port", type=port, default=0, metavar="N", help="the port of the local page")
    setup.add_argument("--endpoint-url", type=url, metavar="URL", help="another AWS, such as one on this machine")


def _add_doctor(commands: "_Commands[_Parser]") -> None:
    doctor = commands.add_parser(
        "doctor",
        help="check a deployment, and name the command that fixes what is wrong",
        description="Checks a deployment: its stack, parameters, GitHub App, webhook, queues, table and models. It\n"
        "changes nothing; each model in use is asked one short question. The exit status is 1 if something is wrong.",
        example="kodiai doctor --stage prod",
    )
    doctor.add_argument("--stage", type=stage, default="prod", help="the deployment's name (default: prod)")
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.add_argument("--endpoint-url", type=url, metavar="URL", help="another AWS, such as one on this machine")


def _add_config(commands: "_Commands[_Parser]") -> None:
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
    check.add_argument("file", type=input_file, metavar="FILE", help="the file; - is stdin")
    check.add_argument("--json", action="store_true", help="print mistakes and all settings as JSON")


def _add_dead_letters(commands: "_Commands[_Parser]") -> None:
    letters = commands.add_parser(
        "dead-letters",
        help="list failed messages, and redrive them",
        description="The dead letters of a deployment, or of `kodiai up`: messages that failed at every attempt.\n"
        "Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai dead-letters list --stage prod",
    )
    letters.set_defaults(queues=QUEUES)
    actions = letters.add_subparsers(metavar="COMMAND", dest="action")

    def add(name: str, text: str, example: str) -> _Parser:
        words = f"kodiai dead-letters {name}{example} --stage prod"
        action = actions.add_parser(name, help=text, description=f"{text.capitalize()}.", example=words)
        action.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
        action.add_argument("--queue", choices=QUEUES, help="only this queue (default: both)")
        action.add_argument("--endpoint-url", type=url, metavar="URL", help="another SQS, such as that of `kodiai up`")
        if name != "redrive":
            action.add_argument("--json", action="store_true", help="print all fields as JSON")
        return action

    add("list", "list dead letters, one line each", "")
    show = add("show", "show one dead letter", " 9f1c2d3e")
    show.add_argument("id", metavar="ID", help="its ID, or the first characters of it")
    redrive = add("redrive", "move dead letters back to the queue that they came from", " --all")
    redrive.add_argument("ids", nargs="*", metavar="ID", help="an ID, or the first characters of it")
    redrive.add_argument("--all", action="store_true", help="all of them")


def _add_memory(commands: "_Commands[_Parser]") -> None:
    memory = commands.add_parser(
        "memory",
        help="show what is remembered of a repository, and forget parts of it",
        usage="kodiai memory [forget ID] --repo OWNER/NAME [options]",
        description="The rules and the findings that a deployment, or `kodiai up` or `kodiai serve`, remembers of a\n"
        "repository. Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai memory --repo acme/shop --stage prod",
    )
    memory.set_defaults(repo=None, repository_id=None, stage="dev", endpoint_url=None)
    _add_memory_options(memory)
    memory.add_argument("--json", action="store_true", help="print all fields as JSON")
    actions = memory.add_subparsers(metavar="COMMAND", dest="action", prog="kodiai memory")
    forget = actions.add_parser(
        "forget",
        help="remove a rule, or forget a finding",
        description="Removes a rule, or forgets a finding: its vector is deleted and not written again.",
        example="kodiai memory forget 12/F-3fa1c2d4e5f6 --repo acme/shop --stage prod",
    )
    forget.add_argument("id", metavar="ID", help="the ID of a rule, or the name of a finding, as they are listed")
    _add_memory_options(forget)


def _add_forget(commands: "_Commands[_Parser]") -> None:
    forget = commands.add_parser(
        "forget",
        help="delete what is stored about a repository or a pull request",
        description="Deletes what a deployment, or `kodiai up` or `kodiai serve`, stores about a repository or a pull\n"
        "request. Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai forget --repo acme/shop --stage prod",
    )
    forget.add_argument("--repo", type=repository, required=True, metavar="OWNER/NAME", help="the repository")
    forget.add_argument("--repository-id", type=number, metavar="ID", help="the one of several that had that name")
    forget.add_argument("--pull-request", type=number, metavar="N", help="only this pull request")
    forget.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
    forget.add_argument("--yes", action="store_true", help="delete without a question")
    forget.add_argument("--endpoint-url", type=url, metavar="URL", help="another AWS: that of `kodiai up`")


def _add_show(commands: "_Commands[_Parser]") -> None:
    show = commands.add_parser(
        "show",
        help="show the reviews of a pull request that a deployment keeps",
        description="Lists the reviews of a pull request by a deployment, or by `kodiai up` or `kodiai serve`, and\n"
        "prints the last one as it is on GitHub, or would be.\n"
        "Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai show acme/shop#12 --stage prod",
    )
    _add_stored_review_options(show)
    show.add_argument("--all", action="store_true", help="print every review, not only the last one")
    show.add_argument("--repository-id", type=number, metavar="ID", help="the one of several that had that name")


def _add_preview(commands: "_Commands[_Parser]") -> None:
    preview = commands.add_parser(
        "preview",
        help="have a deployment review a pull request, and post nothing",
        description="Has a deployment review a pull request as if for the first time, and prints what it would post.\n"
        "Nothing is written to GitHub, and later reviews are as without it. It costs what a review costs.\n"
        "Region, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai preview acme/shop#12 --stage prod",
    )
    _add_stored_review_options(preview)


def _add_stored_review_options(parser: _Parser) -> None:
    parser.add_argument("pull_request", type=pull_request, metavar="OWNER/REPO#N", help="the pull request")
    parser.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
    parser.add_argument("--json", action="store_true", help="print all fields as JSON")
    parser.add_argument("--html", type=output_file, metavar="FILE", help="write the result as an HTML report")
    parser.add_argument("--endpoint-url", type=url, metavar="URL", help="another AWS: that of `kodiai up`")


def _add_stats(commands: "_Commands[_Parser]") -> None:
    stats = commands.add_parser(
        "stats",
        help="show the figures of a deployment: reviews, duration, cost, findings and what became of them",
        description="The figures of a deployment, or of `kodiai up` or `kodiai serve`, from its table, which is read "
        "whole.\nRegion, credentials and profile are found as the AWS CLI finds them.",
        example="kodiai stats --stage prod --html stats.html",
    )
    stats.add_argument("--stage", default="dev", help="the deployment's name (default: dev)")
    stats.add_argument("--days", type=days, default=30, metavar="N", help="how many days, today included (default: 30)")
    stats.add_argument("--repo", "--repository", type=repository, metavar="OWNER/NAME", help="only this repository")
    stats.add_argument("--repository-id", type=number, metavar="ID", help="the one of several that had that name")
    stats.add_argument("--html", type=output_file, metavar="FILE", help="write the figures as an HTML page")
    stats.add_argument("--json", action="store_true", help="print all figures as JSON")
    stats.add_argument("--endpoint-url", type=url, metavar="URL", help="another AWS: that of `kodiai up`")


def _add_memory_options(parser: _Parser) -> None:
    """Add the options that may come before or after "forget": those that are not given set nothing."""
    more: dict[str, Any] = {"default": argparse.SUPPRESS}
    parser.add_argument("--repo", **more, type=repository, metavar="OWNER/NAME", help="the repository")
    parser.add_argument(
        "--repository-id", **more, type=number, metavar="ID", help="the one of several that had that name"
    )
    parser.add_argument("--stage", **more, help="the deployment's name (default: dev)")
    parser.add_argument("--endpoint-url", **more, type=url, metavar="URL", help="another AWS: that of `kodiai up`")
