"""The compiled network against the same network written out."""

import numpy as np
import pytest

from solvers.kernels.random_features import mean_features, network_values


@pytest.mark.parametrize("D", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 128, 300])
def test_values_and_features_are_those_of_the_formula(n, D):
    rng, F = np.random.default_rng(D), 7
    z, directions, offsets = rng.normal(size=(n, D)), rng.normal(size=(D, F)), rng.normal(size=F)
    weights, counts = rng.normal(size=1 + D + F), rng.integers(2, size=n).astype(float)
    written_out = np.column_stack([np.ones(n), z, np.maximum(0, z @ directions + offsets)])
    values, means = np.empty(n), np.zeros((1, 1 + D + F))
    network_values(z, directions, offsets, weights, values)
    mean_features(z, counts, n, directions, offsets, means)
    np.testing.assert_allclose(values, written_out @ weights, atol=1e-12)
    np.testing.assert_allclose(means[0], counts @ written_out / n, atol=1e-12)
