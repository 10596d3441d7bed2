"""Read `.kodiai.yml`: what is right is followed, what is wrong is named, and what restricts fails closed."""

from collections.abc import Container, Sequence
from typing import Any

from pydantic import ValidationError

from kodiai.core.config.complaint import Complaint, of_empty, of_section, of_unknown, of_value
from kodiai.core.config.keys import Config, SettingsFile
from kodiai.core.config.known import KNOWN, Key, Path, Section
from kodiai.core.config.parse import Unreadable, parse_yaml

CONFIG_PATH = ".kodiai.yml"
"""Where a repository keeps its settings."""

_TOLD_COMPLAINTS = 20
_REFUSAL = "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is mended"


def read_config(content: bytes | None) -> Config:
    """Read the file's content; None, where there is no file, gives the defaults.

    A bad value falls back to its key's default and becomes a problem; an unknown key becomes one too.
    Where the key restricts, or an unknown one may have been meant to, everything is refused;
    only a bad `enabled` is no refusal but reads as false.
    """
    if content is None:
        return Config()
    try:
        values = parse_yaml(content)
    except Unreadable as error:
        return Config(refusal=f"{_REFUSAL}: {error}.")
    known, complaints = _keep_known(values, ())
    file, more = _validate(known)
    complaints += more
    return Config(
        review=file.review,
        knowledge=file.knowledge,
        mention=file.mention,
        proposals=file.proposals,
        budget=file.budget,
        problems=tuple(f".kodiai.yml: {text}." for text in _told([each.text for each in complaints])),
        refusal=_refusal([each.text for each in complaints if each.refuses]),
    )


def _keep_known(values: dict[str, Any], where: Path) -> tuple[dict[str, Any], list[Complaint]]:
    """Keep the keys that we know and that have a value; a section with nothing in it is one without keys."""
    kept: dict[str, Any] = {}
    complaints: list[Complaint] = []
    for name, value in values.items():
        path = (*where, name)
        match KNOWN.get(path):
            case None:
                complaints.append(of_unknown(path, value))
            case Section() if isinstance(value, dict):
                kept[name], more = _keep_known(value, path)
                complaints += more
            case Section() as section if value is not None:
                complaints.append(of_section(path, value, section))
            case Key() as key if value is None:
                complaints.append(of_empty(path))
                kept |= {name: False} if key.switches else {}
            case Key():
                kept[name] = value
    return kept, complaints


def _validate(values: dict[str, Any]) -> tuple[SettingsFile, list[Complaint]]:
    """Validate; where values are bad, complain of each and validate without them."""
    try:
        return SettingsFile.model_validate(values, by_alias=True, by_name=False), []
    except ValidationError as error:
        bad = {_key_path(each["loc"]): each for each in reversed(error.errors())}
    complaints = [of_value(path, bad[path]) for path in sorted(bad)]
    return SettingsFile.model_validate(_without(values, bad, ()), by_alias=True, by_name=False), complaints


def _key_path(location: Sequence[str | int]) -> Path:
    """Cut what pydantic adds behind the key: the place in a list."""
    return next(path for path in KNOWN if isinstance(KNOWN[path], Key) and location[: len(path)] == path)


def _without(values: dict[str, Any], bad: Container[Path], where: Path) -> dict[str, Any]:
    """Leave out bad values, and switch off what they should have switched."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        path = (*where, name)
        known = KNOWN[path]
        if isinstance(known, Section):
            kept[name] = _without(value, bad, path)
        elif path not in bad:
            kept[name] = value
        elif known.switches:
            kept[name] = False
    return kept


def _refusal(texts: Sequence[str]) -> str | None:
    return f"{_REFUSAL}: {'; '.join(_told(texts))}." if texts else None


def _told(texts: Sequence[str]) -> list[str]:
    """Tell so many, and count the rest."""
    rest = len(texts) - _TOLD_COMPLAINTS
    return [*texts[:_TOLD_COMPLAINTS], *([f"{rest} more of its keys are wrong"] if rest > 0 else [])]
