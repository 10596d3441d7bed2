"""A tape of a real model's answers: recorded on the way to the model, or played back instead of it.

Each answer is a line of JSON: case, repeat, push, part, order within these, the request's hash, and the answer.
"""

import hashlib
import json
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.errors import CommandFailed
from evals.progress import Progress
from local.model import Answer, Answers, ModelRequest, Reply, Request, failure, replayed, reporting

if TYPE_CHECKING:
    import anthropic

FILE_NAME = "answers.jsonl"
WHOSE_FILE_NAME = "whose.txt"
TAPE = Path(__file__).parent / "tapes" / "model-by-hand"
"""The project's own tape, with some of its cases."""
ALL = "all"
"""The part of a request that names no reviewer."""
_LONGEST_SECONDS = 900.0
Key = tuple[str, int, int, str]
"""Case, repeat, push, part."""
Json = dict[str, Any]


class UnreadableTape(CommandFailed):
    """The folder has no valid tape."""


class Tape:
    """The answers on a tape by case, repeat, push and part.

    `cases` are the cases with answers on the tape; `whose` names the source of the answers in one line.
    `missing` gets a line for each request without an answer. Thread-safe.
    """

    def __init__(self, folder: Path) -> None:
        """Read a tape. Raises UnreadableTape."""
        self.missing: list[str] = []
        self._lock = threading.Lock()
        self._left: dict[Key, list[Json]] = {}
        for line in read_lines(folder):
            self._left.setdefault((line["case"], line["repeat"], line["push"], line["part"]), []).append(line)
        self.cases = frozenset(case for case, *_ in self._left)
        whose = folder / WHOSE_FILE_NAME
        self.whose = whose.read_text(encoding="utf-8").strip().partition("\n")[0] if whose.exists() else ""
        self.whose = self.whose or f"somebody (there is no {WHOSE_FILE_NAME} in {folder})"

    def next(self, key: Key | None, digest: str) -> Json | None:
        """Get the answer to the request with this hash, else the next one of its key; without one, add to `missing`."""
        with self._lock:
            left = self._left.get(key, []) if key is not None else []
            line = next((one for one in left if one["request"] == digest), left[0] if left else None)
            if line is None:
                self.missing.append(f"nothing was recorded for {key or 'this request'}")
                return None
            left.remove(line)
        answer: Json = line["answer"]
        return answer


class TapeAnswers:
    """Answers from a tape; `otherwise` answers for cases that are not on it.

    A request of a case on the tape that has no answer there is added to the tape's `missing`: `otherwise` would answer
    about findings that the tape does not report. It fails, unless the model has answered before in its conversation:
    then that finishes as it is. With `otherwise`, whose usage is estimated, answers from the tape lose their recorded
    usage.
    """

    def __init__(self, tape: Tape, progress: Progress, otherwise: Answers | None = None) -> None:
        self._tape = tape
        self._progress = progress
        self._otherwise = otherwise

    def answer(self, request: Request) -> Answer | None:
        """Answer one request."""
        asked = ModelRequest(request)
        key = _key(asked, self._progress)
        if self._otherwise is not None and (key is None or key[0] not in self._tape.cases):
            return self._otherwise.answer(request)
        answer = self._tape.next(key, digest_of(request))
        if answer is None:
            return reporting() if asked.turns_taken else failure(404, self._tape.missing[-1])
        return replayed(answer) if self._otherwise is None else Reply(tuple(answer["content"]), answer["stop_reason"])


class Recorder:
    """Asks a real model and adds its answers to the tape in a folder; failures are passed back and not stored.

    The client's key is never stored. `whose` names the source of the answers in one line; it is stored in a file next
    to them, which a person may also write.
    """

    def __init__(self, folder: Path, progress: Progress, client: "anthropic.Anthropic", whose: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if whose:
            (folder / WHOSE_FILE_NAME).write_text(f"{whose}\n", encoding="utf-8")
        self._file = folder / FILE_NAME
        self._progress = progress
        self._client = client
        self._lock = threading.Lock()
        self._orders: Counter[Key] = Counter()

    def answer(self, request: Request) -> Answer | None:
        """Pass one request on."""
        import anthropic  # noqa: PLC0415 - it takes a second, and the client's creator has imported it

        messages = self._client.with_options(max_retries=0, timeout=_LONGEST_SECONDS).messages
        try:
            message = messages.with_raw_response.create(**request).http_response.json()
        except anthropic.APIStatusError as error:
            return _passed_back(error)
        except anthropic.APIConnectionError as error:
            return failure(502, f"the model cannot be reached: {error!r}")
        key = _key(ModelRequest(request), self._progress)
        if key is not None:
            self._keep(key, digest_of(request), message)
        return replayed(message)

    def _keep(self, key: Key, digest: str, answer: Json) -> None:
        with self._lock:
            order, self._orders[key] = self._orders[key], self._orders[key] + 1
            case, repeat, push, part = key
            line = {"case": case, "repeat": repeat, "push": push, "part": part, "order": order}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "request": digest, "answer": answer}) + "\n")


def digest_of(request: Request) -> str:
    """Hash the whole request."""
    return hashlib.sha256(json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()[:16]


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


def _passed_back(error: "anthropic.APIStatusError") -> Answer:
    """The model's failure, with its retry headers."""
    wait = {name: value for name, value in error.response.headers.items() if name.startswith("retry-after")}
    body = error.body if isinstance(error.body, dict) else {}
    message = body.get("error", {}).get("message") or str(error)
    return replace(failure(error.status_code, message), headers=wait)


def _key(asked: ModelRequest, progress: Progress) -> Key | None:
    """The key of a request, by the pull request that it names."""
    position = progress.get(asked.title)
    return None if position is None else (position.case, position.repeat, position.push, asked.part or ALL)
