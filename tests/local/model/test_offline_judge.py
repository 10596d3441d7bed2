"""How the offline reviewer judges: what its rules found is kept, and what they close is closed."""

import json
from typing import Any

from anthropic import Anthropic

from local.model import is_extract, is_find, is_judge
from tests.local.model.conversation import FINDING, LOOKED_BACK, MODEL, SCHEMA, Conversation, closed, show, show_earlier
from tests.local.model.judging import a_candidate, a_claim, a_judge_request, read_answer

Json = dict[str, Any]
BAD = "import os\n\n\ndef total(prices):\n    return sum(prices) * vat\n"
CHANGES = f"# Its changes\n\n{show('src/orders.py', BAD)}"
BY_RULE = "A rule of the offline reviewer matches this very line, and rules do not guess."


def judge(client: Anthropic, *shown: Any) -> Json:
    """Ask the judge over HTTP, about candidates and then about claims."""
    request = a_judge_request(*shown)
    answer = client.messages.create(model=MODEL, max_tokens=9_000, messages=request["messages"])
    return read_answer("".join(block.text for block in answer.content if block.type == "text"))


def test_every_candidate_is_kept_by_the_first_line_that_it_quotes(client: Anthropic) -> None:
    """With its own severity, kind and place; a replacement may be offered where there is one."""
    plain = a_candidate(1)
    wish = a_candidate(
        2, severity="MINOR", kind="preference", path="b.py", quote="\n  x = 1\n  y = 2", replacement="  x = 2\n  y = 2"
    )

    answer = judge(client, [plain, wish])

    assert answer["resolutions"] == []
    assert answer["rulings"][0] == {
        "number": 1,
        "fate": "keep",
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": "src/orders.py",
        "quote": "return sum(prices) + discount",
        "why": BY_RULE,
        "severity": "MAJOR",
        "kind": "impact",
        "pre_existing": False,
        "title": "The discount is added",
        "problem": "A discount of 5 makes an order of 100 cost 105.",
        "fix": "",
        "offer_replacement": False,
    }
    second = answer["rulings"][1]
    assert (second["severity"], second["kind"], second["path"]) == ("MINOR", "preference", "b.py")
    assert (second["quote"], second["offer_replacement"]) == ("  x = 1", True)


def test_words_over_their_limit_are_cut_where_a_sentence_ends(client: Anthropic) -> None:
    """The title after a word, the problem after a sentence; one endless sentence ends in the middle."""
    sentence = "It is a sentence of exactly ten words in all."
    long_title = "The title of this finding goes on and on until it has more than eighty letters in the end"
    told = [
        a_candidate(1, title=long_title, mechanism=" ".join([sentence] * 9)),
        a_candidate(2, path="b.py", mechanism="word " * 60),
    ]

    cut, endless = judge(client, told)["rulings"]

    assert cut["title"] == "The title of this finding goes on and on until it has more than eighty letters …"
    assert cut["problem"] == " ".join([sentence] * 4)
    assert len(endless["problem"].split()) == 45
    assert endless["problem"].endswith("word…")


def test_the_same_words_of_two_reviewers_are_one(client: Anthropic) -> None:
    """Also where another conversation kept the first; another place and another problem of the same line are not."""
    before = {"number": 2, "path": "src/orders.py", "lines": "12", "title": "The discount is added"}
    told = [
        a_candidate(4, reviewer="correctness"),
        a_candidate(7, reviewer="security"),
        a_candidate(8, reviewer="security", lines="9"),
        a_candidate(9, reviewer="security", title="A price may be missing"),
        a_candidate(10, reviewer="security", lines="12"),
    ]

    rulings = judge(client, told, [], f"# Kept already\n\n{json.dumps(before)}")["rulings"]

    fates = {one["number"]: (one["fate"], one["same_as"]) for one in rulings}
    assert fates == {
        4: ("keep", None),
        7: ("same-as", 4),
        8: ("keep", None),
        9: ("keep", None),
        10: ("same-as", 2),
    }


def test_what_is_said_to_be_resolved_is_resolved_by_the_evidence_that_is_shown(client: Anthropic) -> None:
    """The rules that looked back decide that exactly; a file that is gone has no line to show."""
    gone = a_claim("F-2", evidence={"path": "src/old.py", "quote": ""})

    answer = judge(client, [], [a_claim("F-1"), gone])

    assert answer["rulings"] == []
    assert answer["resolutions"] == [
        {
            "finding": "F-1",
            "resolved": True,
            "path": "src/orders.py",
            "quote": "return sum(prices) - discount",
            "why": "The whole file was checked again by the same rule, and the problem is not there any more.",
        },
        {
            "finding": "F-2",
            "resolved": True,
            "path": "src/old.py",
            "quote": "",
            "why": "The file is gone, and the code with it.",
        },
    ]


def test_a_judge_is_asked_by_its_part_and_by_nothing_else(client: Anthropic) -> None:
    """The changes and the earlier findings that it is shown too do not make it a reviewer, nor do tools."""
    request = a_judge_request([a_candidate()], [], CHANGES, show_earlier({"finding": "F-1", "title": "x"}))

    assert (is_judge(request), is_find(request), is_extract(request)) == (True, False, False)
    assert not is_judge({**request, "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}})
    assert [one["number"] for one in judge(client, [a_candidate()], [], CHANGES)["rulings"]] == [1]


def test_from_the_changes_to_the_ruling_its_own_findings_stay_what_they_are(client: Anthropic) -> None:
    """Found, put into data and judged, one after the other: the ruling's evidence is code of the file."""
    asking = Conversation(client, {"src/orders.py": BAD})
    found = asking.extract(asking.find(CHANGES))["findings"]
    shown = ("severity", "category", "kind", "path", "title", "quote", "replacement")
    told = [
        a_candidate(
            number, lines=str(one["start_line"]), mechanism=one["explanation"], **{key: one[key] for key in shown}
        )
        for number, one in enumerate(found, 1)
    ]

    rulings = judge(client, told, [], CHANGES)["rulings"]

    assert [(one["fate"], one["title"]) for one in rulings] == [
        ("keep", "`vat` is not defined"),
        ("keep", "`os` is imported and not used"),
    ]
    assert all(one["quote"].strip() in BAD for one in rulings)


_FIELDS: Json = FINDING["properties"]  # type: ignore[assignment]
PLAIN = closed({name: form for name, form in _FIELDS.items() if name != "pre_existing"})
ONLY_FINDINGS = closed({"findings": {"type": "array", "items": PLAIN}})
LOOKING_BACK = closed(
    {**ONLY_FINDINGS["properties"], "earlier": {"type": "array", "items": LOOKED_BACK}}  # type: ignore[dict-item]
)


def test_a_report_fills_what_its_extraction_asks_for(client: Anthropic) -> None:
    """Only findings, or what the first reviewer says besides, or the answers about earlier findings."""
    asking = Conversation(client, {"src/orders.py": BAD})
    earlier = show_earlier({"finding": "F-9", "title": "Something", "path": "src/orders.py"})
    report = asking.find(CHANGES, earlier)

    only, back, first = (asking.extract(report, schema) for schema in (ONLY_FINDINGS, LOOKING_BACK, SCHEMA))

    assert (list(only), list(back)) == (["findings"], ["findings", "earlier"])
    assert list(first) == ["what_changed", "strengths", "suggestions", "findings"]
    assert [one["pre_existing"] for one in first["findings"]] == [False, False]
    assert "pre_existing" not in only["findings"][0]
    assert [one["finding"] for one in back["earlier"]] == ["F-9"]
