"""A tiny project in a folder of its own: a template, three functions, a layer; and an AWS to run it on."""

import textwrap
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem, NewStack, ProcessOptions
from local.lambdas.description import FunctionDescription
from local.lambdas.function import Function
from local.lambdas.log import Log

TEMPLATE = """
    Transform: AWS::Serverless-2016-10-31
    Parameters:
      Stage: {Type: String, Default: try}
    Globals:
      Function:
        Runtime: python3.13
        Timeout: 10
        Layers: [!Ref Common]
        Environment:
          Variables:
            QUEUE_URL: !Ref Jobs
    Resources:
      Receiver:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: functions/receiver
          Handler: receiver.handler
          Events:
            Hook: {Type: HttpApi, Properties: {Method: POST, Path: /hook, PayloadFormatVersion: "2.0"}}
      Worker:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: functions/worker
          Handler: worker.handler
          Timeout: 30
          Events:
            Jobs:
              Type: SQS
              Properties:
                Queue: !GetAtt Jobs.Arn
                BatchSize: 1
                FunctionResponseTypes: [ReportBatchItemFailures]
                ScalingConfig: {MaximumConcurrency: 2}
      Common:
        Type: AWS::Serverless::LayerVersion
        Properties: {ContentUri: layer}
      Jobs:
        Type: AWS::SQS::Queue
        Properties:
          QueueName: !Sub tiny-${Stage}.fifo
          FifoQueue: true
          ContentBasedDeduplication: false
          VisibilityTimeout: 60
          RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 2}
      Dead:
        Type: AWS::SQS::Queue
        Properties: {QueueName: !Sub "tiny-${Stage}-dead.fifo", FifoQueue: true}
"""

RECEIVER = """
    import json, os, boto3
    from shared import tell

    def handler(event, context):
        job = json.loads(event["body"])
        sent = boto3.client("sqs").send_message(
            QueueUrl=os.environ["QUEUE_URL"], MessageBody=event["body"],
            MessageGroupId=job["group"], MessageDeduplicationId=f"{job['group']}-{job['id']}")
        tell(group=job["group"], queued=job["id"])
        return {"statusCode": 202, "headers": {"content-type": "text/plain"}, "body": "queued"}
"""

# A job may name the file `until` which one of its deliveries waits; each delivery makes one, such as "a1 2".
WORKER = """
    import json, os, pathlib, time
    from shared import tell

    def handler(event, context):
        (record,) = event["Records"]
        job, delivery = json.loads(record["body"]), record["attributes"]["ApproximateReceiveCount"]
        tell(
            group=job["group"], began=job["id"], process=os.getpid(), request=context.aws_request_id,
            at=time.monotonic_ns())
        pathlib.Path(f"{job['id']} {delivery}").touch()
        if delivery == job.get("visible_at"):
            import boto3
            boto3.client("sqs").change_message_visibility(
                QueueUrl=os.environ["QUEUE_URL"], ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0)
        if awaited := job.get("until", {}).get(delivery):
            while not pathlib.Path(awaited).exists():
                time.sleep(0.01)
        if job.get("crash"):
            os._exit(3)
        tell(group=job["group"], done=job["id"], at=time.monotonic_ns())
        failed = [{"itemIdentifier": record["messageId"]}] if job.get("fail") else []
        return {"batchItemFailures": failed}
"""

SHARED = """
    import json

    def tell(**facts):
        print(json.dumps(facts))
"""


def write_project(folder: Path) -> Path:
    """Write the tiny project and return its template."""
    for name, text in {
        "template.yaml": TEMPLATE,
        "functions/receiver/receiver.py": RECEIVER,
        "functions/worker/worker.py": WORKER,
        "layer/shared.py": SHARED,
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    return folder / "template.yaml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The template of the tiny project."""
    return write_project(tmp_path)


@pytest.fixture(scope="session")
def shared_aws() -> Iterator[LocalAws]:
    """One AWS for all tests of a process; each test names its queues differently, by the stage."""
    with LocalAws() as aws:
        yield aws


@pytest.fixture
def stage(tmp_path: Path) -> str:
    """A name for what this test makes in the shared AWS."""
    return f"s{zlib.crc32(str(tmp_path).encode()):08x}"


@pytest.fixture
def run(project: Path, shared_aws: LocalAws, stage: str) -> Callable[..., Any]:
    """Runs the tiny project."""

    @contextmanager
    def running() -> Iterator[LocalSystem]:
        with LocalSystem(project, shared_aws, NewStack({"Stage": stage})) as system:
            yield system

    return running


MakeFunction = Callable[..., Function]


@pytest.fixture
def log() -> Log:
    """The lines that the functions of a test write."""
    return Log()


def write_function(folder: Path, source: str, log: Log, *, concurrency: int = 1, **options: Any) -> Function:
    """Write a function of this source, and the files of its layer, and return it."""
    layer = folder.parent / "layer"
    for each in (folder, layer):
        each.mkdir(exist_ok=True)
    for name, text in options.pop("layer", {}).items():
        (layer / name).parent.mkdir(exist_ok=True)
        (layer / name).write_text(text)
    (folder / "tiny.py").write_text(textwrap.dedent(source))
    description = FunctionDescription(
        name="Tiny",
        arn="arn:aws:lambda:eu-central-1:123456789012:function:tiny",
        handler="tiny.handler",
        folders=(folder, layer),
        timeout=options.pop("timeout", 10),
        memory=128,
        environment=options.pop("variables", {}),
        log_format=options.pop("log_format", "Text"),
    )
    init_timeout = options.pop("init_timeout", 30)
    processes = ProcessOptions(**options)
    return Function(description, {}, log.add, concurrency=concurrency, init_timeout=init_timeout, processes=processes)


@pytest.fixture
def make_function(tmp_path: Path, log: Log) -> Iterator[MakeFunction]:
    """Makes a function from its source; all are stopped after the test."""
    made: list[Function] = []

    def make(source: str, **options: Any) -> Function:
        made.append(write_function(tmp_path / "code", source, log, **options))
        return made[-1]

    yield make
    for function in made:
        function.stop()
