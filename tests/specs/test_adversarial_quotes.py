"""Quotes and paths that are a little off lose nothing, and stand where they belong."""

import re

from local.model import is_judge
from tests.specs.adversaries import by_title, judge, model, opened_on
from tests.specs.conftest import Stage
from tests.specs.scripts import Json, a_finding

ALWAYS = "review:\n  maxComments: 100\n"
NAMES = tuple("abcdefghijkl")
FUNCTION = """def pay_$(order, rate):
    amount = order.total_$ * rate  # with tax
    note = "paid '$'"
    send_$(amount, note)
    return amount
"""
CODE = "\n\n".join(FUNCTION.replace("$", name) for name in NAMES)
BUG = "amount = order.total_$ * rate"
PATH = "src/pay.py"


def line_of(quote: str) -> int:
    return CODE[: CODE.index(quote)].count("\n") + 1


def finding(name: str, quote: str, **more: object) -> Json:
    """A finding about the amount of one function, with a line number that is off by three."""
    off = line_of(f"total_{name} ") + 3
    return a_finding(
        **{
            "path": PATH,
            "quote": quote.replace("$", name),
            "title": f"Tax of {name}",
            "start_line": off,
            "end_line": off,
            **more,
        }
    )


INEXACT = (
    finding("a", BUG, path=f"./{PATH}"),
    finding("b", BUG, path=f"b/{PATH}"),
    finding("c", BUG, path=f"{PATH}:4"),
    finding("d", f"+    {BUG}"),
    finding("e", f"`{BUG}`"),
    finding("f", f"```python\n{BUG}\n```"),
    finding("g", "def pay_$(order, rate):\n    ...\n    send_$(amount, note)"),
    finding("h", "note = “paid ‘$’”"),
    finding("i", f"+{line_of('total_i '):5} |     {BUG}"),
    finding("j", BUG.replace(" ", "\u00a0")),
    finding("k", f"{BUG}\n    note = \"paid '$'\""),
    finding("l", "-    check_$(order)"),
)  # fmt: skip
FIRST_LINES = {
    **{f"Tax of {name}": line_of(f"total_{name} ") for name in NAMES},
    "Tax of g": line_of("def pay_g("),
    "Tax of h": line_of("total_h ") + 1,
}


def test_quotes_and_paths_that_are_a_little_off_stand_on_their_lines(stage: Stage) -> None:
    """Twelve ways; of removed code the comment stands next to where it was."""
    stage.model.answers = model(INEXACT, judge(lambda candidate, _: {"quote": candidate["quote"]}))
    before = CODE.replace("    amount = order.total_l", "    check_l(order)\n    amount = order.total_l")

    opened = opened_on(stage, {PATH: before.replace("* rate", "* 2")}, {PATH: CODE}, ALWAYS)

    titles = {each["title"]: each for each in INEXACT}
    assert [title for title in titles if title not in by_title(opened)] == []
    placed = {title: known.finding for title, known in by_title(opened).items()}
    assert [title for title, each in placed.items() if (each.path, each.start_line) != (PATH, FIRST_LINES[title])] == []
    shown = {
        title: each.get("start_line") or each["line"]
        for each in opened.comments
        for title in titles
        if title in each["body"]
    }
    assert [title for title in titles if shown.get(title) != FIRST_LINES[title]] == []
    assert [title for title, each in placed.items() if each.caveat] == []


def test_no_critical_finding_is_lost_for_what_the_judge_quotes(stage: Stage) -> None:
    """Neither by a "keep" without code, nor by a "wrong" with code that is nowhere; it is asked about them again."""
    quotes = ("", "nothing of the kind", "amount = order.total_$ * rates", "…", "send_$(amount)")
    fates = ("keep", "wrong")
    findings = [
        finding(name, BUG, severity="CRITICAL")
        for name in NAMES[: len(quotes) * len(fates)]
    ]  # fmt: skip

    def rule(candidate: Json, _earlier: object) -> Json:
        at = NAMES.index(re.sub("Tax of ", "", candidate["title"]))
        quote = quotes[at % len(quotes)].replace("$", NAMES[at])
        return {"fate": fates[at // len(quotes)], "quote": quote, "path": PATH, "why": "It is so."}

    stage.model.answers = model(findings, judge(rule))
    asked = stage.asked
    opened = opened_on(stage, {}, {PATH: CODE}, ALWAYS)

    assert [each["title"] for each in findings if each["title"] not in by_title(opened)] == []
    assert {known.finding.severity for known in opened.ledger.findings()} == {"CRITICAL"}
    caveats = {title: known.finding.caveat for title, known in by_title(opened).items()}
    assert [title for title, caveat in caveats.items() if not caveat] == []
    assert len(opened.comments) == 10
    assert stage.machine.model is not None
    assert sum(is_judge(each.body) for each in stage.machine.model.requests[asked:]) == 2


def test_a_judge_that_writes_lines_into_paths_is_understood(stage: Stage) -> None:
    """`a.py:4` is a.py: what it keeps is proven, what it refutes is refuted, and the review is as it says."""
    kept, refuted = finding("a", BUG), finding("b", BUG)

    def rule(candidate: Json, _earlier: object) -> Json:
        fate = {"fate": "wrong", "quote": "note = \"paid 'b'\"", "why": "The rate has no tax."}
        return {**(fate if candidate["title"] == "Tax of b" else {}), "path": f"{PATH}:{candidate['lines']}"}

    stage.model.answers = model([kept, refuted], judge(rule, confirms=True))
    opened = opened_on(stage, {}, {PATH: CODE}, ALWAYS)

    assert {title: known.finding.caveat for title, known in by_title(opened).items()} == {"Tax of a": None}
    assert ":red_circle: **Address before merging**" in opened.reviews[0]["body"]
