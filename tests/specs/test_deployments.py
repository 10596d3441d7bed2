"""Deployments that do not serve this repository, or cannot: silence on GitHub, and the reason in the log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import run_command
from tests.queued import job_of, put_into_queue
from tests.specs.conftest import EVERYTHING, Stage, a_stage
from tests.specs.moods import DISCOUNT
from tests.specs.talking import say
from tests.specs.test_dry_run import writes

_DENIED = "repositories/deny names acme/widgets"
MALFORMED = (
    "Parameters are malformed: /kodiai/dev/repositories/deny "
    "(pattern 2 is not OWNER/NAME, with “*” and “?” for any characters)."
)


@pytest.fixture
def excluding(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A system with these parameters."""
    with a_stage(tmp_path, events=EVERYTHING, parameters=request.param) as stage:
        yield stage


@pytest.mark.parametrize("excluding", [{"repositories/deny": "Acme/Widgets"}], indirect=True)
def test_nothing_is_done_for_a_repository_that_is_not_served(excluding: Stage) -> None:
    """Its webhooks start no other function than ingest. A job that was queued before the list changed is refused too.

    GitHub is not even asked who we are, and no model is.
    """
    opened = excluding.open(DISCOUNT)
    say(opened, "@kodiai review")
    late = job_of(excluding.github, opened.number, delivery="queued-before", trigger="opened")
    assert opened.outcomes == []

    put_into_queue(excluding.machine, late.to_message(), late.group_id, late.deduplication_id)
    excluding.settle()

    [outcome] = opened.outcomes
    assert (outcome["outcome"], outcome["reason"]) == ("refused", _DENIED)
    assert (opened.dead, excluding.asked, [*excluding.github.requests], writes(excluding)) == ([], 0, [], [])
    lines = [line for line in excluding.machine.system.log_lines if line.get("message") == "outcome"]
    url = excluding.machine.aws.access_url
    previewed = run_command("preview", f"acme/widgets#{opened.number}", "--endpoint-url", url)
    assert previewed.errors == [f"kodiai: This stage does not serve the repository: {_DENIED}."]
    ingest = {line["reason"] for line in lines if line["function"] == "IngestFunction" and "pull_request" in line}
    assert ingest == {f"{_DENIED}: nothing is done there."}
    assert "MentionFunction" not in {line["function"] for line in lines}


@pytest.mark.parametrize(
    ("excluding", "reason"),
    [
        ({"repositories/deny": "acme/widgets,octo"}, MALFORMED),
        ({"github/private-key": ""}, "Parameters are missing: /kodiai/dev/github/private-key."),
    ],
    indirect=["excluding"],
    ids=["malformed", "missing"],
)
def test_a_deployment_with_an_unusable_parameter_serves_nobody_and_loses_nothing(excluding: Stage, reason: str) -> None:
    """The dead letter names the parameter, and waits until it is corrected instead of going round for ever."""
    opened = excluding.open(DISCOUNT)

    [letter] = opened.dead
    assert letter.reason == reason
    assert (opened.reviews, excluding.asked) == ([], 0)
