"""The commands of `kodiai` with their options, as one table."""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cli import option_types as values
from cli.parser import Command, Option, group, one_of, option
from cli.parser import parse as parse_as
from cli.scenario import order_error, push, react, reply, speaker

if TYPE_CHECKING:
    from kodiai.ports.jobs import QueueName

QUEUES: Sequence["QueueName"] = ("reviews", "mentions")
"""The queues of a deployment that have dead letters."""

_STATUSES = ("pending", "claimed", "changes_requested", "approved", "rejected", "applied", "closed")
_REVIEWER = "With ANTHROPIC_API_KEY set Claude reviews, without it only offline checks run."
_TOKEN = "The GitHub token is KODIAI_GITHUB_TOKEN, GITHUB_TOKEN, GH_TOKEN, or that of `gh auth token`."  # noqa: S105
_ID = "P-0123456789abcdef0123"

_CONFIG = option("--config FILE", "settings instead of the base's own", values.settings_file)
_HTML = option("--html FILE", "write the result as an HTML report", values.output_file)
_JSON = option("--json", "print all fields as JSON")
_REPO = option("--repo OWNER/NAME", "the repository", values.repository)
_REPOSITORY_ID = option("--repository-id ID", "one of several repositories that had that name", values.repository_id)
_OF_ORIGIN = option("--repo OWNER/NAME", "the repository (default: of origin)", values.repository)
_PULL_REQUEST = option("pull_request OWNER/REPO#N", "the pull request", values.pull_request)
_DEPLOYMENT = group(
    "the deployment",
    option("--stage NAME", "its name (default: prod; with --endpoint-url dev, that of `kodiai up`)", values.stage),
    option("--endpoint-url URL", "another AWS, such as that of `kodiai up`", values.url),
    text="Region, credentials and profile are found as the AWS CLI finds them.",
)
_API = (
    option("--url URL", "the address of the deployment's API (default: KODIAI_URL)", values.url),
    option("--json", "print the answer of the API as JSON"),
)
_WAIT = (
    option("--wait", "wait until it is approved, rejected or sent back"),
    option("--timeout SECONDS", "for how long (default: 900)", values.seconds, default=900),
)
_AGENT = group(
    "the program that acts for you",
    option("--agent-type TEXT", "the program, such as claude-code"),
    option("--role TEXT", "its role, such as implementer"),
    *(option(f"--{detail} TEXT", f"the {detail} that it works on") for detail in ("phase", "plan", "task")),
)
_PROPOSAL = (option("id ID", "the ID of the proposal"), _AGENT)

_step = partial(option, action="append", dest="steps")


