"""What a program can know of source code: where things are defined, what is bound, whether it parses."""
