"""What people and programs do with proposals, one verb a file."""
