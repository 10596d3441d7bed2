"""Replies: what is understood of them, from the real question to what is believed of a model's answer.

The answers stand in `replies.jsonl`, each under the digest of all that the model was shown: after a change of the
prompt, the form or the material there is none, and they have to be asked for again.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from kodiai.core.conversation.comment import Reply, Thread
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.conversation.reading import Reading, believed, reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import DECISIONS, Stance, ThreadReader
from kodiai.core.findings.finding import Finding, Severity
from kodiai.core.findings.known import KnownFinding, Status
from kodiai.core.model.messages import Text
from kodiai.flows.model.replies import reading_question

By = Literal["writer", "author", "reader"]
REPLIES = Path(__file__).with_name("replies.yaml")
ANSWERS = Path(__file__).with_name("replies.jsonl")
_US, _LOGINS = "kodiai[bot]", {"writer": "ann", "author": "otto", "reader": "eve"}
_HANDLES = handles(_US, ())


@dataclass(frozen=True)
class Said:
    """A reply, with its finding, who says it, and what it means: one of `means`, None where it decides nothing."""

    number: int
    finding: Finding
    by: By
    means: frozenset[Meaning | None]
    text: str

    @property
    def reply(self) -> Reply:
        """It as it stands in the finding's thread."""
        association = "MEMBER" if self.by == "writer" else "NONE"
        return Reply(str(self.number), _LOGINS[self.by], is_bot=False, association=association, body=self.text)

    @property
    def is_for_a_model(self) -> bool:
        """Whether a model is asked about it: the table does not know it, and it could decide or is the author's."""
        return self.by != "reader" and parse_comment(self.text, _HANDLES).says_more

    @property
    def request(self) -> Mapping[str, Any]:
        """What a model is shown."""
        question = reading_question("", self.finding, (), self.reply)
        texts = (block.text for block in question.messages[0].blocks if isinstance(block, Text))
        return {
            "system": [{"type": "text", "text": question.system}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}],
            "schema": question.schema,
        }

    @property
    def key(self) -> str:
        """The name of its answer."""
        return hashlib.sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def settles(self) -> frozenset[Status | None]:
        """How its finding may stand after it: as it was decided, None where it stays open until the code is read."""
        may = self.by == "writer" or (self.by == "author" and self.finding.severity in ("MEDIUM", "MINOR"))
        return frozenset(DECISIONS.get(each) if may and each is not None else None for each in self.means)

    def understood(self, answers: Mapping[str, str]) -> Meaning | None:
        """What is understood of it, None where it decides nothing. Raises KeyError where it was not answered."""
        found = parse_comment(self.text, _HANDLES)
        return (
            believed(Reading.model_validate_json(answers[self.key]), self.text)
            if self.is_for_a_model
            else found.meaning
        )

    def stance(self, answers: Mapping[str, str]) -> Stance:
        """What a review makes of its thread. Raises KeyError where it was not answered."""
        known = KnownFinding("F-0123456789ab", self.finding, "open", "1")
        read = {reading_name(self.reply): self.understood(answers)} if self.is_for_a_model else {}
        reader = ThreadReader(_US, _HANDLES, _LOGINS["author"], lambda login: login == _LOGINS["writer"], read)
        return reader.stance(known, Thread("T", known.id, "1", None, can_resolve=True, replies=(self.reply,)))


def read_replies() -> Iterator[Said]:
    """Read the table of replies."""
    table = yaml.safe_load(REPLIES.read_text("utf-8"))
    findings = {name: _finding(**given) for name, given in table["findings"].items()}
    for number, row in enumerate(table["replies"], 1):
        means = frozenset(None if each == "none" else each for each in row["means"].split("|"))
        yield Said(number, findings[row["finding"]], row["by"], means, row["said"])


def read_answers(kept: Path = ANSWERS) -> dict[str, str]:
    """Read what a model answered, by the answers' names."""
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    return {row["key"]: json.dumps(row["answer"]) for row in map(json.loads, lines)}


def ask(folder: Path, kept: Path = ANSWERS) -> int:
    """Write what a model has to be asked into a folder; how many requests have no answer yet.

    `prompt.md` and `schema.json` are the same for all; `requests.jsonl` has a line for each: its key and the rest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    answers = read_answers(kept)
    wanted = sorted((said for said in read_replies() if said.is_for_a_model), key=lambda said: said.key)
    left = [said for said in wanted if said.key not in answers]
    shown = wanted[0].request
    (folder / "prompt.md").write_text(shown["system"][0]["text"], "utf-8")
    (folder / "schema.json").write_text(json.dumps(shown["schema"], indent=2), "utf-8")
    rows = ({"key": each.key, "request": each.request["messages"][0]["content"][0]["text"]} for each in left)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "requests.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(left)


def keep(folder: Path, kept: Path = ANSWERS) -> list[str]:
    """Take over the answers of `answers*.jsonl` in a folder (key, answer); what is wrong with those that are not kept.

    Answers to questions that nobody asks any more are dropped.
    """
    wanted = {said.key for said in read_replies() if said.is_for_a_model}
    answers, wrong = read_answers(kept), []
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
                wrong.append(f"{row['key']}: nobody asks that")
    rows = [{"key": key, "answer": json.loads(answers[key])} for key in sorted(wanted & answers.keys())]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    kept.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return wrong


def score(kept: Path = ANSWERS) -> list[str]:
    """Say which replies are understood otherwise than is right, those first that decide what nobody decided."""
    answers = read_answers(kept)
    rows: list[tuple[int, str]] = []
    for said in read_replies():
        right = "|".join(sorted(each or "none" for each in said.means))
        if said.is_for_a_model and said.key not in answers:
            rows.append((2, f"not answered: {said.text!r}"))
        elif (found := said.understood(answers)) not in said.means:
            decides = found is not None and said.means == {None}
            rows.append((0 if decides else 1, f"{found or 'none'} instead of {right}: {said.text!r}"))
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
