"""Lock files: which packages they pin, from where, and what a change of them means."""
