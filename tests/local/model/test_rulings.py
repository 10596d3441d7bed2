"""The rulings of a judge that agrees, which the offline reviewer gives and scripts begin with."""

from __future__ import annotations

import json
from typing import Any

import anthropic

from tests.local.model.conversation import MODEL, Conversation, show
from tests.local.model.judging import a_candidate, a_claim, a_judge_request, read_rulings

Json = dict[str, Any]
BAD = "import os\n\n\ndef total(prices, start=[]):\n    return sum(prices, start) * vat\n"
CHANGES = f"# Its changes\n\n{show('src/orders.py', BAD)}"


def judge(client: anthropic.Anthropic, *shown: Any) -> Json:
    """Ask the judge over HTTP, about candidates and then about claims; what it rules."""
    request = a_judge_request(*shown)
    answer = client.messages.create(model=MODEL, max_tokens=9_000, messages=request["messages"])
    return read_rulings(block.model_dump() for block in answer.content)


def test_every_candidate_is_kept_by_the_first_line_that_it_quotes(client: anthropic.Anthropic) -> None:
    """Its severity, kind and place are its own; a replacement may be offered where there is one."""
    plain = a_candidate(1)
    wish = a_candidate(
        2, severity="MINOR", kind="preference", path="b.py", quote="\n  x = 1\n  y = 2", replacement="  x = 2\n  y = 2"
    )

    answer = judge(client, [plain, wish])

    assert list(answer) == ["rule"]
    assert answer["rule"][0] == {
        "number": 1,
        "fate": "keep",
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": "src/orders.py",
        "quote": "return sum(prices) + discount",
        "why": "An offline check found it on this very line.",
        "severity": "MAJOR",
        "kind": "impact",
        "pre_existing": False,
        "title": "The discount is added",
        "problem": "A discount of 5 makes an order of 100 cost 105.",
        "fix": "",
        "offer_replacement": False,
    }
    second = answer["rule"][1]
    assert (second["severity"], second["kind"], second["path"]) == ("MINOR", "preference", "b.py")
    assert (second["quote"], second["offer_replacement"]) == ("  x = 1", True)


def test_the_same_words_of_two_reviewers_are_one(client: anthropic.Anthropic) -> None:
    """Another conversation may have kept the first; another place or problem of the same line is not the same."""
    before = {"number": 2, "path": "src/orders.py", "lines": "12", "title": "The discount is added"}
    told = [
        a_candidate(4, reviewer="behavior"),
        a_candidate(7, reviewer="security"),
        a_candidate(8, reviewer="security", lines="9"),
        a_candidate(9, reviewer="security", title="A price may be missing"),
        a_candidate(10, reviewer="security", lines="12"),
    ]

    rulings = judge(client, told, [], f"# Kept already\n\n{json.dumps(before)}")["rule"]

    fates = {one["number"]: (one["fate"], one["same_as"]) for one in rulings}
    assert fates == {
        4: ("keep", None),
        7: ("same-as", 4),
        8: ("keep", None),
        9: ("keep", None),
        10: ("same-as", 2),
    }


def test_a_claim_of_resolution_holds_by_the_evidence_that_is_shown(client: anthropic.Anthropic) -> None:
    """The checks that looked back decide that exactly; a file that is gone has no line to show."""
    gone = a_claim("F-2", evidence={"path": "src/old.py", "quote": ""}, why="The file is gone.")

    answer = judge(client, [], [a_claim("F-1"), gone])

    assert list(answer) == ["resolve"]
    assert answer["resolve"] == [
        {
            "finding": "F-1",
            "resolved": True,
            "path": "src/orders.py",
            "quote": "return sum(prices) - discount",
            "why": "The discount is subtracted.",
        },
        {"finding": "F-2", "resolved": True, "path": "src/old.py", "quote": "", "why": "The file is gone."},
    ]


def test_a_second_ruling_agrees_only_to_what_is_unwanted(client: anthropic.Anthropic) -> None:
    """The judge drops nothing else itself; of the rest it says nothing."""
    told = [a_candidate(number, reviewer="security", title=f"Case {number}") for number in (1, 2)]
    gone = [{"number": 1, "ruled": {"fate": "unwanted"}}, {"number": 2, "ruled": {"fate": "wrong"}}]

    said = judge(client, told, [], "# Let go\n\n" + "\n".join(map(json.dumps, gone)))

    assert said["confirm"] == [{"number": 1, "confirmed": True, "why": "I looked again."}]


def test_from_the_changes_to_the_ruling_its_own_findings_stay_what_they_are(client: anthropic.Anthropic) -> None:
    """Found and judged, one after the other: the ruling's evidence is code of the file."""
    asking = Conversation(client, {"src/orders.py": BAD})
    found = asking.review(CHANGES)["findings"]
    shown = ("severity", "category", "kind", "path", "title", "quote", "replacement")
    told = [
        a_candidate(
            number, lines=str(one["start_line"]), mechanism=one["explanation"], **{key: one[key] for key in shown}
        )
        for number, one in enumerate(found, 1)
    ]

    rulings = judge(client, told, [], CHANGES)["rule"]

    assert [(one["fate"], one["title"], one["problem"]) for one in rulings] == [
        ("keep", one["title"], one["explanation"]) for one in found
    ]
    assert len(rulings) == 2
    assert all(one["quote"].strip() in BAD for one in rulings)
