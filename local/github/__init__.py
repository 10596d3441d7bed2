"""GitHub over a real git repository: REST, GraphQL and webhooks on the loopback address."""

from local.github.local_github import AppSetup, LocalGitHub
from local.github.repository import UnusableRepository

__all__ = ["AppSetup", "LocalGitHub", "UnusableRepository"]
