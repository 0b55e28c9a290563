"""Malformed and mutated requests, by the hundred thousand: see fuzz/__main__.py."""
