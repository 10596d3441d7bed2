"""What people reply in threads, in ten languages, goes through the real code with recorded answers of a model."""

import json
from pathlib import Path

import pytest

from evals.replies import Said, ask, keep, read_answers, read_replies, score

ALL = tuple(read_replies())
ANSWERED = read_answers()
TO_READ = [said for said in ALL if said.is_for_a_model]
MOST_NOT_UNDERSTOOD = 8
# What decides nothing must never decide: that has no tolerance.
NOTHING = [said for said in ALL if said.means == {None}]
SOMETHING = [said for said in ALL if said.means != {None}]


def answers(*said: Said) -> dict[str, str]:
    missing = [each for each in said if each.is_for_a_model and each.key not in ANSWERED]
    if missing:
        pytest.skip("no model has answered yet: python -m evals replies --ask DIR")
    return ANSWERED


def test_the_table_is_as_varied_as_what_people_say() -> None:
    """At least 150 replies, half of which decide nothing, by all who may say something, each said once."""
    assert len(ALL) >= 150
    assert len(NOTHING) >= len(ALL) // 2
    assert {said.by for said in ALL} == {"writer", "author", "reader"}
    assert {said.finding.severity for said in ALL} == {"CRITICAL", "MAJOR", "MEDIUM", "MINOR"}
    assert len({said.text for said in ALL}) == len(ALL)
    assert len({said.key for said in TO_READ}) == len(TO_READ)


def test_every_reply_that_a_model_reads_has_an_answer() -> None:
    """To the question of today: after a change of the prompt they are asked for again."""
    assert [said.text for said in TO_READ if said.key not in ANSWERED] == []


@pytest.mark.parametrize("said", NOTHING, ids=[f"{said.number}" for said in NOTHING])
def test_what_decides_nothing_leaves_the_finding_open(said: Said) -> None:
    """A plan, a question, a condition, a quote, irony, a part, something else, or words to the model."""
    found = said.stance(answers(said))

    assert (found.settles, found.claim) == (None, None), said.text
    assert found.unread == ()


@pytest.mark.parametrize(
    "said",
    [said for said in SOMETHING if not said.is_for_a_model],
    ids=[f"{said.number}" for said in SOMETHING if not said.is_for_a_model],
)
def test_what_the_table_knows_is_understood_without_a_model(said: Said) -> None:
    """It settles what whoever says it may settle."""
    assert said.understood({}) in said.means
    assert said.stance({}).settles in said.settles


def test_what_decides_is_understood_in_any_language() -> None:
    """Nearly always: what is not understood stays open, and nothing is understood as the contrary."""
    known = answers(*SOMETHING)
    found = {said: said.understood(known) for said in SOMETHING}
    missed = [said.text for said, meaning in found.items() if meaning not in said.means]

    assert len(missed) <= MOST_NOT_UNDERSTOOD, missed
    for said, meaning in found.items():
        if meaning in said.means:
            assert said.stance(known).settles in said.settles, said.text


def test_answers_are_asked_for_and_kept_by_their_keys(tmp_path: Path) -> None:
    """In one file, without what is expected; an answer in another form, or to no question, is not kept."""
    kept = tmp_path / "replies.jsonl"
    good, bad, *_ = TO_READ
    nothing = {"words": "", "doubt": "none", "decision": "none"}
    rows = [(good.key, nothing), (bad.key, {"decision": "maybe"}), ("gone", nothing)]

    asked = ask(tmp_path / "asked", kept)
    (tmp_path / "asked" / "answers-1.jsonl").write_text(
        "".join(json.dumps({"key": key, "answer": answer}) + "\n" for key, answer in rows), "utf-8"
    )
    wrong = keep(tmp_path / "asked", kept)

    assert asked == len(TO_READ)
    requests = (tmp_path / "asked" / "requests.jsonl").read_text("utf-8")
    assert {json.loads(line)["key"] for line in requests.splitlines()} == {said.key for said in TO_READ}
    assert '"means"' not in requests
    assert wrong == [f"{bad.key}: the answer does not fit the form", "gone: nobody asks that"]
    assert ask(tmp_path / "asked", kept) == len(TO_READ) - 1
    assert len(score(kept)) >= len(TO_READ) - 1
