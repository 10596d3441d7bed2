"""Fuzzing: broken versions of real inputs, given to everything that reads what others wrote."""
