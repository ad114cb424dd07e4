"""Critics and plans where an episode has a known number of steps, against a fine grid."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from bench.continuous.problems import load_continuous
from solvers.continuous import AlwaysLook, EveryN, SPIContinuous, fit_always_look, judge, remembered
from solvers.continuous.critic import fit_policy

K, H = 0.3, 12


def problem():
    return replace(load_continuous("walk-1d", K), horizon=H)


def roots(seed=0):
    return SPIContinuous.all_over(problem(), 300, np.random.default_rng(seed))[0]


def by_hand(cells=601):
    """Always looking on walk-1d for H steps: values (H + 1, cells) on a fine grid, from densities
    and not from samples, by code that shares nothing with the solvers."""
    x = np.linspace(-3, 3, cells)
    edges = np.concatenate([[-np.inf], (x[1:] + x[:-1]) / 2, [np.inf]])
    V = np.zeros((H + 1, cells))
    for t in range(H - 1, -1, -1):
        options = []
        for push in (-0.5, 0.0, 0.5):
            T = np.diff(norm.cdf(edges, (x + push)[:, None], 0.2), axis=1)
            look = K if t + 1 < H else 0.0  # nobody pays for the last one
            options.append(x**2 + 0.02 * abs(push) + look + 0.95 * T @ V[t + 1])
        V[t] = np.min(options, axis=0)
    return x, V


def test_the_backward_critic_is_that_of_a_fine_grid_at_every_time():
    x, exact = by_hand()
    V = fit_always_look(problem(), roots(), np.random.default_rng(1), 256, 80)
    inner = np.abs(x) < 2
    for t in range(H):
        found = V(x[inner, None], np.full(inner.sum(), t))
        error = np.abs(found - exact[t, inner])
        assert error.max() < 0.05 * exact[t, inner].max() + 0.05, f"time {t}"
    assert (V(x[:, None], np.full(len(x), H)) == 0).all()


def test_a_critic_at_mixed_times_is_the_same_as_time_by_time():
    V = fit_always_look(problem(), roots(), np.random.default_rng(1), 16, 40)
    x, times = roots(2)[:60], np.arange(60) % (H + 1)
    together = V(x, times)
    apart = [V(x[i : i + 1], times[i : i + 1])[0] for i in range(60)]
    np.testing.assert_allclose(together, apart, rtol=1e-12)


@pytest.mark.parametrize("period", [1, 3, 5])
def test_the_critic_of_a_policy_says_what_simulation_says(period):
    here, rng = problem(), np.random.default_rng(3)
    V = fit_always_look(here.with_sensing_cost(0.0), roots(), rng, 64, 60)
    policy = remembered(here, EveryN(here, V, 64, period=period))
    critic = fit_policy(here, policy, roots(4), rng, 256, 60)
    run = judge(here, policy, 3000, seed=5)
    starts = here.start(3000, np.random.default_rng((5, 2**32)))
    said = critic(starts, np.zeros(3000, int)).mean()
    assert said == pytest.approx(run.value, abs=4 * run.standard_error + 0.02 * run.value)


def test_always_looking_simulated_costs_what_the_fine_grid_says():
    here = problem()
    x, exact = by_hand()
    V = fit_always_look(here, roots(), np.random.default_rng(1), 256, 80)
    run = judge(here, remembered(here, AlwaysLook(here, V, 256)), 4000, seed=6)
    starts = here.start(4000, np.random.default_rng((6, 2**32)))[:, 0]
    best = np.interp(starts, x, exact[0]).mean()
    assert best - 4 * run.standard_error < run.value < 1.03 * best + 4 * run.standard_error
