"""The values that CloudFormation takes for a parameter of a template.

Sources: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html (4,096 bytes)
"""

import re
from collections.abc import Mapping
from typing import Any

_MOST_BYTES = 4096


def check_value(name: str, value: str, declared: Mapping[str, Any]) -> None:
    """Check a value by what the template declares of its parameter. Raises ValueError, which names both."""
    if len(value.encode()) > _MOST_BYTES:
        raise ValueError(f"Parameter '{name}' must have at most {_MOST_BYTES} bytes, not {len(value.encode())}")
    allowed, pattern = declared.get("AllowedValues"), declared.get("AllowedPattern")
    if allowed and value not in map(str, allowed):
        words = ", ".join(str(each) or "nothing" for each in allowed)
        raise ValueError(f"Parameter '{name}' must be one of AllowedValues: {words}")
    if pattern and not re.fullmatch(pattern, value):
        raise ValueError(f"Parameter '{name}' must match pattern {pattern}")
    if len(value) < declared.get("MinLength", 0):
        raise ValueError(f"Parameter '{name}' must contain at least {declared['MinLength']} characters")
    if declared["Type"] == "Number":
        if not re.fullmatch(r"-?\d+(\.\d+)?", value, re.ASCII):
            raise ValueError(f"Parameter '{name}' must be a number")
        number = float(value)
        if number < declared.get("MinValue", number):
            raise ValueError(f"Parameter '{name}' must be a number not less than {declared['MinValue']}")
        if number > declared.get("MaxValue", number):
            raise ValueError(f"Parameter '{name}' must be a number not greater than {declared['MaxValue']}")
