"""Which values of the template's parameters a deployment is given: those that somebody chose, and new defaults."""

from cli.stage import Stack

DEFAULTS = {"Stage": "dev", "ReviewConcurrency": "5", "QuietSeconds": "60", "AlarmEmail": ""}
VALUES = {"Stage": "prod", "ReviewConcurrency": "5", "QuietSeconds": "0", "AlarmEmail": "", "Gone": "x"}
STACK = Stack("UPDATE_COMPLETE", {}, VALUES, DEFAULTS)


def test_what_differs_from_the_defaults_of_its_time_was_chosen() -> None:
    """A parameter that the template no longer has was chosen too, as far as anybody can tell."""
    assert STACK.chosen == {"Stage": "prod", "QuietSeconds": "0", "Gone": "x"}


def test_a_new_default_replaces_what_nobody_chose() -> None:
    """CloudFormation would keep the value of the first deployment for ever."""
    new = {"Stage": "dev", "ReviewConcurrency": "2", "QuietSeconds": "30", "AlarmEmail": "", "Added": "1"}

    assert STACK.outdated(new) == {"ReviewConcurrency": "2"}
