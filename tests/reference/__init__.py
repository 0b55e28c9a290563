"""Slow pure-Python reference implementations of the rules, the second method of the tests."""
