"""A deployment that lacks a setting says which one."""

from pathlib import Path

from local.github import AppSetup, LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from tests.git_repository import GitRepository


def test_a_missing_parameter_is_one_error_that_names_it(tmp_path: Path) -> None:
    """Nothing is posted, and the message ends among the dead letters instead of going round for ever."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"a.py": "a = 2\n"}, base)
    with LocalGitHub(repository.path, app=AppSetup(webhook_secret="s3cret")) as github:
        access = GitHubAccess(github.url, {"github/app-id": github.app_id})
        with LocalMachine(access, webhook_secret="s3cret", parameters={"anthropic/api-key": ""}) as machine:
            github.webhook_url = machine.system.webhook_url

            number = github.open_pull_request(head, base)
            github.settle()
            machine.system.wait_until_quiet(60)

            reasons = {line["reason"] for line in machine.system.log_lines if line.get("outcome") == "broken"}
            assert len(reasons) == 1
            [reason] = reasons
            assert reason.startswith("Parameters are missing: ")
            assert "/anthropic/api-key" in reason
            assert github.state.pulls[number].state == "open"
            sqs = machine.aws.client("sqs")
            [dead] = [url for url in sqs.list_queues()["QueueUrls"] if url.endswith("reviews-dead.fifo")]
            [letter] = sqs.receive_message(QueueUrl=dead)["Messages"]
            assert f'"number":{number}' in letter["Body"].replace(" ", "")
