"""What GitHub has, under its names: ids, comments, threads, pull requests, checks."""
