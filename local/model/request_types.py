"""Whether a request fits the types that Anthropic's own SDK states for it."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from local.misfit import gist, reason

_LONGEST = 200


def type_error(request: Mapping[str, Any]) -> str | None:
    """Say what does not fit, in the form `messages.0.content: why`, or None."""
    validator = _validator()
    try:
        if validator.is_valid(request):
            return None
        error = gist(list(validator.iter_errors(request)))
    except ValueError as unreadable:  # half a character, or nested beyond reason
        return str(unreadable)
    place = ".".join(str(step) for step in error.instance_path)
    why = reason(error)[:_LONGEST]
    return f"{place}: {why}" if place else why


@functools.cache
def _validator() -> Draft202012Validator:
    """The types as scripts/request_types.py writes them."""
    return Draft202012Validator(json.loads(Path(__file__).with_suffix(".json").read_text()))
