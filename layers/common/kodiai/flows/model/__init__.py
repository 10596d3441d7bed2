"""Asking a model, within the budget and the time; reviews and mentions share it."""
