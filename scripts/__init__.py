"""Tools of the checkout, run by the Makefile."""
