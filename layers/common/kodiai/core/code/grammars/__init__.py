"""One module a language: which nodes of its tree define, import and bind, and what the language itself gives."""
