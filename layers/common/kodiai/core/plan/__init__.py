"""The plan of a review: what is read, by which reviewers, with which material."""
