"""A review: its input, its plan, and what it posts."""
