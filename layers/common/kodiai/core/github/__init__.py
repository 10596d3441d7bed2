"""GitHub's own things, under its names: ids, comments, threads, pull requests, checks."""
