"""Replies in threads, in ten languages, go through the real code with recorded answers of a model."""

import json
from pathlib import Path

import pytest

from evals.replies import LabeledReply, import_answers, misunderstood, read_answers, read_replies, write_requests

ALL = tuple(read_replies())
ANSWERED = read_answers()
TO_READ = [labeled for labeled in ALL if labeled.needs_model]
MOST_NOT_UNDERSTOOD = 8
# A reply that decides nothing must never count as a decision: no tolerance here.
NOTHING = [labeled for labeled in ALL if labeled.means == {None}]
SOMETHING = [labeled for labeled in ALL if labeled.means != {None}]


def answers(*labeled: LabeledReply) -> dict[str, str]:
    missing = [each for each in labeled if each.needs_model and each.key not in ANSWERED]
    if missing:
        pytest.skip("no model has answered yet: python -m evals replies --ask DIR")
    return ANSWERED


def test_the_table_is_varied() -> None:
    """It has 150 replies or more, half of them without a decision, by authors of every role, each labeled once."""
    assert len(ALL) >= 150
    assert len(NOTHING) >= len(ALL) // 2
    assert {labeled.by for labeled in ALL} == {"writer", "author", "reader"}
    assert {labeled.finding.severity for labeled in ALL} == {"CRITICAL", "MAJOR", "MEDIUM", "MINOR"}
    assert len({labeled.text for labeled in ALL}) == len(ALL)
    assert len({labeled.key for labeled in TO_READ}) == len(TO_READ)


def test_every_reply_that_a_model_reads_has_an_answer() -> None:
    """The answer is to the current request: after a change of the prompt the model has to be asked again."""
    assert [labeled.text for labeled in TO_READ if labeled.key not in ANSWERED] == []


@pytest.mark.parametrize("labeled", NOTHING, ids=[f"{labeled.number}" for labeled in NOTHING])
def test_a_reply_that_decides_nothing_leaves_the_finding_open(labeled: LabeledReply) -> None:
    """A plan, a question, a condition, a quote, irony, a part, something else, or words to the model."""
    found = labeled.stance(answers(labeled))

    assert (found.settles, found.claim) == (None, None), labeled.text
    assert found.unread == ()


@pytest.mark.parametrize(
    "labeled",
    [labeled for labeled in SOMETHING if not labeled.needs_model],
    ids=[f"{labeled.number}" for labeled in SOMETHING if not labeled.needs_model],
)
def test_replies_in_the_table_are_understood_without_a_model(labeled: LabeledReply) -> None:
    """The author's permissions limit what the reply decides."""
    assert labeled.meaning({}) in labeled.means
    assert labeled.stance({}).settles in labeled.statuses


def test_decisions_are_understood_in_any_language() -> None:
    """A few may be missed and leave the finding open; none is understood as the opposite."""
    known = answers(*SOMETHING)
    found = {labeled: labeled.meaning(known) for labeled in SOMETHING}
    missed = [labeled.text for labeled, meaning in found.items() if meaning not in labeled.means]

    assert len(missed) <= MOST_NOT_UNDERSTOOD, missed
    for labeled, meaning in found.items():
        if meaning in labeled.means:
            assert labeled.stance(known).settles in labeled.statuses, labeled.text


def test_answers_are_requested_and_stored_by_key(tmp_path: Path) -> None:
    """Requests do not show the right meaning; an invalid answer, or one without a request, is not stored."""
    kept = tmp_path / "replies.jsonl"
    good, bad, *_ = TO_READ
    nothing = {"words": "", "doubt": "none", "decision": "none"}
    rows = [(good.key, nothing), (bad.key, {"decision": "maybe"}), ("gone", nothing)]

    asked = write_requests(tmp_path / "asked", kept)
    (tmp_path / "asked" / "answers-1.jsonl").write_text(
        "".join(json.dumps({"key": key, "answer": answer}) + "\n" for key, answer in rows), "utf-8"
    )
    wrong = import_answers(tmp_path / "asked", kept)

    assert asked == len(TO_READ)
    requests = (tmp_path / "asked" / "requests.jsonl").read_text("utf-8")
    assert {json.loads(line)["key"] for line in requests.splitlines()} == {labeled.key for labeled in TO_READ}
    assert '"means"' not in requests
    assert wrong == [f"{bad.key}: the answer does not fit the form", "gone: no reply has this request"]
    assert write_requests(tmp_path / "asked", kept) == len(TO_READ) - 1
    assert len(misunderstood(kept)) >= len(TO_READ) - 1
