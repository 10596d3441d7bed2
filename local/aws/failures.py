"""Failures that a test plans for the next requests of an operation."""

from dataclasses import dataclass, field

from local.aws.protocol import AwsError


@dataclass(frozen=True)
class AwsFailure:
    """One planned failure: the answer comes `seconds` later, and is this error; without one it is the real answer."""

    error: AwsError | None = None
    seconds: float = 0.0


def throttled(code: str = "ThrottlingException") -> AwsFailure:
    """Too many requests; S3 Vectors calls it TooManyRequestsException."""
    return AwsFailure(AwsError(code, "Too many requests, please wait before trying again.", 429))


def server_error() -> AwsFailure:
    """The service itself is out of order."""
    return AwsFailure(AwsError("InternalServerException", "An internal error has occurred.", 500))


def slow(seconds: float) -> AwsFailure:
    """The answer comes, but late; nobody waits for one that is late enough."""
    return AwsFailure(seconds=seconds)


@dataclass
class AwsFailures:
    """The failures of coming requests, by operation ("S3Vectors QueryVectors"), in the order in which they come."""

    _planned: list[tuple[str, AwsFailure]] = field(default_factory=list)

    def add(self, operation: str, failure: AwsFailure, times: int) -> None:
        """Let the next `times` requests of an operation fail."""
        self._planned += [(operation, failure)] * times

    def take(self, operation: str) -> AwsFailure | None:
        """The failure of this request, which is then over."""
        for at, (planned, failure) in enumerate(self._planned):
            if planned == operation:
                del self._planned[at]
                return failure
        return None
