"""`kodiai memory`: shows what is remembered of a repository, and has something of it forgotten, for operators."""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from cli.errors import CommandError
from cli.stage import Stage
from cli.stored_repository import day, find_repository
from cli.table import table_lines, terminal_width
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.memory.rule import Rule
from kodiai.core.words.memory import overridden_rules
from kodiai.edges.repository_data import DynamoRepositoryData
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from kodiai.wiring import SystemClock
from local.rendering.labels import counted, status_label
from local.rendering.visible import visible_line

_FINDING = re.compile(r"(\d{1,9})/(.+)")


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError."""
    stage = Stage(arguments.stage, arguments.endpoint_url)
    with stage.named_table():
        repository = find_repository(DynamoRepositoryData(stage.table), arguments)
        memory = DynamoRepositoryMemory(stage.table, repository, SystemClock())
        if arguments.action is None:
            _show(memory, arguments)
        elif (rule := next((rule for rule in memory.rules() if rule.id == arguments.id), None)) is not None:
            memory.remove_rule(rule.id, "operator")
            print(visible_line(f"Removed the rule {rule.id}: {rule.text}"))
        else:
            stored = replace(_find(memory, arguments), is_forgotten=True)
            memory.store([stored])  # first: no review that runs now writes the vector again
            stage.vectors.delete([stored.remembered.key])
            memory.store([replace(stored, index=None)])
            print(visible_line(f"Forgot {stored.remembered.name}: {stored.remembered.title}"))


def _show(memory: DynamoRepositoryMemory, arguments: argparse.Namespace) -> None:
    """Print what is remembered, or all of it as JSON."""
    rules = memory.rules()
    stored = sorted(memory.remembered(), key=lambda each: (each.remembered.at, each.remembered.number), reverse=True)
    if arguments.json:
        print(json.dumps(_as_json(rules, stored), indent=2))
        return
    print(*lines(arguments.repo, rules, stored, terminal_width()), sep="\n")


def lines(repository: str, rules: Sequence[Rule], stored: Sequence[StoredMemory], width: int) -> Iterator[str]:
    """The rules, and the findings in the given order, in tables whose last column is shortened to the width.

    Between them are the rules of the team that were overridden.
    """
    findings = [each.remembered for each in stored if not each.is_forgotten]
    forgotten = len(stored) - len(findings)
    yield (
        f"{repository}: {counted(len(rules), 'rule')}, {counted(len(findings), 'remembered finding')}"
        f"{_outcomes(findings)}{f', {forgotten:,} forgotten' if forgotten else ''}"
    )
    if rules:
        rows = [(rule.id, day(rule.at), rule.by, f"#{rule.number}", rule.text) for rule in rules]
        yield ""
        yield from table_lines(("rule", "date", "by", "at", "sentence"), rows, width)
    if overridden := overridden_rules(findings):
        yield from ("", "Rules of the team that were overridden:", *map(visible_line, overridden))
    if findings:
        yield ""
        columns = ("finding", "severity", "outcome", "accepted by", "dismissed by", "path", "title")
        yield from table_lines(columns, [_cells(finding) for finding in findings], width)


def _outcomes(findings: Sequence[RememberedFinding]) -> str:
    """The number of findings with each outcome, the most frequent first: " (2 won't fix, 1 open)"."""
    counts = Counter(status_label(finding.outcome) for finding in findings).most_common()
    return f" ({', '.join(f'{number:,} {outcome}' for outcome, number in counts)})" if counts else ""


def _cells(finding: RememberedFinding) -> tuple[str, ...]:
    people = (", ".join(logins) or "-" for logins in (finding.accepted_by, finding.dismissed_by))
    return finding.name, finding.severity, status_label(finding.outcome), *people, finding.path, finding.title


def _as_json(rules: Sequence[Rule], stored: Sequence[StoredMemory]) -> dict[str, Any]:
    counts = Counter(each.remembered.outcome for each in stored if not each.is_forgotten)
    findings = [
        {"name": each.remembered.name, **asdict(each.remembered), "index": each.index, "forgotten": each.is_forgotten}
        for each in stored
    ]
    return {"rules": [asdict(rule) for rule in rules], "outcomes": dict(counts), "findings": findings}


def _find(memory: DynamoRepositoryMemory, arguments: argparse.Namespace) -> StoredMemory:
    """The remembered finding of this name, also one that was forgotten before. Raises CommandError."""
    name = _FINDING.fullmatch(arguments.id)
    found = memory.remembered(int(name[1])) if name else ()
    for each in found:
        if name and each.remembered.finding == name[2]:
            return each
    raise CommandError(f"{arguments.repo} has no rule and no remembered finding {arguments.id}.")
