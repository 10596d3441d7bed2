"""`kodiai doctor`: looks at every part of a deployment, and names the command that fixes what is wrong.

It changes nothing. It asks each model that is in use one short question, and sends the webhook a ping.
"""

import argparse
import json
from collections.abc import Callable

from cli.doctor.deployment import check_deployment
from cli.doctor.finding import Finding, Report, as_json, lines
from cli.doctor.github import check_github
from cli.doctor.models import check_models
from cli.stage import Stage

_PROBLEMS = 1


def run(arguments: argparse.Namespace) -> int:
    """Run the command; the exit status is 1 if something is wrong or could not be checked."""

    def show(found: Finding) -> None:
        if not arguments.json:
            print("\n".join(lines(found)), flush=True)

    report = examine(Stage(arguments.stage, arguments.endpoint_url), show)
    if arguments.json:
        print(json.dumps(as_json(report.findings), indent=2, ensure_ascii=False))
    elif not report.has_problems:
        print(f"The stage {arguments.stage} is in order.")
    return _PROBLEMS if report.has_problems else 0


def examine(stage: Stage, show: Callable[[Finding], None]) -> Report:
    """Check everything; `show` is called with each finding."""
    report = Report(show)
    deployment = check_deployment(stage, report)
    if deployment is not None:
        check_github(deployment, report)
        check_models(deployment, report)
    return report
