"""What goes wrong with a cluster."""


class ClusterError(Exception):
    """A cluster that cannot be reached or used; `str()` says why in a sentence a user can act on."""
