"""The mutations of inputs, and what a run of them found."""

import json
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tests.fuzz.targets import Target

MOST_SECONDS = 5
"""The processor seconds that one input may take."""
_LONGEST = 4_000
_TOKENS = (
    "\n", "\r\n", "\0", " ", "\t", "`", "```", "~~~", "@", "@kodiai", "/merge", "<", ">", "<!--", "-->", "&", "&#0;", "[", "]",
    "](", "(", ")", "{", "}", '"', "'", "\\", "|", "*", "**", "_", "#", "-", "+", "@@", "@@ -1,0 +9999999999 @@", "---", "+++",
    "diff --git a/x b/x", "/dev/null", "..", "\u202e", "\u200b", "\u2060", "\ufe0f", "\ud800", "\U0001f469", "é", "漢", "0",
    "-1", "1e999", "99999999999999999999", "null", "true", "[]", "{}", "NaN", "://", "www.", "ghp_", "…", "*a: &a", "<<:",
    "!!python/object:x", "%", "? ", ": ", "- ", "    ", "\x1b[0m", "\u2028",
)  # fmt: skip


_ODD: tuple[Any, ...] = (None, True, 0, -1, 10**30, 1.5, "", "x" * 3_000, [], {}, [[]], {"a": {}})


@dataclass
class Found:
    """The result for one target; `failures` are an input each with what was raised."""

    name: str
    inputs: int = 0
    refused: int = 0
    slowest: float = 0.0
    largest: int = 0
    failures: dict[str, str] = field(default_factory=dict)


class TooSlow(BaseException):
    """An input takes longer than it may; no reader catches this by mistake."""


def fuzz(target: Target, inputs: int, seed: int) -> Found:
    """Run a target on this number of inputs, the seeds first. The same seed gives the same inputs."""
    found = Found(target.name)
    chance = random.Random(f"{seed}-{target.name}")
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        kept = list(target.seeds)
        for at in range(inputs):
            is_seed = at < len(target.seeds)
            text = target.seeds[at] if is_seed else _next(kept, chance)
            if _try(target, text, found) and not is_seed:
                _keep(text, kept, len(target.seeds), chance)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return found


def _stop(_: int, __: FrameType | None) -> None:
    raise TooSlow


def _try(target: Target, text: str, found: Found) -> bool:
    """Run the target on a text; whether it was accepted."""
    is_accepted = False
    start = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        target.run(text)
        is_accepted = True
    except target.errors:
        found.refused += 1
    except (Exception, TooSlow) as error:
        found.failures.setdefault(f"{type(error).__name__}: {error}"[:200], text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    found.inputs += 1
    found.slowest = max(found.slowest, time.thread_time() - start)
    found.largest = max(found.largest, len(text))
    return is_accepted


def _next(kept: list[str], chance: random.Random) -> str:
    """A mutation of a seed, or of an earlier mutation that was accepted."""
    text = chance.choice(kept)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        text = _mutated(text, kept, chance)[:_LONGEST]
    return text


def _keep(text: str, kept: list[str], seeds: int, chance: random.Random) -> None:
    """Keep a text for further mutations, at first always, then in the place of another one now and then."""
    if len(kept) < seeds + 200:
        kept.append(text)
    elif chance.random() < 0.02:
        kept[chance.randrange(seeds, len(kept))] = text


def _mutated(text: str, kept: list[str], chance: random.Random) -> str:
    """One mutation: of characters, of lines, of two inputs, or of the values within JSON."""
    if text[:1] in ("{", "[") and chance.random() < 0.8:
        return _with_other_value(text, chance)
    kind = chance.randrange(9)
    a, b = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    match kind:
        case 0:
            return text[:a] + chance.choice(_TOKENS) + text[a:]
        case 1:
            return text[:a] + text[min(b, a + chance.randint(1, 40)) :]
        case 2:
            return text[:a] + text[a : min(b, a + 60)] * chance.choice((2, 3, 9, 50)) + text[b:]
        case 3:
            return text[:a] + chance.choice(_TOKENS) * chance.choice((2, 20, 300)) + text[b:]
        case 4:
            other = chance.choice(kept)
            return text[:a] + other[chance.randint(0, len(other)) :]
        case 5:
            lines = text.split("\n")
            chance.shuffle(lines)
            return "\n".join(lines)
        case 6:
            return text[:a] + chr(chance.choice((chance.randrange(128), chance.randrange(0x11000)))) + text[a + 1 :]
        case 7:
            return text[:b]
    return _with_other_value(text, chance)


def _with_other_value(text: str, chance: random.Random) -> str:
    """JSON with one value replaced, moved or repeated; another text as it is."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text.swapcase()
    places = list(_places(data))
    if not places:
        return text
    holder, key = chance.choice(places)
    other_holder, other_key = chance.choice(places)
    holder[key] = chance.choice((*_ODD, chance.choice(_TOKENS), json.loads(json.dumps(other_holder[other_key]))))
    try:
        return json.dumps(data, ensure_ascii=chance.random() < 0.5)
    except (ValueError, RecursionError):
        return text


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(data, dict | list):
        for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
            yield data, key
            yield from _places(value)
