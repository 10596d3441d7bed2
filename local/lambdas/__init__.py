"""Runs a SAM template's functions on one machine, wired as the template says."""

from local.lambdas.execution_environment import RunningEvent
from local.lambdas.system import LocalSystem

__all__ = ["LocalSystem", "RunningEvent"]
