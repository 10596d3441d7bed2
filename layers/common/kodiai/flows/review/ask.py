"""Ask: the model reads each batch freely with its tools, then its report is turned into data."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Scope, Skipped
from kodiai.core.changes.show import show_file
from kodiai.core.errors import Broken, OutOfTime
from kodiai.core.findings.report import ReadReport, Report, UnreadableReport, read_report
from kodiai.flows.review.look_up import TOOLS, look_up
from kodiai.flows.world import World
from kodiai.ports import Answer, JsonObject, PullRequest, Question, Tree, Usage
from kodiai.prompts.load import load

_MOST_TOKENS = 16_000
_CALL_SECONDS = 240.0
_SPARE_SECONDS = 30.0
_REPORT_SECONDS = 200.0
_CACHED = {"cache_control": {"type": "ephemeral"}}
_LONGEST_DESCRIPTION = 8_000
_MOST_LOOKED_UP = 1_000_000


@dataclass(frozen=True)
class BatchAnswer:
    """What one batch came to. `unread` is why its files count as not read, None where they were."""

    report: Report | None
    unread: str | None
    problems: tuple[str, ...]
    usage: dict[str, Usage]


@dataclass(frozen=True)
class Asked:
    """What the model made of everything in scope, and what that consumed, by model."""

    reports: tuple[Report, ...]
    unread: tuple[Skipped, ...]
    problems: tuple[str, ...]
    usage: dict[str, Usage]

    @property
    def total(self) -> Usage:
        """What all models consumed together."""
        return sum(self.usage.values(), Usage())


def ask(world: World, run_id: str, pull_request: PullRequest, scope: Scope, tree: Tree) -> Asked:
    """Ask about every batch; an answer that is kept from an earlier try is not asked for again.

    Raises OutOfTime where the time left does not suffice for the next batch: the answers so far are kept.
    """
    kept = world.ledger.kept_answers(run_id)
    answers = []
    for batch in scope.batches:
        key = _key(batch)
        if key in kept:
            answers.append(_from_json(kept[key]))
            continue
        if world.time_left() < _REPORT_SECONDS:
            raise OutOfTime("the time of this invocation is up", after_seconds=0)
        answer = _ask_batch(world, pull_request, batch, tree)
        world.ledger.keep_answer(run_id, key, _to_json(answer))
        answers.append(answer)
    if answers and all(answer.report is None for answer in answers):
        raise Broken(f"the model read nothing: {answers[0].unread}")
    return _joined(scope.batches, answers)


def _ask_batch(world: World, pull_request: PullRequest, batch: Sequence[ChangedFile], tree: Tree) -> BatchAnswer:
    conversation = _Conversation(world)
    found = _find(conversation, pull_request, batch, tree)
    if found.stop_reason == "refusal":
        return BatchAnswer(None, "the model declined to read it", (), conversation.usage)
    if not found.text.strip():
        return BatchAnswer(None, f"the model gave no report ({found.stop_reason})", (), conversation.usage)
    problems = [] if found.stop_reason == "end_turn" else [f"a report was cut short ({found.stop_reason})"]
    try:
        read = _extract(conversation, found.text)
    except UnreadableReport as why:
        return BatchAnswer(None, str(why), tuple(problems), conversation.usage)
    if read.unreadable:
        problems.append(f"{read.unreadable} reported findings could not be read")
    return BatchAnswer(read.report, None, tuple(problems), conversation.usage)


class _Conversation:
    """Asks, watches the clock, and adds up what each model consumed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.settings = world.settings
        self.usage: dict[str, Usage] = {}

    def may_look_up(self) -> bool:
        """Whether there is time for another look-up and still for the report."""
        return self._world.time_left() > _REPORT_SECONDS

    def answer(self, question: Question) -> Answer:
        seconds = min(_CALL_SECONDS, self._world.time_left() - _SPARE_SECONDS)
        if seconds <= 0:
            raise OutOfTime("the time of this invocation is up", after_seconds=0)
        answer = self._world.model.answer(question, seconds)
        _add(self.usage, question.model, answer.usage)
        return answer


