"""The decisions: no I/O, no clock, no environment, no logging."""
