"""The change under review: patches, hunks, lines, what of it is read."""
