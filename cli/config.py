"""`kodiai config`: checks a settings file as reviews read it."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from cli.config_notes import notes
from kodiai.core.config.keys import Config
from kodiai.core.config.parse import MAX_BYTES
from kodiai.core.config.read import CONFIG_PATH, misnamed_problem, read_config
from local.rendering.visible import visible_line

_WRONG = 1


def run(arguments: argparse.Namespace) -> int:
    """Print what is wrong with a file, notes, and the resulting settings; the status is 1 if something is wrong."""
    config = read_config(_content(arguments.file))
    if arguments.file != "-" and (name := Path(arguments.file).name) != CONFIG_PATH:
        other = f"{misnamed_problem(name)} To check a file of another name, give it on stdin."
        config = config.model_copy(update={"problems": (other, *config.problems)})
    folder = None if arguments.file == "-" else Path(arguments.file).absolute().parent
    noted = notes(config.review, folder) if config.refusal is None else []
    settings = config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
    if arguments.json:
        found = {"problems": config.problems, "refusal": config.refusal, "notes": noted, "settings": settings}
        print(json.dumps(found, indent=2))
    else:
        print(*_lines(config, noted, settings), sep="\n")
    return _WRONG if config.problems or config.refusal else 0


def _content(file: str) -> bytes:
    """The file, or stdin: of a larger one enough to be refused by its size."""
    if file == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with Path(file).open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def _lines(config: Config, noted: Sequence[str], settings: dict[str, Any]) -> list[str]:
    """Each mistake with its effect, the notes, and the settings that differ from the defaults, if any is followed."""
    if config.refusal is not None:
        others = [each for each in config.problems if each.partition(": ")[2].rstrip(".") not in config.refusal]
        return [visible_line(each) for each in (config.refusal, *others)]
    defaults = Config().model_dump(mode="json", by_alias=True)
    chosen = _chosen(settings, defaults)
    shown = yaml.safe_dump(chosen, sort_keys=False, allow_unicode=True).splitlines() if chosen else []
    heading = "The settings that differ from the defaults:" if chosen else "All settings are the defaults."
    said = map(visible_line, (*config.problems, *noted))
    return [*said, heading, *(f"  {visible_line(line)}" for line in shown)]


def _chosen(settings: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults, in their sections."""
    inner = {
        name: _chosen(value, defaults[name]) if isinstance(value, dict) else value for name, value in settings.items()
    }
    return {name: value for name, value in inner.items() if value != defaults[name] and value != {}}
