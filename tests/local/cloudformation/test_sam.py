"""The real SAM CLI deploys template.yaml into a local account, and what it deploys runs."""

from pathlib import Path

import pytest

from tests.local.cloudformation.deploying import Account
from tests.local.cloudformation.sending import webhook
from tests.sam import Sam


@pytest.mark.slow  # two commands of the SAM CLI, of some seconds each
def test_the_sam_cli_says_what_is_refused_and_deletes_all_that_is_deployed(
    new_account: Account, tmp_path: Path
) -> None:
    """A deployment that AWS refuses is rolled back, and its empty stack deleted; then the end of another one."""
    sam = Sam(new_account.cloud, tmp_path)

    refused = sam.deploy("dev", "IngestReservedConcurrency=5")

    assert refused.returncode == 1
    assert "below its minimum value of [10]" in " ".join(refused.stdout.split())
    assert new_account.status("dev") == "ROLLBACK_COMPLETE"
    assert new_account.left() == {"aws-sam-cli-managed-default", "kodiai-dev"}
    new_account.delete("dev")

    assert new_account.deploy("dev") == "CREATE_COMPLETE"
    new_account.secret("dev", "webhook/secret", "s3cret")
    assert webhook(new_account.output("dev", "WebhookUrl"), "s3cret") == 200

    deleted = sam.delete("dev")

    assert deleted.returncode == 0, deleted.stdout + deleted.stderr
    assert new_account.left() == {
        "aws-sam-cli-managed-default",  # the SAM CLI's own, for all that it deploys
        "kodiai-dev-ledger",
        "kodiai-dev-memory",
        "titan-embed-text-v2-1024",
        "/kodiai/dev/webhook/secret",
    }
