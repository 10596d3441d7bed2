"""What a person can do on the pages, as far as GitHub lets them.

Each act is given the form that was sent, and says where below the pull request's address to go on. Raises Refused.
"""

from collections.abc import Callable, Mapping

from local.github.acts import Acts
from local.page.visit import Visit

Act = Callable[[Visit, Acts, Mapping[str, str]], str]

ACTS: Mapping[str, Act] = {}
