"""One module for each language: which nodes of its tree define, import and bind, and its builtins."""
