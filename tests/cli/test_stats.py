"""`kodiai stats` as an operator runs it, over a local AWS with a table that the functions' own stores have written."""

import io
import json
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.stats_figures import Figures, figures, first_day, percentile
from cli.stats_output import print_figures
from cli.stats_report import write_page
from cli.stats_scan import scan
from kodiai.core.findings.known import FindingStatus
from local.aws import LocalAws
from local.aws.failures import throttled
from tests.aws_resources import create_table
from tests.cli.running import Done, run_command
from tests.deployment_history import DAY, HOUR, NOON, SHOP, SITE, DeploymentHistory, Led, read_weeks
from tests.local.page.reader import parsed


class Deployment:
    """The table of a stage "dev"."""

    def __init__(self, aws: LocalAws) -> None:
        self.aws = aws
        self.table = create_table(aws, "kodiai-dev-ledger")
        self.history = DeploymentHistory(self.table)

    def figures(self, days: int = 7, repository: int | None = None, now: int = NOON) -> Figures:
        first = first_day(days, now)
        return figures(scan(self.table, _epoch(first), now, repository), first, now)

    def run(self, *arguments: str | Path) -> Done:
        return run_command("stats", *arguments, "--endpoint-url", self.aws.access_url)


def _epoch(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def printed(found: Figures, width: int = 80) -> str:
    out = io.StringIO()
    print_figures(found, "prod", Console(file=out, width=width, highlight=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


@pytest.fixture
def deployment(aws: LocalAws) -> Deployment:
    return Deployment(aws)


@pytest.fixture
def some_days(deployment: Deployment) -> Deployment:
    """Reviews and answers of three days, one review too old, and runs that were not completed."""
    history = deployment.history
    found: list[tuple[str, FindingStatus]] = [("CRITICAL", "fixed"), ("MAJOR", "open"), ("MAJOR", "wont_fix")]
    history.review(SHOP, 1, NOON - 9 * DAY, cost_usd=4.0, findings=[("MINOR", "open")])
    history.review(SHOP, 1, NOON - 2 * DAY, seconds=40, cost_usd=0.2, findings=found, dropped={"wrong": 2, "known": 1})
    history.review(SITE, 1, NOON - HOUR, seconds=80, cost_usd=0.1, findings=[("MINOR", "acknowledged")])
    history.review(SITE, 2, NOON - HOUR, seconds=120, cost_usd=0.3, dropped={"wrong": 1})
    history.review(SITE, 2, NOON - HOUR // 2, mode="unchanged", cost_usd=None)
    history.answer(SITE, 2, NOON - 1000)
    history.end(SITE, 3, NOON - 900, "superseded")
    history.end(SITE, 3, NOON - 800, "failed")
    return deployment


def test_the_figures_are_printed_with_a_bar_for_each_day(some_days: Deployment) -> None:
    """The terminal has 72 characters and no colors. Older reviews are left out; months are whole."""
    assert printed(some_days.figures(), 72) == (
        "Kodiai prod, 7 days until 2026-11-26\n"
        "Reviews       3 reviews of 3 pull requests\n"
        "Other runs    1 failed, 1 superseded, 1 unchanged\n"
        "Duration      p50 1 min 20 s, p90 1 min 52 s\n"
        "Cost          $0.62: reviews $0.60, $0.20 for the median one, answers\n"
        "              $0.0200\n"
        "All spending  2026-11 $6.62: whole months, with reviews that failed and\n"
        "              of proposals\n"
        "Tokens        94,000 in, 4,800 out\n"
        "Answers       1\n"
        "New findings  4: 1 CRITICAL, 2 MAJOR, 1 MINOR\n"
        "Address rate  25%: 1 addressed, 1 acknowledged, 1 dismissed, 1 open\n"
        "Suppressed    4: 3 refuted by code, 1 reported before\n"
        "\n"
        "day    reviews                                           findings  cost\n"
        "Nov 20       ·                                                  ·     ·\n"
        "Nov 21       ·                                                  ·     ·\n"
        "Nov 22       ·                                                  ·     ·\n"
        "Nov 23       ·                                                  ·     ·\n"
        "Nov 24       1 ████████████████████▌                            3 $0.20\n"
        "Nov 25       ·                                                  ·     ·\n"
        "Nov 26       2 █████████████████████████████████████████        1 $0.42\n"
        "\n"
        "repository  reviews  findings  addressed   cost\n"
        "acme/site         2         1         0%  $0.42\n"
        "acme/shop         1         3        33%  $0.20"
    )


def test_the_outcomes_of_the_rules_of_each_repository_are_counted(deployment: Deployment, tmp_path: Path) -> None:
    """Two of one name are two rules; what a linked issue asks for is none; those that people ignore are named."""
    one: list[Led] = [("MAJOR", "dismissed", "no-plus"), ("MEDIUM", "fixed", "has-notes"), ("MINOR", "dismissed")]
    two: list[Led] = [("MAJOR", "wont_fix", "no-plus"), ("MAJOR", "fixed", "no-plus")]
    site: list[Led] = [("MAJOR", "open", "no-plus"), ("MINOR", "dismissed", "issue-1")]
    deployment.history.review(SHOP, 1, NOON - HOUR, findings=one)
    deployment.history.review(SHOP, 2, NOON - HOUR, findings=two)
    deployment.history.review(SITE, 1, NOON - HOUR, findings=site)
    deployment.history.review(SITE, 1, NOON - 9 * DAY, findings=one)

    found = deployment.figures()
    write_page(found, "prod", tmp_path / "stats.html")

    assert printed(found).partition("\nrepository  rule ")[2].splitlines() == [
        "      failed  overridden  followed",
        "acme/shop   no-plus         3           2         1",
        "acme/shop   has-notes       1           ·         1",
        "acme/site   no-plus         1           ·         ·",
    ]
    assert "\nRules         overridden more often than followed: no-plus (acme/shop)\n" in printed(found)
    page = " ".join(parsed((tmp_path / "stats.html").read_text("utf-8")).text.split())
    assert "FailedOverriddenFollowed no-plus acme/shop32, more often than followed1 has-notes acme/shop101" in page
    assert "Rules" not in printed(deployment.figures(repository=99))


def test_a_narrow_terminal_loses_no_figure(some_days: Deployment) -> None:
    """Text is folded, and bars get shorter."""
    lines = printed(some_days.figures(), 44).splitlines()

    assert max(map(len, lines)) <= 44
    assert "Nov 26       2 █████████████        1 $0.42" in lines
    assert not any("…" in line for line in lines)


def test_a_deployment_without_reviews_says_so_with_zeros(deployment: Deployment) -> None:
    """Empty plots, divisions and lists are handled."""
    assert printed(deployment.figures()) == (
        "Kodiai prod, 7 days until 2026-11-26\n"
        "Reviews       0 reviews of 0 pull requests\n"
        "Cost          $0.00: reviews $0.00, answers $0.00\n"
        "Tokens        0 in, 0 out\n"
        "Answers       0\n"
        "New findings  0\n"
        "Suppressed    0"
    )


def test_a_cost_that_nobody_knows_is_named(deployment: Deployment) -> None:
    """It is not taken for nothing."""
    deployment.history.review(SHOP, 1, NOON - HOUR, cost_usd=None)

    assert "1 review or answer without a price not included" in printed(deployment.figures())


def test_an_item_that_cannot_be_read_is_counted_and_not_guessed(some_days: Deployment) -> None:
    """A later version may write what this one does not know."""
    before = some_days.figures()
    for item in some_days.table.scan()["Items"]:
        if item["sk"].startswith("FINDING#"):
            some_days.table.put_item(Item={**item, "finding": "{}"})

    found = some_days.figures()

    assert (before.unreadable, found.unreadable, found.posted) == (0, before.posted, 0)
    assert f"{before.posted} stored items that cannot be read" in " ".join(printed(found).split())


def test_many_days_are_shown_by_weeks() -> None:
    """No figure is lost in between."""
    found = figures(read_weeks(SHOP, SITE, days=70), first_day(70, NOON), NOON)

    assert (found.span, len(found.spans)) == ("week", 10)
    assert sum(span.reviews for span in found.spans) == found.reviews > 100
    assert sum(span.usd for span in found.spans) == pytest.approx(found.usd)
    assert sum(span.findings for span in found.spans) == found.posted
    assert sum(each.reviews for each in found.repositories) == found.reviews


def test_a_large_table_is_read_page_by_page(some_days: Deployment) -> None:
    """DynamoDB gives at most 1 MB at a time, before it filters."""
    for number in range(4):
        some_days.table.put_item(Item={"pk": f"PR#1#{number}", "sk": "STAGED#x#000", "data": b"x" * 350_000})
    some_days.history.review(SHOP, 9, NOON - HOUR)

    assert some_days.figures().reviews == 4


def test_an_expired_item_is_not_counted(some_days: Deployment) -> None:
    """DynamoDB may take days to delete it."""
    for item in some_days.table.scan()["Items"]:
        some_days.table.put_item(Item={**item, "expires_at": NOON - 1})

    assert some_days.figures().reviews == 0


def test_one_repository_is_chosen_by_its_name(some_days: Deployment) -> None:
    """Capitals or not; the figures are its own alone."""
    chosen = some_days.figures(repository=SHOP.id)

    assert (chosen.reviews, chosen.answers, [each.name for each in chosen.repositories]) == (1, 0, ["acme/shop"])
    assert chosen.spent_usd == {"2026-11": pytest.approx(4.2)}


def test_the_command_reads_the_table_of_the_stage(deployment: Deployment, tmp_path: Path) -> None:
    """The figures come as JSON, as a page, or in the terminal."""
    now = int(time.time())
    deployment.history.review(SHOP, 1, now - 60, seconds=30, cost_usd=0.25, findings=[("MAJOR", "open")])
    page = tmp_path / "stats.html"

    shown = deployment.run("--days", "2", "--html", page)
    told = json.loads(deployment.run("--days", "2", "--repository", "Acme/Shop", "--json").out)

    assert (shown.status, shown.err) == (0, f"Written: {page}\n")
    assert shown.out.startswith("Kodiai dev, 2 days until 20")
    assert "Reviews       1 review of 1 pull request" in shown.out
    assert "1 reviews of 1 pull request" in parsed(page.read_text("utf-8")).text.replace("review of", "reviews of")
    assert (told["reviews"], told["review_usd"], told["seconds_p50"]) == (1, 0.25, 30)
    assert told["findings"]["MAJOR"] == {"addressed": 0, "acknowledged": 0, "dismissed": 0, "open": 1}
    assert told["address_rate"] == 0


def test_a_table_that_does_not_answer_is_named(deployment: Deployment) -> None:
    """The error comes after some attempts and has the table and the place."""
    deployment.aws.fail_next("DynamoDB Scan", throttled("ThrottlingException"), times=3)

    done = deployment.run()

    assert (done.status, done.out) == (1, "")
    assert "ThrottlingException" in done.err
    assert "(table kodiai-dev-ledger at http://127.0.0.1" in done.err


def test_the_page_shows_every_figure_and_no_markup_of_others(deployment: Deployment, tmp_path: Path) -> None:
    """It loads nothing: there is no address in it, and no script."""
    deployment.history.review(SHOP, 1, NOON - HOUR, cost_usd=0.25, findings=[("MAJOR", "fixed")], dropped={"<i>": 1})
    page = tmp_path / "stats.html"

    write_page(deployment.figures(), "prod <u>", page)

    html = page.read_text("utf-8")
    for shown in ("Kodiai prod &lt;u&gt;", "acme/shop", "&lt;i&gt;", "100%", "$0.25", "1 of 1"):
        assert shown in html
    for absent in ("<u>", "<i>", "<script", "http://", "https://", "style="):
        assert absent not in html


@pytest.mark.parametrize(("values", "p50", "p90"), [([], None, None), ([3], 3, 3), ([1, 2, 3, 4, 11], 3, 8.2)])
def test_a_percentile_lies_between_values(values: list[float], p50: Any, p90: Any) -> None:
    """No values have no percentile."""
    assert (percentile(values, 50), percentile(values, 90)) == (p50, pytest.approx(p90) if p90 else p90)
