"""A day of the system at DEBUG: roles and tokens permit what it does and no more, and no line has a secret."""

import json
from collections import defaultdict

from tests.functions.doors.conftest import Day

# GitHub gives it to every token.
IMPLIED = {"metadata:read"}

# What the functions never ask for themselves: each action, or action and resource, with the reason why a role has it.
WITHOUT_A_CALL = {
    "logs:CreateLogStream": "Lambda writes the log with the role of the function.",
    "logs:PutLogEvents": "Lambda writes the log with the role of the function.",
    "sqs:ReceiveMessage": "The event source mapping polls the queue with the role of the function.",
    "sqs:DeleteMessage": "The event source mapping deletes what the function is done with.",
    "sqs:GetQueueAttributes": "The event source mapping looks at the queue before it polls.",
}


def test_a_function_may_do_nothing_that_it_does_not_do(day: Day) -> None:
    """A right that nobody uses is only of use to somebody else. The other direction is refused anyway.

    A right that is given to a role is used in the day above, or named with who uses it for the function.
    """
    assert {right for right in day.given - day.used if right[1] not in WITHOUT_A_CALL} == set()


def test_an_exception_that_no_role_needs_is_not_listed(day: Day) -> None:
    """The exceptions above go as soon as a function does it itself, or no role has the right any more."""
    assert {action for _, action, _ in day.used} & WITHOUT_A_CALL.keys() == set()
    assert WITHOUT_A_CALL.keys() - {action for _, action, _ in day.given} == set()


def test_a_token_may_do_nothing_that_is_not_done_with_its_like(day: Day) -> None:
    """One of all tokens with the same permissions needs each of them. GitHub refuses the others."""
    alike = defaultdict(list)
    for token in day.tokens:
        alike[frozenset((token.permissions or {}).items())].append(token)

    unused = {kind: set.intersection(*(token.unused for token in tokens)) for kind, tokens in alike.items()}

    assert {kind: names - IMPLIED for kind, names in unused.items()} == {kind: set() for kind in alike}


def test_no_line_of_a_day_at_debug_has_a_secret(day: Day) -> None:
    """Neither a key, a token or a signature, nor code, nor what people say, also where a service repeats it."""
    levels = {line.get("level") for line in day.lines}
    assert {"DEBUG", "INFO"} <= levels
    logged = json.dumps(day.lines, ensure_ascii=False)
    assert [secret for secret in day.secrets if secret in logged] == []
