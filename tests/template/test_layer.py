"""The layer as its Makefile builds it from the packages that are installed here: trimmed, compiled, still whole."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

import pytest

from scripts.build import find_uv

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(sysconfig.get_path("purelib"))
UNCHECKED = (1).to_bytes(4, "little")
"""The flags of bytecode that is used without a look at its source: https://peps.python.org/pep-0552/ ."""

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "KODIAI_RECEIVES": "6",
    **{f"KODIAI_{name}": "none" for name in ("PARAMETERS", "TABLE", "VECTOR_BUCKET")},
    **{f"KODIAI_{name}_QUEUE_URL": "none" for name in ("REVIEWS", "MENTIONS", "DEAD")},
}
CLIENTS = """
import boto3, json, os
from kodiai.edges.embeddings import connect_bedrock
from kodiai.edges.ledger import open_table
from kodiai.edges.parameters import connect_parameters
from kodiai.edges.queue import connect_sqs
from kodiai.edges.repository_data import connect_stored_vectors
from kodiai.edges.vectors import connect_vectors

def clients():
    connected = [connect_bedrock(), connect_parameters(), connect_sqs(), connect_stored_vectors(), connect_vectors()]
    return [*connected, open_table("t").meta.client]

described = {}
for region in ("eu-west-1", "us-gov-west-1", "cn-north-1"):
    os.environ["AWS_DEFAULT_REGION"], boto3.DEFAULT_SESSION = region, None
    described[region] = {
        client.meta.service_model.service_name: [client.meta.endpoint_url, *(
            [name, *map(str, (operation.input_shape and operation.input_shape.members, operation.error_shapes))]
            for name in client.meta.service_model.operation_names
            for operation in [client.meta.service_model.operation_model(name)]
        )]
        for client in clients()
    }
print(json.dumps(described))
"""

BUILT = """[
    name for name in ("parameters", "job_queue", "_table", "_s3_vectors", "_bedrock")
    if getattr(kodiai.wiring, name).cache_info().currsize
]"""


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layer that the build makes of our own code and of the SDK of AWS."""
    artifacts = tmp_path_factory.mktemp("artifacts")
    built = artifacts / "python"
    for name in ("boto3", "botocore"):
        shutil.copytree(PACKAGES / name, built / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "layers" / "common" / "kodiai", built / "kodiai")
    version = "{}.{}".format(*sys.version_info)
    given = {"ARTIFACTS_DIR": artifacts, "UV": find_uv(), "PYTHON": sys.executable, "VERSION": version}
    make: list[str | Path] = ["make", "--directory", ROOT / "layers" / "common", "--old-file=install", "compile"]
    subprocess.run([*make, *(f"{name}={value}" for name, value in given.items())], check=True, capture_output=True)
    return built


def _run(program: str, *folders: Path, **variables: str) -> Any:
    """Return a program's JSON output; its modules come from these folders first, then from the packages."""
    paths = os.pathsep.join(map(str, (*folders, PACKAGES)))
    environment = {**ENVIRONMENT, **variables, "PYTHONPATH": paths}
    command = [sys.executable, "-S", "-P", "-c", program]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def test_every_module_has_bytecode_that_needs_no_look_at_its_source(layer: Path) -> None:
    """Lambda writes none itself, and the times of files do not survive the archive."""
    modules = list(layer.rglob("*.py"))

    heads = {module: bytecode(module).read_bytes()[:8] for module in modules if bytecode(module).exists()}

    assert len(modules) > 300
    assert set(modules) == set(heads)
    assert set(heads.values()) == {MAGIC_NUMBER + UNCHECKED}


def bytecode(module: Path) -> Path:
    return module.parent / "__pycache__" / f"{module.stem}.{sys.implementation.cache_tag}.pyc"


def test_every_client_is_the_one_of_the_whole_sdk(layer: Path) -> None:
    """Its address in every part of AWS, its operations, what they take, and how they fail."""
    whole: Mapping[str, Any] = _run(CLIENTS, ROOT / "layers" / "common")

    trimmed = _run(CLIENTS, layer)

    for region, suffix in {"eu-west-1": "amazonaws.com", "us-gov-west-1": "", "cn-north-1": "amazonaws.com.cn"}.items():
        assert set(trimmed[region]) == {"bedrock-runtime", "dynamodb", "s3vectors", "sqs", "ssm"}
        assert trimmed[region]["sqs"][0].endswith(suffix)
        assert trimmed[region] == whole[region]


@pytest.mark.parametrize(
    ("function", "clients"),
    [
        ("ingest", {"parameters", "job_queue"}),
        ("review", {"parameters", "job_queue", "_table", "_s3_vectors", "_bedrock"}),
        ("mention", {"parameters", "job_queue", "_table", "_s3_vectors"}),
        ("proposals", {"parameters", "job_queue", "_table"}),
    ],
)
def test_a_function_has_all_its_clients_before_its_first_event(layer: Path, function: str, clients: set[str]) -> None:
    """Lambda gives it a whole processor until then. What is left out of the layer, none of them needs."""
    program = (
        f"import gc, json, {function}, kodiai.wiring\nprint(json.dumps([{BUILT}, gc.get_count(), gc.isenabled()]))"
    )

    built, garbage, collects = _run(program, layer, ROOT / "functions" / function, AWS_DEFAULT_REGION="eu-west-1")

    assert set(built) == clients
    assert sum(garbage) < 1_000  # nothing of the start is ever looked at again
    assert collects
