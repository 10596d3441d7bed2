"""An examination in memory: files, a model that a test scripts, and a ledger of answers."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.config.keys import BudgetConfig, Config
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Thread
from kodiai.core.judge.candidates import Reports
from kodiai.core.judge.judgement import Judgement
from kodiai.core.model.messages import ModelAnswer
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.memory import Memory
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader, readers
from kodiai.flows.pull_request_ports import Deadline, ModelPorts
from kodiai.flows.review.hear import hear
from kodiai.flows.review.judge import judge
from kodiai.flows.review.load import open_repository
from kodiai.flows.review.review import Reading, review
from tests.builders import HEAD, PARSER, FilesTree, added
from tests.core.config.test_settings import DEPLOYMENT, PREFIX
from tests.core.memory.memories import KeptMemory
from tests.core.panel import FINISH, Books, Call, Clock, Json, Panel, turn
from tests.core.review_inputs import LAST_HEAD, loaded, remembered

ATTEMPTS = 5
LINES = ["def total(values):", "    result = 0", "    return result + values[0]"]
LINES += [*(f"x{n} = {n}" for n in range(118)), "from caller import start", "start()"]
LARGE, SMALL = added("src/app.py", *LINES), added("src/app.py", *LINES[:3])
OLD = added("src/app.py", *LINES[:2], "    return values[0]", blob="a" * 40)
CALLER = "from app import total\n\n\ndef start():\n    total([])\n"
CRASH: Json = {
    "severity": "MAJOR",
    "category": "correctness",
    "kind": "impact",
    "path": "src/app.py",
    "start_line": 3,
    "end_line": 3,
    "title": "An empty list raises IndexError",
    "mechanism": "An empty list leaves `total` unset, so the first report fails.",
    "fix": "",
    "quote": LINES[2],
}
PRICE = {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}
PRICED = {
    "models/prices": json.dumps(dict.fromkeys(("claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"), PRICE))
}
FOUR = {"limits/parallel-calls": "4"}


def rows(shown: Sequence[str], heading: str) -> list[Json]:
    """The items of a block, nothing without such a block."""
    block = next((text for text in shown if text.partition("\n")[0] == f"# {heading}"), "")
    return [json.loads(line) for line in block.split("\n")[2:]]


def judged(*rulings: Json, resolutions: Sequence[Json] = (), **usage: Any) -> ModelAnswer:
    """The judge's turn: for each candidate from 1, unless numbered, what is given, and else that it is kept."""
    ruled: list[Call] = [("rule", {**KEEP, "number": number, **given}) for number, given in enumerate(rulings, 1)]
    return turn(*ruled, *(("resolve", each) for each in resolutions), FINISH, **usage)


KEEP = {
    "fate": "keep",
    "path": "src/app.py",
    "quote": "return result + values[0]",
    "why": "I looked.",
    "severity": "MAJOR",
    "title": "An empty list crashes",
    "problem": "It has no first value.",
}


@dataclass(frozen=True)
class Site:
    """GitHub, as far as it is read: the files at the head, and those as they were at the last head."""

    now: FilesTree
    then: Mapping[str, str]

    def tree(self, sha: str, limit_bytes: int, _: object) -> FilesTree:
        assert (sha, limit_bytes > 0) == (HEAD, True)
        return self.now

    def contents(self, names: Collection[str]) -> Mapping[str, bytes | None]:
        then = {f"{LAST_HEAD}:{path}": text.encode() for path, text in self.then.items()}
        return {name: then.get(name) for name in names}


@dataclass
class Desk:
    """Files at the head and what of them is changed; `examine` and `ask` may be called again, with what was kept.

    `then` are files as they were at the last head.
    """

    changed: Sequence[ChangedFile]
    files: Mapping[str, str]
    panel: Panel
    known: Sequence[KnownFinding] = ()
    before: Sequence[ChangedFile] | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    allowance: float | None = None
    attempt: int = 1
    deadline: float = 600.0
    books: Books = field(default_factory=Books)
    then: Mapping[str, str] = field(default_factory=dict)
    threads: Sequence[Thread] = ()

    def examine(self) -> Judgement:
        """Have the reviewers asked, and what they say judged."""
        plan, both, view = self.scene()
        reading = self._reading(plan, both[0], view)
        return judge(plan, reading, both, view, Memory(None, None, KeptMemory()), is_last_attempt=self._is_last)

    def read(self) -> Reading:
        """Only ask the reviewers."""
        plan, (reader, _), view = self.scene()
        return self._reading(plan, reader, view)

    def ask(self) -> Reports:
        """Only ask the reviewers, for what they report."""
        return self.read().reports

    @property
    def _budget(self) -> BudgetConfig:
        return BudgetConfig(per_pull_request=self.allowance)

    @property
    def _is_last(self) -> bool:
        return self.attempt >= ATTEMPTS

    def _reading(self, plan: ReviewPlan, reader: Reader, view: RepositoryView) -> Reading:
        most = self._settings.limits.parallel_calls
        return review(reader, plan, view, most, is_last_attempt=self._is_last)

    def scene(self) -> tuple[ReviewPlan, tuple[Reader, Reader], RepositoryView]:
        """Give the plan, the one who reads and the one who judges, and the files."""
        values = {**DEPLOYMENT, "limits/parallel-calls": "1", **self.parameters}
        self._settings = settings = DeploymentSettings.from_parameters(values, PREFIX)
        deadline = Deadline(DeliveryAttempt("me", 0.0, self.deadline, self.attempt, ATTEMPTS), Clock())
        before = remembered(self.before) if self.before is not None else None
        given = replace(
            loaded(self.changed, before, self.known, self.threads, is_first=before is None), config=self.config
        )
        site = Site(FilesTree(self.files), self.then)
        view = open_repository(given, cast(Any, site), PARSER, settings.limits, deadline)
        ports = ModelPorts(cast(Any, self.books), self.panel, settings, deadline)
        self.answers = ModelAnswers(ports, budget=self._budget)
        plan = plan_review(given, hear(given, None), view, settings)
        return plan, readers(self.answers, plan, view, settings), view


def desk(steps: Mapping[str, Any], *, small: bool = False, **given: Any) -> Desk:
    """A change of three lines, which a generalist reads alone, or of more, which two read."""
    lines = LINES[:3] if small else LINES
    files = {"src/app.py": "\n".join(lines) + "\n", "src/caller.py": CALLER}
    return Desk([SMALL if small else LARGE], files, Panel(steps), **given)
