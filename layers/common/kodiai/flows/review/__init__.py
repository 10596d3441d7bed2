"""The steps of a review, one file each, named for its verb."""
