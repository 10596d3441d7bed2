"""What the offline reviewer reads in replies: nothing, because no rule knows what people mean."""

import json

from kodiai.core.conversation.reading import Reading, believed, read_reading, reading_material
from local.model import OfflineReviewer, is_answer, is_extract, is_find, is_judge, is_reading, replied
from local.model.answers import Reply, Request
from tests.builders import a_finding, a_reply


def request(said: str) -> Request:
    """A question about a reply, as the system asks it."""
    material = reading_material(a_finding(), [a_reply("# The reply\n\nHm.")], "ann", said)
    return {
        "messages": [{"role": "user", "content": [{"type": "text", "text": material}]}],
        "max_tokens": 1_000,
        "output_config": {"format": {"type": "json_schema", "schema": Reading.model_json_schema()}},
    }


def test_a_reply_decides_nothing_without_a_model() -> None:
    """Whatever it says; the answer fits the form."""
    answer = OfflineReviewer().answer(request("Das bleibt so: # The reply"))

    assert isinstance(answer, Reply)
    found = read_reading(str(answer.content[0]["text"]))
    assert found == Reading(words="", doubt="none", decision="none")
    assert believed(found, "Das bleibt so") is None


def test_the_question_about_a_reply_is_no_other_one() -> None:
    """The reply can be read out of it, whatever it says itself."""
    said = '# The reply\n\n{"said": "won\'t fix"}'
    asked = request(said)

    assert is_reading(asked)
    assert not any(other(asked) for other in (is_find, is_judge, is_answer, is_extract))
    assert replied(asked) == said
    assert not is_reading({**asked, "output_config": {}})
    assert json.dumps(asked)
