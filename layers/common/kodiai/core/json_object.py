"""JSON objects in a form that somebody else defines."""

from collections.abc import Mapping
from typing import Any

JsonObject = Mapping[str, Any]
