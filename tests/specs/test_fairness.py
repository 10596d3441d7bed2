"""Nobody waits for the pull requests of one stranger, however many those are."""

import threading

from local.model import Script
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, SHELF, shows, until
from tests.specs.scripts import a_finding, a_report, says

SHELF_PATH = next(iter(SHELF))
MORE_THAN_SLOTS = 6
"""Five pull requests are reviewed at the same time."""


def test_one_strangers_pull_requests_take_one_slot(stage: Stage) -> None:
    """More of them than there are slots, with pushes, leave room for a member's, and for a member's request.

    The stranger's own are reviewed afterwards, one after the other.
    """
    under_way, go_on = threading.Event(), threading.Event()
    held = []

    def hold(request: object) -> None:
        held.append(request)
        under_way.set()
        assert go_on.wait(60)

    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(shows(SHELF_PATH), hold, always=True)
    stage.github.set_role("stranger", "read")
    strangers = [
        Opened(
            stage,
            stage.github.open_pull_request(stage.commit({**SHELF, f"{at}.txt": "1\n"}), stage.base, author="stranger"),
        )
        for at in range(MORE_THAN_SLOTS)
    ]
    assert under_way.wait(60)
    stage.github.push(strangers[1].number, stage.commit({"a.txt": "2\n"}, strangers[1].head), login="stranger")

    try:
        member = Opened(stage, stage.github.open_pull_request(stage.commit(DISCOUNT), stage.base, author="ann"))
        until(lambda: bool(member.reviews))
        assert len(held) == 1

        stage.github.request_review(strangers[-1].number, login="ann")
        until(lambda: len(held) == 2)
    finally:
        go_on.set()
    stage.settle()
    assert [len(each.reviews) for each in strangers] == [1] * MORE_THAN_SLOTS
    order = [line["pull_request"] for line in stage.outcomes if line["outcome"] == "completed"]
    assert [number for number in order if number in {each.number for each in strangers[:-1]}] == [
        each.number for each in strangers[:-1]
    ]
