"""Amounts, statuses and reasons as people read them, on the pages, in the report and in the terminal."""

from kodiai.core.model.messages import Usage

_SHORT = 7
_MINUTE, _HOUR = 60, 3600
_CENTS_FROM = 0.1  # US dollars; smaller amounts have more digits
_SMALLEST_SHOWN = 0.0001
_STATUSES = {"fixed": "resolved", "wont_fix": "won't fix"}


def short_sha(sha: str) -> str:
    """A commit as people know it: the first seven digits of its id."""
    return sha[:_SHORT]


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 file", "1,234 files"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """A duration: "12 ms", "3.2 s", "2 min 5 s", "2 h 1 min"."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    if seconds < _HOUR:
        return f"{int(seconds) // _MINUTE} min {int(seconds) % _MINUTE} s"
    return f"{int(seconds) // _HOUR} h {int(seconds) % _HOUR // _MINUTE} min"


def money(usd: float | None) -> str:
    """An amount in US dollars: "$0.00", "$0.0123", "$1.50"; None is an unknown one."""
    if usd is None:
        return "unknown"
    if 0 < usd < _SMALLEST_SHOWN:
        return f"under ${_SMALLEST_SHOWN}"
    return f"${usd:.2f}" if usd == 0 or usd >= _CENTS_FROM else f"${usd:.4f}"


def token_counts(usage: Usage) -> str:
    """All tokens that a model read and wrote: "5,000 tokens in (4,000 from cache), 300 out"."""
    cached = f" ({usage.cache_read_tokens:,} from cache)" if usage.cache_read_tokens else ""
    return f"{usage.prompt_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"


def model_calls(usage: Usage) -> str:
    """The calls of a model and their tokens: "model: 2 calls, 5,000 tokens in, 300 out"."""
    return f"model: {counted(usage.calls, 'call')}, {token_counts(usage)}" if usage.calls else "no model calls"


def status_label(status: str) -> str:
    """The status of a finding: "resolved", "won't fix", "acknowledged"."""
    return _STATUSES.get(status, status.replace("_", " "))
