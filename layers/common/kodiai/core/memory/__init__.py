"""What findings led to: what is remembered about them, the repository's rules, and how both are used."""
