"""The page of `kodiai stats` in a real browser."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cli.stats_figures import Figures, figures, first_day
from cli.stats_report import write_page
from cli.stats_scan import StoredHistory, scan
from kodiai.core.events.job import RepositoryRef
from local.aws import LocalAws
from tests.aws_resources import create_table
from tests.browser.conftest import SCREENS, SCREENSHOTS, fits, violations
from tests.deployment_history import NOON, SHOP, SITE, DeploymentHistory

MANY = (SHOP, SITE, RepositoryRef(name="acme/warehouse-of-very-many-things", id=3, owner_id=100))


@pytest.fixture(scope="module")
def month() -> Iterator[Figures]:
    """The figures of a month of three repositories."""
    first = first_day(30, NOON)
    since = int(datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp())
    with LocalAws() as aws:
        table = create_table(aws, "kodiai-prod-ledger")
        DeploymentHistory(table).weeks(*MANY)
        yield figures(scan(table, since, NOON), first, NOON)


def test_the_figures_fit_every_screen(browser: Browser, month: Figures, tmp_path: Path) -> None:
    """The tiles come first, each day has a bar, and axe finds nothing wrong with it."""
    write_page(month, "prod", tmp_path / "stats.html")

    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "stats.html").as_uri())

        expect(page.locator(".tiles li").first).to_contain_text(f"{month.reviews} reviews")
        assert page.locator("section[aria-labelledby=Reviews] rect").count() == 30
        for width, scheme in SCREENS:
            page.set_viewport_size({"width": width, "height": 1000})
            page.emulate_media(color_scheme=scheme)
            assert fits(page)
            assert violations(page) == []
        if SCREENSHOTS:
            page.screenshot(path=f"{SCREENSHOTS}/stats.png", full_page=True)


def test_a_page_without_reviews_is_whole(browser: Browser, tmp_path: Path) -> None:
    """Its charts are empty, and nothing is divided by nothing."""
    write_page(figures(StoredHistory(), first_day(30, NOON), NOON), "prod", tmp_path / "stats.html")

    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "stats.html").as_uri())

        expect(page.get_by_text("No finding was posted.")).to_be_visible()
        assert violations(page) == []
