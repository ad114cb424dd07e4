"""Rows as a table of numbers, beside the published ones."""
