"""One self-contained page per suite."""
