"""The figures of the continuous suites.

updates : SPI's value after every update and when it was reached; values : every method's value and
looking rate over the sensing cost; map : how long SPI goes blind from each state; cloud : where the
state may be, step by step, during one blind run.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bench.continuous.problems import PROBLEMS, load_continuous
from bench.continuous.run import Settings
from bench.continuous.table import TITLES, load, summary
from bench.plots.style import Style, add_legend, line_handle, log_costs, panels, save, styled
from solvers.continuous import ContinuousPolicy, ContinuousSensingMDP, SPIContinuous

STYLES = {
    "spi-continuous": Style("#0072B2", "o", "-", "full"),
    "network": Style("#0072B2", "o", "--", "none"),
    "always-look": Style("#999999", "s", "-", "full"),
    "never-look": Style("#999999", "v", ":", "none"),
    "every-n": Style("#E69F00", "^", "-", "full"),
    "atm": Style("#009E73", "D", "-", "full"),
    "grid-dips": Style("#000000", "_", ":", "full"),
}


def draw(settings: Settings, results: Path) -> list[Path]:
    """Draw all figures into ``<results>/<suite>/figures``; returns their paths."""
    folder = results / settings.name / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with styled():
        written += save(over_cost(settings.name, results), folder / "value-and-looks-over-cost")
        written += save(over_updates(settings.name, results), folder / "value-over-updates")
        for problem_id in settings.problems:
            problem = load_continuous(problem_id)
            if problem.dimension <= 2:
                written += save(blindness(settings, problem), folder / f"map-{problem_id}")
    return written


def over_cost(suite: str, results: Path) -> Figure:
    """Above, each method's value over k; below, how often it looks."""
    frame = summary(load(suite, results))
    found = [p for p in PROBLEMS if p in set(frame["problem"])]
    figure, axes = panels(2 * len(found), len(found), 2.1, width=1.75 * max(len(found), 3))
    used: dict[str, str] = {}
    for i, problem in enumerate(found):
        here = frame[frame["problem"] == problem]
        top, bottom = axes[i], axes[i + len(found)]
        for method, rows in here.groupby("method", sort=False):
            family = method.split()[0]
            if family not in STYLES or (family == "grid-dips" and method != _finest(here)):
                continue
            style = STYLES[family]
            used[family] = TITLES.get(family, "optimum of the fine grid")
            value = rows["grid_value"] if family == "grid-dips" else rows["value"]
            error = 0 * value if family == "grid-dips" else rows["standard_error"]
            top.errorbar(rows["sensing_cost"], value, error, **style.of_line())
            bottom.plot(rows["sensing_cost"], 100 * rows["sensing_rate"], **style.of_line())
        top.set_title(problem)
        for ax in (top, bottom):
            log_costs(ax, sorted(here["sensing_cost"].unique()))
        rewards = load_continuous(problem).scale < 0
        top.set_ylabel("reward" if rewards else "cost")
        bottom.set_ylabel("looks per 100 steps")
    add_legend(figure, [line_handle(STYLES[f], used[f]) for f in STYLES if f in used])
    return figure


def _finest(here: pd.DataFrame) -> str | None:
    grids = [m for m in here["method"].unique() if m.startswith("grid-dips")]
    return max(
        grids, key=lambda m: int(np.prod([int(n) for n in m.split()[1].split("×")])), default=None
    )


def over_updates(suite: str, results: Path) -> Figure:
    """SPI's value after every update, one line per seed; those that were taken are filled."""
    cells = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((results / suite / "cells").glob("*.json"))
    ]
    found = [p for p in PROBLEMS if any(c["problem"] == p for c in cells)]
    figure, axes = panels(len(found), 3, 2.1)
    for ax, problem in zip(axes, found, strict=True):
        scale, middle = load_continuous(problem).scale, PROBLEMS[problem][1][1]
        for cell in cells:
            if cell["problem"] != problem or cell["sensing_cost"] != middle:
                continue
            steps = cell["updates"]
            x = [u["number"] for u in steps]
            y = [scale * u["value"] for u in steps]
            ax.plot(x, y, color="#0072B2", lw=0.8, alpha=0.6)
            for taken, fill in ((True, "#0072B2"), (False, "white")):
                at = [i for i, u in enumerate(steps) if u["taken"] is taken]
                ax.plot(
                    [x[i] for i in at],
                    [y[i] for i in at],
                    *("o",),
                    ms=4,
                    color="#0072B2",
                    mfc=fill,
                )
        ax.set_title(f"{problem}, k = {middle:g}")
        ax.set_xlabel("update (0: always look)")
        ax.set_ylabel("reward" if scale < 0 else "cost")
    return figure


