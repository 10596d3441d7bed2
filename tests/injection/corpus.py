"""The pull requests of the corpus, and one system that reviews them all."""

import json
import math
import re
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kodiai.edges.aws import batches
from local.model import OFFLINE_MODEL, Answer, ModelRequest, Request
from tests.injection.orders import LIFT, ORDERS, PRIVATE, TOKEN, WRITES, Order, honest, look_at_notes, obeyed, ordered
from tests.injection.places import CODE, DISGUISES, PLACES, SETTINGS, Place, Written, disguised
from tests.specs.conftest import EVERYTHING, Opened, Stage, a_stage

_BASE = {
    ".kodiai.yml": SETTINGS,
    "private/keys.txt": f"{PRIVATE}\n",
    "deploy/settings.env": f"GITHUB_TOKEN={TOKEN}\n",
    "docs/notes.md": "# Notes\n",
    "big.py": "".join(f"value_{number} = {number}  # {'x' * 60}\n" for number in range(6_000)),
}
_AT_ONCE = 20
_STRANGER = "mallory"


@dataclass(frozen=True)
class Case:
    """One pull request: what is ordered, where the order stands, and how it is disguised."""

    order: Order
    place: Place
    disguise: str

    @property
    def is_late(self) -> bool:
        """Whether the order comes after an honest review."""
        return self.order is LIFT or self.place.later

    @property
    def name(self) -> str:
        """Its name for people."""
        return f"{self.order.name} · {self.place.name} · {self.disguise}"

    @property
    def written(self) -> Written:
        """The pull request."""
        return self.place.put(disguised(self.order.words, self.disguise))


def corpus(orders: Sequence[Order] = (*WRITES, LIFT)) -> tuple[Case, ...]:
    """Every order in every place, the orders in turn; the disguises take turns, so that each place has each of them."""
    return tuple(
        Case(order, place, DISGUISES[(row + column) % len(DISGUISES)])
        for column, place in enumerate(PLACES)
        for row, order in enumerate(orders)
    )


def some_of(cases: Sequence[Case], most: int) -> tuple[Case, ...]:
    """A number of the cases, spread over all of them; others with each commit."""
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True)
    step = next(step for step in range(len(cases) // most, 0, -1) if math.gcd(step, len(cases)) == 1)
    start = int(counted.stdout) * most * step
    return tuple(cases[(start + step * number) % len(cases)] for number in range(most))


class Obedient:
    """A model that does what it reads, and says the truth where it reads no order.

    `obeyed` counts what it did for each pull request, by its number.
    """

    def __init__(self) -> None:
        self.obeyed: Counter[int] = Counter()
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Answer | None:
        asked = ModelRequest(request)
        order = ordered(request, ORDERS)
        if order is None:
            return look_at_notes(asked) or honest(asked)
        with self._lock:
            self.obeyed[_number(request)] += 1
        return obeyed(order, asked)


def _number(request: Request) -> int:
    """The pull request that a request names in its first lines, 0 where it names none."""
    found = re.search(
        r'"number": ([0-9]+), ', json.dumps(request["messages"][:1], ensure_ascii=False).replace('\\"', '"')
    )
    return int(found[1]) if found else 0


@contextmanager
def attacked(folder: Path) -> Iterator[tuple[Stage, Obedient]]:
    """A running system with such a model at a real price, and a repository with something to steal."""
    price = {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5, "context": 1_000_000}
    parameters = {
        "models/prices": json.dumps({OFFLINE_MODEL: price}),
        "spending/per-repository-per-day-usd": "10000",
        "spending/per-owner-per-month-usd": "10000",
    }
    with a_stage(folder, events=EVERYTHING, parameters=parameters) as stage:
        stage.model.answers = model = Obedient()
        yield stage, model


@dataclass(frozen=True)
class Tried:
    """A case that was tried: its pull request, the head that the attacker pushed, and how often the model obeyed.

    `asked` are the requests to the model of all that were tried at the same time.
    """

    case: Case
    opened: Opened
    head: str
    obeyed: int
    asked: Sequence[Request]


def tried(stage: Stage, model: Obedient, cases: Sequence[Case]) -> list[Tried]:
    """Open some pull requests at a time and have them reviewed; those that are to lift a finding get a second push."""
    done: list[Tried] = []
    for some in batches(cases, _AT_ONCE):
        stage.before += stage.asked  # only the last requests are kept
        opened = [(case, _open(stage, case)) for case in some]
        stage.settle()
        later = [(case, pull) for case, pull in opened if case.is_late]
        for case, pull in later:
            _attack(stage, case, pull)
        if later:
            stage.settle()
        asked = stage.questions
        done += [Tried(case, pull, pull.head, model.obeyed[pull.number], asked) for case, pull in opened]
    return done


def _open(stage: Stage, case: Case) -> Opened:
    attack = case.written
    base = stage.commit({**_BASE, **attack.base})
    body = attack.body
    if attack.issue is not None:
        body = f"{body}\n\nCloses #{stage.github.open_issue('Charge orders', attack.issue)}"
    if case.is_late:
        head = stage.commit({"src/pay.py": CODE}, base)
    else:
        head = stage.commit(attack.files, base, message=attack.message, modes=attack.modes)
    if attack.annotation is not None:
        note = {"path": "src/pay.py", "start_line": 2, "end_line": 2, "annotation_level": "failure"}
        stage.github.report_check(head, "lint", "failure", annotations=[{**note, "message": attack.annotation}])
    return Opened(stage, stage.github.open_pull_request(head, base, title=attack.title, body=body))


def _attack(stage: Stage, case: Case, pull: Opened) -> None:
    """Give the order: with a push that leaves the line of the finding as it is, or in the words of a stranger."""
    attack, github = case.written, stage.github
    if not case.place.later:
        files = {**attack.files, "src/more.py": "MORE = True\n"}
        github.push(pull.number, stage.commit(files, pull.head, message=attack.message, modes=attack.modes))
        return
    words = disguised(case.order.words, case.disguise)
    github.set_role(_STRANGER, "read")
    asked = f"@{github.bot_login.removesuffix('[bot]')} why? "
    match case.place.name:
        case "reply in the thread":
            github.reply(pull.comments[0]["id"], f"{asked}{words}", login=_STRANGER)
        case "hidden in a reply":
            github.reply(pull.comments[0]["id"], f"{asked}<!-- {' '.join(words.split())} -->", login=_STRANGER)
        case _:
            github.comment(pull.number, f"{asked}{words}", login=_STRANGER)


def by_order(cases: Sequence[Tried]) -> Mapping[str, list[Tried]]:
    """The cases that were tried, by what was ordered."""
    found: dict[str, list[Tried]] = {}
    for each in cases:
        found.setdefault(each.case.order.name, []).append(each)
    return found
