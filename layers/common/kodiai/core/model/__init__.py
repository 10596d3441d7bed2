"""The exchange with a model."""
