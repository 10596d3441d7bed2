"""What the reviewer found: grounded, judged, summed up in a verdict."""
