"""Source code as a program reads it: what it defines, which names it binds, whether it parses."""
