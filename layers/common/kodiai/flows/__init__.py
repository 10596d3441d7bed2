"""The steps of each journey, in order."""
