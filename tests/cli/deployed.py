"""Deployments in a local account: one that `kodiai setup` made, and the data of one."""

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cli.setup.parameters import ROOT
from local.aws import LocalAws
from local.aws.protocol import REGION
from local.cloud import LocalCloud
from local.github import LocalGitHub
from local.model import ModelStandIn
from tests.aws_resources import create_indexes, create_table, vector_keys
from tests.cli.browsing import press_buttons
from tests.cli.running import KODIAI, Done, environment, run_command

PREFIX = "/kodiai/prod"
KEY = "sk-ant-api03-very-secret"
_PAGE = re.compile(r"(?:in your browser|that it is to review): (\S+)")


@dataclass
class Run:
    """One run of the command: its lines and its exit status."""

    lines: list[str] = field(default_factory=list)
    status: int | None = None

    @property
    def text(self) -> str:
        """All that was printed."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Account:
    """The systems before the setup: AWS, GitHub, and a model."""

    cloud: LocalCloud
    github: LocalGitHub
    model: ModelStandIn
    home: Path
    region: str = REGION

    def __post_init__(self) -> None:
        """Let the deployer do what the documented policy allows."""
        policy = json.loads((ROOT / "docs" / "deployer-policy.json").read_text("utf-8"))
        self.cloud.aws.permissions.give("deployer", policy["Statement"])

    @property
    def address(self) -> str:
        """The address of AWS with the deployer's key."""
        return self.cloud.aws.access_url_of("deployer")

    def run(self, command: str, *arguments: str, stage: str = "prod") -> Done:
        """Run another command for the stage, in this process."""
        place = ("--stage", stage, "--endpoint-url", self.address)
        return run_command(
            command, *arguments, *place, cwd=None, **self.cloud.environment | {"AWS_REGION": self.region}
        )

    def parameters(self) -> dict[str, tuple[str, str]]:
        """Type and value of each parameter, by its name below the prefix."""
        pages = self.cloud.aws.client("ssm").get_paginator("get_parameters_by_path")
        return {
            each["Name"].removeprefix(f"{PREFIX}/"): (each["Type"], each["Value"])
            for page in pages.paginate(Path=PREFIX, Recursive=True, WithDecryption=True)
            for each in page["Parameters"]
        }

    def put(self, name: str, value: str | None, kind: str = "String") -> None:
        """Store a parameter; None deletes it."""
        ssm, path = self.cloud.aws.client("ssm"), f"{PREFIX}/{name}"
        if value is None:
            ssm.delete_parameter(Name=path)
        else:
            ssm.put_parameter(Name=path, Value=value, Type=kind, Overwrite=True)

    @contextmanager
    def changed(self, name: str, value: str | None, kind: str = "String") -> Iterator[None]:
        """Another value of a parameter, or none, until the end."""
        before, after = self.parameters()[name]
        self.put(name, value, kind)
        try:
            yield
        finally:
            self.put(name, after, before)

    @contextmanager
    def without(self, permission: str, event: str) -> Iterator[None]:
        """The App as it was registered without a permission and the event that needs it, until the end."""
        app = self.github.repository.app
        app.events.remove(event)
        level = app.permissions.pop(permission)
        try:
            yield
        finally:
            app.events.append(event)
            app.permissions[permission] = level

    def set_up(self, *answers: str, options: tuple[str, ...] = (), stop_at: str | None = None) -> Run:
        """Run `kodiai setup`, answer its questions, and press the buttons on the pages that it names.

        It is killed when it prints a line that holds `stop_at`.
        """
        place = ("--stage", "prod", "--endpoint-url", self.address)
        run, env = Run(), environment(**self.cloud.environment, HOME=str(self.home))
        with subprocess.Popen(
            [KODIAI, "setup", *place, "--no-browser", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(f"{answer}\n" for answer in answers))
            process.stdin.close()
            for line in process.stdout:
                run.lines.append(line.rstrip())
                if stop_at is not None and stop_at in line:
                    process.kill()
                elif found := _PAGE.search(line):
                    _in_background(partial(press_buttons, found[1]))
        run.status = process.returncode
        return run


def _in_background(act: Callable[[], object]) -> None:
    threading.Thread(target=act, daemon=True).start()


INDEXES = ("titan-embed-text-v2-1024", "voyage-code-3-1024")


class Memory:
    """The table and the vectors of a stage, as the template makes them."""

    def __init__(self, aws: LocalAws, stage: str) -> None:
        self.url = aws.access_url
        self.table = create_table(aws, f"kodiai-{stage}-ledger")
        self._aws = aws
        self._bucket = f"kodiai-{stage}-memory"
        create_indexes(aws, self._bucket, *INDEXES)

    def put(self, *items: dict[str, Any]) -> None:
        """Store items."""
        for item in items:
            self.table.put_item(Item=item)

    def put_vectors(self, *keys: str, **metadata: Any) -> None:
        """Store a vector for each key in every index."""
        vectors = [{"key": key, "data": {"float32": [1.0, 0.0]}, "metadata": metadata} for key in keys]
        for index in INDEXES:
            self._aws.client("s3vectors").put_vectors(vectorBucketName=self._bucket, indexName=index, vectors=vectors)

    def items(self) -> list[dict[str, Any]]:
        """The items of the table."""
        found: list[dict[str, Any]] = self.table.scan()["Items"]
        return found

    def vectors(self) -> list[set[str]]:
        """The keys in each index."""
        return [vector_keys(self._aws, self._bucket, index) for index in INDEXES]
