"""Ask: the model reads each batch freely with its tools, then its report is turned into data."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Skipped
from kodiai.core.errors import Broken
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.report import (
    EarlierAnswer,
    FollowUpReport,
    ReadReport,
    Report,
    UnreadableReport,
    read_report,
)
from kodiai.core.settings import DeploymentSettings
from kodiai.flows.answers import Answers
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.look_up import TOOLS, look_up
from kodiai.flows.review.material import CACHED, material
from kodiai.flows.review.scope import Chosen
from kodiai.flows.world import World
from kodiai.ports import Answer, JsonObject, Question, Tree, Usage
from kodiai.prompts.load import load

_MOST_TOKENS = 16_000
# What a report comes to that need not be turned into data: most pushes deserve no word.
_NOTHING = "NOTHING TO REPORT"
_MOST_LOOKED_UP = 1_000_000


@dataclass(frozen=True)
class Batch:
    """What one conversation is about: files with the hunks to read, and findings of before to answer about.

    `again` is whether the rest of the pull request was reviewed before.
    """

    files: Sequence[ChangedFile]
    earlier: Sequence[KnownFinding]
    again: bool


@dataclass(frozen=True)
class BatchAnswer:
    """What one batch came to. `unread` is why its files count as not read, None where they were."""

    report: Report | None
    unread: str | None
    earlier: tuple[EarlierAnswer, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What the model made of everything in scope, and what that consumed, by model.

    `earlier` are its answers about the findings that it was asked about.
    """

    reports: tuple[Report, ...]
    earlier: tuple[EarlierAnswer, ...]
    unread: tuple[Skipped, ...]
    problems: tuple[str, ...]
    usage: dict[str, Usage]

    @property
    def total(self) -> Usage:
        """What all models consumed together."""
        return sum(self.usage.values(), Usage())


def ask(world: World, gathered: Gathered, chosen: Chosen, tree: Tree, *, salt: str = "") -> Asked:
    """Ask about every batch; what was answered on an earlier try is not asked for again.

    Raises OutOfTime where the time left does not suffice for the next answer.
    """
    answers = Answers(world, salt)
    batches = _batches(chosen)
    read = [_ask_batch(answers, world.settings, gathered, batch, tree) for batch in batches]
    if read and all(answer.report is None for answer in read):
        raise Broken(f"the model read nothing: {read[0].unread}")
    return _joined(batches, read, answers.usage)


def _batches(chosen: Chosen) -> list[Batch]:
    """Put each finding of before to the changes of its file, or to the riskiest ones."""
    files = chosen.scope.batches or (((),) if chosen.asked_back else ())
    home = {file.path: at for at, batch in enumerate(files) for file in batch}
    earlier: list[list[KnownFinding]] = [[] for _ in files]
    for known in chosen.asked_back:
        earlier[home.get(known.finding.path, 0)].append(known)
    again = chosen.scope.mode == "incremental"
    return [Batch(batch, known, again) for batch, known in zip(files, earlier, strict=True)]


def _ask_batch(
    answers: Answers, settings: DeploymentSettings, gathered: Gathered, batch: Batch, tree: Tree
) -> BatchAnswer:
    found = _find(answers, settings, gathered, batch, tree)
    if found.stop_reason == "refusal":
        return BatchAnswer(None, "the model declined to read it")
    if not found.text.strip():
        return BatchAnswer(None, f"the model gave no report ({found.stop_reason})")
    if batch.again and not batch.earlier and found.text.strip(" .\n").upper() == _NOTHING:
        return BatchAnswer(Report(what_changed="", strengths=(), suggestions=(), findings=()), None)
    problems = [] if found.stop_reason == "end_turn" else [f"a report was cut short ({found.stop_reason})"]
    try:
        read = _extract(answers, settings, found.text, FollowUpReport if batch.earlier else Report)
    except UnreadableReport as why:
        return BatchAnswer(None, str(why), problems=tuple(problems))
    if read.unreadable:
        problems.append(f"{read.unreadable} reported findings or answers could not be read")
    asked = {known.id for known in batch.earlier}
    earlier = tuple(answer for answer in read.earlier if answer.finding in asked)
    return BatchAnswer(read.report, None, earlier, tuple(problems))


def _find(answers: Answers, settings: DeploymentSettings, gathered: Gathered, batch: Batch, tree: Tree) -> Answer:
    """Let the model read and look around until it writes its report."""
    prompts = [load("find"), *([load("look_back")] if batch.earlier else [])]
    system: list[JsonObject] = [{"type": "text", "text": prompt} for prompt in prompts]
    system[-1] = {**system[-1], **CACHED}
    shown = material(gathered, batch.files, batch.earlier, tree, again=batch.again)
    messages: list[JsonObject] = [{"role": "user", "content": shown}]
    turns = settings.limits.tool_turns
    looked_up = 0
    for turn in range(turns + 1):
        question = Question(
            model=settings.models.reviewer,
            system=system,
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
        results[-1] = {**results[-1], **CACHED}
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


def _leads_on(answer: Answer) -> bool:
    """Whether an answer is worth keeping: a refusal or an empty one may be another one next time."""
    return answer.stop_reason != "refusal" and bool(answer.tool_uses or answer.text.strip())


def _extract(answers: Answers, settings: DeploymentSettings, report: str, form: type[Report]) -> ReadReport:
    """Turn a report into data; an answer that is not what was asked for is asked for once more."""
    quoted = "\n".join(f"| {line}" for line in report.split("\n"))
    question = Question(
        model=settings.models.extractor,
        system=[{"type": "text", "text": load("extract")}],
        messages=[{"role": "user", "content": [{"type": "text", "text": f"<report>\n{quoted}\n</report>"}]}],
        max_tokens=_MOST_TOKENS,
        schema=form.model_json_schema(),
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


def _joined(batches: Sequence[Batch], answers: Sequence[BatchAnswer], usage: dict[str, Usage]) -> Asked:
    return Asked(
        reports=tuple(answer.report for answer in answers if answer.report is not None),
        earlier=tuple(each for answer in answers for each in answer.earlier),
        unread=tuple(
            Skipped(file.path, answer.unread)
            for batch, answer in zip(batches, answers, strict=True)
            if answer.unread is not None
            for file in batch.files
        ),
        problems=tuple(dict.fromkeys(problem for answer in answers for problem in answer.problems)),
        usage=usage,
    )
