"""The command line."""

from bench.cli.entry import main

__all__ = ["main"]
