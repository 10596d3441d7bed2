"""Reliability, speed, tests and tidiness."""

from local.model.offline.rules.rule import Rule, impact, preference


def _fragile(severity: str, title: str | None = None, mechanism: str | None = None) -> Rule:
    return impact(severity, "reliability", title, mechanism)


def _blocks(what: str, severity: str = "MEDIUM") -> Rule:
    return impact(
        severity,
        "performance",
        f"{what} blocks the event loop",
        "While this call waits, no other task of the loop runs: every other request stands still.",
    )


_ALWAYS_PASSES = "The check can never fail, so the test would not notice a regression."

CARE: dict[str, Rule] = {
    "E722": preference(
        "MEDIUM",
        "reliability",
        "A bare `except`",
        "It also catches KeyboardInterrupt, SystemExit and misspelt names: name the exceptions that are expected.",
    ),
    "S113": _fragile(
        "MEDIUM",
        "A network call without timeout",
        "A server that accepts the connection and never answers holds this thread for ever.",
    ),
    "B012": _fragile(
        "MAJOR",
        "`{0}` in `finally` swallows the exception",
        "Leaving the block this way drops the exception that is under way: the failure is never seen.",
    ),
    "B022": _fragile(
        "MEDIUM", "`suppress()` without an exception", "It suppresses nothing: the block fails as if it were not there."
    ),
    "PLW2101": _fragile(
        "MAJOR",
        "A lock that nobody else can hold",
        "A new lock is made on each entry, so two threads never wait for each other.",
    ),
    "RUF006": _fragile(
        "MEDIUM",
        "A task that nobody holds",
        "The loop keeps only a weak reference: the task can be collected in the middle of its work, "
        "and its exception is lost.",
    ),
    "T100": _fragile(
        "MAJOR", "A debugger is left in the code", "The process stops at this line and waits for a terminal."
    ),
    "ASYNC100": _fragile(
        "MEDIUM",
        "A timeout around code that never awaits",
        "Only an `await` can be cut off: the timeout has no effect.",
    ),
    "ASYNC105": _fragile("MAJOR", "A coroutine is not awaited", "The call only makes a coroutine: nothing of it runs."),
    "ASYNC210": _blocks("A blocking HTTP call"),
    "ASYNC220": _blocks("Starting a process this way"),
    "ASYNC221": _blocks("Running a process this way"),
    "ASYNC222": _blocks("Waiting for a process this way"),
    "ASYNC250": _blocks("`input()`"),
    "ASYNC251": _blocks("`time.sleep`", "MAJOR"),
    "PT010": impact(
        "MEDIUM", "tests", "`pytest.raises` without an exception", "The call itself fails with TypeError or ValueError."
    ),
    "PT014": preference("MINOR", "tests", "The same case stands twice in a parametrization"),
    "PLW0129": impact("MEDIUM", "tests", "An assert on a string", _ALWAYS_PASSES),
    "RUF030": preference("MINOR", "tests", "`print()` as an assert message", "It prints, and the message is `None`."),
    "B021": preference("MINOR", "documentation", "An f-string is no docstring", "`help()` and `__doc__` show nothing."),
    "F401": preference(
        "MINOR", "style", "`{0}` is imported and not used", "It costs import time and misleads the reader."
    ),
}
