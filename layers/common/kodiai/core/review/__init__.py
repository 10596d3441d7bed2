"""A review: what goes into it, what is planned, what is posted."""
