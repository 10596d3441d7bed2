"""Claude through the anthropic SDK, imported late because it takes a second.

API: https://platform.claude.com/docs/en/api/messages
"""

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from kodiai.core.errors import Broken, Retry
from kodiai.ports import Answer, Question, Usage

if TYPE_CHECKING:
    import anthropic


class Claude:
    """The Messages API, one request at a time; never retries by itself."""

    def __init__(self, api_key: SecretStr, base_url: str) -> None:
        self._api_key = api_key
        self._base_url = base_url

    @cached_property
    def _client(self) -> "anthropic.Anthropic":
        import anthropic  # noqa: PLC0415 - a second of import that a skipped event need not pay

        return anthropic.Anthropic(api_key=self._api_key.get_secret_value(), base_url=self._base_url, max_retries=0)

    def answer(self, question: Question, timeout_seconds: float) -> Answer:
        """Ask. Raises Retry where the API is busy or slow, Broken where the request or the key is wrong."""
        import anthropic  # noqa: PLC0415 - see above

        request = _request(question)
        try:
            message = self._client.messages.create(**request, timeout=timeout_seconds)
        except anthropic.APITimeoutError as error:
            raise Retry("the model did not answer in time") from error
        except anthropic.APIConnectionError as error:
            raise Retry("the model cannot be reached") from error
        except anthropic.APIStatusError as error:
            raise _translate(error) from error
        return Answer(
            content=[block.to_dict(mode="json") for block in message.content],
            stop_reason=_stop_reason(message.stop_reason),
            usage=Usage(
                calls=1,
                input_tokens=message.usage.input_tokens,
                output_tokens=message.usage.output_tokens,
                cache_read_tokens=message.usage.cache_read_input_tokens or 0,
                cache_write_tokens=message.usage.cache_creation_input_tokens or 0,
                prompt_characters=_characters([request.get("system"), request["messages"], request.get("tools")]),
            ),
        )


def _request(question: Question) -> dict[str, Any]:
    import anthropic  # noqa: PLC0415 - see above

    request: dict[str, Any] = {
        "model": question.model,
        "system": list(question.system),
        "messages": list(question.messages),
        "max_tokens": question.max_tokens,
    }
    if question.tools:
        request["tools"] = list(question.tools)
        if not question.tools_allowed:
            request["tool_choice"] = {"type": "none"}
    if question.schema is not None:
        schema = anthropic.transform_schema(dict(question.schema))
        request["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return request


def _stop_reason(reason: str | None) -> Any:
    if reason in ("tool_use", "max_tokens", "refusal", "model_context_window_exceeded"):
        return reason
    return "end_turn"


def _translate(error: "anthropic.APIStatusError") -> Exception:
    status = error.status_code
    if status in (408, 409, 429) or status >= 500:  # noqa: PLR2004 - HTTP status codes
        waits = error.response.headers.get("retry-after", "")
        wait = float(waits) if waits.replace(".", "", 1).isdigit() else None
        return Retry(f"the model is busy: {status}", after_seconds=wait)
    if status in (401, 403):
        return Broken("the Anthropic key is not accepted: look at the parameter anthropic/api-key")
    return Broken(f"the model refused the request: {status} {_message(error.body)}")


def _message(body: object) -> str:
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        return str(body["error"].get("message", ""))
    return ""


def _characters(parts: object) -> int:
    """Count what was sent, as text: strings as they are, everything else by its JSON."""
    match parts:
        case str():
            return len(parts)
        case dict():
            return sum(_characters(value) for name, value in parts.items() if name not in _NOT_PROMPT)
        case list():
            return sum(_characters(part) for part in parts)
        case None:
            return 0
    return len(json.dumps(parts))


_NOT_PROMPT = frozenset({"type", "role", "cache_control", "id", "tool_use_id"})
