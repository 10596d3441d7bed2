"""The figures of a running system: what `kodiai stats` reads is what the functions have stored and logged."""

import json
from typing import Any

from tests.cli.running import run_command
from tests.specs.conftest import Stage
from tests.specs.talking import opened, outcomes, reply, say


def stats(stage: Stage) -> dict[str, Any]:
    done = run_command("stats", "--json", "--days", "2", "--endpoint-url", stage.machine.aws.access_url)
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_figures_of_a_day_are_those_of_its_reviews_and_answers(talk: Stage) -> None:
    """A review with a finding, an answer about it, and a person who dismisses it."""
    before = stats(talk)

    pull = opened(talk)
    say(pull, "@kodiai why is that a problem?")
    reply(pull, "won't fix, by design")

    after, review = stats(talk), talk.outcome()
    answered = next(line for line in outcomes(pull) if line["outcome"] == "answered")
    tokens = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
    parts = [review["model"], *(line[part] for line in outcomes(pull) for part in ("model", "drafting", "reading"))]
    grown = {name: after[name] - before[name] for name in ("reviews", "pull_requests", "answers", "output_tokens")}
    assert grown == {
        "reviews": 1,
        "pull_requests": 1,
        "answers": 1,
        "output_tokens": sum(part["output_tokens"] for part in parts),
    }
    assert after["input_tokens"] - before["input_tokens"] == sum(part[name] for part in parts for name in tokens)
    assert answered["model"]["calls"] > 0
    [severity] = review["new_by_severity"]
    assert after["findings"][severity]["dismissed"] - before["findings"][severity]["dismissed"] == 1
    assert sum(span["reviews"] for span in after["spans"]) == after["reviews"]
    assert [each["name"] for each in after["repositories"]] == [talk.github.full_name]
