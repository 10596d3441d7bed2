"""Leaked secrets on the added lines of any text file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.kinds import is_prose, is_test
from local.model.offline import secret_shapes as shapes
from local.model.offline.changes import Change
from local.model.offline.kinds import is_fixture, is_settings
from local.model.offline.problem import Problem

_LONGEST_ASSIGNMENT_LINE = 1000
_SHOWN = 4
PRIVATE_KEY = "private key"
_GUESSED = "hard-coded secret"
_IN_ADDRESS = "password in an address"
NAMES = (*dict.fromkeys(shape.name for shape in shapes.SHAPES), PRIVATE_KEY, _GUESSED, _IN_ADDRESS)
"""What a leak can be called."""
_LEAST_QUOTE = 3
_LONGEST_QUOTE = 200
_KEY_HEADER_LINES = 4
_SAID_TO_BE_FAKE = re.compile(r"fake|dummy|example|not[- ]a[- ]?(real[- ])?secret|nosec|pragma: allowlist", re.I)
_LOCAL_HOST = re.compile(
    r"(localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker|example\.|.*\.(test|example|invalid|local)$|[a-z]+$)", re.I
)


@dataclass(frozen=True)
class Leak:
    """A secret on a line: what it is, where in the line its text begins, and the text, which is shown to nobody.

    `value` is empty for a key that only begins on this line.
    """

    line: int
    name: str
    severity: str
    start: int
    value: str

    @property
    def end(self) -> int:
        """Where in the line the secret ends."""
        return self.start + len(self.value)


def leaks(change: Change) -> list[Leak]:
    """Find the secrets on a change's added lines, from the top.

    What is found as a known shape is not guessed again; in tests and prose nothing is guessed.
    """
    found: list[Leak] = []
    for number, text in sorted(change.added.items()):
        here = [*_known(number, text), *_private_keys(change, number)]
        if len(text) <= _LONGEST_ASSIGNMENT_LINE and not _shows_examples(change.path):
            here += [guess for guess in _guessed(change.path, number, text) if not _overlaps(guess, here)]
        found += here
    return [_in_tests(leak) for leak in found] if _is_of_tests(change.path) else found


def _is_of_tests(path: str) -> bool:
    return is_test(path) or is_fixture(path)


def _in_tests(leak: Leak) -> Leak:
    """Weigh a leak in tests, whose keys, and private keys above all, are mostly made for them."""
    return replace(leak, severity="MINOR" if leak.name == PRIVATE_KEY else "MEDIUM")


def _shows_examples(path: str) -> bool:
    return _is_of_tests(path) or is_prose(path)


def _overlaps(guess: Leak, known: Sequence[Leak]) -> bool:
    return any(guess.start < each.end and each.start < guess.end for each in known)


def leak_problem(change: Change, leak: Leak, others: Sequence[Leak]) -> Problem:
    """Tell of a leak without repeating it, or any of the others: the first four characters at most."""
    line = change.added[leak.line]
    shown = f" (`{leak.value[:_SHOWN]}…`)" if leak.value else ""
    title = f"{_with_article(leak.name)} is in the code{shown}"
    why = (
        f"Everybody who can read the repository, its forks or its history can use it{shown} from now on. "
        "Deleting the line does not take it back: revoke it, then read the new one from the "
        "environment or a secret store."
    )
    if _is_of_tests(change.path):
        why = f"The file belongs to tests, so this may be made up; if it is not: {why[0].lower()}{why[1:]}"
    quote = visible_part(line, leak, others)
    place = (change.path, leak.line, leak.line)
    return Problem(f"leak of a {leak.name}", leak.severity, "security", "impact", *place, title, why, quote)


def visible_part(line: str, leak: Leak, others: Sequence[Leak] = ()) -> str:
    """The code of the line before the secret, with the secret's first characters if there is hardly any.

    What stands before another secret of the same line is left out, and so is what is far away.
    """
    ends = [other.end for other in others if other.line == leak.line and other.start < leak.start >= other.end]
    begin = max([0, leak.start - _LONGEST_QUOTE, *ends])
    before = line[begin : leak.start]
    return before.rstrip() if len(before.strip()) >= _LEAST_QUOTE else line[begin : leak.start + _SHOWN]


def without(value: str, words: str) -> str:
    """The words with every occurrence of a secret shortened."""
    return words.replace(value, value[:_SHOWN] + "…") if value else words


def _known(number: int, text: str) -> Iterator[Leak]:
    if _SAID_TO_BE_FAKE.search(text):
        return
    taken: list[range] = []
    for shape in shapes.SHAPES:
        for match in shape.pattern.finditer(text):
            start, value = match.start("value"), match["value"]
            if any(start in span for span in taken) or not shapes.looks_filled_in(value):
                continue
            if shape.name == "JSON web token" and not shapes.is_web_token(value):
                continue
            taken.append(range(start, match.end("value")))
            yield Leak(number, shape.name, shape.severity, start, value)


def _private_keys(change: Change, number: int) -> Iterator[Leak]:
    """The header of a private key, if the key follows: code that only looks for headers is no leak."""
    text = change.added[number]
    match = shapes.PRIVATE_KEY.search(text)
    if match and not _SAID_TO_BE_FAKE.search(text):
        rest = text[match.end() :]
        after = [rest, *(change.added.get(number + step, "") for step in range(1, _KEY_HEADER_LINES + 1))]
        if any(shapes.KEY_MATERIAL.search(line) for line in after):
            yield Leak(number, PRIVATE_KEY, "CRITICAL", match.end(), rest if shapes.KEY_MATERIAL.search(rest) else "")


def _guessed(path: str, number: int, text: str) -> Iterator[Leak]:
    if _SAID_TO_BE_FAKE.search(text) or _SAID_TO_BE_FAKE.search(path):
        return
    patterns = [shapes.ASSIGNED_QUOTED, *([shapes.ASSIGNED_BARE] if is_settings(path) else [])]
    for pattern in patterns:
        for match in pattern.finditer(text):
            if shapes.looks_secret(match["name"], match["value"]):
                yield Leak(number, _GUESSED, "MAJOR", match.start("value"), match["value"])
    for match in shapes.URL_PASSWORD.finditer(text):
        if not _LOCAL_HOST.match(match["host"]) and shapes.looks_secret("", match["value"]):
            yield Leak(number, _IN_ADDRESS, "MAJOR", match.start("value"), match["value"])


def _with_article(name: str) -> str:
    return f"{'An' if name[0] in 'AEIOU' else 'A'} {name}"
