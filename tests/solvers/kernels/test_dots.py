from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from solvers.kernels.dots import LANES, picked_dots


@pytest.mark.parametrize("states", [1, 3, LANES - 1, LANES, LANES + 1, 30, 257])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_stated_error_holds_in_exact_arithmetic(states, kind):
    """Costs of both signs that nearly cancel, from 1e-9 to 1e9, weighed by unequal beliefs."""
    rng = np.random.default_rng(states)
    beliefs = rng.dirichlet(np.full(states, 0.3), 12) * (rng.random((12, states)) < 0.8)
    table = rng.choice([-1.0, 1.0], (states, 3)) * 10.0 ** rng.uniform(-9, 9, (states, 3))
    columns = rng.integers(0, 3, 12)
    dots, sizes, slip = picked_dots(kind(beliefs), columns, table)
    for belief, a, dot, size in zip(beliefs, columns, dots, sizes, strict=True):
        terms = [Fraction(p) * Fraction(c) for p, c in zip(belief, table[:, a], strict=True)]
        assert abs(Fraction(dot) - sum(terms)) <= Fraction(slip) * Fraction(size)
        assert abs(Fraction(size) - sum(map(abs, terms))) <= Fraction(slip) * Fraction(size)
        assert slip <= (states + 16) * 2.0**-53  # no more than a plain sum may be off
