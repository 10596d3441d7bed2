"""`kodiai stats`: the figures of a deployment, from its table, for operators."""

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, date, datetime

from rich.console import Console

from cli.stage import Stage
from cli.stats_figures import figures, first_day
from cli.stats_output import print_figures
from cli.stats_report import write_page
from cli.stats_scan import scan
from cli.stored_repository import find_repository
from kodiai.edges.repository_data import DynamoRepositoryData
from kodiai.wiring import SystemClock


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError."""
    stage = Stage(arguments.stage, arguments.endpoint_url)
    now = SystemClock().now()
    first = first_day(arguments.days, now)
    with stage.named_table():
        named = arguments.repo is not None
        repository = find_repository(DynamoRepositoryData(stage.table), arguments) if named else None
        history = scan(stage.table, _epoch(first), int(now), repository.id if repository else None)
    found = figures(history, first, now)
    subject = f"{repository.name} on {arguments.stage}" if repository else arguments.stage
    if arguments.json:
        print(json.dumps({**asdict(found), "address_rate": found.address_rate}, indent=2))
    else:
        print_figures(found, subject, Console(highlight=False))
    if arguments.html:
        write_page(found, subject, arguments.html)
        print(f"Written: {arguments.html}", file=sys.stderr)


def _epoch(day: date) -> int:
    """When a day begins, in seconds since the epoch."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
