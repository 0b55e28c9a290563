"""Benchmarks of the checkout, run by `cafebrain bench`; not installed. One file per group of figures."""
