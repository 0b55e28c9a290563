"""The cafebrain command."""
