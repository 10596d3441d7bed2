"""The change under review: its files, patches and hunks, and which of them are read."""
