"""Checks how replies in threads are understood, with the real questions and a model's recorded answers.

The answers are in `replies.jsonl`, each under the digest of its whole request. A change of the prompt or the material
changes the digest, and the model has to be asked again.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from kodiai.core.config.settings import ChosenModel
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.conversation.reading import Reading, believed, reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import DECISIONS, Stance, ThreadReader
from kodiai.core.findings.finding import Finding, Severity
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.github.comment import Reply, Thread
from kodiai.core.model.messages import Text
from kodiai.flows.model.replies import reading_question

Author = Literal["writer", "author", "reader"]
REPLIES = Path(__file__).with_name("replies.yaml")
ANSWERS = Path(__file__).with_name("replies.jsonl")
_US, _LOGINS = "kodiai[bot]", {"writer": "ann", "author": "otto", "reader": "eve"}
_HANDLES = handles(_US, ())


@dataclass(frozen=True)
class LabeledReply:
    """A reply to a finding, with its author and its right meanings; None in `means` is a reply that decides nothing."""

    number: int
    finding: Finding
    by: Author
    means: frozenset[Meaning | None]
    text: str

    @property
    def reply(self) -> Reply:
        """The reply as part of the finding's thread."""
        return Reply(str(self.number), _LOGINS[self.by], is_bot=False, body=self.text)

    @property
    def needs_model(self) -> bool:
        """Whether the engine asks a model: the table does not know the reply, and its author may decide."""
        return self.by != "reader" and parse_comment(self.text, _HANDLES).says_more

    @property
    def request(self) -> Mapping[str, Any]:
        """The request to the model."""
        question = reading_question(ChosenModel("", "low"), self.finding, (), self.reply)
        texts = (block.text for block in question.messages[0].blocks if isinstance(block, Text))
        return {
            "system": [{"type": "text", "text": question.system}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}],
        }

    @property
    def key(self) -> str:
        """The digest of the request."""
        return hashlib.sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def statuses(self) -> frozenset[FindingStatus | None]:
        """The right statuses of its finding afterwards; None if it stays open."""
        may = self.by == "writer" or (self.by == "author" and self.finding.severity in ("MEDIUM", "MINOR"))
        return frozenset(DECISIONS.get(each) if may and each is not None else None for each in self.means)

    def meaning(self, answers: Mapping[str, str]) -> Meaning | None:
        """Return the engine's reading, None if the reply decides nothing. Raises KeyError without an answer."""
        found = parse_comment(self.text, _HANDLES)
        return (
            believed(Reading.model_validate_json(answers[self.key]), self.text) if self.needs_model else found.meaning
        )

    def stance(self, answers: Mapping[str, str]) -> Stance:
        """Return a review's reading of the thread. Raises KeyError without an answer."""
        known = KnownFinding("F-0123456789ab", self.finding, "open", "1")
        read = {reading_name(self.reply): self.meaning(answers)} if self.needs_model else {}
        reader = ThreadReader(_US, _HANDLES, _LOGINS["author"], lambda login: login == _LOGINS["writer"], read)
        return reader.stance(known, Thread("T", known.id, "1", None, can_resolve=True, replies=(self.reply,)))


def read_replies() -> Iterator[LabeledReply]:
    """Read the table of replies."""
    table = yaml.safe_load(REPLIES.read_text("utf-8"))
    findings = {name: _finding(**given) for name, given in table["findings"].items()}
    for number, row in enumerate(table["replies"], 1):
        means = frozenset(None if each == "none" else each for each in row["means"].split("|"))
        yield LabeledReply(number, findings[row["finding"]], row["by"], means, row["said"])


def read_answers(stored: Path = ANSWERS) -> dict[str, str]:
    """Read the model's answers by their keys."""
    lines = stored.read_text("utf-8").splitlines() if stored.exists() else []
    return {row["key"]: json.dumps(row["answer"]) for row in map(json.loads, lines)}


def write_requests(folder: Path, stored: Path = ANSWERS) -> int:
    """Write the requests without an answer into a folder; return their number.

    `prompt.md` is common to all; `requests.jsonl` has a line for each: its key and text.
    """
    folder.mkdir(parents=True, exist_ok=True)
    answers = read_answers(stored)
    wanted = sorted((labeled for labeled in read_replies() if labeled.needs_model), key=lambda labeled: labeled.key)
    left = [labeled for labeled in wanted if labeled.key not in answers]
    shown = wanted[0].request
    (folder / "prompt.md").write_text(shown["system"][0]["text"], "utf-8")
    rows = ({"key": each.key, "request": each.request["messages"][0]["content"][0]["text"]} for each in left)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "requests.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(left)


def import_answers(folder: Path, stored: Path = ANSWERS) -> list[str]:
    """Store the answers of `answers*.jsonl` in a folder (key, answer); return a message for each invalid one.

    Stored answers whose request no longer exists are deleted.
    """
    wanted = {labeled.key for labeled in read_replies() if labeled.needs_model}
    answers, wrong = read_answers(stored), []
    for path in sorted(folder.glob("answers*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            try:
                Reading.model_validate(row["answer"])
            except ValidationError:
                wrong.append(f"{row['key']}: the answer does not fit the form")
                continue
            if row["key"] in wanted:
                answers[row["key"]] = json.dumps(row["answer"])
            else:
                wrong.append(f"{row['key']}: no reply has this request")
    rows = [{"key": key, "answer": json.loads(answers[key])} for key in sorted(wanted & answers.keys())]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    stored.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return wrong


def misunderstood(stored: Path = ANSWERS) -> list[str]:
    """List the misunderstood replies; first those that decide nothing and are understood as a decision."""
    answers = read_answers(stored)
    rows: list[tuple[int, str]] = []
    for labeled in read_replies():
        right = "|".join(sorted(each or "none" for each in labeled.means))
        if labeled.needs_model and labeled.key not in answers:
            rows.append((2, f"not answered: {labeled.text!r}"))
        elif (found := labeled.meaning(answers)) not in labeled.means:
            decides = found is not None and labeled.means == {None}
            rows.append((0 if decides else 1, f"{found or 'none'} instead of {right}: {labeled.text!r}"))
    return [line for _, line in sorted(rows, key=lambda row: row[0])]


def _finding(severity: Severity, title: str, problem: str) -> Finding:
    return Finding(
        severity=severity,
        category="correctness",
        kind="impact",
        path="src/orders.py",
        start_line=2,
        end_line=2,
        title=title,
        explanation=problem,
        quote="code",
        problem=problem,
    )
