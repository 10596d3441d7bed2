"""A change that leaks a secret: the finding is posted, and nobody is shown the secret, the model neither."""

from tests.specs.conftest import Stage
from tests.specs.scripts import a_finding, a_report, says

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LEAK = {"src/orders.py": f"def total(prices):\n    token = '{TOKEN}'\n    return sum(prices)\n"}


def test_the_model_sees_a_masked_token_and_reports_it(stage: Stage) -> None:
    """Its quote of what it sees is found in the code."""
    finding = a_finding(title="A token is committed", quote="token = 'ghp_…'", explanation="Everybody can read it.")
    stage.model.answers = says(a_report(finding))
    asked = stage.asked

    opened = stage.open(LEAK, title=f"Use {TOKEN}", body=f"The token is {TOKEN}.")

    [comment] = opened.comments
    assert (comment["line"], "A token is committed" in comment["body"]) == (2, True)
    assert stage.machine.model is not None
    sent = [str(seen.body) for seen in stage.machine.model.requests[asked:]]
    assert sent
    assert not [text for text in sent if TOKEN in text]
