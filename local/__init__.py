"""The same system on one machine."""
