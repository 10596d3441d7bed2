"""Judges: they decide whether a finding and an expected problem are the same."""

import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.errors import CommandFailed
from evals.result import PostedFinding
from evals.similarity import similarity
from kodiai.core.model.json_answer import object_in

if TYPE_CHECKING:
    import anthropic

_PROMPT = Path(__file__).parent / "prompts" / "same_issue.md"
_ALIKE_THERE, _ALIKE_NEARBY = 0.2, 0.3
_MOST_TOKENS = 9_000  # thinking counts too
_TIMEOUT_SECONDS = 120.0


class JudgeFailed(CommandFailed):
    """The judge gave no usable answer. The run is stored and can be scored again."""


class Judge(Protocol):
    """Decides whether a finding near a problem means the same; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The judge's name, for the report."""

    def same(self, mechanism: str, finding: PostedFinding, lines_apart: int) -> bool:
        """Whether both mean the same; they are `lines_apart` lines apart, 0 if they overlap. Raises JudgeFailed."""


class RuleJudge:
    """Judges by the share of common words; findings on the same lines need fewer.

    The two thresholds were measured on the cases' recorded findings and on pairs that the judges of Martian's benchmark
    call the same. They accept 95 % of those pairs on the same lines and 80 % on others, and of different pairs one in
    seven and one in twenty.
    """

    name = "rule (shared words)"

    def same(self, mechanism: str, finding: PostedFinding, lines_apart: int) -> bool:
        """Whether both share enough words."""
        title = re.split(r"[.;:]", mechanism, maxsplit=1)[0]
        alike = similarity((title, mechanism), (finding.title, finding.explanation))
        return alike >= (_ALIKE_NEARBY if lines_apart else _ALIKE_THERE)


class _Ruling(BaseModel):
    """The model's answer; the reason comes first, so that the model thinks before it decides."""

    model_config = ConfigDict(extra="forbid")

    why: str
    same: bool


class ModelJudge:
    """Judges by asking a model over the Messages API, with the key and at the address in the environment.

    The answer is JSON, in a text that may have words around it.
    Equal questions are asked once.
    """

    def __init__(self, model: str, *, base_url: str | None = None, api_key: str | None = None) -> None:
        self.name = f"model ({model})"
        self._model = model
        self._address: dict[str, Any] = {
            "api_key": api_key or os.environ.get("ANTHROPIC_API_KEY") or "none",
            "base_url": base_url or os.environ.get("ANTHROPIC_BASE_URL"),
        }
        self._lock = threading.Lock()
        self._known: dict[str, bool] = {}

    def same(self, mechanism: str, finding: PostedFinding, lines_apart: int) -> bool:  # noqa: ARG002 - a model needs no help with words
        """Ask. Raises JudgeFailed."""
        question = _question(mechanism, finding)
        with self._lock:
            if question in self._known:
                return self._known[question]
        same = self._ask(question)
        with self._lock:
            self._known[question] = same
        return same

    def _ask(self, question: str) -> bool:
        import anthropic  # noqa: PLC0415 - it takes a second, and the other judge needs none

        try:
            with anthropic.Anthropic(**self._address, timeout=_TIMEOUT_SECONDS, max_retries=4) as client:
                message = client.messages.create(
                    model=self._model,
                    max_tokens=_MOST_TOKENS,
                    system=_PROMPT.read_text(encoding="utf-8"),
                    messages=[{"role": "user", "content": question}],
                )
        except anthropic.AnthropicError as error:
            raise JudgeFailed(f"{self.name}: {error}") from error
        return _read(message)


def _question(mechanism: str, finding: PostedFinding) -> str:
    """Both texts as JSON, so that neither can break out of its field."""
    shown_finding = {
        "path": finding.path,
        "lines": [finding.start_line, finding.end_line],
        "title": finding.title,
        "explanation": finding.explanation,
    }
    shown = {"known_problem": mechanism, "finding": shown_finding}
    return json.dumps(shown, ensure_ascii=False, indent=1)


def _read(message: "anthropic.types.Message") -> bool:
    text = "".join(block.text for block in message.content if block.type == "text")
    try:
        return _Ruling.model_validate_json(object_in(text)).same
    except ValidationError as error:
        raise JudgeFailed(f"the judge's answer cannot be read: {text[:200]!r}") from error
