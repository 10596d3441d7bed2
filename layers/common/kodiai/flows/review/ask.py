"""Ask: the model reads each batch freely with its tools, then its report is turned into data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Scope, Skipped
from kodiai.core.changes.show import show_file
from kodiai.core.errors import Broken
from kodiai.core.findings.report import ReadReport, Report, UnreadableReport, read_report
from kodiai.core.settings import DeploymentSettings
from kodiai.flows.answers import Answers
from kodiai.flows.review.look_up import TOOLS, look_up
from kodiai.flows.world import World
from kodiai.ports import Answer, JsonObject, PullRequest, Question, Tree, Usage
from kodiai.prompts.load import load

_MOST_TOKENS = 16_000
_CACHED = {"cache_control": {"type": "ephemeral"}}
_LONGEST_DESCRIPTION = 8_000
_MOST_LOOKED_UP = 1_000_000


@dataclass(frozen=True)
class BatchAnswer:
    """What one batch came to. `unread` is why its files count as not read, None where they were."""

    report: Report | None
    unread: str | None
    problems: tuple[str, ...] = ()


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


def ask(world: World, pull_request: PullRequest, scope: Scope, tree: Tree) -> Asked:
    """Ask about every batch; what was answered on an earlier try is not asked for again.

    Raises OutOfTime where the time left does not suffice for the next answer.
    """
    answers = Answers(world)
    read = [_ask_batch(answers, world.settings, pull_request, batch, tree) for batch in scope.batches]
    if read and all(answer.report is None for answer in read):
        raise Broken(f"the model read nothing: {read[0].unread}")
    return _joined(scope.batches, read, answers.usage)


def _ask_batch(
    answers: Answers, settings: DeploymentSettings, pull_request: PullRequest, batch: Sequence[ChangedFile], tree: Tree
) -> BatchAnswer:
    found = _find(answers, settings, pull_request, batch, tree)
    if found.stop_reason == "refusal":
        return BatchAnswer(None, "the model declined to read it")
    if not found.text.strip():
        return BatchAnswer(None, f"the model gave no report ({found.stop_reason})")
    problems = [] if found.stop_reason == "end_turn" else [f"a report was cut short ({found.stop_reason})"]
    try:
        read = _extract(answers, settings, found.text)
    except UnreadableReport as why:
        return BatchAnswer(None, str(why), tuple(problems))
    if read.unreadable:
        problems.append(f"{read.unreadable} reported findings could not be read")
    return BatchAnswer(read.report, None, tuple(problems))


def _find(
    answers: Answers, settings: DeploymentSettings, pull_request: PullRequest, batch: Sequence[ChangedFile], tree: Tree
) -> Answer:
    """Let the model read and look around until it writes its report."""
    messages: list[JsonObject] = [{"role": "user", "content": _material(pull_request, batch)}]
    turns = settings.limits.tool_turns
    looked_up = 0
    for turn in range(turns + 1):
        question = Question(
            model=settings.models.reviewer,
            system=[{"type": "text", "text": load("find"), **_CACHED}],
            messages=messages,
            max_tokens=_MOST_TOKENS,
            tools=TOOLS,
            tools_allowed=turn < turns and looked_up < _MOST_LOOKED_UP,
        )
        answer = answers.to(question, usable=_leads_on)
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


def _leads_on(answer: Answer) -> bool:
    """Whether an answer is worth keeping: a refusal or an empty one may be another one next time."""
    return answer.stop_reason != "refusal" and bool(answer.tool_uses or answer.text.strip())


def _extract(answers: Answers, settings: DeploymentSettings, report: str) -> ReadReport:
    """Turn a report into data; an answer that is not what was asked for is asked for once more."""
    quoted = "\n".join(f"| {line}" for line in report.split("\n"))
    question = Question(
        model=settings.models.extractor,
        system=[{"type": "text", "text": load("extract")}],
        messages=[{"role": "user", "content": [{"type": "text", "text": f"<report>\n{quoted}\n</report>"}]}],
        max_tokens=_MOST_TOKENS,
        schema=Report.model_json_schema(),
    )
    try:
        return read_report(answers.to(question, usable=_is_readable).text)
    except UnreadableReport:
        return read_report(answers.to(question, usable=_is_readable).text)


def _is_readable(answer: Answer) -> bool:
    try:
        read_report(answer.text)
    except UnreadableReport:
        return False
    return True


def _joined(batches: Sequence[Sequence[ChangedFile]], answers: Sequence[BatchAnswer], usage: dict[str, Usage]) -> Asked:
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
