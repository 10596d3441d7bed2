"""Settings: of a repository and its owner, of a deployment, and the limits on spending."""
