"""A person works with the reviewer on the pages, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from local.github import LocalGitHub
from local.sample import Sample
from tests.browser.conftest import CHANGE, EVERY_PUSH, SCREENSHOTS, look_at, picture, violations
from tests.git_repository import GitRepository

BOT = "kodiai[bot]"
TABS = ("", "/commits", "/checks", "/files", "/proposals", "/activity")
WAITING = "Expected — Waiting for status to be reported"
SCRIPT = "<script>window.acted = true</script><img src=x onerror='window.acted = true'>"

Settle = Callable[[], None]


def opened(page: Page, github: LocalGitHub, number: int, tab: str = "") -> Page:
    page.goto(f"{github.url}/{github.full_name}/pull/{number}{tab}")
    return page


def become(page: Page, login: str, role: str) -> None:
    """Switch the user, by the menu."""
    page.locator("#viewer > summary").click()
    page.get_by_label("Login").fill(login)
    page.get_by_label("Role").select_option(role)
    page.get_by_role("button", name="Switch", exact=True).click()
    expect(page.locator("#viewer > summary")).to_contain_text(login)


@pytest.fixture
def pushes(sample: Sample, repository: GitRepository) -> list[tuple[str, str]]:
    """Head and base of a push with defects and of one without; for pictures those of the sample, which has more."""
    if SCREENSHOTS:
        return [(push.head, push.base) for push in sample.pushes[:2]]
    base = repository.commit({"harbour/orders.py": "import json\n"})
    first = repository.commit(CHANGE, base)
    return [(first, base), (repository.commit({"harbour/orders.py": "import json\n\nORDERS = {}\n"}, first), base)]


@pytest.mark.slow  # one pull request goes through five reviews' worth of acts, each by the whole system
def test_the_review_comes_is_answered_and_goes_on_without_reloading(
    context: BrowserContext, github: LocalGitHub, settle: Settle, pushes: list[tuple[str, str]], sample: Sample
) -> None:
    first, second = pushes
    number = github.open_pull_request(*first, title=sample.title, base_files=EVERY_PUSH)
    page = opened(context.new_page(), github, number)
    page.evaluate("window.notReloaded = true")
    reviews = page.locator(".entry.review").filter(has_text=BOT)

    # The review comes in while somebody looks.
    expect(reviews.first).to_contain_text("What Changed", timeout=60_000)
    threads = reviews.first.locator("details.thread")
    expect(threads.first).to_be_visible()
    picture(page, "page")

    # A reply that dismisses a finding is confirmed at once, without a mention.
    thread = threads.first
    thread.get_by_text("Reply", exact=True).first.click()
    thread.get_by_label("Your reply").fill("Won't fix")
    thread.get_by_role("button", name="Reply", exact=True).click()
    expect(thread.locator("article").filter(has_text="Dismissed as won't fix by")).to_be_visible(timeout=30_000)

    # What somebody is writing stays while the page follows.
    page.get_by_label("Your comment (Markdown)").fill("Half a sentence")
    settle()
    github.push(number, *second, base_files=EVERY_PUSH)
    expect(reviews.nth(1)).to_contain_text("Re-Review Summary", timeout=60_000)
    expect(page.get_by_label("Your comment (Markdown)")).to_have_value("Half a sentence")

    # The tab "Bot activity" shows what was done and why.
    settle()
    runs = opened(context.new_page(), github, number, "/activity").locator("section.run")
    expect(runs).to_have_count(2)
    expect(runs.first).to_contain_text("incremental")
    expect(runs.first).to_contain_text("Resolved")
    expect(runs.page.locator("svg:visible").first).to_contain_text("GitHub")
    picture(runs.page, "activity")

    # A review is requested again: this head has one, and a comment says so.
    page.locator("#merge").get_by_role("button", name="Review again").first.click()
    answer = page.locator("article.entry").filter(has_text=BOT)
    expect(answer).to_contain_text(f"{second[0][:7]}", timeout=60_000)
    assert page.evaluate("window.notReloaded") is True


def test_a_required_check_holds_the_merge_and_the_queue_until_it_passes(
    context: BrowserContext, github: LocalGitHub, repository: GitRepository, settle: Settle
) -> None:
    """People set the rules of the branch and play the CI on the page, which follows without reloading."""
    base = repository.commit({"harbour/orders.py": "import json\n"})
    number = github.open_pull_request(repository.commit(CHANGE, base), base, title="Remember orders")
    settle()
    page = opened(context.new_page(), github, number)
    become(page, "ada", "admin")
    box, head = page.locator("#merge"), github.state.pulls[number].head_sha
    page.evaluate("window.notReloaded = true")

    def report(commit: str, result: str) -> None:
        box.get_by_text("Report a check as another App").click()
        box.get_by_label("Name").fill("build")
        box.get_by_label("Result").select_option(result)
        box.get_by_label("Commit").select_option(commit)
        box.get_by_role("button", name="Report", exact=True).click()

    box.get_by_text("Rules of").click()
    box.get_by_label("Required checks").fill("Kodiai, build")
    box.get_by_label("Require merge queue").check()
    box.get_by_role("button", name="Save").click()
    add = box.get_by_role("button", name=re.compile("^Add to merge queue"))
    expect(add).to_be_disabled()
    expect(box.get_by_role("listitem")).to_contain_text([f"build {WAITING}", "Kodiai Neutral", f"build: {WAITING}"])
    report(head, "failure")
    expect(box.get_by_role("listitem").last).to_have_text("build: Failing — failure")
    assert violations(page) == []
    picture(box, "merge-blocked")

    report(head, "success")
    expect(box).to_contain_text("All checks have passed")
    add.click()
    expect(box).to_contain_text("In the merge queue, position 1")
    commit = next(group.head for group in github.state.groups.values() if group.number == number)
    expect(box.get_by_role("listitem")).to_have_count(4)
    expect(box.get_by_role("listitem").filter(has_text="Neutral")).to_have_count(2)
    assert violations(page) == []
    picture(box, "merge-queue")

    report(commit, "success")
    expect(page.locator("#pull-head")).to_contain_text("Merged")
    assert page.evaluate("window.notReloaded") is True


def test_a_script_does_nothing_wherever_it_is(
    context: BrowserContext, github: LocalGitHub, repository: GitRepository, settle: Settle
) -> None:
    base = repository.commit({"a.py": "x = 1\n"})
    head = repository.commit({"a.py": f"def add(item, items=[]):\n    return items  # {SCRIPT}\n"}, base)
    number = github.open_pull_request(
        head, base, title=f"A title {SCRIPT}", body=f"{SCRIPT}\n\n[x](javascript:alert(1))"
    )
    settle()
    github.comment(number, f"**hello** {SCRIPT}<svg onload='window.acted = true'></svg>")
    line = next(iter(github.state.comments_of(number, None)))
    github.reply(line.id, f"`{SCRIPT}`\n\n<details open ontoggle='window.acted = true'>{SCRIPT}</details>")
    settle()
    errors: list[str] = []
    page = context.new_page()
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    for tab in TABS:
        opened(page, github, number, tab)
        page.wait_for_timeout(200)  # an image that cannot be loaded would have acted by now
        assert page.evaluate("window.acted") is None
        assert page.locator("main script, main img, main iframe, main [onerror], main [onload]").count() == 0

    assert errors == []
    expect(opened(page, github, number).get_by_role("heading", level=1)).to_contain_text("A title <script>")


def test_every_view_fits_the_screen_and_is_accessible(
    context: BrowserContext, github: LocalGitHub, reviewed: int
) -> None:
    page = context.new_page()

    for tab in TABS:
        opened(page, github, reviewed, tab)
        assert page.locator("h1").count() == 1
        look_at(page, tab.removeprefix("/") or "conversation")

    # The first stop of the keyboard leads past the head of the page.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"


def test_the_page_works_without_script(browser: Browser, github: LocalGitHub, reviewed: int) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = opened(context.new_page(), github, reviewed)
        expect(page.locator(".entry.review").filter(has_text=BOT).first).to_contain_text("What Changed")
        page.get_by_label("Your comment (Markdown)").fill("Said without a script.")
        page.get_by_role("button", name="Comment", exact=True).click()
        expect(page.locator(".entry").filter(has_text="Said without a script.")).to_be_visible()
