"""The problems of the benchmark: one file each, found by id."""

from bench.problems.problem import Grid, Problem
from bench.problems.registry import find_problem, join_problems, load_problem, problems

__all__ = ["Grid", "Problem", "find_problem", "join_problems", "load_problem", "problems"]
