"""The real SAM CLI deploys template.yaml into a local account, and what it deploys runs."""

import httpx
import pytest

from local.cloud import LocalCloud
from tests.sam import Sam


@pytest.mark.xdist_group("sam")
def test_what_sam_deploys_answers_at_the_address_that_it_prints(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A change set, the translated template, the uploads, the outputs, and one process for the function."""
    with LocalCloud() as cloud:
        sam = Sam(cloud, tmp_path_factory.mktemp("sam"))

        deployed = sam.deploy("dev", "DataPolicy=Delete")

        assert deployed.returncode == 0, deployed.stdout + deployed.stderr
        assert "Successfully created/updated stack - kodiai-dev in us-east-1" in deployed.stdout
        [stack] = cloud.aws.client("cloudformation").describe_stacks(StackName="kodiai-dev")["Stacks"]
        outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
        cloud.aws.client("ssm").put_parameter(
            Name=f"{outputs['ParameterPrefix']}/webhook/secret", Value="s3cret", Type="SecureString"
        )
        answer = httpx.post(outputs["WebhookUrl"], json={}, trust_env=False, timeout=60)
        assert (answer.status_code, answer.json()["outcome"]) == (401, "refused")
