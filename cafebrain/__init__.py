"""What a Python front-end imports: the generated messages and stubs, and the client."""
