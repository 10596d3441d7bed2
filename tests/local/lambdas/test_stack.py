"""A template's functions, conditions and Globals are worked out as CloudFormation and SAM do."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.lambdas.description import event_sources, functions, routes
from local.lambdas.resources import describe
from local.lambdas.stack import Stack
from local.lambdas.template import merge, read_template

PSEUDO = {"AWS::Region": "eu-central-1", "AWS::AccountId": "123456789012"}


def stack_of(tmp_path: Path, text: str, **parameters: str) -> Stack:
    file = tmp_path / "template.yaml"
    file.write_text(textwrap.dedent(text))

    def queue(name: str, given: Mapping[str, Any]) -> Mapping[str, str]:
        return {"Ref": f"http://queues/{given.get('QueueName', name)}", "Arn": f"arn:queue:{name}"}

    return Stack(read_template(file), parameters, PSEUDO, {"AWS::SQS::Queue": queue}, describe, {})


VALUES = """
    Parameters:
      Stage: {Type: String, Default: dev}
    Conditions:
      IsProd: !Equals [!Ref Stage, prod]
      IsOther: !Not [!Equals [!Ref Stage, prod]]
    Mappings:
      Sizes: {eu-central-1: {Size: large}}
    Resources:
      Jobs: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub "jobs-${Stage}"}}
      Role: {Type: AWS::IAM::Role}
"""


@pytest.mark.parametrize(
    ("written", "dev", "prod"),
    [
        ({"Ref": "Stage"}, "dev", "prod"),
        ({"Ref": "AWS::Region"}, "eu-central-1", "eu-central-1"),
        ({"Ref": "Jobs"}, "http://queues/jobs-dev", "http://queues/jobs-prod"),
        ({"Fn::GetAtt": ["Jobs", "Arn"]}, "arn:queue:Jobs", "arn:queue:Jobs"),
        ({"Fn::Sub": "${Stage} ${Jobs.Arn} ${AWS::AccountId}"}, "dev arn:queue:Jobs 123456789012", None),
        ({"Fn::If": ["IsProd", "many", "few"]}, "few", "many"),
        ({"Fn::If": ["IsOther", "few", "many"]}, "few", "many"),
        ({"a": {"Fn::If": ["IsProd", 1, {"Ref": "AWS::NoValue"}]}, "b": 2}, {"b": 2}, {"a": 1, "b": 2}),
        ([{"Fn::If": ["IsProd", 1, {"Ref": "AWS::NoValue"}]}, 2], [2], [1, 2]),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "Size"]}, "large", "large"),
        ({"Fn::FindInMap": ["Sizes", "mars-1", "Size", {"DefaultValue": {"Ref": "Stage"}}]}, "dev", "prod"),
        ({"Condition": "IsProd"}, {"Condition": "IsProd"}, {"Condition": "IsProd"}),
    ],
)
def test_each_function_gives_what_cloudformation_gives(tmp_path: Path, written: Any, dev: Any, prod: Any) -> None:
    """The same value is worked out for both stages."""
    assert stack_of(tmp_path, VALUES).resolve(written) == dev
    if prod is not None:
        assert stack_of(tmp_path, VALUES, Stage="prod").resolve(written) == prod


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"Fn::Split": [":", "a:b"]}, "Fn::Split is not known here"),
        ({"Ref": "Nobody"}, "no resource Nobody"),
        ({"Fn::GetAtt": ["Role", "RoleId"]}, "Role has no attribute RoleId"),
    ],
)
def test_an_unknown_construct_is_an_error(tmp_path: Path, written: Any, complaint: str) -> None:
    """A template that needs more than is implemented must not half work."""
    with pytest.raises(ValueError, match=complaint):
        stack_of(tmp_path, VALUES).resolve(written)


def test_parameters_are_checked(tmp_path: Path) -> None:
    """A misspelt parameter and one without a value are named."""
    with pytest.raises(ValueError, match="has no parameter Stag"):
        stack_of(tmp_path, VALUES, Stag="prod")
    with pytest.raises(ValueError, match="parameter Secret has no value"):
        stack_of(tmp_path, "Parameters: {Secret: {Type: String}}\nResources: {}")


def test_resources_that_need_each_other_are_refused(tmp_path: Path) -> None:
    """A circle ends in an error, not in a recursion."""
    circle = """
        Resources:
          A: {Type: AWS::SQS::Queue, Properties: {QueueName: !GetAtt B.Arn}}
          B: {Type: AWS::SQS::Queue, Properties: {QueueName: !GetAtt A.Arn}}
    """

    with pytest.raises(ValueError, match="A needs itself"):
        stack_of(tmp_path, circle).make_all()


def test_globals_are_merged_as_sam_does() -> None:
    """Mappings key by key, lists one after the other, anything else by the function's own."""
    common = {
        "Timeout": 3,
        "Layers": ["a"],
        "Environment": {"Variables": {"A": "1", "B": "1"}},
        "Runtime": "python3.13",
    }
    own = {"Timeout": 9, "Layers": ["b"], "Environment": {"Variables": {"B": "2"}}}

    assert merge(common, own) == {
        "Timeout": 9,
        "Layers": ["a", "b"],
        "Environment": {"Variables": {"A": "1", "B": "2"}},
        "Runtime": "python3.13",
    }


WIRED = """
    Globals: {Function: {Timeout: 7, Layers: [!Ref Common]}}
    Conditions: {Never: !Equals [a, b]}
    Mappings:
      Sizes: {eu-central-1: {Size: large}}
    Resources:
      Jobs: {Type: AWS::SQS::Queue}
      Common: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: layer}}
      Absent: {Type: AWS::Serverless::Function, Condition: Never, Properties: {CodeUri: x, Handler: x.y}}
      Worker:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: worker
          Handler: worker.handler
          Events:
            Hook: {Type: HttpApi, Properties: {Method: POST, Path: /hook}}
            Jobs: {Type: SQS, Properties: {Queue: !GetAtt Jobs.Arn, ScalingConfig: {MaximumConcurrency: 4}}}
"""


def test_functions_routes_and_event_sources_are_read_off(tmp_path: Path) -> None:
    """Defaults that the template leaves out are included."""
    stack = stack_of(tmp_path, WIRED)

    (worker,) = functions(stack, tmp_path)

    assert (worker.name, worker.handler, worker.timeout, worker.memory) == ("Worker", "worker.handler", 7.0, 128)
    assert worker.folders == (tmp_path / "worker", tmp_path / "layer")
    assert [(route.method, route.path) for route in routes(stack)] == [("POST", "/hook")]
    (source,) = event_sources(stack)
    assert (source.function, source.queue_url, source.queue_arn) == ("Worker", "http://queues/Jobs", "arn:queue:Jobs")
    assert (source.batch_size, source.concurrency, source.reports_failures) == (10, 4, False)
