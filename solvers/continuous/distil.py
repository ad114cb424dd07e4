"""A policy as a network: from the last seen state and the actions since to what to do next.

This is the policy of App. C.2, point 1: the features of a belief are those of its root, the time,
and the string of blind actions so far.  It is fitted to the plans of a policy that searches, at
sampled roots; every prefix of a plan is one example.  It acts in microseconds where a search takes
milliseconds, and loses what the fit loses, which is measured, not assumed.

Needs scikit-learn: ``pip install 'sensebench[continuous]'``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.continuous.features import scaled
from solvers.continuous.model import ContinuousError, ContinuousSensingMDP, at_horizon
from solvers.continuous.plans import ContinuousPolicy, Plans

EXAMPLES = 20_000
"""Most prefixes of plans that a network is shown: long plans have more than memory holds."""
LONGEST = 32
"""Most actions of a string that a network is told of."""


class NoNetworkLibrary(ContinuousError):
    """scikit-learn is not installed; everything but a network works without it."""


@dataclass
class NetworkPolicy(ContinuousPolicy):
    """Asks the network again after every blind action.

    longest : actions of the string that it is told of, the last ones
    limit : most steps before a look, those of the longest plan that it was shown.  Beyond them it
        would be guessing, and a network that guesses "not yet" once may do so for good.
    """

    problem: ContinuousSensingMDP
    network: Any
    longest: int
    limit: int
    name: str = "spi-continuous (network)"

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        n, A, limit = len(roots), self.problem.num_actions, self.limit
        strings, lengths = np.zeros((n, limit), int), np.zeros(n, int)
        looks, live = np.zeros(n, bool), np.arange(n)
        for step in range(limit):
            seen = _inputs(
                self.problem, roots[live], times[live], strings[live, :step], self.longest
            )
            choice = self.network.predict(seen)
            strings[live, step], lengths[live] = choice % A, step + 1
            forced = step == limit - 1 < self.problem.steps - 1
            end = at_horizon(self.problem, times[live] + step + 1)
            looks[live] = ((choice >= A) | forced) & ~end
            live = live[~looks[live] & ~end]
            if not len(live):
                break
        return Plans(strings[:, : lengths.max(initial=1)], lengths, looks)


def distil(
    problem: ContinuousSensingMDP,
    policy: ContinuousPolicy,
    roots: np.ndarray,
    times: np.ndarray,
    seed: int = 0,
    layers: tuple[int, ...] = (64, 64),
) -> NetworkPolicy:
    """Fit a network to the plans of ``policy`` at roots (n, d) seen at times (n,)."""
    try:
        from sklearn.neural_network import MLPClassifier
    except ImportError:
        raise NoNetworkLibrary(
            "distilling a policy needs scikit-learn: pip install 'sensebench[continuous]'"
        ) from None
    plans = policy.plans(roots, times)
    longest = min(LONGEST, int(np.quantile(plans.lengths, 0.95)))
    share, rng = EXAMPLES / plans.lengths.sum(), np.random.default_rng(seed)
    inputs, answers = [], []
    for step in range(plans.actions.shape[1]):
        on = np.flatnonzero((plans.lengths > step) & (rng.random(len(roots)) < share))
        inputs.append(_inputs(problem, roots[on], times[on], plans.actions[on, :step], longest))
        look = plans.looks[on] & (plans.lengths[on] == step + 1)
        answers.append(plans.actions[on, step] + problem.num_actions * look)
    network = MLPClassifier(layers, random_state=seed, max_iter=100, early_stopping=True)
    network.fit(np.concatenate(inputs), np.concatenate(answers))
    limit = int(plans.lengths.max()) if plans.looks.all() else problem.steps
    return NetworkPolicy(problem, network, longest, limit)


def _inputs(
    problem: ContinuousSensingMDP,
    roots: np.ndarray,
    times: np.ndarray,
    strings: np.ndarray,
    longest: int,
) -> np.ndarray:
    """Root, share of time left, steps since the look, and the last ``longest`` actions, with one
    unit for each action."""
    n, step = strings.shape
    recent = strings[:, max(0, step - longest) :]
    units = np.zeros((n, longest, problem.num_actions))
    for j in range(recent.shape[1]):
        units[np.arange(n), j, recent[:, recent.shape[1] - 1 - j]] = 1.0
    since = np.full((n, 1), step / max(longest, 1))
    left = np.zeros((n, 0)) if problem.horizon is None else 1 - times[:, None] / problem.horizon
    last = units.reshape(n, longest * problem.num_actions)
    return np.hstack([scaled(problem, roots), left, since, last])
