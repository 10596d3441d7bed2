"""Runs a SAM template's functions on one machine, wired as the template says."""

from local.lambdas.execution_environment import RunningEvent
from local.lambdas.function import ProcessOptions
from local.lambdas.system import LocalSystem, NewStack

__all__ = ["LocalSystem", "NewStack", "ProcessOptions", "RunningEvent"]
