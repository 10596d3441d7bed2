"""The ways in which the flows reach the outside, as protocols."""
