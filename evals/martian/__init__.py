"""Martian's code-review-benchmark: its files, its figures, and its pull requests as cases."""
