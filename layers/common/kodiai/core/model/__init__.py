"""What is exchanged with a model."""
