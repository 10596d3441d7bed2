"""The values of the template's parameters in a deployment, and their way to the SAM CLI."""

import json
import random
import shlex
import subprocess
from pathlib import Path

import pytest

from cli.commands import parse
from cli.errors import CommandError
from cli.setup import _again
from cli.setup.parameters import check_values, merged, sam_file
from cli.stage import Stack
from scripts.build import ensure_sam, find_uv

DEFAULTS = {"Stage": "dev", "ReviewConcurrency": "5", "QuietSeconds": "60", "AlarmEmail": ""}
VALUES = {"Stage": "prod", "ReviewConcurrency": "5", "QuietSeconds": "0", "AlarmEmail": "", "Gone": "x"}
STACK = Stack("UPDATE_COMPLETE", {}, VALUES, DEFAULTS)


def test_a_value_that_differs_from_the_default_of_its_time_was_chosen() -> None:
    """A parameter that the template no longer has was chosen too, as far as anybody can tell."""
    assert STACK.chosen == {"Stage": "prod", "QuietSeconds": "0", "Gone": "x"}


def test_a_new_default_replaces_what_nobody_chose() -> None:
    """CloudFormation would keep the value of the first deployment for ever."""
    new = {"Stage": "dev", "ReviewConcurrency": "2", "QuietSeconds": "30", "AlarmEmail": "", "Added": "1"}

    assert STACK.outdated(new) == {"ReviewConcurrency": "2"}


ALPHABET = [
    *" \"'{}\\,=\n\t:#&*!|>%@`[]()$-_.~",
    "a",
    "7",
    "é",
    "🐙",
    "\u2028",
    "\u00a0",
    "\ufeff",
    "\\ ",
    '\\"',
    "null",
    "Name=",
]
READ_BY_SAM = """
import json, sys
from samcli.cli.types import CfnParameterOverridesType
print(json.dumps(CfnParameterOverridesType().convert((f"file://{sys.argv[1]}",), None, None)))
"""


def generated_values(count: int) -> list[str]:
    choose = random.Random(7)
    return ["".join(choose.choices(ALPHABET, k=choose.randrange(12))) for _ in range(count)]


@pytest.mark.xdist_group("sam")
def test_the_sam_cli_reads_every_value_as_it_was_given(tmp_path: Path) -> None:
    """Its own parser reads 400 values of all that is special to it, to YAML or to a shell, and some of real life."""
    real = [
        "",
        " ",
        "rate(1 hour)",
        '{"full": {"effort": "high"}, "lite": {"model": "a\\"b"}}',
        "'",
        '"',
        '"quoted"',
        "file://x",
    ]
    values = {f"P{number}": value for number, value in enumerate(real + generated_values(400))}
    file = tmp_path / "parameters.yaml"
    file.write_text(sam_file(values))
    python = Path(ensure_sam(find_uv())).with_name("python")

    read = subprocess.run([python, "-c", READ_BY_SAM, file], capture_output=True, text=True, check=True)

    assert json.loads(read.stdout) == values


REFUSED = {
    ("ReviewConcurency", "5"): "The template has no parameter ReviewConcurency: did you mean ReviewConcurrency?",
    ("githubpublish", "post"): "The template has no parameter githubpublish: did you mean GithubPublish?",
    ("Nonsense", "1"): "The template has no parameter Nonsense: see docs/operators.md",
    ("ReviewConcurrency", "1"): "Parameter 'ReviewConcurrency' must be a number not less than 2",
    ("ReviewConcurrency", "1001"): "Parameter 'ReviewConcurrency' must be a number not greater than 1000",
    ("ReviewConcurrency", " 5"): "Parameter 'ReviewConcurrency' must be a number",
    ("ReviewConcurrency", ""): "Parameter 'ReviewConcurrency' must be a number",
    ("GithubPublish", "dry run"): "Parameter 'GithubPublish' must be one of AllowedValues: post, dry-run",
    ("SweepSchedule", "hourly"): r"Parameter 'SweepSchedule' must match pattern (rate|cron)\(.+\)",
    ("AnthropicBaseUrl", ""): "Parameter 'AnthropicBaseUrl' must contain at least 1 characters",
    ("ModelTiers", "é" * 2049): "Parameter 'ModelTiers' must have at most 4096 bytes, not 4098",
    ("ModelTiers", "a\x07b"): "Parameter 'ModelTiers' must not hold control characters",
    ("ModelTiers", "a\rb"): "Parameter 'ModelTiers' must not hold control characters",
    ("ModelTiers", "a\udcffb"): "Parameter 'ModelTiers' must not hold control characters",
}


def test_an_invalid_value_is_refused_with_its_name_and_the_rule() -> None:
    """All mistakes are reported at once, before any question or build."""
    for (name, value), complaint in REFUSED.items():
        with pytest.raises(CommandError) as refused:
            check_values({name: value})
        assert str(refused.value) == complaint
    check_values({"AlarmEmail": "", "SweepSchedule": "rate(1 hour)", "SpendingToolsShare": "0.5", "ModelTiers": "{\n}"})
    with pytest.raises(CommandError, match=r"must be a number; The template has no parameter X: see"):
        check_values({"Receives": "x", "X": ""})


def test_a_value_that_another_option_gives_is_not_overridden() -> None:
    """The stage names the stack, whatever the template's parameter would say."""
    named = {"Stage": ("--stage", "prod"), "AlarmEmail": ("--alarm-email", None)}

    assert merged(named, [("Stage", "prod"), ("AlarmEmail", "")]) == {"Stage": "prod", "AlarmEmail": ""}
    with pytest.raises(CommandError, match=r"^Stage is 'prod' by --stage, and 'dev' by --set.$"):
        merged(named, [("Stage", "dev")])


def test_the_command_to_run_again_has_everything_that_was_given() -> None:
    """A pilot that fails once stays a pilot; an empty answer stays empty."""
    given = [
        *("kodiai", "setup", "--stage", "pilot", "--owner", "acme", "--bedrock", "--alarm-email", ""),
        *("--github-api-url", "https://github.acme.example/api/v3", "--set", "GithubPublish=dry-run"),
        *("--set", 'ModelTiers={"full": {"effort": "it\'s high"}}', "--pr", "acme/shop#12", "--upgrade"),
        *("--no-browser", "--port", "8765"),
    ]

    again = shlex.split(_again(parse(given[1:])))

    assert sorted(again) == sorted(given)
    assert _again(parse(again[1:])) == _again(parse(given[1:]))
    assert _again(parse(["setup"])) == "kodiai setup --stage prod"
