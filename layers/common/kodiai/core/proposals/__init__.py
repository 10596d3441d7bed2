"""Proposals: changes that are reviewed before they are made, and their protocol."""
