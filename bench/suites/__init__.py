"""Suites: which problems and solvers, under which settings."""