def blindness(settings: Settings, problem: ContinuousSensingMDP) -> Figure:
    """For how many steps SPI goes without a look from each state, and one blind run's cloud."""
    spi = SPIContinuous(
        roots=settings.roots,
        particles=settings.particles,
        updates=3,
        episodes=min(settings.compared, 150),
    )
    policy = spi.solve(problem)
    return _line(problem, policy) if problem.dimension == 1 else _plane(problem, policy)


def _line(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, right) = panels(2, 2, 2.4)
    x = np.linspace(problem.low[0], problem.high[0], 241)[:, None]
    plans = policy.plans(x, np.zeros(len(x), int))
    left.step(x[:, 0], plans.lengths, where="mid", color="#0072B2")
    left.set_xlabel(f"{problem.state_names[0]} seen")
    left.set_ylabel("steps until the next look")
    left.set_ylim(bottom=0)
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}")
    root = problem.start(1, np.random.default_rng(1))
    clouds, looked = _blind_run(problem, policy, root)
    for t, cloud in enumerate(clouds):
        right.plot(np.full(len(cloud), t), cloud[:, 0], ".", ms=2, alpha=0.4, color="#0072B2")
    right.axvline(len(clouds) - 1, color="#D55E00", lw=1, ls="--")
    right.set_xlabel("steps since the look" + (" (dashed: the next one)" if looked else ""))
    right.set_ylabel(problem.state_names[0])
    right.set_title("where it may be")
    return figure


def _plane(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, right) = panels(2, 2, 3.0)
    axes = [np.linspace(lo, hi, 61) for lo, hi in zip(problem.low, problem.high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    lengths = policy.plans(points, np.zeros(len(points), int)).lengths.astype(float)
    lengths[problem.ended(points)] = np.nan
    shown = left.pcolormesh(*axes, lengths.reshape(61, 61).T, cmap="viridis", shading="nearest")
    figure.colorbar(shown, ax=left, label="steps until the next look")
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}")
    root = problem.start(1, np.random.default_rng(1))
    clouds, _ = _blind_run(problem, policy, root)
    late = np.linspace(0, 1, len(clouds))
    for cloud, share in zip(clouds, late, strict=True):
        colour = (share, 0.35, 1 - share)
        right.plot(cloud[:, 0], cloud[:, 1], ".", ms=2, alpha=0.5, color=colour)
    right.set_title(f"one blind run of {len(clouds) - 1} steps, blue to red")
    for ax in (left, right):
        ax.set_xlabel(problem.state_names[0])
        ax.set_ylabel(problem.state_names[1])
        ax.set_xlim(problem.low[0], problem.high[0])
        ax.set_ylim(problem.low[1], problem.high[1])
    return figure


def _blind_run(
    problem: ContinuousSensingMDP, policy: ContinuousPolicy, root: np.ndarray
) -> tuple[list[np.ndarray], bool]:
    """The cloud of the plan from a root, step by step, and whether the plan ends in a look."""
    plan = policy.plans(root, np.zeros(1, int))
    cloud, rng = np.repeat(root, 200, axis=0), np.random.default_rng(0)
    clouds = [cloud]
    for action in plan.actions[0, : plan.lengths[0]]:
        cloud, _ = problem.move(cloud, np.full(len(cloud), action), rng)
        clouds.append(cloud)
    return clouds, bool(plan.looks[0])
