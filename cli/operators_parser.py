"""The command line of deployments: `kodiai setup`, `doctor`, `show`, `preview`, `stats`, `memory` and others."""

import argparse
from typing import Any

from cli.option_types import (
    Commands,
    days,
    number,
    output_file,
    port,
    pull_request,
    repository,
    stage,
    template_parameter,
    url,
)

_QUEUES = ("reviews", "mentions")
_AWS = "Region, credentials and profile are found as the AWS CLI finds them."
_STAGE = "its name (default: prod; with --endpoint-url dev, that of `kodiai up`)"
_ENDPOINT = "another AWS, such as that of `kodiai up`"


def add_commands(commands: "Commands[Any]") -> None:
    """Add the commands."""
    _add_setup(commands)
    _add_doctor(commands)
    _add_dead_letters(commands)
    _add_memory(commands)
    _add_forget(commands)
    _add_show(commands)
    _add_preview(commands)
    _add_stats(commands)


def conflict(read: argparse.Namespace) -> str | None:
    """Which options cannot be combined, None where they can."""
    match read.command, read:
        case "dead-letters", argparse.Namespace(action=None):
            return "name a command: list, show or redrive"
        case "dead-letters", argparse.Namespace(action="redrive", all=every, ids=ids) if every == bool(ids):
            return "give either the IDs of dead letters or --all"
        case "memory", argparse.Namespace(repo=None):
            return "the following arguments are required: --repo"
    return None


def name_stage(read: argparse.Namespace) -> None:
    """Fill in the deployment's name where a command takes one and none was given."""
    if "stage" in read and read.stage is None:
        read.stage = "dev" if read.endpoint_url else "prod"


def _add_setup(commands: "Commands[Any]") -> None:
    setup = commands.add_parser(
        "setup",
        help="deploy into your AWS account, register the GitHub App, and connect both",
        description="Deploys into your AWS account, has you register and install the GitHub App in your browser, and\n"
        "connects both. It asks a few questions first. Each step that is done is skipped, so it can be run again at\n"
        "any time.",
        example="kodiai setup --stage prod",
    )
    _add_deployment(setup)
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
    setup.add_argument(
        "--check",
        action="store_true",
        help="only list what stands in the way; one short question to each model is paid",
    )
    setup.add_argument("--upgrade", action="store_true", help="deploy this version over the one that is there")
    setup.add_argument("--no-browser", action="store_true", help="print the pages' addresses, do not open them")
    setup.add_argument("--port", type=port, default=0, metavar="N", help="the port of the local page")


def _add_doctor(commands: "Commands[Any]") -> None:
    doctor = commands.add_parser(
        "doctor",
        help="check a deployment, and name the command that fixes what is wrong",
        description="Checks a deployment: its stack, parameters, GitHub App, webhook, queues, table and models. It\n"
        "changes nothing; each model in use is asked one short question. The exit status is 1 if something is wrong.",
        example="kodiai doctor --stage prod",
    )
    _add_deployment(doctor)
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")


def _add_dead_letters(commands: "Commands[Any]") -> None:
    letters = commands.add_parser(
        "dead-letters",
        help="list failed messages, and redrive them",
        description="The dead letters of a deployment, or of `kodiai up`: messages that failed at every attempt.",
        example="kodiai dead-letters list --stage prod",
    )
    letters.set_defaults(queues=_QUEUES)
    actions = letters.add_subparsers(metavar="COMMAND", dest="action")

    def add(name: str, text: str, example: str) -> Any:
        words = f"kodiai dead-letters {name}{example} --stage prod"
        action = actions.add_parser(name, help=text, description=f"{text.capitalize()}.", example=words)
        _add_deployment(action)
        action.add_argument("--queue", choices=_QUEUES, help="only this queue (default: both)")
        if name != "redrive":
            action.add_argument("--json", action="store_true", help="print all fields as JSON")
        return action

    add("list", "list dead letters, one line each", "")
    show = add("show", "show one dead letter", " 9f1c2d3e")
    show.add_argument("id", metavar="ID", help="its ID, or the first characters of it")
    redrive = add("redrive", "move dead letters back to the queue that they came from", " --all")
    redrive.add_argument("ids", nargs="*", metavar="ID", help="an ID, or the first characters of it")
    redrive.add_argument("--all", action="store_true", help="all of them")


