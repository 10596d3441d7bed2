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
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.memory import Memory
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader
from kodiai.flows.pull_request_ports import Deadline, ModelPorts
from kodiai.flows.review.hear import hear
from kodiai.flows.review.judge import judge
from kodiai.flows.review.load import open_repository
from kodiai.flows.review.review import review
from tests.builders import HEAD, PARSER, FilesTree, a_finding, added
from tests.core.config.test_settings import DEPLOYMENT, PREFIX
from tests.core.memory.memories import KeptMemory
from tests.core.panel import Books, Clock, Json, Panel
from tests.core.review_inputs import LAST_HEAD, loaded, remembered

ATTEMPTS = 5
LINES = ["def total(values):", "    result = 0", "    return result + values[0]"]
LINES += [f"x{n} = {n}" for n in range(120)]
LARGE, SMALL = added("src/app.py", *LINES), added("src/app.py", *LINES[:3])
OLD = added("src/app.py", *LINES[:2], "    return values[0]", blob="a" * 40)
FILES = {"src/app.py": "\n".join(LINES) + "\n", "src/caller.py": "from app import total\n\ntotal([])\n"}
CRASH = a_finding(
    start_line=3, end_line=3, quote=LINES[2], title="An empty list raises IndexError", severity="MAJOR"
).model_dump(
    include={"severity", "category", "kind", "path", "start_line", "end_line", "title", "explanation", "quote"}
)
PRICE = {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}
PRICED = {
    "models/prices": json.dumps(dict.fromkeys(("claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"), PRICE))
}
FOUR = {"limits/parallel-calls": "4"}


def rows(shown: Sequence[str], heading: str) -> list[Json]:
    """The items of a block, nothing without such a block."""
    block = next((text for text in shown if text.partition("\n")[0] == f"# {heading}"), "")
    return [json.loads(line) for line in block.split("\n")[2:]]


def judged(*rulings: Mapping[str, Any], resolutions: Sequence[Mapping[str, Any]] = ()) -> str:
    """The judge's answer: for each candidate from 1, unless numbered, what is given, and else that it is kept."""
    whole = [{**KEEP, "number": number, **given} for number, given in enumerate(rulings, 1)]
    return json.dumps({"rulings": whole, "resolutions": list(resolutions)})


KEEP = {
    "fate": "keep",
    "same_as": None,
    "known": None,
    "different_from": None,
    "path": "src/app.py",
    "quote": "return result + values[0]",
    "why": "I looked.",
    "severity": "MAJOR",
    "kind": "impact",
    "pre_existing": False,
    "title": "An empty list crashes",
    "problem": "It has no first value.",
    "fix": "",
    "offer_replacement": False,
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
    searchable: bool = True
    deadline: float = 600.0
    books: Books = field(default_factory=Books)
    then: Mapping[str, str] = field(default_factory=dict)
    threads: Sequence[Thread] = ()

    def examine(self) -> Judgement:
        """Have the reviewers asked, and what they say judged."""
        plan, reader, view = self._scene()
        reports = self._reports(plan, reader)
        return judge(plan, reports, reader, view, Memory(None, None, KeptMemory()), is_last_attempt=self._is_last)

    def ask(self) -> Reports:
        """Only ask the reviewers, and turn what they say into data."""
        plan, reader, _ = self._scene()
        return self._reports(plan, reader)

    @property
    def _budget(self) -> BudgetConfig:
        return BudgetConfig(per_pull_request=self.allowance)

    @property
    def _is_last(self) -> bool:
        return self.attempt >= ATTEMPTS

    def _reports(self, plan: ReviewPlan, reader: Reader) -> Reports:
        most = self._settings.limits.parallel_calls
        return review(reader, plan, most, is_last_attempt=self._is_last)

    def _scene(self) -> tuple[ReviewPlan, Reader, RepositoryView]:
        values = {**DEPLOYMENT, "limits/parallel-calls": "1", **self.parameters}
        self._settings = settings = DeploymentSettings.from_parameters(values, PREFIX)
        deadline = Deadline(DeliveryAttempt("me", 0.0, self.deadline, self.attempt, ATTEMPTS), Clock())
        before = remembered(self.before) if self.before is not None else None
        given = replace(
            loaded(self.changed, before, self.known, self.threads, is_first=before is None), config=self.config
        )
        site = Site(FilesTree(self.files, searchable=self.searchable), self.then)
        view = open_repository(given, cast(Any, site), PARSER, settings.limits, deadline)
        ports = ModelPorts(cast(Any, self.books), self.panel, settings, deadline)
        self.answers = ModelAnswers(ports, budget=self._budget)
        plan = plan_review(given, hear(given, None), view, settings)
        reader = Reader(self.answers, *settings.models.reader(plan.scope.tier), view.tree, settings.limits.tool_turns)
        return plan, reader, view


def desk(steps: Mapping[str, Any], *, small: bool = False, **given: Any) -> Desk:
    """A change of three lines, which a generalist reads alone, or of more, which all four read."""
    return Desk([SMALL if small else LARGE], FILES, Panel(steps), **given)
