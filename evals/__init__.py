"""Evals: how good the reviews are, by pull requests of which it is known what has to be said of them."""
