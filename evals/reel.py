"""The answers on a tape, and which request asks for which of them; played back as the stand-in's answers too."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evals.asking import Asking, Course, understand
from local.model import Answer, Answers, Reply, Request, failure

FILE_NAME = "answers.jsonl"
WHOSE_FILE_NAME = "whose.txt"
TAPE = Path(__file__).parent / "tapes" / "model-by-hand"
"""What a model said of some of the project's cases."""
_DATA = "/data"
Key = tuple[str, int, int, str]
"""Case, repeat, push, part."""
Json = dict[str, Any]


class UnreadableTape(ValueError):
    """There is no tape there, or it is none."""


class Reel:
    """The answers of a tape by case, repeat, push and part; an empty one where nothing is recorded yet.

    An extraction is known by its report, and the same report is extracted alike as often as it is asked.
    `cases` are those of which it holds anything, `whose` says in a line whose answers they are.
    `missing` gets a line for every answer that was asked for and is not there. Safe to use from any thread.
    """

    def __init__(self, course: Course) -> None:
        self.whose = ""
        self.cases: frozenset[str] = frozenset()
        self.missing: list[str] = []
        self._course = course
        self._lock = threading.Lock()
        self._reports: dict[str, Key] = {}
        self._left: dict[Key, list[Json]] = {}
        self._extracted: dict[str, Json] = {}

    @classmethod
    def read(cls, folder: Path, course: Course) -> "Reel":
        """Read a tape. Raises UnreadableTape."""
        reel = cls(course)
        for line in read_lines(folder):
            reel._left.setdefault((line["case"], line["repeat"], line["push"], line["part"]), []).append(line)
        reel.cases = frozenset(case for case, *_ in reel._left)
        reel.whose = _first_line(folder / WHOSE_FILE_NAME)
        reel.whose = reel.whose or f"somebody (there is no {WHOSE_FILE_NAME} in {folder})"
        return reel

    def key(self, asking: Asking) -> Key | None:
        """Tell whose request it is, by the pull request that it names, or by the report that it brings."""
        if asking.kind == "extract":
            with self._lock:
                return self._reports.get(asking.report.strip())
        where = self._course.where(asking.title)
        return None if where is None else (where.case, where.repeat, where.push, asking.part)

    def next(self, asking: Asking, digest: str = "") -> Json | None:
        """Give the answer to the very same request, else the next of its key; None, and a line in `missing`."""
        key, report = self.key(asking), asking.report.strip()
        with self._lock:
            left = self._left.get(key, []) if key is not None else []
            line = next((one for one in left if one["request"] == digest), None)
            line = line or self._extracted.get(report) or (left[0] if left else None)
            if line is None:
                self.missing.append(f"nothing was recorded for {key or 'this request'}")
                return None
            if line in left:
                left.remove(line)
            if report:
                self._extracted[report] = line
        answer: Json = line["answer"]
        if key is not None:
            self.remember(key, answer)
        return answer

    def remember(self, key: Key, answer: Json) -> None:
        """Note whose report this is, so that its extraction is known."""
        case, repeat, push, part = key
        with self._lock:
            self._reports[_text_of(answer).strip()] = (case, repeat, push, part.removesuffix(_DATA) + _DATA)


class PlayedAnswers:
    """Answers what is asked of a case on the tape from there, and everything else from somewhere else.

    What the tape should have and has not fails, and is `missing` there: an answer by others would be about findings
    that nobody reported. So is what the judge is asked about and its answer passes over.
    """

    def __init__(self, reel: Reel, otherwise: Answers) -> None:
        self._reel = reel
        self._otherwise = otherwise
        self._judged: dict[Key, list[Json]] = {}

    def answer(self, request: Request) -> Answer | None:
        """Answer one request."""
        asking = understand(request)
        key = self._reel.key(asking)
        if key is None or key[0] not in self._reel.cases:
            return self._otherwise.answer(request)
        answer = self._reel.next(asking)
        if answer is None:
            return failure(404, self._reel.missing[-1])
        if asking.kind == "judge" and answer["stop_reason"] == "end_turn":
            self._judged.setdefault(key, []).append(answer)
            over = _passed_over(asking, self._judged[key])
            self._reel.missing += [f"{key}: nothing was recorded about {one}" for one in over]
        return Reply(tuple(answer["content"]), answer["stop_reason"])


def _passed_over(asking: Asking, answers: Iterable[Json]) -> list[str]:
    """What the judge is asked about today and does not name in any of its answers."""
    decided = [_decided(answer) for answer in answers]
    named = {one.get("number") for each in decided for one in each.get("rulings", ())}
    named |= {one.get("finding") for each in decided for one in each.get("resolutions", ())}
    asked = [("candidate", one["number"]) for one in asking.candidates]
    asked += [("finding", one["finding"]) for one in asking.said_to_be_resolved]
    return [f"{kind} {name}" for kind, name in asked if name not in named]


def _decided(answer: Json) -> Json:
    """The object in an answer of the judge; an empty one where there is none."""
    said = _text_of(answer)
    try:
        decided = json.loads(said[said.find("{") : said.rfind("}") + 1])
    except ValueError:
        return {}
    return decided if isinstance(decided, dict) else {}


def _text_of(answer: Json) -> str:
    return "".join(block.get("text", "") for block in answer.get("content", ()) if block.get("type") == "text")


def read_lines(folder: Path) -> list[Json]:
    """Read a tape's lines in the order of their answers. Raises UnreadableTape."""
    file = folder / FILE_NAME
    try:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            _ = [line[name] for name in ("order", "case", "repeat", "push", "part", "request")]
            _ = line["answer"]["content"], line["answer"]["stop_reason"]
        return sorted(lines, key=lambda one: int(one["order"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableTape(f"{file}: {error!r}") from error


def _first_line(file: Path) -> str:
    return (file.read_text(encoding="utf-8") if file.exists() else "").strip().partition("\n")[0]
