"""The figures of the continuous suites.

value-and-looks-over-cost : every method's value and looking rate over the sensing cost;
value-over-updates : SPI's value against updates, simulated moves and processor time;
map-PROBLEM : how long SPI goes blind from each state, what it does first, and where the state may
be, step by step, during one blind run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bench.continuous.problems import PROBLEMS, load_continuous
from bench.continuous.suites import Settings
from bench.continuous.table import TITLES, grid_values, load, load_cells, summary
from bench.plots.style import Style, add_legend, line_handle, log_costs, panels, save, styled
from solvers.continuous import ContinuousPolicy, ContinuousSensingMDP
from solvers.continuous.spi_continuous import policy_from_json

STYLES = {
    "spi-continuous": Style("#0072B2", "o", "-", "full"),
    "network": Style("#0072B2", "o", "--", "none"),
    "always-look": Style("#999999", "s", "-", "full"),
    "never-look": Style("#999999", "v", ":", "none"),
    "every-n": Style("#E69F00", "^", "-", "full"),
    "atm": Style("#009E73", "D", "-", "full"),
    "grid": Style("#000000", "_", ":", "full"),
}

COLOURS = (
    *("#DDDDDD", "#0072B2", "#E69F00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#D55E00", "#F0E442", "#666666"),
)
"""Of the actions in a map."""


def draw(settings: Settings, results: Path) -> list[Path]:
    """Draw all figures into ``<results>/<suite>/figures``; returns their paths."""
    folder, cells = results / settings.name / "figures", load_cells(settings.name, results)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with styled():
        written += save(over_cost(settings.name, results), folder / "value-and-looks-over-cost")
        written += save(over_updates(cells), folder / "value-over-updates")
        for cell in cells:
            problem = load_continuous(cell["problem"], cell["sensing_cost"])
            middle = cell["sensing_cost"] == PROBLEMS[cell["problem"]][1][1]
            if problem.dimension <= 2 and middle and cell["seed"] == settings.seeds[0]:
                policy = policy_from_json(problem, cell["policy"])
                draw_map = _line if problem.dimension == 1 else _plane
                written += save(draw_map(problem, policy), folder / f"map-{cell['problem']}")
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
            if method not in STYLES:
                continue
            style, used[method] = STYLES[method], TITLES[method]
            top.errorbar(
                rows["sensing_cost"], rows["value"], rows["standard_error"], **style.of_line()
            )
            bottom.plot(rows["sensing_cost"], 100 * rows["sensing_rate"], **style.of_line())
        fine = [(k, grid_values(block)[:1]) for k, block in here.groupby("sensing_cost")]
        known = [(k, values[0]) for k, values in fine if values]
        if known:
            used["grid"] = "the finest grid's value"
            top.plot(*zip(*known, strict=True), **STYLES["grid"].of_line())
        _show_the_close_ones(top, here)
        top.set_title(problem)
        for ax in (top, bottom):
            log_costs(ax, sorted(here["sensing_cost"].unique()))
        rewards = load_continuous(problem).scale < 0
        top.set_ylabel("reward" if rewards else "cost")
        bottom.set_ylabel("looks per 100 steps")
    add_legend(figure, [line_handle(STYLES[f], used[f]) for f in STYLES if f in used])
    return figure


def _show_the_close_ones(ax: Axes, here: pd.DataFrame) -> None:
    """Limits that fit the methods which choose when to look: the others may be far off."""
    close = here[here["method"].isin(["spi-continuous", "every-n", "atm"])]["value"]
    room = 0.25 * max(close.max() - close.min(), 1e-9)
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, close.min() - room), min(high, close.max() + room))


AGAINST = {
    "number": "update (0: the start)",
    "samples": "moves of the simulator, millions",
    "cpu_seconds": "processor time, s",
}


def over_updates(cells: list[dict[str, Any]]) -> Figure:
    """SPI's value at the middle cost, a line per seed: the updates taken, and those tried."""
    found = [p for p in PROBLEMS if any(c["problem"] == p for c in cells)]
    figure, axes = panels(3 * len(found), 3, 1.5)
    for i, problem in enumerate(found):
        scale, middle = load_continuous(problem).scale, PROBLEMS[problem][1][1]
        here = [c for c in cells if c["problem"] == problem and c["sensing_cost"] == middle]
        for ax, (name, label) in zip(axes[3 * i : 3 * i + 3], AGAINST.items(), strict=True):
            for cell in here:
                _sequence(ax, cell["updates"], name, scale)
            ax.set_xlabel(label if problem == found[-1] else "")
            ax.set_title(f"{problem}, k = {middle:g}" if name == "number" else "")
        axes[3 * i].set_ylabel("reward" if scale < 0 else "cost")
    return figure


