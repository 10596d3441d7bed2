"""The gate: the conclusion of a check run, and the standing of a head that several pull requests share."""
