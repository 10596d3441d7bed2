"""The judgement: candidates are ruled on, and the rulings are checked against the code."""
