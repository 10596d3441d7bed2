"""A GitHub stand-in over a real git repository: REST, GraphQL and webhooks on the loopback address."""

from local.github.repository import UnusableRepository
from local.github.stand_in import GitHubStandIn

__all__ = ["GitHubStandIn", "UnusableRepository"]