def _of_proposals(
    name: str, brief: str, text: str, example: str, *options: Option, usage: str | None = None
) -> Command:
    text, example = f"{text}\n{_TOKEN}", f"kodiai {name} {example}"
    return Command(name, brief, text, example, *_API, *options, usage=usage, module="proposals")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of `kodiai`; errors in them exit with status 2."""
    read = parse_as(_KODIAI, arguments, _conflict)
    if "stage" in read and read.stage is None:
        read.stage = "dev" if read.endpoint_url else "prod"
    return read


def _conflict(read: argparse.Namespace) -> str | None:
    """Return the conflict between options, None if there is none."""
    match read.command, read:
        case "review", _:
            return _review_conflict(read)
        case "serve", argparse.Namespace(sample=True, data=data) if data:
            return "--data requires --repo: the sample is created again each time"
        case "dead-letters", argparse.Namespace(action="redrive", all=every, ids=ids) if every == bool(ids):
            return "give either the IDs of dead letters or --all"
        case "memory", argparse.Namespace(repo=None):
            return "the following arguments are required: --repo"
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


def _review_conflict(read: argparse.Namespace) -> str | None:
    match read:
        case argparse.Namespace(steps=steps, repo=None) if steps:
            return "--push, --as, --reply and --react require --repo"
        case argparse.Namespace(steps=steps) if steps and (wrong := order_error(steps)):
            return wrong
        case argparse.Namespace(base=str()) if read.repo or read.sample or read.pr:
            return "--base is for the current branch; with --repo use --push HEAD,BASE"
        case argparse.Namespace(dry_run=True, pr=None):
            return "--dry-run requires --pr: nothing else is posted"
        case argparse.Namespace(config=config, pr=str()) if config:
            return "--config is for a local repository: on GitHub the .kodiai.yml of the base branch is used"
        case argparse.Namespace(title=title, description=text, pr=str()) if title is not None or text is not None:
            return "--title and --description are for a local repository: a pull request on GitHub has its own"
        case argparse.Namespace(json=json, html=html) if json and html and json.resolve() == html.resolve():
            return "--json and --html name the same file"
        case argparse.Namespace(set=[_, *_] as given):
            from cli.setup.parameters import settings_mistake  # noqa: PLC0415 - it takes a second

            return settings_mistake(dict(given))
    return None


_LOCAL = (
    Command(
        "review",
        "review the current branch, any local repository, or a pull request on GitHub",
        "Reviews the current branch against the default branch, with what is not committed yet; "
        f"your repository is only read.\n{_REVIEWER}",
        "kodiai review --html review.html",
        one_of(
            option("--repo PATH", "the commits of another local repository", values.folder),
            option("--sample", "the bundled sample: three pushes with planted defects"),
            option("--pr OWNER/REPO#N", "a pull request on GitHub, with GITHUB_TOKEN", values.pull_request),
        ),
        option("--base BRANCH", "the base of the current branch"),
        option("--dry-run", "with --pr: print the review, do not post it"),
        _CONFIG,
        option("--title TEXT", "the title of the pull request (default: that of a commit)"),
        option("--description FILE", "its description, in UTF-8; - is stdin (default: none)", values.text_of_file),
        option(
            "--set NAME=VALUE",
            "a setting of the deployment, such as limits/answer-seconds=800; repeatable",
            values.setting,
            action="append",
            default=[],
        ),
        option(
            "--patience DURATION",
            "the total wait between failed attempts, such as 90s or 10m (default: 1m)",
            values.duration,
            default=60,
        ),
        option("--full", "print complete reviews, as they are posted"),
        _HTML,
        option("--json FILE", "write the result as JSON", values.output_file),
        group(
            "steps with --repo, repeatable, played in the given order",
            _step(
                "--push HEAD[,BASE]",
                "push this commit, with the base branch at that one (default: push HEAD once)",
                push,
            ),
            _step(
                "--as LOGIN[:ROLE]",
                "the user of the next replies and reactions; ROLE is read, triage, write (default), maintain or admin",
                speaker,
            ),
            _step(
                "--reply N:TEXT",
                "reply to the N-th inline comment of the latest review that has any, as --full prints them; 0 is "
                "the pull request itself. @kodiai mentions the reviewer, \\n starts a new line",
                reply,
            ),
            _step("--react N:+1", "react with 👍 to the N-th inline comment; N:-1 is 👎", react),
        ),
        usage="kodiai review [--base BRANCH | --repo PATH | --sample | --pr OWNER/REPO#N] [options]",
    ),
    Command(
        "rules",
        "check the rules of the team",
        "Works with the rules of the team, `review.rules` in .kodiai.yml.",
        "kodiai rules check --last 20",
        Command(
            "check",
            "run the rules over the current branch, or over the last merged pull requests",
            "Runs the rules of the present .kodiai.yml over the current branch, with what is not committed yet, or\n"
            "over the last merged pull requests: each commit of the branch that is checked out, a merge too. It\n"
            "needs ANTHROPIC_API_KEY, and asks for rulings alone. The exit status is 1 if a rule of the level `error`\n"
            "fails on the current branch.",
            "kodiai rules check --last 20",
            option("--repo PATH", "another local repository; it is only read", values.folder),
            one_of(
                option("--last N", "the last N merged pull requests instead", values.merged),
                option("--base BRANCH", "the base of the current branch"),
            ),
            option("--config FILE", "another settings file than .kodiai.yml", values.settings_file),
            _JSON,
        ),
    ),
    Command(
        "serve",
        "show a pull request on a local web page, and work with the reviewer there",
        "Opens a pull request of a local repository on a local web page, reviews it and every new commit, "
        f"until you press Ctrl-C.\n{_REVIEWER}",
        "kodiai serve --repo . --head my-branch",
        one_of(
            option("--repo PATH", "a local git repository; it is only read", values.folder),
            option("--sample", "the bundled sample, with planted defects"),
            required=True,
        ),
        option("--head REF", "the branch to merge (default: the current one)", default="HEAD"),
        option("--base REF", "the branch to merge it into (default: the default branch)"),
        _CONFIG,
        option("--port N", "the page's port (default: the last one)", values.port, default=0),
        one_of(
            option("--data FOLDER", "the folder of the state (default: your own)", values.new_folder),
            option("--memory", "keep the state in memory only"),
        ),
        option("--verbose", "print the addresses and tokens for agents, and the log of the functions"),
    ),
    Command(
        "up",
        "run the whole system for a GitHub App behind a tunnel",
        "Receives webhooks and reviews, until you press Ctrl-C. It needs KODIAI_WEBHOOK_SECRET, and\n"
        f"GITHUB_TOKEN or GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY; GITHUB_API_URL names another GitHub.\n{_REVIEWER}",
        "kodiai up --port 8080",
        option("--port N", "the webhook's port (default: a free one)", values.port, default=0),
    ),
    Command(
        "config",
        "check a settings file",
        "Works with settings files, in the form of .kodiai.yml.",
        "kodiai config check .kodiai.yml",
        Command(
            "check",
            "print the mistakes in a settings file, and the resulting settings",
            "Prints each mistake with its effect, as a review does, and the settings that differ from the\n"
            "defaults. The exit status is 1 if there is a mistake. It also names rules and instructions for no\n"
            "file of the repository, and with ANTHROPIC_API_KEY those that order the reviewer about.",
            "kodiai config check .kodiai.yml",
            option(
                "file FILE",
                "the file, called .kodiai.yml (default: that of this folder); - is stdin",
                values.input_file,
                nargs="?",
                default=".kodiai.yml",
            ),
            option("--json", "print mistakes, notes and all settings as JSON"),
        ),
    ),
)
_QUEUE = option("--queue", "only this queue (default: both)", choices=QUEUES)
_OF_OPERATORS = (
    Command(
        "setup",
        "deploy into your AWS account, register the GitHub App, and connect both",
        "Deploys into your AWS account, has you register and install the GitHub App in your browser, and\n"
        "connects both. It asks a few questions first. Each step that is done is skipped, so it can be run again at\n"
        "any time.",
        "kodiai setup --stage prod",
        _DEPLOYMENT,
        option("--owner LOGIN", "the organization or account that the App will belong to"),
        option("--bedrock", "use Claude on Amazon Bedrock, without an Anthropic key"),
        option("--alarm-email ADDRESS", "the e-mail address for alarms; empty for none"),
        option("--github-api-url URL", "another GitHub: https://HOST/api/v3", values.url),
        option(
            "--set NAME=VALUE",
            "another parameter of the template, such as ReviewConcurrency=5; repeatable, and kept from then on",
            values.template_parameter,
            action="append",
            default=[],
        ),
        option("--pr OWNER/REPO#N", "review this pull request in the end, for you alone", values.pull_request),
        option("--check", "only list obstacles; it pays for one short question to each model"),
        option("--upgrade", "deploy this version over the old one"),
        option("--no-browser", "print the pages' addresses, do not open them"),
        option("--port N", "the port of the local page", values.port, default=0),
    ),
    Command(
        "doctor",
        "check a deployment, and name the commands that fix its problems",
        "Checks a deployment: its stack, parameters, GitHub App, webhook, queues, table and models. It\n"
        "changes nothing; each model in use is asked one short question. The exit status is 1 if something is wrong.",
        "kodiai doctor --stage prod",
        _DEPLOYMENT,
        option("--json", "print the findings as JSON"),
    ),
    Command(
        "dead-letters",
        "list failed messages, and redrive them",
        "The dead letters of a deployment, or of `kodiai up`: messages that failed at every attempt.",
        "kodiai dead-letters list --stage prod",
        Command(
            "list",
            "list dead letters, one line each",
            "List dead letters, one line each.",
            "kodiai dead-letters list --stage prod",
            _DEPLOYMENT,
            _QUEUE,
            _JSON,
        ),
        Command(
            "show",
            "show one dead letter",
            "Show one dead letter.",
            "kodiai dead-letters show 9f1c2d3e --stage prod",
            _DEPLOYMENT,
            _QUEUE,
            _JSON,
            option("id ID", "its ID, or the first characters of it"),
        ),
        Command(
            "redrive",
            "move dead letters back to the queue that they came from",
            "Move dead letters back to the queue that they came from.",
            "kodiai dead-letters redrive --all --stage prod",
            _DEPLOYMENT,
            _QUEUE,
            option("ids ID", "an ID, or the first characters of it", nargs="*"),
            option("--all", "all of them"),
        ),
    ),
    Command(
        "memory",
        "show the memory of a repository, and forget parts of it",
        "The rules and the findings that a deployment, or `kodiai up` or `kodiai serve`, remembers of a\nrepository.",
        "kodiai memory --repo acme/shop --stage prod",
        _REPO,
        _REPOSITORY_ID,
        _DEPLOYMENT,
        _JSON,
        Command(
            "forget",
            "remove a rule, or forget a finding",
            "Removes a rule, or forgets a finding: its vector is deleted and not written again.",
            "kodiai memory forget 12/F-3fa1c2d4e5f6 --repo acme/shop --stage prod",
            option("id ID", "the ID of a rule, or the name of a finding, as they are listed"),
            _REPO,
            _REPOSITORY_ID,
            _DEPLOYMENT,
        ),
        usage="kodiai memory [forget ID] --repo OWNER/NAME [options]",
    ),
    Command(
        "forget",
        "delete the data of a repository or a pull request",
        "Deletes the data of a repository or a pull request from a deployment, or from `kodiai up` or\n`kodiai serve`.",
        "kodiai forget --repo acme/shop --stage prod",
        option("--repo OWNER/NAME", "the repository", values.repository, required=True),
        _REPOSITORY_ID,
        option("--pull-request N", "only this pull request", values.number),
        _DEPLOYMENT,
        option("--yes", "delete without a question"),
    ),
    Command(
        "show",
        "show the reviews of a pull request that a deployment keeps",
        "Lists the reviews of a pull request by a deployment, or by `kodiai up` or `kodiai serve`, and\n"
        "prints the last one as it is on GitHub, or would be.",
        "kodiai show acme/shop#12 --stage prod",
        _PULL_REQUEST,
        _DEPLOYMENT,
        _JSON,
        _HTML,
        option("--all", "print every review, not only the last one"),
        _REPOSITORY_ID,
    ),
    Command(
        "preview",
        "have a deployment review a pull request, and post nothing",
        "Has a deployment review a pull request as if for the first time, and prints what it would post.\n"
        "Nothing is written to GitHub, and later reviews are as without it. It costs what a review costs.",
        "kodiai preview acme/shop#12 --stage prod",
        _PULL_REQUEST,
        _DEPLOYMENT,
        _JSON,
        _HTML,
    ),
    Command(
        "stats",
        "show the figures of a deployment: reviews, duration, cost, findings and their outcomes",
        "The figures of a deployment, or of `kodiai up` or `kodiai serve`, from its table, which is read whole.",
        "kodiai stats --stage prod --html stats.html",
        _DEPLOYMENT,
        option("--days N", "the number of days, today included (default: 30)", values.days, default=30),
        option("--repo,--repository OWNER/NAME", "only this repository", values.repository),
        _REPOSITORY_ID,
        option("--html FILE", "write the figures as an HTML page", values.output_file),
        option("--json", "print all figures as JSON"),
    ),
)
_OF_PROPOSALS = (
    _of_proposals(
        "propose",
        "propose a change for review",
        "Proposes the current branch, with what is not committed yet, or another diff.",
        '--pull-request 7 --description "Close the file" --change "use with: it stays open" --wait',
        _OF_ORIGIN,
        option("--pull-request N", "its pull request", values.number),
        option(
            "--base COMMIT",
            "the base of the diff, and without --pull-request its target (default: the pushed branch with "
            "--pull-request, else the default branch)",
        ),
        option("--diff FILE", "another diff, - for stdin"),
        option("--description TEXT", "its description; the first line is the commit's subject"),
        option("--change 'WHAT: WHY'", "one change, repeatable", action="append", default=[]),
        option("--intent FILE", "description and changes as JSON, - for stdin"),
        option("--reviewed-by", "who reviews it (default: kodiai)", choices=("kodiai", "anyone")),
        option("--key KEY", "your name for it: with the same key it is the same proposal"),
        option(
            "--revise ID",
            "replace the diff of this proposal of yours; without a new description or new changes the old ones stay",
        ),
        *_WAIT,
        _AGENT,
        usage="kodiai propose [--pull-request N] [--base COMMIT] [--diff FILE] [--revise ID] [options]",
    ),
    _of_proposals(
        "claim",
        "claim a proposal for review",
        "Claims somebody else's proposal. It is rejected if its diff does not apply.",
        _ID,
        *_PROPOSAL,
        option("--seconds N", "the duration of the claim (default: 1800)", values.seconds),
        option("--key KEY", "your name for it: with the same key it is the same claim"),
    ),
    _of_proposals(
        "release", "give a claim back", "Gives your claim back.", _ID, *_PROPOSAL, option("--note TEXT", "why")
    ),
    _of_proposals(
        "verdict",
        "give the verdict of your claim",
        "Gives a verdict on a proposal that you have claimed.",
        f"{_ID} approve --generation 1",
        *_PROPOSAL,
        option("decision", "what you decide", choices=("approve", "request_changes", "comment")),
        option("--generation N", "the generation of your claim", values.generation, required=True),
        option("--notes TEXT", "the reasons and the required changes, in Markdown"),
    ),
    _of_proposals(
        "status",
        "show a proposal, or those of a repository",
        "Shows a proposal with its history, or lists those of a repository, newest first.",
        f"{_ID} --wait",
        option("id ID", "the ID of a proposal", nargs="?"),
        option("--diff", "print its diff, and nothing else"),
        _OF_ORIGIN,
        option("--pull-request N", "only those for this pull request", values.number),
        option("--status", "only those of this status", choices=_STATUSES),
        *_WAIT,
    ),
    _of_proposals(
        "apply",
        "make the commit of an approved proposal",
        "Makes one commit of an approved proposal, on its pull request's branch or on a new one.",
        _ID,
        *_PROPOSAL,
    ),
    _of_proposals(
        "close", "close a proposal", "Closes a proposal for good.", _ID, *_PROPOSAL, option("--note TEXT", "why")
    ),
)
_KODIAI = Command(
    "kodiai",
    "",
    "Reviews pull requests, on this machine.",
    "kodiai review            # the current branch, with what is not committed yet",
    *_LOCAL,
    *_OF_OPERATORS,
    *_OF_PROPOSALS,
)
