"""The reviews of a pull request as a deployment keeps them, for those who may read its table."""

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from cli.full_output import print_push
from cli.html_report import write_report
from cli.pull_request_api import FACTS, findings_of
from cli.results import Part, Push, Result
from cli.table import table_lines, terminal_width
from kodiai.core.github.names import RepositoryRef
from kodiai.core.review.run import Run
from kodiai.wiring import SystemClock
from local.readable_ledger import ReadableLedger
from local.rendering.labels import counted, money, short_sha
from local.rendering.visible import visible_line

_PIPED_COLUMNS = 100
_KINDS = {"dry-run": "dry run", "preview": "preview"}
_NOT_KEPT = "The text of this review is no longer kept here: it is on GitHub."


class CheckRun(Part):
    """The completed check run of the head, or the one that would have been posted."""

    title: str
    conclusion: str | None = None
    summary: str = ""


class StoredRun(Push):
    """A run that began at `began`, in seconds since the epoch; `status` is how it ended, or "running".

    `kept` is why its review is only kept, "dry-run" or "preview", None if it was posted.
    """

    began: float
    status: str
    kept: str | None = None
    verdict: str | None = None
    check: CheckRun | None = None


class StoredRuns(Result):
    """The runs of a pull request, oldest first."""

    pushes: tuple[StoredRun, ...] = ()


def console_for_reviews() -> Console:
    """The console on which reviews are printed, wide enough where it is none."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPED_COLUMNS)


def read_runs(table: Any, repository: RepositoryRef, number: int, *, only: str | None = None) -> StoredRuns:
    """Read all runs of a pull request, oldest first, or one by its id. Raises KodiaiError and UnreadableFindings."""
    ledger = ReadableLedger(table, repository, number, SystemClock())
    runs = [run for run in ledger.runs() if only in (None, run.id)]
    models = {model for run in runs for model in run.facts.get("models", ())}
    pushes = tuple(_push(run, ledger) for run in runs)
    return StoredRuns(
        repository=repository.name,
        pull_request=number,
        title="Stored reviews",
        reviewer=", ".join(sorted(models)) or "Kodiai",
        pushes=pushes,
    )


def _push(run: Run, ledger: ReadableLedger) -> StoredRun:
    """A run as a push; the findings of one that was posted are as they are now."""
    facts, staged = run.facts, run.staged
    return StoredRun.model_validate(
        {
            **{name: facts[name] for name in (*FACTS, "verdict") if name in facts},
            "reason": facts.get("reason") or run.ended_why,
            "review": asdict(staged.review) if staged and staged.review else None,
            "check": asdict(staged.check) if staged else None,
            "findings": findings_of(ledger, run),
            "seconds": run.ended - run.started if run.ended else 0.0,
            "began": run.started,
            **{name: getattr(run, name) for name in ("head", "base", "status", "kept")},
        }
    )


def print_runs(result: StoredRuns, console: Console) -> None:
    """Print a line for each run."""
    columns = ("began (UTC)", "head", "review", "read", "verdict", "findings", "cost")
    rows = [_cells(push) for push in result.pushes]
    heading = f"{result.repository}#{result.pull_request}: {counted(len(rows), 'review')}"
    for line in (visible_line(heading), *table_lines(columns, rows, terminal_width())):
        console.print(line, markup=False, soft_wrap=True)
    console.print()


def _cells(push: StoredRun) -> tuple[str, ...]:
    return (
        _time(push),
        short_sha(push.head),
        _kind(push),
        push.scope if push.mode else push.reason or "-",
        push.verdict.replace("-", " ") if push.verdict else "-",
        ", ".join(push.labeled_counts.values()) or "none" if push.mode else "-",
        money(push.cost_usd) if push.model.calls else "-",
    )


def _kind(push: StoredRun) -> str:
    if push.status != "completed":
        return {"running": "under way", "superseded": "superseded"}.get(push.status, push.status)
    return _KINDS.get(push.kept or "", "posted" if push.review is not None else "done")


def _time(push: StoredRun) -> str:
    return f"{datetime.fromtimestamp(push.began, UTC):%Y-%m-%d %H:%M}"


def print_run(push: StoredRun, console: Console) -> None:
    """Print one run in full, as a person sees it on GitHub, or would."""
    print_push(push, console, {}, f"{_kind(push).capitalize()}, {_time(push)} UTC")
    would = "would be" if push.kept else "was"
    if push.check is not None:
        check = f"Check run {would} {push.check.conclusion or 'open'}: {push.check.title}"
        console.print(visible_line(check), markup=False, soft_wrap=True)
    elif push.mode not in (None, "unchanged") and push.review is None:
        console.print(_NOT_KEPT)
    if push.kept:
        console.print("Nothing was written to GitHub.")
    console.print()


def write_runs(result: StoredRuns, html_file: Path | None, *, as_json: bool, console: Console) -> None:
    """Write the result as an HTML report, or print it as JSON."""
    if html_file:
        write_report(result, html_file)
    if as_json:
        print(json.dumps(result.model_dump(mode="json"), indent=2, ensure_ascii=False))
    elif html_file:
        console.print(f"Written: {html_file}", markup=False, soft_wrap=True)
