"""One file per solver id."""
