"""Judges: who decides whether a finding tells the problem that was expected."""

import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.likeness import likeness
from evals.result import Told

if TYPE_CHECKING:
    import anthropic

_PROMPT = Path(__file__).parent / "prompts" / "same_issue.md"
_ALIKE_THERE, _ALIKE_NEARBY = 0.2, 0.3
_MOST_TOKENS = 1_000
_TIMEOUT_SECONDS = 120.0
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class JudgeFailed(RuntimeError):
    """The judge gave no answer; what was told is kept, so that it can be scored again."""


class Judge(Protocol):
    """Decides whether a finding, near in file and lines, means a problem; asked from several threads."""

    @property
    def name(self) -> str:
        """Who judges, for the report."""

    def same(self, mechanism: str, told: Told, apart: int) -> bool:
        """Whether they mean the same; they are so many lines apart, 0 where they overlap. Raises JudgeFailed."""


class RuleJudge:
    """Judges by words: how many of those that carry meaning a problem and a finding share, fewer on the same lines.

    How many was measured on recorded findings of the cases, and on what the judges of Martian's benchmark call the
    same: of those pairs nine and a half of ten share enough for the same lines, eight for others, where of pairs that
    are not the same one of seven and one of twenty do.
    """

    name = "rule (shared words)"

    def same(self, mechanism: str, told: Told, apart: int) -> bool:
        """Whether they share enough words."""
        title = re.split(r"[.;:]", mechanism, maxsplit=1)[0]
        alike = likeness((title, mechanism), (told.title, told.explanation))
        return alike >= (_ALIKE_NEARBY if apart else _ALIKE_THERE)


class _Ruling(BaseModel):
    """The answer that is asked for; the reason comes first, so that it is thought of before the decision."""

    model_config = ConfigDict(extra="forbid")

    why: str
    same: bool


class ModelJudge:
    """Judges by asking a model over the Messages API, with the key and at the address in the environment.

    An answer is asked for as JSON by its schema; from a service that does not know schemas it is read out of the text.
    The same question is asked once.
    """

    def __init__(self, model: str, *, base_url: str | None = None, api_key: str | None = None) -> None:
        import anthropic  # noqa: PLC0415 - it takes a second, and the other judge needs none

        self.name = f"model ({model})"
        self._model = model
        self._address: dict[str, Any] = {
            "api_key": api_key or os.environ.get("ANTHROPIC_API_KEY") or "none",
            "base_url": base_url or os.environ.get("ANTHROPIC_BASE_URL"),
        }
        self._schema = anthropic.transform_schema(_Ruling.model_json_schema())
        self._lock = threading.Lock()
        self._known: dict[str, bool] = {}

    def same(self, mechanism: str, told: Told, apart: int) -> bool:  # noqa: ARG002 - a model needs no help with words
        """Ask. Raises JudgeFailed."""
        question = _question(mechanism, told)
        with self._lock:
            if question in self._known:
                return self._known[question]
        same = self._ask(question)
        with self._lock:
            self._known[question] = same
        return same

    def _ask(self, question: str) -> bool:
        import anthropic  # noqa: PLC0415 - see above

        try:
            with anthropic.Anthropic(**self._address, timeout=_TIMEOUT_SECONDS, max_retries=4) as client:
                message = client.messages.create(
                    model=self._model,
                    max_tokens=_MOST_TOKENS,
                    system=_PROMPT.read_text(encoding="utf-8"),
                    messages=[{"role": "user", "content": question}],
                    output_config={"format": {"type": "json_schema", "schema": self._schema}},
                )
        except anthropic.AnthropicError as error:
            raise JudgeFailed(f"{self.name}: {error}") from error
        return _read(message)


def _question(mechanism: str, told: Told) -> str:
    """Both texts as JSON, so that none of them can end its place."""
    finding = {
        "path": told.path,
        "lines": [told.start_line, told.end_line],
        "title": told.title,
        "explanation": told.explanation,
    }
    shown = {"known_problem": mechanism, "finding": finding}
    return json.dumps(shown, ensure_ascii=False, indent=1)


def _read(message: "anthropic.types.Message") -> bool:
    text = "".join(block.text for block in message.content if block.type == "text")
    found = _OBJECT.search(text)
    try:
        return _Ruling.model_validate_json(found[0] if found else text).same
    except ValidationError as error:
        raise JudgeFailed(f"the judge's answer cannot be read: {text[:200]!r}") from error
