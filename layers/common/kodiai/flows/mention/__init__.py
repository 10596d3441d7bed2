"""What follows from what people say on a pull request."""
