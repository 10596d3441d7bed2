"""Reads the model's answers that are plain JSON: the object that was asked for, among whatever words."""

import json
from typing import Any


class UnreadableAnswer(ValueError):
    """The answer is not the JSON object that was asked for."""


def read_object(text: str, entries: str) -> dict[str, Any]:
    """Read a JSON object with a list under the name `entries`, in a text that may have words around it.

    Raises UnreadableAnswer.
    """
    try:
        data = without_surrogates(_json_in(text))
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer("the model's answer is not JSON") from error
    if not isinstance(data, dict) or not isinstance(data.get(entries), list):
        raise UnreadableAnswer(f"the model's answer has no list of {entries}")
    return data


def without_surrogates(data: Any) -> Any:
    """JSON with question marks for halves of surrogate pairs, which JSON can name and no request can carry.

    Raises ValueError and RecursionError for what is no JSON.
    """
    return json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))


def _json_in(text: str) -> Any:
    """The whole text as JSON, else the object in it: a list that holds an object is not that object."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(object_in(text))


def object_in(text: str) -> str:
    """The JSON object in an answer that was asked for in words, and so may have words or a fence around it."""
    return text[text.find("{") : text.rfind("}") + 1]
