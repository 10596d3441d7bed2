"""The check run of a head."""

from dataclasses import dataclass
from typing import Literal

Conclusion = Literal["success", "neutral", "failure"]


@dataclass(frozen=True)
class Check:
    """What the check run of a head says. `conclusion` is None while the work goes on."""

    title: str
    summary: str
    conclusion: Conclusion | None = None
    annotations: tuple["Annotation", ...] = ()


@dataclass(frozen=True)
class Annotation:
    """A finding's place in the check run, on any line of the head."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str
