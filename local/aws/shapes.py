"""Requests are held to AWS's own description of their operation: members, types, sizes, enums and patterns.

boto3 has looked at members, types and least sizes before it sends a request, and leaves the rest to the service.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from botocore.loaders import Loader, create_loader
from botocore.model import ListShape, ServiceModel, Shape, StringShape, StructureShape

from local.aws.protocol import AwsError, Json

_TYPES = {"structure": dict, "list": list, "string": str, "boolean": bool, "integer": int}


def check_request(service: str, operation: str, request: Json) -> None:
    """Check the body of a request. Raises AwsError, which names everything that is wrong."""
    shape = _described(service).operation_model(operation).input_shape
    if shape is not None and (faults := list(_faults(shape, request, operation))):
        raise AwsError("ValidationException", f"{len(faults)} validation error(s) detected: {'; '.join(faults)}")


@cache
def descriptions() -> Loader:
    """The descriptions of the services, read once for a process: that takes a second, and some 15 MB."""
    return create_loader()


@cache
def _described(service: str) -> ServiceModel:
    return ServiceModel(descriptions().load_service_model(service, "service-2"), service)


def _faults(shape: Shape, value: Any, where: str) -> Iterator[str]:
    kind = _TYPES.get(shape.type_name, object)
    if type(value) is not kind and kind is not object:
        yield f"{where} is no {shape.type_name}"
    elif isinstance(shape, StructureShape) and not shape.is_document_type:
        yield from (f"{where} lacks {name}" for name in shape.required_members if name not in value)
        for name, member in value.items():
            if name in shape.members:
                yield from _faults(shape.members[name], member, f"{where}.{name}")
            else:
                yield f"{where} has no member {name}"
    elif isinstance(shape, ListShape):
        yield from _out_of_range(shape, len(value), f"the length of {where}")
        if shape.member.type_name != "float":  # the numbers of vectors are looked at where they are read
            for at, member in enumerate(value):
                yield from _faults(shape.member, member, f"{where}[{at}]")
    elif isinstance(shape, StringShape):
        yield from _out_of_range(shape, len(value), f"the length of {where}")
        if shape.enum and value not in shape.enum:
            yield f"{where} is none of {', '.join(shape.enum)}"
        if (pattern := shape.metadata.get("pattern")) and not re.fullmatch(pattern, value):
            yield f"{where} does not match {pattern}"
    elif kind is int:
        yield from _out_of_range(shape, value, where)


def _out_of_range(shape: Shape, number: int, what: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if (least is not None and number < least) or (most is not None and number > most):
        yield f"{what} is {number}, and has to be from {least} to {most}"