def _find(conversation: _Conversation, pull_request: PullRequest, batch: Sequence[ChangedFile], tree: Tree) -> Answer:
    """Let the model read and look around until it writes its report."""
    messages: list[JsonObject] = [{"role": "user", "content": _material(pull_request, batch)}]
    turns = conversation.settings.limits.tool_turns
    looked_up = 0
    for turn in range(turns + 1):
        answer = conversation.answer(
            Question(
                model=conversation.settings.models.reviewer,
                system=[{"type": "text", "text": load("find"), **_CACHED}],
                messages=messages,
                max_tokens=_MOST_TOKENS,
                tools=TOOLS,
                tools_allowed=turn < turns and looked_up < _MOST_LOOKED_UP and conversation.may_look_up(),
            )
        )
        if not answer.tool_uses:
            return answer
        results = [look_up(tree, use) for use in answer.tool_uses]
        looked_up += sum(len(result["content"]) for result in results)
        results[-1] = {**results[-1], **_CACHED}
        messages = [
            *map(_uncached_results, messages[:-1]),
            messages[-1],
            {"role": "assistant", "content": list(answer.content)},
            {"role": "user", "content": results},
        ]
    raise Broken("the model used tools after it was told that there are none left")


def _uncached_results(message: JsonObject) -> JsonObject:
    """Take the cache mark off older tool results.

    The API takes four in all: behind the prompt, the changes, and the last two turns' results.
    The last but one is kept because the API looks for a known prefix twenty blocks back and no further.
    """
    content = [
        {name: value for name, value in block.items() if name != "cache_control" or block["type"] != "tool_result"}
        for block in message["content"]
    ]
    return {**message, "content": content}


def _material(pull_request: PullRequest, batch: Sequence[ChangedFile]) -> list[JsonObject]:
    """Label what others wrote; the changes are the last of what stays the same from turn to turn."""
    facts = {
        "repository": pull_request.repository,
        "number": pull_request.number,
        "title": pull_request.title,
        "description": pull_request.body[:_LONGEST_DESCRIPTION],
    }
    changes = "\n".join(show_file(file) for file in batch)
    return [
        {
            "type": "text",
            "text": f"# The pull request, as its author describes it\n\n{json.dumps(facts, ensure_ascii=False)}",
        },
        {"type": "text", "text": f"# Its changes\n\n{changes}", **_CACHED},
        {"type": "text", "text": "Review these changes."},
    ]


def _extract(conversation: _Conversation, report: str) -> ReadReport:
    """Turn a report into data; an answer that is not what was asked for is asked for once more."""
    quoted = "\n".join(f"| {line}" for line in report.split("\n"))
    question = Question(
        model=conversation.settings.models.extractor,
        system=[{"type": "text", "text": load("extract")}],
        messages=[{"role": "user", "content": [{"type": "text", "text": f"<report>\n{quoted}\n</report>"}]}],
        max_tokens=_MOST_TOKENS,
        schema=Report.model_json_schema(),
    )
    try:
        return read_report(conversation.answer(question).text)
    except UnreadableReport:
        return read_report(conversation.answer(question).text)


def _joined(batches: Sequence[Sequence[ChangedFile]], answers: Sequence[BatchAnswer]) -> Asked:
    usage: dict[str, Usage] = {}
    for answer in answers:
        for model, used in answer.usage.items():
            _add(usage, model, used)
    return Asked(
        reports=tuple(answer.report for answer in answers if answer.report is not None),
        unread=tuple(
            Skipped(file.path, answer.unread)
            for batch, answer in zip(batches, answers, strict=True)
            if answer.unread is not None
            for file in batch
        ),
        problems=tuple(dict.fromkeys(problem for answer in answers for problem in answer.problems)),
        usage=usage,
    )


def _add(usage: dict[str, Usage], model: str, used: Usage) -> None:
    usage[model] = usage.get(model, Usage()) + used


def _key(batch: Sequence[ChangedFile]) -> str:
    """Name a batch by what is asked, so that a kept answer serves only the very same question."""
    asked = "\0".join([load("find"), load("extract"), *(show_file(file) for file in batch)])
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _to_json(answer: BatchAnswer) -> JsonObject:
    return {
        "report": answer.report.model_dump(mode="json") if answer.report else None,
        "unread": answer.unread,
        "problems": list(answer.problems),
        "usage": {model: asdict(used) for model, used in answer.usage.items()},
    }


def _from_json(data: JsonObject) -> BatchAnswer:
    return BatchAnswer(
        report=Report.model_validate(data["report"]) if data["report"] else None,
        unread=data["unread"],
        problems=tuple(data["problems"]),
        usage={model: Usage(**used) for model, used in data["usage"].items()},
    )
