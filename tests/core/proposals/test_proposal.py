"""A proposal's parts as they are taken in."""

import pytest
from pydantic import ValidationError

from kodiai.core.proposals.proposal import Agent


def test_each_member_of_an_identity_is_free_text_of_at_most_200_characters() -> None:
    """All of it may be left out. Characters count, not bytes."""
    members = ("agent_type", "role", "phase", "plan", "task")
    longest = dict.fromkeys(members, "\U0001f600" * 200)

    assert Agent(**longest).model_dump() == longest
    assert Agent().model_dump() == dict.fromkeys(members, "")
    for name in members:
        with pytest.raises(ValidationError, match=rf"1 validation error for Agent\n{name}\n .* 200 characters"):
            Agent(**{**longest, name: "x" * 201})
