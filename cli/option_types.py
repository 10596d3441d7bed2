"""The types of option values: each is checked while it is read, before anything is started or paid for.

Each raises ArgumentTypeError, with the value and the form that it should have.
"""

import os
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

_DURATION = re.compile(r"(\d{1,4})([smh]?)", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600}
_LAST_PORT = 65_535
_MOST_DAYS = 3_650


def _text(pattern: str, form: str) -> Callable[[str], str]:
    """The type of texts that match a pattern."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ArgumentTypeError(f"{text!r} is not {form}")
        return text

    return read


def _number(form: str, least: int = 1, most: int = 10**15) -> Callable[[str], int]:
    """The type of whole numbers."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,16}", text) or not least <= int(text) <= most:
            raise ArgumentTypeError(f"{text!r} is not {form}")
        return int(text)

    return read


def _assignment(pattern: str, example: str) -> Callable[[str], tuple[str, str]]:
    """The type of names with their values."""

    def read(text: str) -> tuple[str, str]:
        found = re.fullmatch(pattern, text, re.DOTALL)
        if found is None:
            raise ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as {example}")
        return found[1], found[2]

    return read


pull_request = _text(r"[\w.-]+/[\w.-]+#[1-9]\d{0,9}", "OWNER/REPO#N, such as acme/shop#12")
repository = _text(r"[\w.-]+/[\w.-]+", "OWNER/NAME, such as acme/shop")
# It becomes part of the names of all resources.
stage = _text(r"[a-z][a-z0-9-]{0,19}", "a stage: up to 20 small letters, digits and hyphens, a letter first")
number = _number("the number of a pull request, such as 12")
repository_id = _number("the ID of a repository, such as 123456")
seconds = _number("a number of seconds, such as 900")
generation = _number("the generation of a claim, such as 1")
merged = _number("a number of pull requests from 1 to 100", most=100)
days = _number(f"a number of days from 1 to {_MOST_DAYS}", most=_MOST_DAYS)
# 0 is any port that is free.
port = _number(f"a port: give a number from 1 to {_LAST_PORT}", least=0, most=_LAST_PORT)
template_parameter = _assignment("([A-Za-z0-9]+)=(.*)", "ReviewConcurrency=5")
# A deployment has no empty values.
setting = _assignment(r"([^=]+)=(.*\S.*)", "limits/answer-seconds=800")


def duration(text: str) -> int:
    """Read a duration in seconds, minutes or hours, such as 90, 90s, 10m or 1h; in seconds."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is not a duration, such as 90s or 10m")
    return int(found[1]) * _SECONDS[found[2]]


def url(text: str) -> str:
    """Read the URL of an HTTP server."""
    if not is_url(text):
        raise ArgumentTypeError(f"{text!r} is not a URL, such as http://127.0.0.1:4566")
    return text


def is_url(text: str) -> bool:
    """Whether this is the URL of an HTTP server."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def folder(text: str) -> Path:
    """Read the path of a folder that exists."""
    path = _path(text)
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        raise ArgumentTypeError(f"{text} {what}: name the folder of a git repository")
    return path


def new_folder(text: str) -> Path:
    """Read the path of a folder that exists or can be created."""
    path = _path(text)
    if path.exists() and not path.is_dir():
        raise ArgumentTypeError(f"{text} is a file: name a folder")
    return path


def output_file(text: str) -> Path:
    """Read the path of a file that can be written; a new file is not created yet."""
    path = _path(text)
    if path.is_dir():
        raise ArgumentTypeError(f"{text} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"the folder {path.parent} does not exist: create it first, or name another file")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device: opening it can be noticed
            if not os.access(path, os.W_OK):
                raise PermissionError(None, "Permission denied")
        elif path.exists():
            path.open("ab").close()
        else:
            path.open("xb").close()
            path.unlink()
    except OSError as error:
        raise ArgumentTypeError(f"{text} cannot be written ({error.strerror}): name another file") from error
    return path


def input_file(text: str) -> str:
    """Read the path of a file that can be read, or "-" for stdin."""
    if text != "-":
        _readable(text)
    return text


def text_of_file(text: str) -> str:
    """Read the whole text of a file in UTF-8, or of stdin for "-"."""
    try:
        content = sys.stdin.buffer.read() if text == "-" else _readable(text, "description.md").read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentTypeError(f"{text} is not UTF-8 (byte {error.start + 1}): convert it first") from error


def settings_file(text: str) -> Path:
    """Read the path of a valid settings file, in the form of `.kodiai.yml`."""
    from kodiai.core.config.parse import Unreadable, parse_yaml  # noqa: PLC0415 - only where it is needed: it is slow
    from kodiai.core.config.read import read_config  # noqa: PLC0415 - the same

    content = _readable(text).read_bytes()
    try:
        parse_yaml(content)
        wrong = (read_config(content).refusal or "").partition(": ")[2].rstrip(".")
    except Unreadable as error:
        wrong = str(error)
    if wrong:
        raise ArgumentTypeError(f"{text}: {wrong}; docs/configuration.md lists the settings")
    return Path(text)


def _readable(text: str, such_as: str = ".kodiai.yml") -> Path:
    try:
        with _path(text).open("rb"):
            return Path(text)
    except OSError as error:
        raise ArgumentTypeError(f"{text} cannot be read ({error.strerror}): name a file such as {such_as}") from error


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ArgumentTypeError("a path is missing")
    return Path(text)
