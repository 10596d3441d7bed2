"""What is decided: no I/O, no clock, no environment, no logging."""
