"""`kodiai review` whose model gives no review: what it waits for, and how it ends."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from local.connected import connected
from local.follower import DeliveryFailed, Follower
from local.machine import LocalMachine
from local.model import Answer, Answers, ModelStandIn, Script, failure, refusal, text
from tests.checkout import Checkout
from tests.cli.running import run_command
from tests.git_repository import GitRepository

HANGS = text("too late").delayed(60)


def always(answer: Answer) -> Script:
    return Script().when(lambda _: True, answer, always=True)


@pytest.mark.parametrize(
    ("answer", "why", "not_read"),
    [
        (refusal(), "the model read nothing: the model declined", "the model declined"),
        (failure(429, retry_after=900), "the model is busy: 429 rate limit error", None),
    ],
)
def test_a_model_that_gives_no_review_is_waited_for_as_long_as_asked(
    tmp_path: Path, answer: Answer, why: str, not_read: str | None
) -> None:
    """Each wait is shown with its reason; then a last attempt posts what there is, or its failure is the error."""
    checkout = Checkout(tmp_path / "shop")
    checkout.commit({"a.py": "a = 1\n"})
    checkout.git("checkout", "--quiet", "-b", "feature")
    checkout.commit({"b.py": "b = 1\n"})
    started = time.monotonic()
    with ModelStandIn(always(answer)) as model:
        claude = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "any"}
        done = run_command("review", "--patience", "1s", cwd=checkout.path, **claude)

    assert time.monotonic() - started < 30
    assert f"… waiting 1 s to try for the last time: {why}" in done.err.splitlines()
    if not_read is None:
        assert (done.status, done.out, done.errors) == (1, "", [f"kodiai: {why}"])
    else:
        assert (done.status, done.errors) == (0, [])
        assert "Not fully reviewed · read 0 of 1 file" in done.out
        assert f"  not read: b.py ({not_read})" in done.out.splitlines()


@contextmanager
def reviewing(folder: Path, answers: Answers, **parameters: str) -> Iterator[tuple[LocalMachine, str]]:
    """A machine that reviews a pull request, and the webhook's GUID."""
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"b.py": "b = 1\n"}, base)
    with connected(repository.path, answers=answers, parameters={"embeddings/model": "off", **parameters}) as both:
        assert both.github.open_pull_request(head, base)
        yield both.machine, both.github.deliveries[-1].guid


def test_a_model_that_hangs_is_asked_once_more(tmp_path: Path) -> None:
    """Each question ends after the longest time for an answer."""
    with reviewing(tmp_path, always(HANGS), **{"limits/answer-seconds": "1"}) as (machine, guid):
        follower = Follower(machine.system.on_log, machine.end_waits, 0.5)

        with pytest.raises(DeliveryFailed, match=r"^the model did not answer in time$"):
            follower.outcome(guid, 30, lambda _: None)


def test_functions_that_are_killed_are_not_waited_for(tmp_path: Path) -> None:
    """Their messages would be hidden for eleven minutes."""
    with reviewing(tmp_path, always(HANGS)) as (machine, guid):
        follower, killed = Follower(machine.system.on_log, machine.end_waits, 0.5), set[str]()

        def kill(_: str) -> None:
            """The message of the sixth receive only has to be buried."""
            for event in machine.system.running_events():
                if event.function == "ReviewFunction" and (event.request_id in killed or len(killed) < 2):
                    killed.add(event.request_id)
                    with suppress(ValueError):  # it has ended since
                        machine.system.kill(event.process_id)

        with pytest.raises(DeliveryFailed, match=r"^the function was killed at every attempt$"):
            follower.outcome(guid, 30, kill)
