"""The report of `kodiai review` in a real browser."""

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

from cli.html_report import write_report
from cli.results import ChangedFile, Result
from tests.browser.conftest import SCREENS, fits, violations

EXAMPLE = json.loads((Path(__file__).parents[1] / "cli" / "example.json").read_text("utf-8"))
DIFFS = [{file["path"]: ChangedFile(**file) for file in diff} for diff in EXAMPLE["diffs"]]


def test_the_latest_review_is_seen_first_as_it_was_posted(browser: Browser, tmp_path: Path) -> None:
    """Its folds are closed, the page fits every screen, and axe finds nothing wrong with it."""
    write_report(Result(**EXAMPLE["result"]), tmp_path / "report.html", DIFFS)

    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())

        expect(page.locator("h2").nth(1)).to_have_text(f"Push {len(EXAMPLE['result']['pushes'])}")
        assert page.locator(".review details[open]").count() == 0
        for width, scheme in SCREENS:
            page.set_viewport_size({"width": width, "height": 1000})
            page.emulate_media(color_scheme=scheme)
            assert fits(page)
            assert violations(page) == []
