"""Evals: the quality of the reviews, by pull requests with known problems."""
