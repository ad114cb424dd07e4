import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.kernels.screening import ScreenedColumns


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), alike=st.sampled_from([0.0, 0.5, 0.95, 0.999]))
def test_the_least_column_is_never_screened_out(seed, alike):
    rng = np.random.default_rng(seed)
    S, A, n = 12, 9, 60
    live = np.arange(S) < 9
    X = rng.normal(size=(S, A, A))
    X[~live] = 0.3  # columns are equal where nothing can happen any more
    common = rng.dirichlet(np.ones(S))
    beliefs = alike * common + (1 - alike) * rng.dirichlet(np.ones(S), size=n)
    groups = rng.integers(0, 2, size=n)  # any grouping will do
    columns = ScreenedColumns(X, live, tie=1e-12)
    assert columns.usable
    exact = np.einsum("ns,sab->nab", beliefs, X).min(axis=2)
    found = columns.least(beliefs, groups)
    assert np.allclose(found.min(axis=1), exact.min(axis=1), atol=1e-12)
    assert (found.argmin(axis=1) == exact.argmin(axis=1)).all()
    formed = np.isfinite(found)
    assert np.allclose(found[formed], exact[formed], atol=1e-12) or (found >= exact - 1e-12).all()


def test_columns_that_differ_at_the_end_are_not_screened():
    X = np.random.default_rng(0).normal(size=(4, 9, 9))
    assert not ScreenedColumns(X, np.array([True, True, True, False]), tie=1e-12).usable
