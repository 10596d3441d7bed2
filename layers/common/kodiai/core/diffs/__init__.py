"""Diffs of git: reading, applying and writing them, in memory."""
