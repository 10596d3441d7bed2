"""Problems in a file of any kind: a leaked secret, or a merge conflict that was committed with its markers."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from kodiai.core.changes.kinds import is_prose, is_test
from kodiai.core.text.secrets import Secret, masked, secrets_in
from local.model.offline.problem import Problem

SECRETS, CONFLICTS = "Search for secrets", "Search for merge conflicts"
_OFTEN_MADE_UP = "a password in an address"
_SAID_TO_BE_FAKE = re.compile(r"fake|dummy|example|not[- ]a[- ]?(real[- ])?secret|nosec|pragma: allowlist", re.I)
_MADE_UP = "The file belongs to tests, so this may be made up. If it is not:"
_LEAKED = "Everybody who can read the repository, its forks or its history can use it. Deleting the line is not enough."
_REVOKE = "Revoke it; read the new one from a secret store."
_MERGE = "Merge the two sides, and delete the markers."
_LEAST_QUOTE, _LONGEST_QUOTE, _SHOWN = 3, 200, 4
_CONFLICT = re.compile(
    r"^<{7}(?: .*)?\r?$(?:\n(?!<{7}).*)*?\n={7}\r?$(?:\n(?!<{7}).*)*?\n>{7}(?: .*)?\r?$", re.MULTILINE
)
_FIXTURE = re.compile(
    r"(^|/)(testdata|test[_-]data|fixtures?|goldens?|__snapshots__|snapshots?|cassettes)/"
    r"|(^|/)(tests?|testing|specs?|__tests__)/(.+/)?(data|samples?|examples?|inputs?|outputs?|expected)/",
    re.I,
)


_MASKS = tuple(
    (name, re.compile(rf"(?<![A-Za-z0-9_-])(?P<value>(?:{start})…)"))
    for name, start in (
        ("an AWS access key", "A[KSBC][IC]A"),
        ("a GitHub token", "gh[pousr]_|gith"),
        ("a GitLab token", "glpa|glag|glcb|gldt|glff|glft|glim|gloa|glpt|glrt|glso"),
        ("an Anthropic key", "sk-a"),
        ("an OpenAI key", "sk-[b-zA-Z0-9]"),
        ("a Slack token", "xox[a-z]|xapp"),
        ("a Google API key", "AIza"),
        ("a Google OAuth secret", "GOCS|ya29"),
        ("a Stripe key", "[rs]k_[lt]|whse"),
        ("a SendGrid key", r"SG\.[\w-]"),
        ("an npm token", "npm_"),
        ("a PyPI token", "pypi"),
        ("a Hugging Face token", "hf_[A-Za-z0-9]"),
        ("a JSON web token", r"eyJ[\w-]"),
    )
)
_LONG_MASKS = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?P<value>\s*…(?:\s*…)*+)")),
    ("an AWS secret key", re.compile(r"(?i:secret[_ -]?(?:access[_ -]?)?key)[^\n]{0,12}?(?P<value>[A-Za-z0-9/+]{4}…)")),
)


@dataclass(frozen=True)
class Leak:
    """A secret on the lines from `line` to `last_line`; `start` and `end` say where it is on the first one."""

    line: int
    last_line: int
    name: str
    start: int
    end: int
    value: str
    shown: str


def is_fixture(path: str) -> bool:
    """Material of tests, such as an input or an expected output: data, whatever language it is written in."""
    return _FIXTURE.search(path) is not None


def leaks(lines: Mapping[int, str]) -> list[Leak]:
    """Find the secrets in numbered lines, from the top; of those that overlap the first kind counts."""
    numbers, text = sorted(lines), "\n".join(lines[number] for number in sorted(lines))
    starts = [0, *accumulate(len(lines[number]) + 1 for number in numbers)]
    found: list[Leak] = []
    taken: list[range] = []
    for secret in (*secrets_in(text), *_masks_in(text)):
        at, last = (bisect_right(starts, place) - 1 for place in (secret.start, secret.end - 1))
        line = lines[numbers[at]]
        if secret.name == _OFTEN_MADE_UP or _SAID_TO_BE_FAKE.search(line):
            continue
        if any(secret.start < span.stop and span.start < secret.end for span in taken):
            continue
        taken.append(range(secret.start, secret.end))
        start, end = secret.start - starts[at], min(secret.end - starts[at], len(line))
        value = text[secret.start : secret.end]
        found.append(Leak(numbers[at], numbers[last], secret.name, start, end, value, secret.shown))
    return sorted(found, key=lambda leak: (leak.line, leak.start))


def _masks_in(text: str) -> Iterator[Secret]:
    """The secrets of a text that a model is shown masked: their first characters say what they are."""
    for name, pattern in (*_MASKS, *_LONG_MASKS):
        for found in pattern.finditer(text):
            yield Secret(name, *found.span("value"), found["value"].strip("…\n")[:_SHOWN])


def leak_problems(path: str, lines: Mapping[int, str], found: Sequence[Leak]) -> Iterator[Problem]:
    """Report leaks without repeating them, but for their first characters."""
    made_up = is_test(path) or is_fixture(path)
    for leak in found:
        shown = f" (`{leak.shown}…`)" if leak.shown else ""
        yield Problem(
            check=SECRETS,
            severity="MEDIUM" if made_up else "CRITICAL",
            category="security",
            kind="impact",
            path=path,
            line=leak.line,
            title=f"{leak.name[0].upper()}{leak.name[1:]} is in the code{shown}",
            why=f"{_MADE_UP} {_LEAKED}" if made_up else _LEAKED,
            quote=_visible(lines[leak.line], leak, [each for each in found if each.line == leak.line]),
            fix=_REVOKE,
        )


def without_secrets(problem: Problem, found: Sequence[Leak]) -> Problem:
    """The problem without the secrets on its line."""
    problem = replace(problem, title=masked(problem.title))
    here = [leak for leak in found if leak.line == problem.line]
    return replace(problem, quote=_visible(problem.quote, here[0], here), replacement=None) if here else problem


def _visible(line: str, leak: Leak, here: Sequence[Leak]) -> str:
    """The code between the secret before it on the line, if any, and this one; if that is little, with its start."""
    begin = max([0, leak.start - _LONGEST_QUOTE, *(other.end for other in here if other.start < leak.start)])
    before = line[begin : leak.start]
    return before.rstrip() if len(before.strip()) >= _LEAST_QUOTE else line[begin : leak.start + _SHOWN]


def conflict_problems(path: str, lines: Mapping[int, str]) -> Iterator[Problem]:
    """Report each conflict whose three markers, opening, parting and closing, are on these lines."""
    numbers, text = sorted(lines), "\n".join(lines[number] for number in sorted(lines))
    for conflict in _CONFLICT.finditer(text):
        first = text.count("\n", 0, conflict.start())
        last = first + conflict[0].count("\n")
        yield Problem(
            check=CONFLICTS,
            severity="MAJOR" if is_prose(path) else "CRITICAL",
            category="correctness",
            kind="impact",
            path=path,
            line=numbers[first],
            title="A merge conflict is left in the file",
            why=f"The lines from here to line {numbers[last]} have both sides of a merge, and git's own markers.",
            quote=lines[numbers[first]].rstrip("\r"),
            fix=_MERGE,
        )
