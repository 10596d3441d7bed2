"""The order of all tests, a process that stays small, and short names for cases whose values are long."""

import ctypes
import gc
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import boto3
import botocore.session
import pytest
from hypothesis import settings

from kodiai.edges.aws import session
from local.aws.shapes import descriptions

settings.register_profile("patient", deadline=None)  # a loaded machine is slow, and that is no fault of a test
settings.load_profile("patient")

_LONGEST_ID = 80
_TIDIED_AFTER = 100  # tests
_MMAP_THRESHOLD = -3  # as in malloc.h


# Folders whose tests start whole systems, and are not all of one file's: each is handed out by itself.
_HANDED_OUT_ALONE = "specs"
_LONGEST_FIRST = ("cli", "browser", "cloudformation", "doors", "injection", "specs", "page", "edges", "template")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, which makes their fixtures once, and begin with the longest.

    In the end many short files keep all workers busy.
    """
    for item in items:
        if item.path.parent.name != _HANDED_OUT_ALONE and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(item.config.rootpath))))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return _LONGEST_FIRST.index(folder) if folder in _LONGEST_FIRST else len(_LONGEST_FIRST)


def pytest_collection_finish() -> None:
    """Look for garbage less often: nearly all objects belong to imported modules, and stay."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


class ImportedWhenUsed(ModuleType):
    """Stands where a module will, until something of it is used; pytest asks each name in a file for `__test__`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


class Tidying:
    """Gives memory back: large blocks when they are free, and every now and then garbage and what else is free."""

    def __init__(self) -> None:
        self._ended = 0
        self._libc = ctypes.CDLL(None)
        if hasattr(self._libc, "mallopt"):  # glibc has it, and raises this by itself up to 32 MB
            self._libc.mallopt(_MMAP_THRESHOLD, 128 * 1024)

    def pytest_runtest_logfinish(self) -> None:
        self._ended += 1
        if self._ended % _TIDIED_AFTER == 0:
            gc.collect()
            if hasattr(self._libc, "malloc_trim"):
                self._libc.malloc_trim(0)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the process small, a worker above all: its sessions share AWS's descriptions of services."""
    config.pluginmanager.register(Tidying())
    sys.modules["anthropic"] = ImportedWhenUsed("anthropic")  # 2,900 modules, 43 MB, for some hundred tests
    shared = botocore.session.get_session()
    for each in (session(), shared):
        each.register_component("data_loader", descriptions())
    boto3.setup_default_session(botocore_session=shared)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case by the beginning of a long text: reports and the terminal show the name."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_ID:
        return ascii(val[:_LONGEST_ID]).strip("b'\"")
    return None
