"""The memory: what findings led to, the repository's rules, and the use of both."""
