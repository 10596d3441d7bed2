"""Public benchmarks of code review: their formats, their figures, and their pull requests as our cases."""
