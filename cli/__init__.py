"""The kodiai command."""
