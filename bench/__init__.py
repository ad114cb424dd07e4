"""The benchmark: problems, suites, the runner, the result store, tables, plots and the report."""

from bench.problems import load_problem

__all__ = ["load_problem"]
