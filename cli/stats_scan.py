"""Reads from a deployment's table what its figures are made of: runs, findings, answers, and what was spent.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from kodiai.core.json_object import JsonObject
from kodiai.edges.aws import translated
from kodiai.edges.ledger_items import Item, unpacked
from kodiai.edges.ledger_table import ENTRY, MICRO

_ATTRIBUTES = (
    "pk", "sk", "expires_at", "status", "started", "ended", "facts", "served", "finding", "history[0]", "repository",
    "seen", "spent",
)  # fmt: skip
_RESERVED = {"#status": "status"}


@dataclass(frozen=True)
class StoredRun:
    """A run: when it began and ended, in seconds since the epoch (None: it is under way), and its facts."""

    repository_id: int
    number: int
    status: str
    started: int
    ended: int | None
    facts: JsonObject


@dataclass(frozen=True)
class StoredFinding:
    """A finding: when it was posted, in seconds since the epoch, and what it has come to by now.

    `rule` is the team's rule that failed, if one did.
    """

    repository_id: int
    posted: int
    severity: str
    status: str
    rule: str | None = None


@dataclass(frozen=True)
class StoredAnswer:
    """A comment that was dealt with: when, in seconds since the epoch, and its facts."""

    repository_id: int
    at: int
    facts: JsonObject


@dataclass(frozen=True)
class StoredHistory:
    """The table's items about a time. `names` are the latest names of the repositories, by id.

    `spent_usd` is everything that the models have cost, by month ("2026-11"), whatever came of it. `unreadable` names
    the items that cannot be read, such as what a later version wrote.
    """

    runs: list[StoredRun] = field(default_factory=list)
    findings: list[StoredFinding] = field(default_factory=list)
    answers: list[StoredAnswer] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    spent_usd: dict[str, float] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def scan(table: Any, since: int, now: int, repository_id: int | None = None) -> StoredHistory:
    """Read what happened since then, of one repository or of all. It reads the whole table, page by page.

    Raises Retry or Broken.
    """
    found = StoredHistory()
    seen: dict[int, int] = {}
    for item in _items(table, _condition(since, repository_id)):
        if item.get("expires_at", now + 1) <= now:
            continue
        try:
            _add(item, since, found, seen)
        except (ValueError, LookupError, TypeError):
            found.unreadable.append(f"{item['pk']} {item['sk']}")
    return found


def _add(item: Item, since: int, found: StoredHistory, seen: dict[int, int]) -> None:
    kind, _, rest = item["pk"].partition("#")
    what, _, name = item["sk"].partition("#")
    match kind, what:
        case "OWNER", "REPO" if int(item["seen"]) >= seen.get(int(name), 0):
            seen[int(name)] = int(item["seen"])
            found.names[int(name)] = item["repository"]
        case "REPO", "MONTH" if "spent" in item:
            found.spent_usd[name] = found.spent_usd.get(name, 0.0) + float(item["spent"]) / MICRO
        case "PR", "RUN":
            repository, number = map(int, rest.split("#"))
            ended = int(item["ended"]) if "ended" in item else None
            run = StoredRun(repository, number, item["status"], int(item["started"]), ended, _facts(item))
            found.runs.append(run)
        case "PR", "SAID":
            found.answers.append(StoredAnswer(int(rest.partition("#")[0]), int(item["served"]), _facts(item)))
        case "PR", "FINDING" if (posted := int(item["history"][0]["at"])) >= since:
            finding, repository = json.loads(item["finding"]), int(rest.partition("#")[0])
            severity, rule = finding["severity"], finding.get("rule")
            found.findings.append(StoredFinding(repository, posted, severity, item["status"], rule))


def _condition(since: int, repository_id: int | None) -> ConditionBase:
    """The filter of items that are worth sending: DynamoDB reads everything in any case."""
    place = "" if repository_id is None else f"{repository_id}#"
    sort = Attr("sk")
    ended = Attr("ended").gte(since) | (Attr("ended").not_exists() & Attr("started").gte(since))
    of_pulls = (
        (sort.begins_with("RUN#") & ended)
        | (sort.begins_with("SAID#") & Attr("served").gte(since))
        | (sort.begins_with("FINDING#") & Attr("history[0].at").gte(since))
    )
    spent = Attr("pk").eq(f"REPO#{repository_id}") if place else Attr("pk").begins_with("REPO#")
    return (
        (Attr("pk").begins_with(f"PR#{place}") & of_pulls)
        | (spent & sort.begins_with("MONTH#"))
        | (Attr("pk").begins_with("OWNER#") & sort.begins_with(ENTRY))
    )


def _items(table: Any, condition: ConditionBase) -> Iterator[Item]:
    wanted = ", ".join("#status" if name == "status" else name for name in _ATTRIBUTES)
    asked: Item = {
        "FilterExpression": condition,
        "ProjectionExpression": wanted,
        "ExpressionAttributeNames": _RESERVED,
    }
    while True:
        with translated("The table cannot be used", "DynamoDB", with_message=True):
            page = table.scan(**asked)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _facts(item: Mapping[str, Any]) -> JsonObject:
    facts: JsonObject = json.loads(unpacked(item["facts"])) if "facts" in item else {}
    return facts
