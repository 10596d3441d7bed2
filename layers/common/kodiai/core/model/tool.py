"""Tools of a model, described by the forms of their inputs, the calls that fit no form, and books that take calls."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kodiai.core.json_object import JsonObject
from kodiai.core.model.json_answer import without_surrogates
from kodiai.core.model.messages import Tool

_Form = TypeVar("_Form", bound=BaseModel)
_MOST_ERRORS = 4


class BadCall(ValueError):
    """The input of a call does not fit; the text tells the model why."""


def tool(name: str, description: str, form: type[BaseModel]) -> Tool:
    """A tool whose input is a form; the descriptions of its fields are those that the model sees."""
    return Tool(name, description, _plain(form.model_json_schema()))


def read_call(form: type[_Form], given: JsonObject) -> _Form:
    """Read the input of a call. Raises BadCall."""
    try:
        return form.model_validate(without_surrogates(given))
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:_MOST_ERRORS]]
        raise BadCall("; ".join(wrong)) from error
    except (ValueError, RecursionError) as error:
        raise BadCall("the input is no JSON that can be sent on") from error


@dataclass
class Book(ABC):
    """Takes the calls by which a model reports or rules.

    To finish while something is missing is refused once, with the `advice`.
    """

    advice = ""

    is_finished: bool = field(default=False, init=False)
    _is_warned: bool = field(default=False, init=False)

    def take(self, name: str, given: JsonObject) -> str | None:
        """Take a call; the answer for the model, or None for another tool's call. Raises BadCall."""
        takes = self._calls().get(name)
        return takes(given) if takes is not None else None

    @abstractmethod
    def _calls(self) -> Mapping[str, Callable[[JsonObject], str]]:
        """The methods that take the calls, by the names of their tools."""

    @abstractmethod
    def _missing(self) -> Iterator[str]:
        """The calls that are still missing, in words."""

    def _finish(self, _: JsonObject) -> str:
        if not self._is_warned and (missing := list(self._missing())):
            self._is_warned = True
            raise BadCall(f"Not finished: {'; '.join(missing)}. {self.advice}")
        self.is_finished = True
        return "Finished."


def _plain(schema: Any) -> Any:
    """A schema without what says nothing to the model: titles, defaults, and docstrings of forms."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) == 1:  # what may be null may be left out
        return _plain({**{key: value for key, value in schema.items() if key != "anyOf"}, **kinds[0]})
    left_out = {"title", "default"} | ({"description"} if "properties" in schema else set())
    plain = {
        key: {name: _plain(one) for name, one in value.items()} if key in ("properties", "$defs") else _plain(value)
        for key, value in schema.items()
        if key in ("properties", "$defs") or key not in left_out
    }
    return {**plain, "additionalProperties": False} if "properties" in schema else plain
