"""The files of a repository at one commit: what they define, call and use, and what of that is shown."""
