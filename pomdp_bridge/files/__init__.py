"""The model as a file: .npz, .pomdp, .pomdpx."""

from pomdp_bridge.files.formats import read, write

__all__ = ["read", "write"]
