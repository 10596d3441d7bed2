"""What leaked secrets look like, and what only looks like one."""

import base64
import json
import math
import re
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """A kind of secret: the group `value` of its pattern is what must not be repeated."""

    name: str
    pattern: re.Pattern[str]
    severity: str = "CRITICAL"


def _shape(name: str, pattern: str, severity: str = "CRITICAL") -> Shape:
    return Shape(name, re.compile(pattern), severity)


_WORD = r"(?<![A-Za-z0-9_-])"

SHAPES: tuple[Shape, ...] = (
    _shape("AWS access key id", r"(?<![A-Z0-9])(?P<value>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Z0-9])"),
    _shape("GitHub token", rf"{_WORD}(?P<value>ghs_\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+)"),
    _shape("GitHub token", rf"{_WORD}(?P<value>gh[pousr]_[A-Za-z0-9]{{36,}})"),
    _shape("GitHub token", rf"{_WORD}(?P<value>github_pat_[A-Za-z0-9]{{20,}}_[A-Za-z0-9]{{50,}})"),
    _shape("GitLab token", rf"{_WORD}(?P<value>glpat-[\w-]{{20,}})"),
    _shape("Slack token", rf"{_WORD}(?P<value>(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{{20,}})"),
    _shape("Slack webhook", r"(?P<value>hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,})"),
    _shape("Google API key", rf"{_WORD}(?P<value>AIza[\w-]{{35}})(?![\w-])"),
    _shape("Google OAuth secret", rf"{_WORD}(?P<value>GOCSPX-[\w-]{{28}})(?![\w-])"),
    _shape("Google OAuth token", rf"{_WORD}(?P<value>ya29\.[\w-]{{30,}})"),
    _shape("Stripe live key", rf"{_WORD}(?P<value>[rs]k_live_[A-Za-z0-9]{{16,}})"),
    _shape("Stripe test key", rf"{_WORD}(?P<value>[rs]k_test_[A-Za-z0-9]{{16,}})", "MEDIUM"),
    _shape("Stripe webhook secret", rf"{_WORD}(?P<value>whsec_[A-Za-z0-9+/]{{24,}})"),
    _shape("Anthropic API key", rf"{_WORD}(?P<value>sk-ant-[\w-]{{24,}})"),
    _shape("OpenAI API key", rf"{_WORD}(?P<value>sk-(?:(?:proj|svcacct|admin)-[\w-]{{32,}}|[A-Za-z0-9]{{40,}}))"),
    _shape("SendGrid key", rf"{_WORD}(?P<value>SG\.[\w-]{{20,24}}\.[\w-]{{39,50}})"),
    _shape("npm token", rf"{_WORD}(?P<value>npm_[A-Za-z0-9]{{36}})(?![A-Za-z0-9])"),
    _shape("PyPI token", rf"{_WORD}(?P<value>pypi-AgE[\w-]{{50,}})"),
    _shape("Hugging Face token", rf"{_WORD}(?P<value>hf_[A-Za-z]{{34}})(?![A-Za-z0-9])"),
    _shape("DigitalOcean token", rf"{_WORD}(?P<value>do[opr]_v1_[a-f0-9]{{64}})"),
    _shape("JSON web token", rf"{_WORD}(?P<value>eyJ[\w-]{{8,}}\.eyJ[\w-]{{8,}}\.[\w-]{{16,}})", "MAJOR"),
)

PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
KEY_MATERIAL = re.compile(r"(?:[A-Za-z0-9+/=]|\\n){40,}")
URL_PASSWORD = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]*:(?P<value>[^\s:/@'\"]{6,})@(?P<host>[\w.-]+)", re.I)

_NAME = (
    r"(?P<name>[\w.-]{0,60}(?:secret|passw(?:or)?d|passphrase|token|api[_-]?key|access[_-]?key|auth[_-]?key"
    r"|private[_-]?key|secret[_-]?key|encryption[_-]?key|signing[_-]?key|credential)s?(?:[_-]?\w{1,20}){0,2})"
)
ASSIGNED_QUOTED = re.compile(
    rf"{_NAME}[\"'\]]{{0,2}}\s*(?::\s*\w+\s*)?(?::=|=>|[:=])\s*[bru]?([\"'])(?P<value>[^\"'\s]{{8,200}})\2", re.I
)
ASSIGNED_BARE = re.compile(rf"^\s*(?:export\s+|-\s+)?{_NAME}\s*[:=]\s*(?P<value>[^\s\"'#]{{10,200}})\s*$", re.I)

_NAME_OF_NO_SECRET = re.compile(
    r"(type|url|uri|name|path|file|dir|field|header|prefix|suffix|regex|pattern|format|endpoint|env|env_?var|count|limit"
    r"|length|len|size|id|ids|label|title|help|message|prompt|placeholder|hint|key_?name|param|class|algorithm|scheme|expiry"
    r"|expires(_in)?|ttl|timeout|policy|min|max|index|hash(ed)?|public|arn|ref|reference|source|kind|location|version)s?$",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"example|change.?me|place.?holder|dummy|fake|mock|sample|todo|fixme|x{4,}|\*{3,}|\.{3}|your[-_]|my[-_]|insert|redacted"
    r"|replace|password|passwd|secret|token|foobar|foo[-_]|test|demo|invalid|abcdef|qwerty|123456|0{6,}|a{6,}|deadbeef|cafebabe"
    r"|none|null|undefined|default|not[-_]?a?[-_]?real|[<>{}$%]",
    re.I,
)
_PLACEHOLDER_IN_SHAPE = re.compile(
    r"example|change.?me|place.?holder|dummy|fake|redacted|x{6,}|\*{3,}|\.{3}|your|1234567890|abcdefghij|[<>{}$%]|(.)\1{7,}",
    re.I,
)
_WORDS = re.compile(r"(?:[A-Za-z]+\d{0,2}|\d{1,4})(?:[-_./:+@#,;=&?~| ](?:[A-Za-z]+\d{0,2}|\d{1,4})?)*")
_LEAST_BITS = 2.8
_LEAST_VARIETY = 8


def looks_filled_in(value: str) -> bool:
    """Whether a value of a known shape is a real one and no placeholder."""
    return len(set(value)) >= _LEAST_VARIETY and _PLACEHOLDER_IN_SHAPE.search(value) is None


def looks_secret(name: str, value: str) -> bool:
    """Whether a value that is given to a name of a secret is one: mixed and random, neither words nor a placeholder."""
    if _NAME_OF_NO_SECRET.search(name) or _PLACEHOLDER.search(value) or _WORDS.fullmatch(value):
        return False
    mixed = re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
    return bool(mixed) and len(set(value)) >= _LEAST_VARIETY and bits_per_character(value) >= _LEAST_BITS


def bits_per_character(value: str) -> float:
    """The Shannon entropy of a text's characters."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def is_web_token(value: str) -> bool:
    """Whether the text's first part is really a JWT header."""
    head = value.split(".", maxsplit=1)[0]
    try:
        decoded = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except ValueError:
        return False
    return isinstance(decoded, dict) and "alg" in decoded
