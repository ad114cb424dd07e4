"""Shared by all tests: solvers and problems joined by one test are unknown to the next."""

import pytest

from bench.problems import registry as problems
from solvers.core import solver


@pytest.fixture(autouse=True)
def only_our_own(monkeypatch):
    """Give each test registries of its own."""
    solver.solver_classes()
    monkeypatch.setattr(solver, "_registry", dict(solver._registry))
    monkeypatch.setattr(problems, "_joined", {})
