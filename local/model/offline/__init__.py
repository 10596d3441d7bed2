"""The offline reviewer."""
