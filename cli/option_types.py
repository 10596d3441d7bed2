"""The types of option values: each is checked while it is read, before anything is started or paid for."""

import argparse
import os
import re
from argparse import ArgumentTypeError
from pathlib import Path
from urllib.parse import urlsplit

Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse has no public name for it
_PULL_REQUEST = re.compile(r"[\w.-]+/[\w.-]+#[1-9]\d{0,9}")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_STAGE = re.compile(r"[a-z][a-z0-9-]{0,19}")
_NUMBER = re.compile(r"[1-9]\d{0,8}")
_DURATION = re.compile(r"(\d{1,4})([smh]?)", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600}
_LAST_PORT = 65_535
_MOST_DAYS = 3_650


def pull_request(text: str) -> str:
    """Read "OWNER/REPO#N". Raises ArgumentTypeError, as all of these do."""
    if not _PULL_REQUEST.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not OWNER/REPO#N, such as acme/shop#12")
    return text


def repository(text: str) -> str:
    """Read "OWNER/NAME"."""
    if not _REPOSITORY.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not OWNER/NAME, such as acme/shop")
    return text


def stage(text: str) -> str:
    """Read the name of a stage, which becomes part of the names of all resources."""
    if not _STAGE.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not a stage: up to 20 small letters, digits and hyphens, a letter first")
    return text


def template_parameter(text: str) -> tuple[str, str]:
    """Read NAME=VALUE, a parameter of the template."""
    name, found, value = text.partition("=")
    if not found or not name.isalnum():
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as ReviewConcurrency=5")
    return name, value


def port(text: str) -> int:
    """Read a port; 0 is any that is free."""
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise ArgumentTypeError(f"{text!r} is not a port: give a number from 1 to {_LAST_PORT}")
    return int(text)


def number(text: str) -> int:
    """Read the number of a pull request."""
    if not _NUMBER.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not the number of a pull request, such as 12")
    return int(text)


def days(text: str) -> int:
    """Read a number of days."""
    if not _NUMBER.fullmatch(text) or int(text) > _MOST_DAYS:
        raise ArgumentTypeError(f"{text!r} is not a number of days from 1 to {_MOST_DAYS}")
    return int(text)


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
    if text == "-":
        return text
    try:
        with _path(text).open("rb"):
            return text
    except OSError as error:
        raise ArgumentTypeError(f"{text} cannot be read ({error.strerror}): name a file such as .kodiai.yml") from error


def settings_file(text: str) -> Path:
    """Read the path of a valid settings file, in the form of `.kodiai.yml`."""
    from kodiai.core.config.parse import Unreadable, parse_yaml  # noqa: PLC0415 - only where it is needed: it is slow
    from kodiai.core.config.read import read_config  # noqa: PLC0415 - the same

    try:
        content = _path(text).read_bytes()
    except OSError as error:
        raise ArgumentTypeError(f"{text} cannot be read ({error.strerror}): name a file such as .kodiai.yml") from error
    try:
        parse_yaml(content)
    except Unreadable as error:
        raise ArgumentTypeError(f"{text}: {error}; docs/configuration.md lists the settings") from error
    if refusal := read_config(content).refusal:
        raise ArgumentTypeError(
            f"{text}: {refusal.partition(': ')[2].rstrip('.')}; docs/configuration.md lists the settings"
        )
    return Path(text)


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ArgumentTypeError("a path is missing")
    return Path(text)