def _sequence(ax: Axes, updates: list[dict[str, Any]], name: str, scale: float) -> None:
    """One run: a line through the updates that were taken, an open circle for each other one."""
    unit = 1e6 if name == "samples" else 1.0
    for taken, look in ((True, {"ls": "-", "mfc": "#0072B2"}), (False, {"ls": "", "mfc": "white"})):
        at = [u for u in updates if u["taken"] is taken]
        x, y = [u[name] / unit for u in at], [scale * u["value"] for u in at]
        ax.plot(x, y, marker="o", ms=3, lw=0.8, color="#0072B2", **look)


def _line(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, right) = panels(2, 2, 2.4)
    x = np.linspace(problem.low[0], problem.high[0], 241)[:, None]
    plans = policy.plans(x, np.zeros(len(x), int))
    left.plot(x[:, 0], plans.lengths, ".", ms=2.5, color="#56B4E9")
    near = np.abs(x - x.T) < 0.05 * (problem.high[0] - problem.low[0])
    left.plot(x[:, 0], near @ plans.lengths / near.sum(axis=1), color="#0072B2")
    left.set_xlabel(f"{problem.state_names[0]} seen")
    left.set_ylabel("steps until the next look (line: mean nearby)")
    left.set_ylim(bottom=0)
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}")
    root = problem.start(1, np.random.default_rng(1))
    clouds, looked = _blind_run(problem, policy, root)
    for t, cloud in enumerate(clouds):
        right.plot(np.full(len(cloud), t), cloud[:, 0], ".", ms=2, alpha=0.4, color="#0072B2")
    if looked:
        right.axvline(len(clouds) - 1, color="#D55E00", lw=1, ls="--")
    right.set_xlabel("steps since the look" + (" (dashed: the next one)" if looked else ""))
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    right.set_ylabel(problem.state_names[0])
    right.set_title("where it may be during one blind run")
    return figure


def _plane(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, middle, right) = panels(3, 3, 2.4)
    axes = [np.linspace(lo, hi, 61) for lo, hi in zip(problem.low, problem.high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    plans, over = policy.plans(points, np.zeros(len(points), int)), problem.ended(points)
    first = np.where(over, np.nan, plans.actions[:, 0]).reshape(61, 61).T
    lengths = np.where(over, np.nan, plans.lengths).reshape(61, 61).T
    top = max(2.0, float(np.nanquantile(lengths, 0.98)))
    shown = left.pcolormesh(*axes, lengths, cmap="viridis", shading="nearest", vmin=1, vmax=top)
    figure.colorbar(shown, ax=left, extend="max", location="bottom", shrink=0.9)
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}\nsteps until the next look")
    A = problem.num_actions
    colours = ListedColormap([COLOURS[a % len(COLOURS)] for a in range(A)])
    done = middle.pcolormesh(*axes, first, cmap=colours, shading="nearest", vmin=-0.5, vmax=A - 0.5)
    names = problem.action_names or [str(a) for a in range(A)]
    bar = figure.colorbar(done, ax=middle, location="bottom", shrink=0.9, ticks=range(A))
    bar.ax.set_xticklabels(names, rotation=0 if A < 5 else 60)
    middle.set_title("first action")
    clouds, looked = _blind_run(problem, policy, problem.start(1, np.random.default_rng(1)))
    steps = np.repeat(np.arange(len(clouds)), len(clouds[0]))
    x, y = np.concatenate(clouds).T
    dots = right.scatter(x, y, c=steps, s=2, cmap="plasma", linewidths=0)
    figure.colorbar(dots, ax=right, location="bottom", shrink=0.9)
    end = "then it looks" if looked else "and never looks"
    right.set_title(f"where it may be after each of\n{len(clouds) - 1} blind steps, {end}")
    for ax in (left, middle, right):
        ax.set(xlabel=problem.state_names[0], ylabel=problem.state_names[1])
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
