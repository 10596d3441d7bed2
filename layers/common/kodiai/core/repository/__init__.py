"""The files of a repository at one commit: what they define, call and use, and which of that the model is shown."""