def _add_memory(commands: "Commands[Any]") -> None:
    memory = commands.add_parser(
        "memory",
        help="show what is remembered of a repository, and forget parts of it",
        usage="kodiai memory [forget ID] --repo OWNER/NAME [options]",
        description="The rules and the findings that a deployment, or `kodiai up` or `kodiai serve`, remembers of a\n"
        "repository.",
        example="kodiai memory --repo acme/shop --stage prod",
    )
    memory.set_defaults(repo=None, repository_id=None, stage=None, endpoint_url=None)
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


def _add_forget(commands: "Commands[Any]") -> None:
    forget = commands.add_parser(
        "forget",
        help="delete what is stored about a repository or a pull request",
        description="Deletes what a deployment, or `kodiai up` or `kodiai serve`, stores about a repository or a pull\n"
        "request.",
        example="kodiai forget --repo acme/shop --stage prod",
    )
    forget.add_argument("--repo", type=repository, required=True, metavar="OWNER/NAME", help="the repository")
    _add_repository_id(forget)
    forget.add_argument("--pull-request", type=number, metavar="N", help="only this pull request")
    _add_deployment(forget)
    forget.add_argument("--yes", action="store_true", help="delete without a question")


def _add_show(commands: "Commands[Any]") -> None:
    show = commands.add_parser(
        "show",
        help="show the reviews of a pull request that a deployment keeps",
        description="Lists the reviews of a pull request by a deployment, or by `kodiai up` or `kodiai serve`, and\n"
        "prints the last one as it is on GitHub, or would be.",
        example="kodiai show acme/shop#12 --stage prod",
    )
    _add_stored_review_options(show)
    show.add_argument("--all", action="store_true", help="print every review, not only the last one")
    _add_repository_id(show)


def _add_preview(commands: "Commands[Any]") -> None:
    preview = commands.add_parser(
        "preview",
        help="have a deployment review a pull request, and post nothing",
        description="Has a deployment review a pull request as if for the first time, and prints what it would post.\n"
        "Nothing is written to GitHub, and later reviews are as without it. It costs what a review costs.",
        example="kodiai preview acme/shop#12 --stage prod",
    )
    _add_stored_review_options(preview)


def _add_stored_review_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pull_request", type=pull_request, metavar="OWNER/REPO#N", help="the pull request")
    _add_deployment(parser)
    parser.add_argument("--json", action="store_true", help="print all fields as JSON")
    parser.add_argument("--html", type=output_file, metavar="FILE", help="write the result as an HTML report")


def _add_stats(commands: "Commands[Any]") -> None:
    stats = commands.add_parser(
        "stats",
        help="show the figures of a deployment: reviews, duration, cost, findings and what became of them",
        description="The figures of a deployment, or of `kodiai up` or `kodiai serve`, from its table, which is read "
        "whole.",
        example="kodiai stats --stage prod --html stats.html",
    )
    _add_deployment(stats)
    stats.add_argument("--days", type=days, default=30, metavar="N", help="how many days, today included (default: 30)")
    stats.add_argument("--repo", "--repository", type=repository, metavar="OWNER/NAME", help="only this repository")
    _add_repository_id(stats)
    stats.add_argument("--html", type=output_file, metavar="FILE", help="write the figures as an HTML page")
    stats.add_argument("--json", action="store_true", help="print all figures as JSON")


def _add_memory_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may come before or after "forget": those that are not given set nothing."""
    parser.add_argument(
        "--repo", default=argparse.SUPPRESS, type=repository, metavar="OWNER/NAME", help="the repository"
    )
    _add_repository_id(parser, argparse.SUPPRESS)
    _add_deployment(parser, argparse.SUPPRESS)


def _add_repository_id(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    text = "the one of several that had that name"
    parser.add_argument("--repository-id", default=default, type=number, metavar="ID", help=text)


def _add_deployment(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    group = parser.add_argument_group("the deployment", _AWS)
    group.add_argument("--stage", default=default, type=stage, metavar="NAME", help=_STAGE)
    group.add_argument("--endpoint-url", default=default, type=url, metavar="URL", help=_ENDPOINT)
