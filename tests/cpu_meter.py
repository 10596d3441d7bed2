"""Where the CPU of the tests goes: a pytest plugin, used by `make test-cpu`.

A child process counts where it ends. What a session's fixtures start ends with the session, in the last teardown.
"""

import json
import os
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

_MOST_FILES, _MOST_FIXTURES = 40, 25
_LEAST_SECONDS = 0.05


def pytest_configure(config: pytest.Config) -> None:
    """Measure in each worker, or in the only process, and report in the first one."""
    config.pluginmanager.register(CpuMeter(config), "cpu meter itself")


class CpuMeter:
    """CPU seconds by phase, by file and by fixture; the values of all workers are added up."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._used: dict[str, dict[str, float]] = {kind: defaultdict(float) for kind in ("phase", "file", "fixture")}

    def pytest_collection_finish(self) -> None:
        """Everything until now was imports and collection."""
        self._used["phase"]["imports and collection"] += _cpu()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._measured(item, "setup"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        is_random = hasattr(getattr(getattr(item, "function", None), "hypothesis", None), "inner_test")
        return (yield from self._measured(item, "hypothesis" if is_random else "call"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._measured(item, "teardown"))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        before = _cpu()
        try:
            return (yield)
        finally:
            where = f"{fixturedef.argname} ({fixturedef.scope}, {fixturedef.baseid or 'plugin'})"
            self._used["fixture"][where] += _cpu() - before

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the values of a worker over."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cpu"] = json.dumps(self._used)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the values of a worker."""
        for kind, values in json.loads(node.workeroutput.get("cpu", "{}")).items():
            for name, seconds in values.items():
                self._used[kind][name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for kind, most in (("phase", None), ("file", _MOST_FILES), ("fixture", _MOST_FIXTURES)):
            terminalreporter.section(f"CPU seconds by {kind}")
            for name, seconds in sorted(self._used[kind].items(), key=lambda each: -each[1])[:most]:
                if seconds >= _LEAST_SECONDS:
                    terminalreporter.write_line(f"{seconds:7.1f}  {name}")

    def _measured(self, item: pytest.Item, phase: str) -> Generator[None, Any, Any]:
        before = _cpu()
        try:
            return (yield)
        finally:
            used = _cpu() - before
            self._used["phase"][phase] += used
            self._used["file"][item.nodeid.partition("::")[0]] += used


def _cpu() -> float:
    """CPU seconds of this process and its ended children."""
    return sum(os.times()[:4])
