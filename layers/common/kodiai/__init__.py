"""Kodiai, a pull-request reviewer that continues, listens and remembers."""
