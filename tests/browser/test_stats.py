"""The page of `kodiai stats` in a real browser."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from cli.stats_figures import figures, first_day
from cli.stats_report import write_page
from cli.stats_scan import StoredHistory
from kodiai.core.github.names import RepositoryRef
from tests.browser.conftest import SCREENSHOTS, look_at, violations
from tests.deployment_history import NOON, SHOP, SITE, read_weeks

MANY = (SHOP, SITE, RepositoryRef(name="acme/warehouse-of-very-many-things", id=3, owner_id=100))


def test_the_figures_fit_every_screen(browser: Browser, tmp_path: Path) -> None:
    """The tiles come first, each day has a bar, and axe finds nothing wrong with it."""
    month = figures(read_weeks(*MANY), first_day(30, NOON), NOON)
    write_page(month, "prod", tmp_path / "stats.html")

    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "stats.html").as_uri())

        expect(page.locator(".tiles li").first).to_contain_text(f"{month.reviews} reviews")
        assert page.locator("section[aria-labelledby=Reviews] rect").count() == 30
        look_at(page, "stats")
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
