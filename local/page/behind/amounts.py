"""Times and money as the tab writes them."""

_SMALLEST_SHOWN = 0.0001
_MINUTE = 60


def duration(seconds: float) -> str:
    """Write a duration: "12 ms", "3.21 s", "2 min 5 s"."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.2f} s" if seconds % 1 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes} min {rest} s"


def money(usd: float | None) -> str:
    """Write what something cost in US dollars, None where no price is known."""
    if usd is None:
        return "price unknown"
    if usd == 0:
        return "nothing"
    return f"${usd:.4f}" if usd >= _SMALLEST_SHOWN else f"under ${_SMALLEST_SHOWN}"
