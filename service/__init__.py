"""The gRPC side of the brain, one file per concern."""
