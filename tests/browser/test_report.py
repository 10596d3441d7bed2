"""The report of `kodiai review` in a real browser."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from cli.html_report import write_report
from cli.results import ChangedFile, Result
from tests.browser.conftest import look_at
from tests.cli.stories import PUSHES, push, reply, story

PATH = "services/harbour-accounting-export/src/main/resources/templates/monthly/statements/a-very-long-name.py"


def test_the_latest_review_is_seen_first_as_it_was_posted(browser: Browser, tmp_path: Path) -> None:
    """Its folds are closed, the page fits every screen, and axe finds nothing wrong with it."""
    comment = {"path": PATH, "line": 2, "body": "[MAJOR] Why?\n\n```suggestion\nx = 3\n```"}
    last = push("<details><summary>Summary</summary>\n\n## What Changed\n\n</details>", comment)
    diff = {PATH: ChangedFile(path=PATH, patch=f"@@ -1,2 +1,2 @@\n # {'x' * 300}\n-x = 1\n+x = 2")}
    write_report(Result(**story(*PUSHES, last, reply(review=last))), tmp_path / "report.html", [{}] * 5 + [diff])

    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())

        expect(page.locator("h2").first).to_have_text("Push 6")
        assert page.locator(".review details[open]").count() == 0
        look_at(page, "report")
