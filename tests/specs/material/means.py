"""Eight functions with the same problem, and many words for it."""

from collections.abc import Iterable, Sequence

from tests.specs.adversaries import at
from tests.specs.scripts import Json

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")
FUNCTION = """def mean_$(prices_$):
    total_$ = sum(prices_$)
    mean_$ = total_$ / len(prices_$)
    log_$(mean_$)
    return mean_$
"""
BUG = "mean_$ = total_$ / len(prices_$)"
NEXT = "log_$(mean_$)"
WORDINGS = (
    ("An empty list of $ raises ZeroDivisionError", BUG),
    ("$: what if nobody ordered anything?", "total_$ / len(prices_$)"),
    ("len(prices_$) may be 0", f"total_$ = sum(prices_$)\n    {BUG}"),
    ("Durchschnitt von $ ohne Werte", NEXT),
    ("The request for $ fails with status 500 on the first day", f"{BUG}\n    {NEXT}"),
)
"""A title and a quote for the same problem, `$` being a name; the fourth quotes another line."""


def code(names: Iterable[str] = NAMES) -> str:
    """A file with a function for each name."""
    return "\n\n".join(FUNCTION.replace("$", name) for name in names)


def found(path: str, text: str, name: str, title: str, quote: str = BUG, **more: object) -> Json:
    """A finding about one of the functions."""
    return at(path, text, quote.replace("$", name), title.replace("$", name), **more)


def first(path: str, text: str, names: Iterable[str] = NAMES) -> list[Json]:
    """One finding about each function."""
    return [found(path, text, name, "The mean of $ divides by zero") for name in names]


def reworded(path: str, text: str, names: Iterable[str] = NAMES, wordings: Sequence[int] = range(5)) -> list[Json]:
    """The same problems in other words, each this number of times."""
    return [found(path, text, name, *WORDINGS[number]) for name in names for number in wordings]


def name_in(text: str) -> str:
    """Which function a quote is about."""
    [name] = {name for name in NAMES if f"_{name}" in text}
    return name


def known(candidate: Json, earlier: Sequence[Json]) -> Json:
    """The ruling of somebody who knows each problem: a function has one."""
    about = name_in(candidate["quote"])
    return {"fate": "known", "known": next(row["finding"] for row in earlier if name_in(row["quote"]) == about)}
