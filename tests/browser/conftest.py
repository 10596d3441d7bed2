"""The pages as a person sees them: the whole system, and the Chromium that this machine has."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from cli.serve import start
from local.github import LocalGitHub
from local.machine import LocalMachine
from local.sample import Sample, make_sample
from tests.git_repository import GitRepository

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
SCREENSHOTS = os.environ.get("KODIAI_SCREENSHOTS")
"""The folder that pictures of the pages go to, where they are wanted."""

EVERY_PUSH = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
"""Settings that have every push reviewed."""

SCREENS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((400, "dark"), (1400, "light"))
"""The widths and color schemes in which each page is looked at."""

CHANGE = {
    "harbour/orders.py": (
        "import json\n\n\n"
        "def add(order, orders=[]):\n"
        '    """Remember an order."""\n'
        "    orders.append(order)\n"
        "    return json.dumps(orders)\n\n\n"
        "def is_paid(status: str) -> bool:\n"
        '    return status is "paid"  # 1 or 0\n'
    ),
    "web/orders.js": "export const total = (orders) => orders.reduce((sum, { price }) => sum + price * 1.19, 0);\n",
    "deploy/harbour.yaml": "orders:\n  replicas: 3 # one for each zone\n  image: harbour/orders-service:latest\n",
    "Gemfile.lock": "# no person wrote this\n",
}
"""A few lines of several languages with two defects: enough of each kind of thing that a page shows."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep them in one process: they share a running system and a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip("no Chromium on this machine: nobody has looked at the pages (on Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        # A sandbox needs rights that a container does not have; what is opened here is our own. Nothing is drawn in 3D.
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("page") / "harbour")


@pytest.fixture(scope="session")
def system(sample: Sample, browser: Browser) -> Iterator[tuple[LocalGitHub, LocalMachine]]:  # noqa: ARG001 - see below
    """The system that `kodiai serve` starts; only where there is a browser to look at it."""
    with ExitStack() as stack:
        yield start(stack, sample.path, None, 0)


@pytest.fixture(scope="session")
def repository(sample: Sample) -> GitRepository:
    """The sample's repository, for further commits."""
    return GitRepository(sample.path)


@pytest.fixture(scope="session")
def reviewed(system: tuple[LocalGitHub, LocalMachine], repository: GitRepository) -> int:
    """The number of a small pull request after its review; tests that need another state open their own."""
    github, machine = system
    base = repository.commit({"harbour/orders.py": "import json\n"})
    number = github.open_pull_request(repository.commit(CHANGE, base), base, title="Remember orders")
    assert github.settle()
    machine.system.wait_until_quiet(60)
    return number


@pytest.fixture
def github(system: tuple[LocalGitHub, LocalMachine]) -> LocalGitHub:
    return system[0]


@pytest.fixture
def settle(system: tuple[LocalGitHub, LocalMachine]) -> Callable[[], None]:
    """Wait until everything so far was delivered and done."""
    github, machine = system

    def settle() -> None:
        assert github.settle()
        machine.system.wait_until_quiet(60)

    return settle


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1400, "height": 1000}) as context:
        context.set_default_timeout(15_000)
        yield context


def violations(page: Page) -> list[tuple[str, str]]:
    """Each rule of accessibility that the page breaks, with the first element that does."""
    options = {"resultTypes": ["violations"], "preload": False}  # no style sheet of another host is to be loaded
    return [(each["id"], each["nodes"][0]["html"]) for each in Axe().run(page, options=options).response["violations"]]


def picture(shown: Page | Locator, name: str) -> None:
    """Keep a picture of the page, or a part of it, for the docs, where they are wanted."""
    if SCREENSHOTS:
        shown.screenshot(path=Path(SCREENSHOTS) / f"{name}.png")


def look_at(page: Page, name: str) -> None:
    """Look at the page in each width: nobody has to scroll sideways, everything has a name, and axe finds nothing."""
    for width, scheme in SCREENS:
        page.set_viewport_size({"width": width, "height": 1000})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        assert page.evaluate(_UNNAMED) == [], (name, width)
        assert violations(page) == [], (name, width)
        picture(page, f"{name}-{width}")


_UNNAMED = """() => [
    ...document.querySelectorAll("input:not([type=hidden]), textarea, select, button, summary, a[href]"),
  ]
  .filter(one => !(one.labels?.length || one.textContent.trim() || one.title || one.getAttribute("aria-label")))
  .map(one => one.outerHTML)"""
