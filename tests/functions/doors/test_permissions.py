"""A day of the system at DEBUG: roles and tokens permit what it does and no more, and no line has a secret."""

import json
from collections import defaultdict
from typing import Any

from local.lambdas.template import read_template
from local.machine import TEMPLATE
from tests.functions.doors.conftest import Day

# GitHub gives it to every token.
IMPLIED = {"metadata:read"}
ROLES = ("IngestRole", "ProposalsRole", "ReviewRole", "MentionRole")

# Lambda writes the logs and polls the queues with the role of the function.
OF_LAMBDA = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}


def allowed() -> set[tuple[str, str]]:
    """Each role with each action of its statements, in a deployment with all parameters as they are by default."""
    resources: dict[str, Any] = read_template(TEMPLATE)["Resources"]
    statements = [
        (role, each["Fn::If"][1] if "Fn::If" in each else each)
        for role in ROLES
        for policy in resources[role]["Properties"]["Policies"]
        for each in policy["PolicyDocument"]["Statement"]
    ]
    return {(role, action) for role, statement in statements for action in statement["Action"]}


def test_a_function_may_do_nothing_that_it_does_not_do(day: Day) -> None:
    """A permission that nobody uses is only of use to somebody else. The other direction is refused anyway."""
    assert {pair for pair in allowed() - day.used if pair[1] not in OF_LAMBDA} == set()


def test_what_is_not_used_is_not_listed_as_if_it_were(day: Day) -> None:
    """The exceptions above go as soon as a function does it itself; nothing was used that is not allowed."""
    assert day.used <= allowed()
    assert {action for _, action in day.used} & OF_LAMBDA == set()


def test_a_token_may_do_nothing_that_is_not_done_with_its_like(day: Day) -> None:
    """Of all tokens with the same permissions one at least needs each of them. What they lack GitHub refuses."""
    alike = defaultdict(list)
    for token in day.tokens:
        alike[frozenset((token.permissions or {}).items())].append(token)

    unused = {kind: set.intersection(*(token.unused for token in tokens)) for kind, tokens in alike.items()}

    assert {kind: names - IMPLIED for kind, names in unused.items()} == {kind: set() for kind in alike}


def test_at_debug_no_line_of_a_day_has_a_secret(day: Day) -> None:
    """Neither a key, a token or a signature, nor code, nor what people say, also where a service repeats it."""
    levels = {line.get("level") for line in day.lines}
    assert {"DEBUG", "INFO"} <= levels
    logged = json.dumps(day.lines, ensure_ascii=False)
    assert [secret for secret in day.secrets if secret in logged] == []
