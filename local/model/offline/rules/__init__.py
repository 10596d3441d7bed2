"""What the offline reviewer takes from ruff's rules, how grave each is, and what goes wrong in our own words."""

from local.model.offline.rules.care import CARE
from local.model.offline.rules.correctness import CORRECTNESS
from local.model.offline.rules.crashes import CRASHES
from local.model.offline.rules.rule import Rule
from local.model.offline.rules.security import SECURITY

RULES: dict[str, Rule] = {**CRASHES, **CORRECTNESS, **SECURITY, **CARE}
