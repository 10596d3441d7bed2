"""The environment of a function's process."""

import os
import sysconfig
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from local.lambdas.description import FunctionDescription

# The variables that modules may read at import.
_OF_IMPORTS = ("PATH", "PYTHONUNBUFFERED", "LANG", "TZ")
_PREFIXES_OF_IMPORTS = ("AWS_LAMBDA_LOG_", "POWERTOOLS_")

# The variables that this machine may need to reach the network.
_KEPT = ("PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy")


def variables_of(function: FunctionDescription, aws: Mapping[str, str], runtime_api: str) -> dict[str, str]:
    """Return all that the process finds in its environment: nothing of ours but what the template says.

    Its interpreter runs without the site module, so that the project itself, installed next to its
    dependencies, cannot be imported: only the function, its layers and the packages can.
    """
    direct = ",".join(filter(None, [os.environ.get("NO_PROXY") or os.environ.get("no_proxy"), "127.0.0.1,localhost"]))
    own = {name: os.environ[name] for name in _KEPT if name in os.environ}
    lambda_own = {
        "PYTHONPATH": _search_path(function.folders),
        "PYTHONUNBUFFERED": "1",
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        "NO_PROXY": direct,
        "no_proxy": direct,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_FORMAT": function.log_format,
        "LAMBDA_TASK_ROOT": str(function.folders[0]),
        "_HANDLER": function.handler,
    }
    # https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
    if function.log_format == "JSON":
        lambda_own["AWS_LAMBDA_LOG_LEVEL"] = function.log_level
    return own | lambda_own | dict(aws) | dict(function.environment)


def variables_of_imports(variables: Mapping[str, str], layers: Sequence[Path]) -> dict[str, str]:
    """Return the part of a function's variables in which others can share its imports: those of its layers."""
    shared = {
        name: value for name, value in variables.items() if name in _OF_IMPORTS or name.startswith(_PREFIXES_OF_IMPORTS)
    }
    return {**shared, "PYTHONPATH": _search_path(layers)}


def _search_path(folders: Sequence[Path]) -> str:
    return os.pathsep.join([*map(str, folders), *_packages()])


@cache
def _packages() -> Sequence[str]:
    """The folders of the installed packages; sysconfig takes a while to tell them."""
    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
