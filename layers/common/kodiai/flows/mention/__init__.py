"""The steps of a mention, one file each, named for its verb."""
