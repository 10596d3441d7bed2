"""Findings that the judge keeps are posted once, on their lines, with any wording, quote and replacement."""

import re

from kodiai.core.findings.embedded import embedded_findings
from local.model import is_judge
from tests.specs.adversaries import at, by_title, judge, model, opened_on, posted
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import questions
from tests.specs.scripts import Json, a_finding

# Lines of code, and titles as reviewers may word them: one word, questions, other languages, sarcasm, signs only.
WORDED = (
    ("total += price", "Rounding"),
    ("lock.acquire()", "Deadlock"),
    ("return cached[user]", "Oops"),
    ("n = int(text)", "What about '12abc'?"),
    ("host = request.args['host']", "Who checks the host?"),
    ("sleep(60)", "Really, a minute, in the event loop?"),
    ("open('/tmp/report')", "Zwei Benutzer überschreiben sich gegenseitig die Datei"),
    ("price = price * 1.19", "La TVA est appliquée deux fois"),
    ("limit = limit - 1", "El límite puede ser negativo"),
    ("names = names[:-1]", "最後の名前が失われます"),
    ("count = count + 1", "Счётчик теряет обновления при гонке"),
    ("rate = rates['EUR']", "لا يوجد سعر لهذه العملة"),
    ("retry(forever)", "Great, a retry that never gives up, what could go wrong"),
    ("assert user.is_admin", "Asserts as access control: bold, with python -O even bolder"),
    ("send(mail)", "Brilliant: every retry sends another mail"),
    ("page = page + 2", "Every second page: gone"),
    ("rows = rows[0]", "Only one row, never the others"),
    ("buffer[4]", "`buffer[4]` with `len(buffer) == 4`"),
    ("left < right and right < left", "`left < right and right < left`"),
    ("x = y / z", "`z == 0`"),
    ("f.write(data)", "f.write(data); f.close() -> f.write(data)"),
    ("key = 'x'", ":warning:"),
    ("done = True", "!"),
    ("weight = grams / 100", "*kilo* is __thousand__ <b>not</b> hundred"),
    ("return cb(err)", "@everyone callback twice #1"),
)
FEW = "review:\n  maxComments: 10\n"


def lost_or_doubled(opened: Opened, findings: list[Json]) -> list[str]:
    """The titles that are not in the ledger once and posted once."""
    times = posted(opened)
    titles = [known.finding.title for known in opened.ledger.findings() if times[known.id] == 1]
    assert len(opened.reviews) == 1
    return [each["title"] for each in findings if titles.count(each["title"]) != 1]


def test_findings_are_posted_or_listed_once_however_they_are_worded(stage: Stage) -> None:
    """Ten have comments, the others are listed in the body; the verdict counts all."""
    text = "".join(f"{line}\n" for line, _ in WORDED)
    findings = [at("src/work.txt", text, line, title) for line, title in WORDED]
    stage.model.answers = model(findings, judge())

    opened = opened_on(stage, {}, {"src/work.txt": text}, FEW)

    assert lost_or_doubled(opened, findings) == []
    assert len(embedded_findings(opened.reviews[0]["body"])) == len(WORDED) - 10
    assert f"{len(WORDED)} MAJOR findings" in opened.reviews[0]["body"]


ALL = "review:\n  maxComments: 100\n"
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


def miscounted(name: str, quote: str, **more: object) -> Json:
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
    miscounted("a", BUG, path=f"./{PATH}"),
    miscounted("b", BUG, path=f"b/{PATH}"),
    miscounted("c", BUG, path=f"{PATH}:4"),
    miscounted("d", f"+    {BUG}"),
    miscounted("e", f"`{BUG}`"),
    miscounted("f", f"```python\n{BUG}\n```"),
    miscounted("g", "def pay_$(order, rate):\n    ...\n    send_$(amount, note)"),
    miscounted("h", "note = “paid ‘$’”"),
    miscounted("i", f"+{line_of('total_i '):5} |     {BUG}"),
    miscounted("j", BUG.replace(" ", "\u00a0")),
    miscounted("k", f"{BUG}\n    note = \"paid '$'\""),
    miscounted("l", "-    check_$(order)"),
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

    opened = opened_on(stage, {PATH: before.replace("* rate", "* 2")}, {PATH: CODE}, ALL)

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
        miscounted(name, BUG, severity="CRITICAL")
        for name in NAMES[: len(quotes) * len(fates)]
    ]  # fmt: skip

    def rule(candidate: Json, _earlier: object) -> Json:
        at = NAMES.index(re.sub("Tax of ", "", candidate["title"]))
        quote = quotes[at % len(quotes)].replace("$", NAMES[at])
        return {"fate": fates[at // len(quotes)], "quote": quote, "path": PATH, "why": "It is so."}

    stage.model.answers = model(findings, judge(rule))
    opened = opened_on(stage, {}, {PATH: CODE}, ALL)

    assert [each["title"] for each in findings if each["title"] not in by_title(opened)] == []
    assert {known.finding.severity for known in opened.ledger.findings()} == {"CRITICAL"}
    caveats = {title: known.finding.caveat for title, known in by_title(opened).items()}
    assert [title for title, caveat in caveats.items() if not caveat] == []
    assert len(opened.comments) == 10
    assert questions(stage, is_judge) == 2


def test_a_judge_that_writes_lines_into_paths_is_understood(stage: Stage) -> None:
    """`a.py:4` is a.py: what it keeps is proven, what it refutes is refuted, and the review is as it says."""
    kept, refuted = miscounted("a", BUG), miscounted("b", BUG)

    def rule(candidate: Json, _earlier: object) -> Json:
        fate = {"fate": "wrong", "quote": "note = \"paid 'b'\"", "why": "The rate has no tax."}
        return {**(fate if candidate["title"] == "Tax of b" else {}), "path": f"{PATH}:{candidate['lines']}"}

    stage.model.answers = model([kept, refuted], judge(rule, confirms=True))
    opened = opened_on(stage, {}, {PATH: CODE}, ALL)

    assert {title: known.finding.caveat for title, known in by_title(opened).items()} == {"Tax of a": None}
    assert ":red_circle: **Address before merging**" in opened.reviews[0]["body"]


def test_a_replacement_that_would_break_its_file_is_not_offered_and_a_good_one_is(stage: Stage) -> None:
    """Its finding is posted all the same, and the details count it with the reason."""
    text = "def total(prices, discount):\n    return sum(prices) + discount\n"
    replacements = {"good": "    return sum(prices) - discount", "broken": "    return (sum(prices) - discount"}
    found = [
        at(f"src/{name}.py", text, "    return sum(prices) + discount", name, replacement=replacement)
        for name, replacement in replacements.items()
    ]
    stage.model.answers = model(found, judge())

    opened = opened_on(stage, {}, {f"src/{name}.py": text for name in replacements}, ALL)

    bodies = {each["path"]: each["body"] for each in opened.comments}
    assert f"```suggestion\n{replacements['good']}\n```" in bodies["src/good.py"]
    assert "```suggestion" not in bodies["src/broken.py"]
    assert "- Suggestion left out: 1 × the file would not parse with it\n" in opened.reviews[0]["body"]
