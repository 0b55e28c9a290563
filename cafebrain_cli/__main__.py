"""Lets `python -m cafebrain_cli` do what `cafebrain` does."""
from cafebrain_cli.main import main

main()
