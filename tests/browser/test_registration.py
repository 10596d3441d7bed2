"""Registering the GitHub App in a real browser, from the page of the setup to GitHub and back."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from playwright.sync_api import Browser, expect

from cli.setup.registration import Owner, Registration
from local.github import AppSetup, LocalGitHub
from local.sample import Sample
from tests.browser.conftest import SCREENSHOTS, look_at

WEBHOOK = "http://127.0.0.1:9/webhook"


def test_two_buttons_register_the_app(browser: Browser, sample: Sample) -> None:
    """The page says what the App may do before it is left, fits every screen, and axe finds nothing wrong with it."""
    pages = Queue[str]()
    with LocalGitHub(sample.path, app=AppSetup(registered=False)) as github, ThreadPoolExecutor(1) as waiting:
        github.state.users["acme"].type = "Organization"
        owner = Owner("acme", is_organization=True)
        registration = Registration(github.url, str)
        registered = waiting.submit(registration.register, owner, "prod", WEBHOOK, 0, pages.put)
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(pages.get(timeout=20))
            look_at(page, "registration")
            if SCREENSHOTS is not None:
                page.screenshot(path=Path(SCREENSHOTS) / "registration.png")
            page.get_by_role("button", name="Continue on GitHub").click()
            page.get_by_label("GitHub App name").fill("Acme's reviewer")
            page.get_by_role("button", name="Create GitHub App").click()
            expect(page.locator("h1")).to_have_text("The App is registered")

        app = registered.result(timeout=20)

        assert (app.facts.slug, app.webhook_secret) == ("acme-s-reviewer", github.webhook_secret)
        assert app.private_key == github.private_key
        assert github.webhook_url == WEBHOOK
        assert set(github.violations) <= {"GET /favicon.ico is not served"}  # browsers ask for one
