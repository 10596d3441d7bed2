"""What people say to us in a pull request, understood without asking the model."""
