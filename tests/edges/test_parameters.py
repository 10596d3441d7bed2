"""The deployment's parameters, over real HTTP to the local SSM."""

import pytest

from kodiai.core.config.settings import ApiSettings
from kodiai.core.errors import Broken
from kodiai.edges.parameters import SsmParameters
from tests.edges.deployed_aws import DeployedAws


def test_everything_below_the_prefix_is_read_by_relative_name(deployed: DeployedAws) -> None:
    """More than SSM's page of ten, secrets in clear, nothing of a prefix that begins alike."""
    given = {f"limits/number-{number}": str(number) for number in range(12)} | {"webhook/secret": "hush"}
    prefix = deployed.new_prefix(given)
    deployed.put(f"{prefix}0/webhook/secret", "another deployment's")

    assert SsmParameters(deployed.ssm, prefix).read() == SsmParameters(deployed.ssm, f"{prefix}/").read() == given


def test_one_folder_is_read_with_its_name_before_each(deployed: DeployedAws) -> None:
    """Ingest may read its own folder and no other."""
    prefix = deployed.new_prefix({"webhook/secret": "hush", "github/token": "not for ingest"})

    assert SsmParameters(deployed.ssm, prefix).read("webhook") == {"webhook/secret": "hush"}


def test_named_parameters_are_read_and_no_others(deployed: DeployedAws) -> None:
    """The API may not read what is next to them, such as the App's key."""
    prefix = deployed.new_prefix(
        {"github/api-url": "https://a", "github/private-key": "hush", "github/publish": "post"}
    )
    parameters = SsmParameters(deployed.ssm, prefix)

    assert parameters.read_named(("github/api-url", "github/publish")) == {
        "github/api-url": "https://a",
        "github/publish": "post",
    }


def test_named_settings_are_read_again_where_they_are_malformed(deployed: DeployedAws) -> None:
    """A corrected parameter counts without waiting for five minutes. A missing one is named."""
    values = {"github/api-url": "no address", "github/timeout-seconds": "20", "limits/retention-days": "400"}
    prefix = deployed.new_prefix(values)
    parameters = SsmParameters(deployed.ssm, prefix)

    with pytest.raises(Broken, match=r"^Parameters are malformed: .*/github/api-url \(not a web address\)\.$"):
        parameters.settings(ApiSettings.from_parameters, names=ApiSettings.NAMES)
    deployed.put(f"{prefix}/github/api-url", "https://a")
    settings = parameters.settings(ApiSettings.from_parameters, names=ApiSettings.NAMES)

    assert (settings.api_url, settings.timeout_seconds) == ("https://a", 20)
    with pytest.raises(Broken, match=rf"^The parameter {prefix}/none cannot be read: SSM says ParameterNotFound\.$"):
        parameters.read_named(("none",))


def test_a_parameter_serves_until_it_is_asked_for_fresh(deployed: DeployedAws) -> None:
    """A delivery costs no call to SSM, and a rotated secret can still be had at once."""
    prefix = deployed.new_prefix({"webhook/secret": "old"})
    parameters = SsmParameters(deployed.ssm, prefix)
    parameters.read("webhook")["webhook/secret"] = "spoiled by the caller"

    deployed.put(f"{prefix}/webhook/secret", "new")

    assert parameters.read("webhook") == {"webhook/secret": "old"}
    assert parameters.read("webhook", fresh=True) == {"webhook/secret": "new"}


def test_a_prefix_with_nothing_below_it_is_empty(deployed: DeployedAws) -> None:
    """Which parameters are missing is for the settings to say."""
    assert SsmParameters(deployed.ssm, "/kodiai/nowhere").read() == {}
