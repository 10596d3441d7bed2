"""The verbs of people and programs on proposals, one a file."""
