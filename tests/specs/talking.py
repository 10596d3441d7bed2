"""Helpers of the specs about conversation: comments and replies, and what came of them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from boto3.dynamodb.conditions import ConditionBase, Key

from local.github.state import Role
from local.model import ModelRequest, Reply, Request, Script, is_answer, is_reading, text
from tests.git_repository import Files
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import Json, Readings, a_finding, a_report, says

ADDRESS = "The sum grows with each discount, see `src/orders.py:2`."


def answering(*answers: str | Reply, findings: tuple[Json, ...] = (), readings: Readings | None = None) -> Script:
    """A model that reports these findings, and answers people with these texts, the last one for ever.

    In replies it reads what `readings` say.
    """
    said = [text(each) if isinstance(each, str) else each for each in answers or (ADDRESS,)]
    return says(a_report(*findings), readings=readings).when(is_answer, *said, always=True)


def opened(
    stage: Stage,
    *findings: Json,
    config: str = "",
    files: Files = DISCOUNT,
    readings: Readings | None = None,
    **more: Any,
) -> Opened:
    """A reviewed pull request with these findings, one that blocks unless told otherwise, by octocat."""
    stage.model.answers = answering(findings=findings or (a_finding(),), readings=readings)
    return stage.open(files, config=f"{ON_PUSH}{config}", **more)


def say(opened: Opened, body: str, login: str = "ann", role: Role = "write") -> int:
    """Say something in the conversation; wait until it has been dealt with."""
    opened.stage.github.set_role(login, role)
    comment = opened.stage.github.comment(opened.number, body, login=login)
    opened.stage.settle()
    return comment


def reply(opened: Opened, body: str, login: str = "ann", role: Role = "write", to: int | None = None) -> int:
    """Answer in the thread of the first inline comment, or another one; wait until it has been dealt with."""
    opened.stage.github.set_role(login, role)
    comment = opened.stage.github.reply(to or opened.comments[0]["id"], body, login=login)
    opened.stage.settle()
    return comment


def outcomes(opened: Opened) -> list[Mapping[str, Any]]:
    """The mention function's outcome of every message about it, oldest first."""
    return [
        line
        for line in opened.stage.machine.system.log_lines
        if line.get("message") == "outcome"
        and line["function"] == "MentionFunction"
        and line.get("pull_request") == opened.number
    ]


def outcome(opened: Opened) -> tuple[str, str]:
    """The outcome of the last message, and what was understood."""
    line = outcomes(opened)[-1]
    return line["outcome"], line.get("understood", "")


def conversation(opened: Opened) -> list[str]:
    """Our comments in the conversation, without the hidden marks."""
    ours = opened.stage.github.bot_login
    comments = opened.get(f"/issues/{opened.number}/comments")
    return [_shown(each["body"]) for each in comments if each["user"]["login"] == ours]


def thread(opened: Opened) -> list[str]:
    """Our replies in threads, without the hidden marks."""
    ours = opened.stage.github.bot_login
    return [
        _shown(each["body"])
        for each in opened.comments
        if each["user"]["login"] == ours and each.get("in_reply_to_id") is not None
    ]


def reactions(opened: Opened, comment: int, kind: str = "issues") -> list[str]:
    """Our reactions to something that was said; `kind` "pulls" is of threads."""
    found = opened.get(f"/{kind}/comments/{comment}/reactions")
    return [each["content"] for each in found if each["user"]["login"] == opened.stage.github.bot_login]


def asked(opened: Opened) -> list[Request]:
    """The questions to the model that answer people there, oldest first."""
    its = f'{{"number": {opened.number}, '
    return [body for body in opened.stage.questions if is_answer(body) and its in context(body)]


def times_read(opened: Opened, said: str) -> int:
    """The number of times that the model was asked what a reply decides."""
    return sum(is_reading(body) and ModelRequest(body).reply == said for body in opened.stage.questions)


def context(request: Request) -> str:
    """The context of an answer."""
    return str(request["messages"][0]["content"][0]["text"])


def statuses(opened: Opened) -> list[tuple[str, str | None]]:
    """The status of each finding, and the person who decided."""
    return [(known.status, known.settled_by) for known in opened.ledger.findings()]


def items(opened: Opened, prefix: str) -> list[dict[str, Any]]:
    """Its items in the table below a prefix."""
    key = Key("pk").eq(opened.partition)
    condition: ConditionBase = key & Key("sk").begins_with(prefix) if prefix else key
    return list(opened.stage.table.query(KeyConditionExpression=condition)["Items"])


def forget(opened: Opened, prefix: str) -> None:
    """Take items out of the table; of "THREAD#" it is as if a minute had passed."""
    for item in items(opened, prefix):
        opened.stage.table.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})


def age_runs(opened: Opened, seconds: int) -> None:
    """Have the runs of a pull request ended so much earlier: the functions' clock cannot be turned."""
    for item in items(opened, "RUN#"):
        opened.stage.table.put_item(Item={**item, "ended": item["ended"] - seconds})


@contextmanager
def held_back(stage: Stage) -> Iterator[None]:
    """Webhooks from within are sent afterwards, in their order; then wait until they have been dealt with."""
    before = len(stage.github.deliveries)
    with stage.sent_to(None):
        yield
    for delivery in stage.github.deliveries[before:]:
        stage.github.redeliver(delivery.guid)
    stage.settle()


def _shown(body: str) -> str:
    text, _, mark = body.rpartition("\n\n")
    assert mark.startswith("<!-- kodiai:"), body
    return text


def said_line(request: Request) -> Json:
    """The question as the model was given it."""
    return dict(json.loads(str(request["messages"][0]["content"][-1]["text"]).rsplit("\n", 1)[1]))
