"""Two minds that err: what is approved if reader and judge each lie, refuse, are cut off, agree or contradict."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from local.model import Answer, ModelRequest, Request, approve_all, confirmations, refusal, reporting, ruling, text
from tests.git_repository import Files
from tests.specs.adversaries import at
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import Json, a_report

PATH = "src/prices.py"
CONFIG = {".kodiai.yml": "review:\n  event: verdict\n"}
GUARDED = "def first(prices):\n    if not prices:\n        return 0\n    return prices[0]\n"
BROKEN = f"PAGE = 20\n\n\n{GUARDED}\n\ndef mean(prices):\n    # never empty\n    return sum(prices) / len(prices)\n"
TRUE = at(PATH, BROKEN, "return sum(prices) / len(prices)", "The mean divides by zero", severity="CRITICAL")
FALSE = at(PATH, GUARDED, "return prices[0]", "The first price is read of none", severity="CRITICAL")

READERS: Mapping[str, tuple[Json, ...]] = {
    "honest": (TRUE,),
    "honest about nothing": (),
    "false": (FALSE,),
    "contradicting": (TRUE, {**TRUE, "severity": "MINOR"}),
    "silent": (),
}
"""The findings of a reader; those who are not here give no report. Only the first has the broken code."""

RULINGS: Mapping[str, Json] = {
    "keep": {},
    "wrong, by a guard": {"fate": "wrong", "quote": "if not prices:"},
    "wrong, by the complaint": {"fate": "wrong"},
    "wrong, by a comment": {"fate": "wrong", "quote": "# never empty"},
    "wrong, by a text": {"fate": "wrong", "path": "README.md", "quote": "# Widgets"},
    "wrong, by nothing": {"fate": "wrong", "quote": "len(prices) > 0"},
    "wrong, by another line": {"fate": "wrong", "quote": "PAGE = 20"},
    "not worth it": {"fate": "not-worth-it"},
    "not worth it, by another line": {"fate": "not-worth-it", "quote": "PAGE = 20"},
    "older": {"fate": "not-from-this-change"},
    "older, kept": {"pre_existing": True},
    "small": {"severity": "MINOR"},
    "a preference": {"kind": "preference"},
    "known": {"fate": "known", "known": "F-0123456789ab"},
    "the same as itself": {"fate": "same-as", "same_as": 1},
    "unwanted": {"fate": "unwanted", "unwanted": ["R-1"]},
}
LETS_GO = ("wrong, by another line", "not worth it, by another line", "small", "a preference")
"""The rulings by which code alone does not tell that they cannot be right."""

SECOND = ("agrees", "contradicts", "silent", "refuses", "cut", "unreadable")
FAILS: Mapping[str, Answer] = {
    "refuses": refusal(),
    "cut": text('{"findings": [', "max_tokens"),
    "unreadable": text("I would not know."),
}


@dataclass(frozen=True)
class Cell:
    """One combination: the reader, the first ruling or the reason why there is none, and the second ruling."""

    reader: str
    first: str
    second: str = "agrees"

    @property
    def name(self) -> str:
        return " / ".join((self.reader, self.first, self.second))

    @property
    def files(self) -> Files:
        return {PATH: GUARDED if self.reader in ("honest about nothing", "false") else BROKEN}

    @property
    def is_green(self) -> bool:
        """Whether it is approved: both are honest and nothing is open, or only meaning tells that they are not."""
        if self.reader == "false":
            return (self.first, self.second) == ("wrong, by a guard", "agrees")
        both_lie = self.reader in ("honest", "contradicting") and self.first in (*LETS_GO, "wrong, by a guard")
        return self.reader in ("honest about nothing", "silent") or (both_lie and self.second == "agrees")


def cells() -> Iterator[Cell]:
    """Each reader with each judge that it has to do with."""
    yield from (Cell("honest", first) for first in (*RULINGS, *FAILS, "silent"))
    yield from (Cell("honest", first, second) for first, second in product(LETS_GO, SECOND[1:]))
    yield from (Cell("false", first) for first in ("keep", *FAILS, "silent"))
    yield from (Cell("false", "wrong, by a guard", second) for second in SECOND)
    yield from (Cell("contradicting", first) for first in ("keep", "the same as itself", "wrong, by the complaint"))
    yield from (Cell(reader, "keep") for reader in ("honest about nothing", "silent", *FAILS))


class Minds:
    """A model that is the reader and the judge of the cell that a pull request is named after."""

    def __init__(self) -> None:
        self._cells = {cell.name: cell for cell in cells()}

    def answer(self, request: Request) -> Answer | None:
        asked = ModelRequest(request)
        cell = self._cells[asked.title or ""]
        if asked.kind == "judge":
            return _second(cell, asked) if asked.let_go else _first(cell, asked)
        return FAILS.get(cell.reader) or reporting(a_report(*READERS.get(cell.reader, ()), what_changed=cell.name))


def _first(cell: Cell, asked: ModelRequest) -> Answer:
    if cell.first in FAILS:
        return FAILS[cell.first]
    said = approve_all(asked.body)
    rulings = said["rulings"] if cell.first != "silent" else []
    return ruling({**said, "rulings": [{**each, **RULINGS[cell.first]} for each in rulings]})


def _second(cell: Cell, asked: ModelRequest) -> Answer:
    rows = asked.let_go if cell.second != "silent" else []
    return FAILS.get(cell.second) or ruling({"confirmations": confirmations(rows, agrees=cell.second == "agrees")})


def test_an_approval_needs_two_honest_minds_and_nothing_open(stage: Stage) -> None:
    """A blocker stays visible unless both rulings let it go by a line of code; only meaning shows it irrelevant.

    A reader that is silent about a problem is believed too: there is nothing to judge.
    """
    stage.model.answers = Minds()
    base = stage.commit(CONFIG)
    opened = {}
    for cell in cells():
        head = stage.commit(cell.files, base, message=cell.name)
        opened[cell] = Opened(stage, stage.github.open_pull_request(head, base, title=cell.name))
    stage.settle()

    green = [cell.name for cell, each in opened.items() if _is_green(each)]
    hidden = [cell.name for cell, each in opened.items() if not cell.is_green and not _shows(each, cell)]
    assert len(opened) >= 40
    assert green == [cell.name for cell in opened if cell.is_green]
    assert hidden == []


def _is_green(opened: Opened) -> bool:
    return opened.check["conclusion"] == "success" or "APPROVED" in [each["state"] for each in opened.reviews]


def _shows(opened: Opened, cell: Cell) -> bool:
    """Whether people see what was found, or that nothing was read."""
    shown = " ".join(each["body"] for each in (*opened.reviews, *opened.comments))
    return all(each["title"] in shown for each in READERS.get(cell.reader, ())) and ":green_circle:" not in shown
