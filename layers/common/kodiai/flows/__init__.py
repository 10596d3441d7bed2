"""The steps of each flow, in order."""
